package auth

import "gatehouse/shared/audit"

// EventSudoUsed is in the trail of the user in whose name the administrator acted.
var EventSudoUsed = audit.Declare("sudo.used", "An administrator acted as this user")
