package project

import "gatehouse/shared/fault"

// The reasons why a store refuses an operation.
var (
	ErrNotFound = fault.New(fault.NotFound, "project not found")
	ErrChanged  = fault.New(fault.Conflict, "the project was changed in between")

	ErrGroupNotFound = fault.New(fault.NotFound, "group not found")
	ErrGroupChanged  = fault.New(fault.Conflict, "the group was changed in between")
	ErrGroupNotEmpty = fault.New(fault.Conflict, "the group holds projects or groups")

	ErrMemberNotFound = fault.New(fault.NotFound, "member not found")
	ErrMemberChanged  = fault.New(fault.Conflict, "the member was changed in between")
	ErrMemberExists   = fault.New(fault.Conflict, "the user is a member already")
)
