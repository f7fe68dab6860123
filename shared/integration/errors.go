package integration

import "gatehouse/shared/fault"

// ErrNoProject tells that there is no project of which the endpoint could be.
var ErrNoProject = fault.New(fault.NotFound, "Project Not Found")
