// Package intake takes what monitoring tools send to a project's integrations:
// it checks the key, reads the payload and records the alerts in it. Each
// refusal has the status that makes the tools retry exactly when that helps,
// because many of them cannot be configured.
package intake

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

// Rules take payloads.
type Rules struct {
	store        Store
	integrations *integration.Rules
	topics       Topics
	meter        *meter
	mappings     *mappings
	now          func() time.Time
}

// Store is what a delivery writes to.
type Store interface {
	alert.Recorder
	integration.Meter
	// OpenAlert is that of alert.Reader.
	OpenAlert(ctx context.Context, projectID int64, f alert.Fingerprint) (alert.Alert, error)
}

// NewRules returns the rules over a store, the integrations and what confirms topics.
func NewRules(store Store, integrations *integration.Rules, topics Topics, now func() time.Time) *Rules {
	return &Rules{store, integrations, topics, newMeter(), new(mappings), now}
}

// Delivery is a request to the address of an integration.
type Delivery struct {
	Project  string // full path, in any letter case
	Endpoint string // the integration's endpoint identifier
	Metrics  bool   // the address takes the metrics format only
	Key      secret.Text
	PathKey  secret.Text // in the address, if it holds one
	Call     Call        // what the address says, if it is below the integration's
	Body     []byte
	// OtherType is what the body claims to be if that is not JSON. It counts as JSON all the
	// same if it is a JSON object, and else as empty.
	OtherType string
	Unread    error // why the body could not be read, if it could not
}

// Deliver records the alerts in a payload and returns the alerts that it
// touched. The error is of one of these kinds (Interface: "Alert intake"):
//
//   - fault.Invalid for a payload that no alert can be made of, and for a plain
//     payload that resolves an alert that is not open, and for a question of SNS that is
//     not certain to be one about the named topic
//   - fault.NotFound if there is no such project
//   - fault.Forbidden if the project has no such active integration, but
//     fault.Unauthorized at an address of the metrics format
//   - fault.Unauthorized for a key that is missing or wrong
//   - fault.Unprocessable for another format at an address of the metrics format
//   - fault.TooMany beyond the integration's rate limit, but fault.Unavailable
//     at an address of the metrics format: its senders drop an alert for good
//     after any other refusal
//   - fault.Unavailable if the store fails; the sender should try again
func (r *Rules) Deliver(ctx context.Context, sent Delivery) ([]alert.Recorded, error) {
	touched, _, err := r.Accept(ctx, sent)
	return touched, err
}

// Test records the alerts in a payload as if a tool had sent it, with the
// errors of Deliver.
func (r *Rules) Test(ctx context.Context, p project.Project, i integration.Integration, body []byte) ([]alert.Recorded, error) {
	e, err := r.integrations.EndpointOf(ctx, p.FullPath, i.Endpoint)
	switch {
	case err != nil:
		return nil, err
	case !e.Receives():
		return nil, errInactive
	}
	d := r.newDelivery(Delivery{Project: p.FullPath, Body: body}, e)
	return d.run(ctx, d.read, d.record)
}

// endpoint returns the integration with the project's settings and
// environments.
func (r *Rules) endpoint(ctx context.Context, p project.Project, i integration.Integration) (integration.Endpoint, error) {
	e := integration.Endpoint{Integration: i}
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		e.Settings, err = r.integrations.AlertSettings(ctx, p)
		return err
	})
	reads.Go(func() error {
		environments, err := r.integrations.Environments(ctx, p)
		for _, environment := range environments {
			e.Environments = append(e.Environments, environment.Name)
		}
		return err
	})
	err := reads.Wait() // e is complete only now
	return e, err
}
