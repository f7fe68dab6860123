package audit

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"gatehouse/shared/fault"
)

// Trail writes what happens to the store and to the log.
type Trail struct {
	store Store
	now   func() time.Time
}

// NewTrail returns the trail in a store.
func NewTrail(store Store, now func() time.Time) *Trail { return &Trail{store, now} }

// Do runs the deed and writes the event at the same time, which costs no extra
// round trip, and returns the deed's error. After an error it writes the entry
// again with that outcome, so that the trail never reports as done what failed.
// An entry that cannot be written does not fail the deed.
func (t *Trail) Do(ctx context.Context, e Event, deed func(context.Context) error) error {
	if e.ActorID == setupID {
		return deed(ctx)
	}
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

// Record writes events that have happened.
func (t *Trail) Record(ctx context.Context, events ...Event) {
	var writing sync.WaitGroup
	for _, e := range events {
		if e.ActorID == setupID {
			continue
		}
		entry := t.entry(ctx, e)
		if k, _ := e.Name.Kind(); k.Stored() {
			writing.Go(func() { t.write(ctx, entry) })
		}
		log(ctx, entry)
	}
	writing.Wait()
}

// RecordUnless records the events of a deed that returned err, unless it failed,
// and returns err.
func (t *Trail) RecordUnless(ctx context.Context, err error, events ...Event) error {
	if err == nil {
		t.Record(ctx, events...)
	}
	return err
}

// Entries returns entries that are younger than Retention.
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
	read := t.store.Entries
	if f.ActorID != 0 || f.AccountID != 0 {
		read = t.narrowed
	}
	found, err := read(ctx, f)
	if found.Next != "" && len(found.Entries) < f.Size {
		found.SearchedUntil = TimeOf(found.Next)
	}
	return found, err
}

// maxLooked is how many entries a page looks at for those that no list is kept of.
const maxLooked = 500

// narrowed returns a page of those entries that also have the actor and the account.
func (t *Trail) narrowed(ctx context.Context, f Filter) (Page, error) {
	wide := f
	wide.ActorID, wide.AccountID, wide.Size = 0, 0, maxLooked
	looked, err := t.store.Entries(ctx, wide)
	if err != nil {
		return Page{}, err
	}
	found := Cut(slices.DeleteFunc(looked.Entries, func(e Entry) bool {
		return f.ActorID != 0 && e.ActorID != f.ActorID || f.AccountID != 0 && e.UserID != f.AccountID
	}), f.Size)
	if found.Next == "" {
		found.Next = looked.Next
	}
	return found, nil
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

// patience bounds the writing of an entry. It is longer than one attempt of a
// store that gets no answer.
const patience = 8 * time.Second

// write stores the entry even if the client has gone away.
func (t *Trail) write(ctx context.Context, e Entry) {
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := t.store.WriteEntry(detached, e); err != nil {
		slog.ErrorContext(ctx, "audit entry not written", "event", string(e.Name), "entry_id", e.ID, "error", err)
	}
}

// outcomeOf returns the outcome and the reason of a deed that returned err. What was not
// available may have done it nevertheless.
func outcomeOf(err error) (Outcome, string) {
	switch kind := fault.KindOf(err); kind {
	case "":
		return Failed, "error"
	case fault.Unavailable:
		return Failed, string(kind)
	default:
		return Refused, string(kind)
	}
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
		slog.Int64("project_id", e.ProjectID),
		slog.String("ip", e.Browser.Address), slog.String("user_agent", e.Browser.UserAgent),
		slog.String("request_id", e.RequestID), slog.String("entry_id", e.ID), slog.Group("details", details...))
}
