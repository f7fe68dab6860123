// Package intake takes what monitoring tools send to a project's integrations:
// it checks the key, reads the payload and records the alerts in it. A tool
// that cannot be reconfigured is answered in the way that makes it try again
// exactly when that helps.
package intake

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

// Rules take payloads.
type Rules struct {
	store        Store
	integrations *integration.Rules
	meter        *meter
	now          func() time.Time
}

// Store is what a delivery writes to.
type Store interface {
	alert.Recorder
	integration.Meter
}

// NewRules returns the rules over a store and the integrations.
func NewRules(store Store, integrations *integration.Rules, now func() time.Time) *Rules {
	return &Rules{store, integrations, newMeter(), now}
}

// Delivery is a request to the address of an integration.
type Delivery struct {
	Project  string // its full path, in any letter case
	Endpoint string // the integration's endpoint identifier
	Metrics  bool   // the address is for the metrics format alone
	Key      secret.Text
	Body     []byte // what is not JSON by its content type counts as nothing
}

// Deliver records the alerts in a payload and returns those that it touched.
// The error is of one of these kinds (Interface: "Alert intake"):
//
//   - fault.Invalid for a payload of which no alert can be made, and for one
//     that resolves only what is not open, unless it is of the metrics format
//   - fault.NotFound where there is no such project
//   - fault.Forbidden where the project has no such active integration, but
//     fault.Unauthorized at an address of the metrics format
//   - fault.Unauthorized for a key that is missing or wrong
//   - fault.Unprocessable for another format where the metrics one is wanted
//   - fault.TooMany beyond the integration's rate limit, but fault.Unavailable
//     at an address of the metrics format, whose senders drop an alert for
//     ever after any other refusal
//   - fault.Unavailable when the store fails; then the same payload may be
//     sent again
func (r *Rules) Deliver(ctx context.Context, d Delivery) ([]alert.Recorded, error) {
	if err := payload.Check(d.Body); err != nil {
		return nil, r.Refuse(ctx, d, err)
	}
	e, err := r.admit(ctx, d)
	if err != nil {
		return nil, r.refuse(ctx, d.Project, e, err)
	}
	r.integrations.KeepKey(ctx, d.Project, e.Integration, d.Key)
	return r.take(ctx, d.Project, e, d.takes(e), d.Body)
}

// Refuse notes at its integration, if there is one, that a delivery was refused
// before anything of it was read, and returns the error that tells why.
func (r *Rules) Refuse(ctx context.Context, d Delivery, why error) error {
	e, err := r.integrations.EndpointOf(ctx, d.Project, d.Endpoint)
	if err != nil && !fault.Is(err, fault.NotFound) {
		slog.ErrorContext(ctx, "refusal not noted", "error", err)
	}
	return r.refuse(ctx, d.Project, e, why)
}

// Test records the alerts in a payload as if a tool had sent it, with the
// errors of Deliver.
func (r *Rules) Test(ctx context.Context, p project.Project, i integration.Integration, body []byte) ([]alert.Recorded, error) {
	e, err := r.integrations.EndpointOf(ctx, p.FullPath, i.Endpoint)
	if err != nil {
		return nil, err
	}
	if !e.Receives() {
		return nil, errInactive
	}
	return r.take(ctx, p.FullPath, e, Delivery{}.takes(e), body)
}

// Preview tells what would become of a payload if the integration had the
// mapping, and records nothing. The integration need not be stored. A mapping
// where the instance has none is integration.ErrNoMapping.
func (r *Rules) Preview(ctx context.Context, p project.Project, i integration.Integration, m mapping.Mapping, body []byte) (alert.Preview, error) {
	if len(m) > 0 && !r.integrations.Features.Mapping {
		return alert.Preview{}, integration.ErrNoMapping
	}
	e, err := r.around(ctx, p, i)
	if err != nil {
		return alert.Preview{}, err
	}
	reading := r.reading(e, Delivery{}.takes(e))
	reading.Mapping = m
	return alert.ReadPreview(body, reading)
}

// around returns the integration with what the project has for all of them.
func (r *Rules) around(ctx context.Context, p project.Project, i integration.Integration) (integration.Endpoint, error) {
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
	err := reads.Wait() // e is being written until then
	return e, err
}

// takes returns the format that the address takes.
func (d Delivery) takes(e integration.Endpoint) alert.Format {
	if d.Metrics || e.Type == integration.Metrics {
		return alert.Metrics
	}
	return alert.Plain
}

// The refusals that say what to mend.
var (
	errInactive = fault.New(fault.Forbidden, "There is no active integration with this address. See the project's Monitor settings.")
	errNoKey    = fault.New(fault.Unauthorized, "Send the integration's authorization key, as a Bearer token or as the password of Basic authentication.")
	errWrongKey = fault.New(fault.Unauthorized, "The authorization key is not this integration's. See the project's Monitor settings.")
	errDown     = fault.New(fault.Unavailable, "The payload could not be recorded. Send it again.")
	errNotOpen  = fault.New(fault.Invalid, "The payload resolves an alert, and none with its fingerprint is open.")

	errInactiveMetrics = fault.New(fault.Unauthorized, fault.Message(errInactive))
)

// admit returns the integration that the delivery is for, if that takes it. A
// refused delivery comes with the integration as far as it is known.
func (r *Rules) admit(ctx context.Context, d Delivery) (integration.Endpoint, error) {
	e, err := r.integrations.EndpointOf(ctx, d.Project, d.Endpoint)
	metrics := d.takes(e) == alert.Metrics
	switch {
	case errors.Is(err, integration.ErrNoProject):
		return e, err
	case err != nil && !fault.Is(err, fault.NotFound):
		return e, err
	case err != nil || !e.Receives():
		if metrics {
			return e, errInactiveMetrics
		}
		return e, errInactive
	case d.Key.Empty():
		return e, errNoKey
	case !e.Authorizes(d.Key):
		return e, errWrongKey
	}
	return e, r.checkRate(ctx, d.Project, e, metrics)
}

func (r *Rules) checkRate(ctx context.Context, projectPath string, e integration.Endpoint, metrics bool) error {
	if e.RateLimit == 0 {
		return nil
	}
	now := r.now()
	within, err := r.store.TakeRate(ctx, projectPath, e.Integration, now)
	if err != nil || within {
		return err
	}
	kind := fault.TooMany
	if metrics {
		kind = fault.Unavailable
	}
	nextMinute := now.Truncate(time.Minute).Add(time.Minute)
	return throttled{fault.New(kind, "The integration takes no more requests in this minute."), nextMinute.Sub(now)}
}

// throttled is a refusal that ends by itself.
type throttled struct {
	error
	wait time.Duration
}

// Unwrap returns what to tell.
func (t throttled) Unwrap() error { return t.error }

// RetryAfter is how long to wait.
func (t throttled) RetryAfter() time.Duration { return t.wait }

// reading says how the integration's payloads are read.
func (r *Rules) reading(e integration.Endpoint, takes alert.Format) alert.Reading {
	return alert.Reading{
		Format: takes, AutoFingerprint: e.Settings.Fingerprinting, Grouping: r.integrations.Features.Grouping,
		Environments: e.Environments, IntegrationID: e.ID, Now: r.now(),
	}
}

// take reads the payload and records what is in it.
func (r *Rules) take(ctx context.Context, projectPath string, e integration.Endpoint, takes alert.Format, body []byte) ([]alert.Recorded, error) {
	reading := r.reading(e, takes)
	var err error
	if r.integrations.Features.Mapping && len(e.Mapping) > 0 {
		if reading.Mapping, err = mapping.Parse(e.Mapping, "mapping"); err != nil {
			return nil, r.refuse(ctx, projectPath, e, err)
		}
	}
	parsed, err := alert.Parse(body, reading)
	if err != nil {
		return nil, r.refuse(ctx, projectPath, e, err)
	}
	recorded, err := r.record(ctx, projectPath, e, parsed, reading.Now)
	if err != nil {
		return nil, r.refuse(ctx, projectPath, e, err)
	}
	touched := parsed.Touched(recorded)
	if len(touched) == 0 && parsed.Format == alert.Plain {
		r.note(ctx, projectPath, e.Integration, integration.Health{Received: -1}) // record has counted it
		return nil, r.refuse(ctx, projectPath, e, errNotOpen)
	}
	return touched, nil
}

// record writes the alerts, and beside that how the integration does.
func (r *Rules) record(ctx context.Context, projectPath string, e integration.Endpoint, parsed alert.Parsed, now time.Time) (recorded [][]alert.Recorded, err error) {
	var write errgroup.Group
	write.Go(func() (err error) {
		recorded, err = r.store.RecordOccurrences(ctx, e.ProjectID, parsed.Occurrences, now)
		return err
	})
	h := integration.Health{
		LastReceivedAt: now, Received: 1,
		SkippedItems: int64(parsed.Skipped.Total()), TruncatedAlerts: parsed.TruncatedAlerts,
	}
	if len(parsed.Notes) > 0 {
		h.LastError, h.LastErrorAt = parsed.Notes[0], now
	}
	r.note(ctx, projectPath, e.Integration, h)
	err = write.Wait() // recorded is being written until then
	return recorded, err
}

// refuse notes that a delivery was refused, and returns the error that tells
// why. What went wrong in the store is for the log.
func (r *Rules) refuse(ctx context.Context, projectPath string, e integration.Endpoint, err error) error {
	var told *fault.Fault
	var ends throttled
	known := errors.As(err, &told)
	if !known || fault.Is(err, fault.Unavailable) && !errors.As(err, &ends) {
		slog.ErrorContext(ctx, "payload not recorded", "error", err, "integration_id", e.ID)
	}
	if !known {
		err = errDown
	}
	if e.ID != 0 {
		r.note(ctx, projectPath, e.Integration, integration.Health{Rejected: 1, LastError: fault.Message(err), LastErrorAt: r.now()})
	}
	return err
}
