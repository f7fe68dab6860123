package integration

import (
	"context"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/project"
)

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

// Store keeps integrations and settings. Reads see every write that was
// acknowledged before. Everything is deleted with its project, and a later
// project with the same path does not get it back.
type Store interface {
	Reader
	Meter

	// CreateIntegration stores the integration under the next id, provided the
	// project still has exactly the integrations in had, and returns it with
	// ID and Version. It returns a fault.Conflict error when they changed, or
	// the endpoint is taken, and a fault.NotFound error when the project is
	// gone.
	CreateIntegration(ctx context.Context, p project.Project, i Integration, had []Integration) (Integration, error)

	// UpdateIntegration changes everything but ID, ProjectID, Type, Endpoint,
	// Health and CreatedAt of the integration, provided its Version is still
	// the stored one and had is as in CreateIntegration. If KeyDigest is the
	// stored one the stored SealedKey stays, because the key may have been
	// resealed since it was read; so it is with PathKeyDigest. It returns a fault.NotFound error when the
	// integration is gone.
	UpdateIntegration(ctx context.Context, p project.Project, i Integration, had []Integration) (Integration, error)

	// DeleteIntegration removes the integration with its sample, or returns a
	// fault.NotFound error. Its alerts stay.
	DeleteIntegration(ctx context.Context, p project.Project, i Integration) error

	// PutSample stores a sample payload, of at most 1 MiB, for the integration;
	// nil removes it. It returns a fault.NotFound error when the integration
	// is gone.
	PutSample(ctx context.Context, p project.Project, i Integration, sample []byte) error

	// PutSealedKey replaces the sealed authorization key, provided i.SealedKey
	// is still the stored one. Otherwise, and when the integration is gone, it
	// does nothing. The Version stays.
	PutSealedKey(ctx context.Context, projectPath string, i Integration, sealed []byte) error

	// PutSealedPathKey does the same with the path key.
	PutSealedPathKey(ctx context.Context, projectPath string, i Integration, sealed []byte) error

	// PutAlertSettings stores the settings if Version is still the stored one,
	// or returns a fault.Conflict error.
	PutAlertSettings(ctx context.Context, p project.Project, s Settings) (Settings, error)
}

// Reader is what a Store answers.
type Reader interface {
	// EndpointOf returns, in one round trip, the integration with this endpoint
	// identifier in the project with this full path (in any letter case), and
	// what the project has for all of them. It returns ErrNoProject when there
	// is no such project, and a fault.NotFound error when the project has no
	// such integration. Inactive integrations are returned.
	EndpointOf(ctx context.Context, projectPath, endpoint string) (Endpoint, error)

	// Integrations returns all integrations of the project, by ascending id.
	Integrations(ctx context.Context, p project.Project) ([]Integration, error)

	// Sample returns the sample payload of the integration, nil for none. It
	// returns a fault.NotFound error when the integration is gone.
	Sample(ctx context.Context, p project.Project, i Integration) ([]byte, error)

	// EndpointWithSample returns the integration as EndpointOf does, and its sample payload,
	// nil for none. It returns a fault.NotFound error when the integration is gone.
	EndpointWithSample(ctx context.Context, p project.Project, i Integration) (Endpoint, []byte, error)

	// AlertSettings returns the project's settings, or the default ones.
	AlertSettings(ctx context.Context, p project.Project) (Settings, error)

	// Environments returns all environments of the project, by ascending id.
	Environments(ctx context.Context, p project.Project) ([]project.Environment, error)
}

// Meter is the part of a Store that counts what integrations receive.
type Meter interface {
	// AddHealth adds the counters to those of the integration in the project
	// with this path, and replaces the times and the error where h has them.
	// It does nothing when the integration is gone.
	AddHealth(ctx context.Context, projectPath string, i Integration, h Health) error

	// TakeRate counts a request to the integration in now's minute if it is
	// within the limit, and reports whether it is.
	TakeRate(ctx context.Context, projectPath string, i Integration, now time.Time) (bool, error)
}
