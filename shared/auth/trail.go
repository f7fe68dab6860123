package auth

import "gatehouse/shared/audit"

// EventSudoUsed belongs to the user as whom the administrator acted.
var EventSudoUsed = audit.Declare("sudo.used", "An administrator acted as this user")
