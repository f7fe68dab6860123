package twofactor

import "gatehouse/shared/audit"

// Events of second factors.
var (
	EventEnabled              = audit.Declare("two_factor.enabled", "Two-factor authentication turned on")
	EventDisabled             = audit.Declare("two_factor.disabled", "Two-factor authentication turned off")
	EventRecoveryCodesRenewed = audit.Declare("two_factor.recovery_codes_renewed", "New recovery codes made")
	EventRecoveryCodeUsed     = audit.Declare("two_factor.recovery_code_used", "Recovery code used")
)
