package audit

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"gatehouse/shared/fault"
)

// Trail takes down what happens.
type Trail struct {
	store Store
	now   func() time.Time
}

// NewTrail returns the trail in a store.
func NewTrail(store Store, now func() time.Time) *Trail { return &Trail{store, now} }

// Do does the deed and takes the event down at the same time, so that it
// costs no round trip more, and returns the deed's error. If there is one, the
// entry is written again with that outcome: the trail tells of nothing as done
// that was not. That an entry cannot be written is no reason to fail.
func (t *Trail) Do(ctx context.Context, e Event, deed func(context.Context) error) error {
	entry := t.entry(ctx, e)
	var writing sync.WaitGroup
	writing.Go(func() { t.write(ctx, entry) })
	err := deed(ctx)
	writing.Wait()
	if err != nil {
		entry.Outcome, entry.Reason = outcomeOf(err)
		t.write(ctx, entry)
	}
	log(ctx, entry)
	return err
}

// Record takes down what has happened.
func (t *Trail) Record(ctx context.Context, events ...Event) {
	var writing sync.WaitGroup
	for _, e := range events {
		entry := t.entry(ctx, e)
		if k, _ := e.Name.Kind(); k.Stored() {
			writing.Go(func() { t.write(ctx, entry) })
		}
		log(ctx, entry)
	}
	writing.Wait()
}

// Entries returns entries that were not yet to be forgotten.
func (t *Trail) Entries(ctx context.Context, f Filter) (Page, error) {
	if oldest := t.now().Add(-Retention).Add(time.Microsecond); f.From.Before(oldest) {
		f.From = oldest
	}
	// The clock of another function may be ahead of ours.
	if newest := t.now().Add(time.Hour); f.Until.IsZero() || f.Until.After(newest) {
		f.Until = newest
	}
	if !f.From.Before(f.Until) {
		return Page{}, nil
	}
	return t.store.Entries(ctx, f)
}

func (t *Trail) entry(ctx context.Context, e Event) Entry {
	if e.Outcome == "" {
		e.Outcome = Done
	}
	e.Details = e.Details.cleaned()
	at, source := t.now().UTC().Truncate(time.Microsecond), sourceOf(ctx)
	if e.ActorID == 0 && e.UserID == 0 {
		minute := at.Truncate(time.Minute)
		return Entry{ID: sharedID(minute, source.Browser.Address), At: minute, Event: e, Source: source}
	}
	return Entry{ID: newID(at), At: at, Event: e, Source: source}
}

// patience is how long the writing of an entry may take: more than an attempt
// after which a store sees that nobody answers.
const patience = 8 * time.Second

// write stores the entry, even when the client has gone away meanwhile.
func (t *Trail) write(ctx context.Context, e Entry) {
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := t.store.WriteEntry(detached, e); err != nil {
		slog.ErrorContext(ctx, "audit entry not written", "event", string(e.Name), "entry_id", e.ID, "error", err)
	}
}

// outcomeOf returns the outcome and the reason of a deed that returned err.
func outcomeOf(err error) (Outcome, string) {
	if kind := fault.KindOf(err); kind != "" {
		return Refused, string(kind)
	}
	return Failed, "error"
}

func log(ctx context.Context, e Entry) {
	details := make([]any, 0, len(e.Details))
	for _, name := range e.Details.Names() {
		details = append(details, slog.String(name, e.Details[name]))
	}
	kind, _ := e.Name.Kind()
	slog.LogAttrs(ctx, kind.level, "audit",
		slog.String("event", string(e.Name)), slog.String("outcome", string(e.Outcome)), slog.String("reason", e.Reason),
		slog.Int64("actor_id", e.ActorID), slog.Int64("user_id", e.UserID),
		slog.String("ip", e.Browser.Address), slog.String("user_agent", e.Browser.UserAgent),
		slog.String("request_id", e.RequestID), slog.String("entry_id", e.ID), slog.Group("details", details...))
}
