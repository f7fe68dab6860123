package integration

import "gatehouse/shared/fault"

// ErrNoProject tells that there is no project of which the endpoint could be.
var ErrNoProject = fault.New(fault.NotFound, "Project Not Found")

// ErrTooManyEnvironments tells that the project gets no further environment.
var ErrTooManyEnvironments = fault.New(fault.Conflict, "the project has the most environments it can have")

// ErrChanged tells that an integration is not as it was seen any more.
var ErrChanged = fault.New(fault.Conflict, "the integration was changed in between")
