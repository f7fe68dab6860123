package integration

import (
	"context"
	"time"

	"gatehouse/shared/project"
)

// Store keeps integrations and settings. Reads see every write
// that was acknowledged before. What belongs to a project that is gone is gone
// as well, also for a later project with the same path.
type Store interface {
	// EndpointOf returns the integration that has the endpoint identifier in
	// the project with this full path, which may be in any letter case, and
	// what comes with it, in one round trip. It returns ErrNoProject where
	// there is no such project, and a fault.NotFound error where the project
	// has no such integration. Inactive ones are returned.
	EndpointOf(ctx context.Context, projectPath, endpoint string) (Endpoint, error)

	// Integrations returns all integrations of the project, by ascending id.
	Integrations(ctx context.Context, p project.Project) ([]Integration, error)

	// CreateIntegration stores the integration under the next id, if those
	// that the project has are still those in had, and returns it with ID and
	// Version. It returns a fault.Conflict error when they changed, or the
	// endpoint is taken, and a fault.NotFound error when the project is gone.
	CreateIntegration(ctx context.Context, p project.Project, i Integration, had []Integration) (Integration, error)

	// UpdateIntegration changes everything but ID, ProjectID, Type, Endpoint,
	// Health and CreatedAt of the integration whose Version is still the
	// stored one, under the condition that CreateIntegration puts on had. A
	// SealedKey whose KeyDigest is the stored one stays as it is stored, as it
	// may have been sealed anew since it was read. It returns a fault.NotFound
	// error when the integration is gone.
	UpdateIntegration(ctx context.Context, p project.Project, i Integration, had []Integration) (Integration, error)

	// DeleteIntegration removes the integration with its sample, or returns a
	// fault.NotFound error. Alerts that came through it stay.
	DeleteIntegration(ctx context.Context, p project.Project, i Integration) error

	// Sample returns the sample payload of the integration; nil: none. It
	// returns a fault.NotFound error when the integration is gone.
	Sample(ctx context.Context, p project.Project, i Integration) ([]byte, error)

	// PutSample keeps a sample payload, of at most 1 MiB, for the integration;
	// nil removes it. It returns a fault.NotFound error when the integration
	// is gone.
	PutSample(ctx context.Context, p project.Project, i Integration, sample []byte) error

	// PutSealedKey keeps the authorization key sealed anew, if what is stored
	// of it is still SealedKey. Otherwise, and for an integration that is
	// gone, it does nothing. The Version stays.
	PutSealedKey(ctx context.Context, projectPath string, i Integration, sealed []byte) error

	// AddHealth adds the counters to those of the integration in the project
	// with this path, and takes over the times and the error where these are
	// set. It does nothing for an integration that is gone.
	AddHealth(ctx context.Context, projectPath string, i Integration, h Health) error

	// TakeRate counts a request to the integration in the minute that now is
	// in, if it is within the limit, and reports whether it is.
	TakeRate(ctx context.Context, projectPath string, i Integration, now time.Time) (bool, error)

	// AlertSettings returns the project's settings, or the default ones.
	AlertSettings(ctx context.Context, p project.Project) (Settings, error)

	// PutAlertSettings stores the settings if Version is still the stored one,
	// or returns a fault.Conflict error.
	PutAlertSettings(ctx context.Context, p project.Project, s Settings) (Settings, error)

	// Environments returns all environments of the project, by ascending id.
	Environments(ctx context.Context, p project.Project) ([]project.Environment, error)
}
