package oidc

import "gatehouse/shared/fault"

// The reasons why a store refuses an operation.
var (
	ErrNotFound = fault.New(fault.NotFound, "signing keys not found")
	ErrReplaced = fault.New(fault.Conflict, "the signing keys were replaced in between")
)
