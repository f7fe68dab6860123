package accesstoken

import "gatehouse/shared/fault"

// The reasons why a store refuses an operation.
var (
	ErrNotFound = fault.New(fault.NotFound, "token not found")
	ErrTaken    = fault.New(fault.Conflict, "a token with this value exists")
	ErrRevoked  = fault.New(fault.Conflict, "the token is revoked")
)
