package user

import "gatehouse/shared/fault"

// The reasons why a store refuses an operation.
var (
	ErrNotFound      = fault.New(fault.NotFound, "user not found")
	ErrChanged       = fault.New(fault.Conflict, "the user was changed in between")
	ErrHoldsProjects = fault.New(fault.Conflict, "the user's namespace holds projects")
	// ErrNotAdministrator refuses what only an active administrator may do.
	ErrNotAdministrator = fault.New(fault.Forbidden, "you are not an administrator any more")
)
