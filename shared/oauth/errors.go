package oauth

import "gatehouse/shared/fault"

// The reasons why a store refuses an operation. For people a client is an
// application.
var (
	ErrClientNotFound = fault.New(fault.NotFound, "application not found")
	ErrClientChanged  = fault.New(fault.Conflict, "the application was changed in between")

	ErrGrantNotFound = fault.New(fault.NotFound, "grant not found")
	ErrGrantChanged  = fault.New(fault.Conflict, "the grant was advanced or revoked before")
)
