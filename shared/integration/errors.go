package integration

import "gatehouse/shared/fault"

// The reasons why a store refuses an operation.
var (
	ErrNotFound      = fault.New(fault.NotFound, "integration not found")
	ErrChanged       = fault.New(fault.Conflict, "the integration was changed in between")
	ErrOthersChanged = fault.New(fault.Conflict, "the integrations of the project were changed in between")
	ErrTaken         = fault.New(fault.Conflict, "the endpoint is taken")
	// ErrNoProject means that the endpoint's project does not exist.
	ErrNoProject = fault.New(fault.NotFound, "Project Not Found")

	ErrSettingsChanged = fault.New(fault.Conflict, "the alert settings were changed in between")
)
