package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/payload"
)

// delivery is a Delivery on its way through open, read and record. Each step
// fills in what the next one needs.
type delivery struct {
	Delivery
	rules    *Rules
	now      time.Time
	endpoint integration.Endpoint // by open; without ID if there is none
	noKey    bool                 // by open: the key is wrong or missing
	notRead  string               // by read: why the body counts as empty, if it does
	parsed   alert.Parsed         // by read
	touched  []alert.Recorded     // by record
	dedupKey string               // by open: of an event of the Events API v2

	confirmed bool // by take: it was a question of SNS, and the answer is yes
}

func (r *Rules) newDelivery(sent Delivery, e integration.Endpoint) *delivery {
	return &delivery{Delivery: sent, rules: r, now: r.now(), endpoint: e}
}

// run takes the steps until one fails, and returns the answer.
func (d *delivery) run(ctx context.Context, steps ...func(context.Context) error) ([]alert.Recorded, error) {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, d.end(ctx, err)
		}
	}
	return d.touched, nil
}

// The refusals that say what to do.
var (
	errInactive = fault.New(fault.Forbidden, "There is no active integration with this address. See the project's Monitor settings.")
	errNoKey    = fault.New(fault.Unauthorized, "Send the integration's authorization key: as a Bearer token, as the password of Basic authentication or as X-Api-Key.")
	errWrongKey = fault.New(fault.Unauthorized, "The authorization key is not this integration's. See the project's Monitor settings.")
	errDown     = fault.New(fault.Unavailable, "The payload could not be recorded. Send it again.")
	errNotOpen  = fault.New(fault.Invalid, "The payload resolves an alert, and none with its fingerprint is open.")

	errInactiveMetrics = fault.New(fault.Unauthorized, fault.Message(errInactive))
)

// open finds the integration and checks that it takes the delivery. A body that
// cannot be used is refused first, but even that is noted at the integration.
func (d *delivery) open(ctx context.Context) (err error) {
	d.endpoint, err = d.rules.integrations.EndpointOf(ctx, d.Project, d.Endpoint)
	err = d.admit(err)
	d.readEvent()
	d.readCall()
	d.noKey = !d.endpoint.Authorizes(d.Key, d.PathKey)
	if unusable := cmp.Or(d.Unread, d.check()); unusable != nil {
		if fault.IgnoreNotFound(err) != nil {
			slog.ErrorContext(ctx, "refusal not noted", "error", err)
		}
		return unusable
	}
	if err := d.authorize(err); err != nil {
		return err
	}
	if err := d.checkRate(ctx); err != nil {
		return err
	}
	d.rules.integrations.KeepKeys(ctx, d.Project, d.endpoint.Integration, d.Key, d.PathKey)
	return nil
}

// check returns why the body cannot be used, whatever is in it. A body that does not claim
// to be JSON may be anything, so it has no depth.
func (d *delivery) check() error {
	most := payload.MaxBytes
	if len(d.Body) > most && (d.format() == alert.Metrics || alert.MayBeMetrics(d.Body)) {
		most = payload.MaxGroupBytes
	}
	if d.OtherType != "" {
		return payload.CheckSize(d.Body, most)
	}
	return payload.Check(d.Body, most)
}

// authorize checks that the integration, which was found unless there is an
// error, is active and has the key.
func (d *delivery) authorize(err error) error {
	switch {
	case errors.Is(err, integration.ErrNoProject), fault.IgnoreNotFound(err) != nil:
		return err
	case (err != nil || !d.endpoint.Receives()) && d.format() == alert.Metrics:
		return errInactiveMetrics
	case err != nil || !d.endpoint.Receives():
		return errInactive
	case d.noKey && d.Key.Empty() && d.PathKey.Empty():
		return errNoKey
	case d.noKey:
		return errWrongKey
	}
	return nil
}

// format returns the format that the address takes.
func (d *delivery) format() alert.Format {
	if d.Metrics || d.endpoint.Type == integration.Metrics {
		return alert.Metrics
	}
	return alert.Plain
}

func (d *delivery) checkRate(ctx context.Context) error {
	if d.endpoint.RateLimit == 0 {
		return nil
	}
	within, err := d.rules.store.TakeRate(ctx, d.Project, d.endpoint.Integration, d.now)
	if err != nil || within {
		return err
	}
	kind := fault.TooMany
	if d.format() == alert.Metrics {
		kind = fault.Unavailable
	}
	nextMinute := d.now.Truncate(time.Minute).Add(time.Minute)
	return throttled{fault.New(kind, "The integration takes no more requests in this minute."), nextMinute.Sub(d.now)}
}

// throttled is a refusal for a limited time.
type throttled struct {
	error
	wait time.Duration
}

// Unwrap returns the refusal.
func (t throttled) Unwrap() error { return t.error }

// RetryAfter is how long to wait.
func (t throttled) RetryAfter() time.Duration { return t.wait }

// read parses the payload.
func (d *delivery) read(context.Context) (err error) {
	reading := d.reading()
	if d.rules.integrations.Features.Mapping && len(d.endpoint.Mapping) > 0 {
		if reading.Mapping, err = d.rules.mappings.read(d.endpoint.Integration); err != nil {
			return err
		}
	}
	d.readOtherType()
	d.parsed, err = alert.Parse(d.Body, reading)
	if err != nil && d.notRead != "" {
		return fault.New(fault.Unprocessable, d.notRead)
	}
	return err
}

// maxType bounds what is shown of a content type, in characters.
const maxType = 60

// readOtherType takes a body that does not claim to be JSON as empty, unless it is JSON.
func (d *delivery) readOtherType() {
	if d.OtherType == "" {
		return
	}
	if _, err := payload.ReadUpTo(d.Body, payload.MaxGroupBytes); err != nil {
		d.notRead = fmt.Sprintf("the body (%s) counts as empty: %s", payload.Cut(d.OtherType, maxType), fault.Message(err))
		d.Body = nil
	}
}

// reading says how the integration's payloads are read, without a mapping.
func (d *delivery) reading() alert.Reading {
	return alert.Reading{
		Format: d.format(), AutoFingerprint: d.endpoint.Settings.Fingerprinting, Grouping: d.rules.integrations.Features.Grouping,
		Environments: d.endpoint.Environments, IntegrationID: d.endpoint.ID, Tell: d.endpoint.Settings.Tells(),
		KeptDays: d.endpoint.Settings.KeptDays(d.rules.integrations.Features.KeptDays), Now: d.now,
	}
}

// record writes the alerts. That the payload is accepted is noted at the same
// time, which saves a round trip, but for a plain recovery afterwards: it is
// accepted only if it resolves something.
func (d *delivery) record(ctx context.Context) error {
	if lone, ok := d.parsed.Lone(); ok && lone.Recovery {
		if err := d.write(ctx); err != nil {
			return err
		}
		return d.end(ctx, nil)
	}
	var noting sync.WaitGroup
	noting.Go(func() { _ = d.end(ctx, nil) })
	defer noting.Wait()
	return d.write(ctx)
}

func (d *delivery) write(ctx context.Context) error {
	if len(d.parsed.Occurrences) == 0 {
		d.touched = []alert.Recorded{}
		return nil
	}
	recorded, err := d.rules.store.RecordOccurrences(ctx, d.endpoint.ProjectID, d.parsed.Occurrences, d.now)
	if err != nil {
		return err
	}
	d.touched = d.parsed.Touched(recorded)
	_, lone := d.parsed.Lone()
	if lone && len(d.touched) == 0 && !d.takesEvents() && d.Call.Preset == "" { // who sends these expects no refusal of what is over
		return errNotOpen
	}
	return nil
}

// end notes how the delivery ended: accepted, refused or, with an error that the
// sender may not read, failed. It returns the error for the sender.
func (d *delivery) end(ctx context.Context, err error) error {
	var h integration.Health
	if d.parsed.Format != "" || d.confirmed { // the payload was read
		h.LastReceivedAt = d.now
	}
	if err != nil {
		err = d.readable(ctx, err)
	}
	switch {
	case d.noKey: // whatever else was wrong, a stranger may have sent it
		h.WrongKeys, h.LastWrongKeyAt = 1, d.now
	case err != nil:
		h.Rejected, h.LastError, h.LastErrorAt = 1, fault.Message(err), d.now
	default:
		h.Received, h.SkippedItems, h.TruncatedAlerts = 1, int64(d.parsed.Skipped.Total()), d.parsed.TruncatedAlerts
		if h.LastError = d.firstNote(); h.LastError != "" {
			h.LastErrorAt = d.now
		}
	}
	if d.endpoint.ID != 0 {
		d.count(ctx, h)
	}
	return err
}

// firstNote returns what the people who set up the tool should know first, or "".
func (d *delivery) firstNote() string {
	if d.notRead == "" && len(d.parsed.Notes) > 0 {
		return d.parsed.Notes[0]
	}
	return d.notRead
}

// readable returns the error as the sender may read it. It logs a failure, and takes its
// cause away, which would be logged again.
func (d *delivery) readable(ctx context.Context, err error) error {
	message := fault.Message(err)
	if message != "" && (!fault.Is(err, fault.Unavailable) || errors.As(err, new(throttled))) {
		return err
	}
	slog.ErrorContext(ctx, "payload not recorded", "error", err, "integration_id", d.endpoint.ID)
	if message == "" {
		return errDown
	}
	return fault.New(fault.Unavailable, message)
}

// count adds to the integration's health. That it could not be written is no
// reason to refuse an alert.
func (d *delivery) count(ctx context.Context, h integration.Health) {
	due, write := d.rules.meter.add(d.endpoint.ID, d.endpoint.Health, h, d.now)
	if !write {
		return
	}
	if err := d.rules.store.AddHealth(ctx, d.Project, d.endpoint.Integration, due); err != nil {
		slog.ErrorContext(ctx, "health of an integration not written", "error", err, "integration_id", d.endpoint.ID)
	}
}
