package intake

import (
	"context"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/mapping"
	"gatehouse/shared/project"
)

// Kept is a payload that an alert keeps.
type Kept struct {
	Of     alert.Whole
	Newest bool // that of the newest repeat that is kept; otherwise that which opened the alert
}

// Text returns the payload, nil if the alert does not keep it.
func (k Kept) Text() []byte {
	if k.Newest {
		return k.Of.Latest.Text
	}
	return k.Of.Payload
}

// Replayed is what became of a payload that was read again, or what would become of it.
type Replayed struct {
	// Alerts are those that it touches. One that would be opened has no number.
	Alerts  []alert.Recorded
	Skipped int // notifications that lack something necessary
	Ignored int // notifications that the mapping ignores
	Notes   []string
}

var errNotKept = fault.New(fault.NotFound, "the alert keeps no such payload of the integration")

// Replay takes a payload that an alert of the integration keeps once more, as if the tool had
// sent it again: with the integration's present mapping, it counts, opens, acknowledges or
// resolves. The errors are those of Deliver, and fault.NotFound for a payload that is not
// kept.
func (r *Rules) Replay(ctx context.Context, by audit.Actor, p project.Project, i integration.Integration, kept Kept) (Replayed, error) {
	h, body, err := r.kept(ctx, p, i, kept)
	if err != nil {
		return Replayed{}, err
	}
	d := r.newDelivery(Delivery{Project: p.FullPath, Body: body}, h.endpoint)
	err = r.integrations.Replay(ctx, by, p, i, kept.Of.IID, func(ctx context.Context) error {
		_, err := d.run(ctx, d.read, d.record)
		return err
	})
	return newReplayed(d.touched, d.parsed), err
}

// maxForeseen bounds the alerts for which a rehearsed replay looks whether they are open.
const maxForeseen = 20

// Foresee returns what Replay would do now, for the first alerts of the payload, and does not
// do it.
func (r *Rules) Foresee(ctx context.Context, p project.Project, i integration.Integration, kept Kept) (Replayed, error) {
	h, body, err := r.kept(ctx, p, i, kept)
	if err != nil {
		return Replayed{}, err
	}
	parsed, err := h.Parse(body)
	if err != nil {
		return Replayed{}, err
	}
	parsed.Occurrences = parsed.Occurrences[:min(len(parsed.Occurrences), maxForeseen)]
	open, err := r.openOf(ctx, p.ID, parsed)
	if err != nil {
		return Replayed{}, err
	}
	var trial alert.Trial
	for _, a := range open {
		if a.IID != 0 {
			trial.Open(a)
		}
	}
	return newReplayed(trial.Take(parsed), parsed), nil
}

// openOf returns the open alert for each fingerprint, without a number where there is none.
func (r *Rules) openOf(ctx context.Context, projectID int64, parsed alert.Parsed) ([]alert.Alert, error) {
	open := make([]alert.Alert, len(parsed.Occurrences))
	reads, ctx := errgroup.WithContext(ctx)
	for n, group := range parsed.Occurrences {
		if group[0].Fingerprint == "" {
			continue
		}
		reads.Go(func() error {
			found, err := r.store.OpenAlert(ctx, projectID, group[0].Fingerprint)
			open[n] = found
			return fault.IgnoreNotFound(err)
		})
	}
	err := reads.Wait() // open is complete only now
	return open, err
}

// kept returns a kept payload as it is read again, and how.
func (r *Rules) kept(ctx context.Context, p project.Project, i integration.Integration, kept Kept) (h Rehearsal, body []byte, err error) {
	if kept.Of.IntegrationID != i.ID || kept.Text() == nil {
		return h, nil, errNotKept
	}
	e, err := r.integrations.EndpointOf(ctx, p.FullPath, i.Endpoint)
	if err != nil {
		return h, nil, err
	}
	if !e.Receives() {
		return h, nil, errInactive
	}
	m := mapping.Mapping{}
	if r.integrations.Features.Mapping {
		if m, err = mapping.Parse(e.Mapping, "mapping"); err != nil {
			return h, nil, err
		}
	}
	h, err = r.Rehearse(e, m)
	return h, h.AsSent(kept.Of.Alert, kept.Text()), err
}

func newReplayed(touched []alert.Recorded, parsed alert.Parsed) Replayed {
	return Replayed{touched, parsed.Skipped.Total(), parsed.IgnoredItems, parsed.Notes}
}
