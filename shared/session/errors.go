package session

import "gatehouse/shared/fault"

// ErrNotFound means that the user has no such session.
var ErrNotFound = fault.New(fault.NotFound, "session not found")
