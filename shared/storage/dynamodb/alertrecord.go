package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse/shared/alert"
)

// recording is the progress of the occurrences with one fingerprint.
type recording struct {
	store       *Store
	projectID   int64
	occurrences []alert.Occurrence
	now         time.Time

	fired    *slot // after the first occurrence, until that is recorded
	number   int64 // reserved for an alert, until it is used
	recorded []alert.Recorded
}

// RecordOccurrences records the occurrences of a request. In parallel, it counts
// the first occurrence of each fingerprint, which is enough for a repeat. Then it
// reserves a number for each new alert, and does the rest.
func (s *Store) RecordOccurrences(ctx context.Context, projectID int64, occurrences [][]alert.Occurrence, now time.Time) ([][]alert.Recorded, error) {
	all := make([]*recording, len(occurrences))
	for i, list := range occurrences {
		all[i] = &recording{store: s, projectID: projectID, occurrences: list, now: now}
	}
	if err := inParallel(ctx, all, func(ctx context.Context, r *recording) error { return r.begin(ctx) }); err != nil {
		return nil, err
	}
	if err := s.number(ctx, projectID, all); err != nil {
		return nil, err
	}
	if err := inParallel(ctx, all, func(ctx context.Context, r *recording) error { return r.finish(ctx) }); err != nil {
		return nil, err
	}
	recorded := make([][]alert.Recorded, len(all))
	for i, r := range all {
		recorded[i] = r.recorded
	}
	return recorded, nil
}

// begin counts the first occurrence.
func (r *recording) begin(ctx context.Context) error {
	if len(r.occurrences) == 0 || !r.occurrences[0].Joins() || r.occurrences[0].Acknowledges() {
		return nil
	}
	fired, err := r.fire(ctx, r.occurrences[0])
	r.fired = &fired
	return err
}

func (r *recording) fire(ctx context.Context, o alert.Occurrence) (slot, error) {
	return r.store.fire(ctx, slotKey(r.projectID, o.Fingerprint), o, r.now)
}

// number reserves numbers for those whose first occurrence opens an alert.
func (s *Store) number(ctx context.Context, projectID int64, all []*recording) error {
	var opening []*recording
	for _, r := range all {
		if r.opens() {
			opening = append(opening, r)
		}
	}
	if len(opening) == 0 {
		return nil
	}
	last, err := s.numberAlerts(ctx, projectID, int64(len(opening)))
	for i, r := range opening {
		r.number = last - int64(len(opening)) + int64(i) + 1
	}
	return err
}

// opens reports whether the first occurrence seems to open an alert.
func (r *recording) opens() bool {
	if len(r.occurrences) == 0 || r.occurrences[0].Recovery || r.occurrences[0].Acknowledges() {
		return false
	}
	return r.fired == nil || isFirst(*r.fired, r.occurrences[0])
}

// isFirst reports whether the occurrence created the slot that it found.
func isFirst(found slot, o alert.Occurrence) bool { return found.events == o.Count }

// finish records the occurrences one after the other.
func (r *recording) finish(ctx context.Context) error {
	for _, o := range r.occurrences {
		done, err := r.record(ctx, o)
		if err != nil {
			return err
		}
		r.recorded = append(r.recorded, done...)
	}
	return nil
}

func (r *recording) record(ctx context.Context, o alert.Occurrence) ([]alert.Recorded, error) {
	if o.Recovery {
		return r.store.recover(ctx, r.projectID, o, r.now)
	}
	if o.Acknowledges() {
		if done, err := r.store.acknowledge(ctx, r.projectID, o, r.now); err != nil || len(done) > 0 {
			return done, err
		}
	}
	if !o.Joins() {
		opened, err := r.openAlone(ctx, o)
		return []alert.Recorded{opened}, err
	}
	joined, err := r.join(ctx, o)
	if errors.Is(err, errGone) {
		joined, err = r.resolvedMeanwhile(ctx, o)
	}
	if err == nil && o.Acknowledges() && joined.Outcome == alert.Repeated { // another opened it meanwhile
		return r.store.acknowledge(ctx, r.projectID, o, r.now)
	}
	return []alert.Recorded{joined}, err
}

// resolvedMeanwhile returns the alert that counted an occurrence and was resolved
// before its number was read: the newest with the fingerprint. Counting again
// would count twice, and open an alert that nothing resolves.
func (r *recording) resolvedMeanwhile(ctx context.Context, o alert.Occurrence) (alert.Recorded, error) {
	recorded := alert.Recorded{Outcome: alert.Repeated}
	err := r.store.query(ctx, alertItem.key(r.projectID), backward, func(it item) (bool, error) {
		a, err := alertKind.read(it)
		if a.Grouped && a.Fingerprint == o.Fingerprint {
			recorded.IID, recorded.Title = a.IID, a.Title
		}
		return recorded.IID == 0, err
	})
	if err == nil && recorded.IID == 0 { // not reached: only a stored alert is resolved
		err = alert.ErrUncertain
	}
	return recorded, err
}

// join counts an occurrence on the open alert with its fingerprint, or opens an
// alert. The first of several callers opens it. If that one seems to have died
// midway, another finishes its work; every step is idempotent.
func (r *recording) join(ctx context.Context, o alert.Occurrence) (alert.Recorded, error) {
	found, err := r.found(ctx, o)
	if err == nil && !found.opened && !isFirst(found, o) {
		var there bool
		found, there, err = r.store.await(ctx, slotKey(r.projectID, o.Fingerprint), r.now)
		if err == nil && !there {
			err = errGone
		}
	}
	switch {
	case err != nil:
		return alert.Recorded{}, err
	case found.opened:
		return r.repeat(ctx, found, o)
	default:
		return r.open(ctx, found, o)
	}
}

// repeat returns what became of an occurrence that the slot has counted.
func (r *recording) repeat(ctx context.Context, found slot, o alert.Occurrence) (alert.Recorded, error) {
	k := slotKey(r.projectID, o.Fingerprint)
	graver, err := r.store.raise(ctx, r.projectID, k, found, o, r.now)
	if err == nil && alert.KeepsPayload(found.payloadAt, r.now) {
		err = r.store.keepLatest(ctx, r.projectID, k, found, o.Payload, r.now)
	}
	return alert.Recorded{Outcome: alert.Repeated, IID: found.iid, Title: found.title, Graver: graver}, err
}

// found returns the slot as an occurrence left it.
func (r *recording) found(ctx context.Context, o alert.Occurrence) (slot, error) {
	if fired := r.fired; fired != nil {
		r.fired = nil
		return *fired, nil
	}
	return r.fire(ctx, o)
}

// open stores the alert of a slot.
func (r *recording) open(ctx context.Context, found slot, o alert.Occurrence) (alert.Recorded, error) {
	k, payload := slotKey(r.projectID, o.Fingerprint), newPayload(o.Payload)
	assign := func(ctx context.Context) (err error) {
		if found.iid != 0 {
			return nil
		}
		iid, err := r.iid(ctx)
		if err == nil {
			found, err = r.store.assign(ctx, k, iid, r.now)
		}
		return err
	}
	store := func(ctx context.Context) error { return r.store.putPayload(ctx, payload) }
	err := callAll(ctx, assign, store)
	if errors.Is(err, errGone) {
		err = errors.Join(err, r.store.removePayload(ctx, payload))
	}
	if err != nil {
		return alert.Recorded{}, err
	}
	// Another caller, who died, may have counted what is graver.
	a, outcome, err := r.create(ctx, o, found.raised(o.Alert(r.projectID, found.iid, found.createdAt)), payload)
	if err == nil {
		err = r.store.conclude(ctx, k, a)
	}
	if err != nil || outcome == alert.Opened {
		return alert.Recorded{Outcome: outcome, IID: a.IID, Title: a.Title}, err
	}
	found.title, found.peak = a.Title, a.PeakSeverity.Rank()
	return r.repeat(ctx, found, o)
}

// iid returns a number for a new alert.
func (r *recording) iid(ctx context.Context) (int64, error) {
	if reserved := r.number; reserved != 0 {
		r.number = 0
		return reserved, nil
	}
	return r.store.numberAlerts(ctx, r.projectID, 1)
}

// create stores an alert, unless another caller has stored it, and returns it as it is
// stored.
func (r *recording) create(ctx context.Context, o alert.Occurrence, a alert.Alert, p payload) (alert.Alert, alert.Outcome, error) {
	err := r.store.write(ctx, openChanges(o, a, p)...)
	stored, there := failed(err, 0)
	if !there {
		return a, alert.Opened, err
	}
	first, err := alertKind.read(stored)
	name, _, nameErr := payloadIn(stored)
	if err := errors.Join(err, nameErr); err != nil {
		return alert.Alert{}, "", err
	}
	if name == p.name { // the answer was lost, and the alert has changed since
		return first, alert.Opened, nil
	}
	return first, alert.Repeated, r.store.removePayload(ctx, p)
}

// openChanges store a new alert, in the lists and counts too, and its messages. The first
// of them is the alert itself.
func openChanges(o alert.Occurrence, a alert.Alert, p payload) []change {
	attributes := append(append(alertFields(&a), p.fields()...), listedField(a.Status))
	created := create(alertItem.key(a.ProjectID, a.IID), attributes)
	return slices.Concat([]change{created}, listChanges(a), tellAll(a.ToldOpened(o)))
}

// openAlone stores an alert that counts no further occurrences, and the entry
// through which a recovery finds it.
func (r *recording) openAlone(ctx context.Context, o alert.Occurrence) (alert.Recorded, error) {
	iid, err := r.iid(ctx)
	if err != nil {
		return alert.Recorded{}, err
	}
	a, p := o.Alert(r.projectID, iid, r.now), newPayload(o.Payload)
	if err := r.store.putPayload(ctx, p); err != nil {
		return alert.Recorded{}, err
	}
	changes := openChanges(o, a, p)
	if a.Fingerprint != "" {
		changes = append(changes, createAlone(a))
	}
	if err := r.store.write(ctx, changes...); err != nil {
		return alert.Recorded{}, fmt.Errorf("store alert: %w", err)
	}
	return alert.Recorded{Outcome: alert.Opened, IID: iid, Title: a.Title}, nil
}

func createAlone(a alert.Alert) change { return create(aloneKey(a), fields{{"iid", &a.IID}}) }
