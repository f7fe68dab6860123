package twofactor

import "gatehouse/shared/fault"

// The reasons why a store refuses an operation.
var (
	ErrNotFound = fault.New(fault.NotFound, "second factor not found")
	ErrChanged  = fault.New(fault.Conflict, "the second factor was changed in between")
)
