package session

import "gatehouse/shared/audit"

// Events of sessions.
var (
	EventSignOut       = audit.Declare("user.sign_out", "Signed out")
	EventRevoked       = audit.Declare("session.revoked", "Ended a session")
	EventOthersRevoked = audit.Declare("session.others_revoked", "Signed out everywhere else")
)
