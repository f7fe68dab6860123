package errortracking

import "gatehouse/shared/fault"

// The reasons why a store refuses an operation.
var (
	ErrNotFound    = fault.New(fault.NotFound, "error tracking settings not found")
	ErrKeyNotFound = fault.New(fault.NotFound, "client key not found")
	ErrKeyTaken    = fault.New(fault.Conflict, "a client key with this id exists")
)
