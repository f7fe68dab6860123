package integration

import "gatehouse/shared/fault"

// ErrNoProject tells that there is no project of which the endpoint could be.
var ErrNoProject = fault.New(fault.NotFound, "Project Not Found")

// ErrChanged tells that an integration is not as it was seen any more.
var ErrChanged = fault.New(fault.Conflict, "the integration was changed in between")
