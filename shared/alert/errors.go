package alert

import "gatehouse/shared/fault"

// The reasons why a store refuses an operation.
var (
	ErrNotFound      = fault.New(fault.NotFound, "alert not found")
	ErrChanged       = fault.New(fault.Conflict, "the alert was changed in between")
	ErrDuplicateOpen = fault.New(fault.Conflict, "another alert with the same fingerprint is open")
	// ErrUncertain means that the occurrence may have been counted or not.
	ErrUncertain = fault.New(fault.Unavailable, "it is not certain that the alert was recorded: send it again")
)
