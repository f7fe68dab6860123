package signin

import "gatehouse/shared/audit"

// The events of a sign-in.
var (
	EventSignIn    = audit.Declare("user.sign_in", "Signed in")
	EventFailed    = audit.Declare("user.sign_in_failed", "Sign-in failed", audit.Warning)
	EventThrottled = audit.Declare("user.sign_in_throttled", "Sign-in throttled", audit.Warning, audit.LogOnly)
)
