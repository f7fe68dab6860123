package dynamodb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
)

// errStale means that an item changed since it was read.
var errStale = errors.New("the item changed since it was read")

// ChangeAlert changes the alert whose version is the stored one. It starts from
// the alert as the caller read it, and reads it again only if that is stale, or if its
// payloads have to expire with it.
func (s *Store) ChangeAlert(ctx context.Context, a alert.Alert, c alert.Change) (alert.Alert, error) {
	changed, read := a.Changed(c), storedAlert{Alert: a}
	var err error
	if changed.Version == a.Version || a.Expired(c.At) || !changed.ExpiresAt.Equal(a.ExpiresAt) {
		read, err = s.current(ctx, a, c.At)
	}
	if err != nil || changed.Version == a.Version {
		return read.Alert, err
	}
	for {
		changed = read.Changed(c)
		err = s.saveAlert(ctx, read, changed, tellAll(changed.ToldChanged(read.Alert, c)))
		if !errors.Is(err, errStale) {
			return changed, err
		}
		if read, err = s.current(ctx, a, c.At); err != nil {
			return alert.Alert{}, err
		}
	}
}

// current returns the stored alert, which may have further events but no other
// version.
func (s *Store) current(ctx context.Context, a alert.Alert, now time.Time) (storedAlert, error) {
	stored, err := s.reread(ctx, a)
	switch {
	case err != nil:
		return storedAlert{}, err
	case stored.Expired(now):
		return storedAlert{}, alertKind.notFound
	case stored.Version != a.Version:
		return storedAlert{}, alert.ErrChanged
	}
	return stored, nil
}

// saveAlert stores a change. Resolving an alert removes its slot in the same
// transaction, if the slot has counted nothing since it was read. So no event is
// lost, and an alert is open exactly while its slot exists.
// An alert that a function of an earlier release stored or changed comes into the
// right lists with its next change. The messages are stored with the change, and so is
// when its payloads expire, so that those of an open alert never do.
func (s *Store) saveAlert(ctx context.Context, was storedAlert, is alert.Alert, told []change) (err error) {
	if was.latestUnknown() && !is.ExpiresAt.Equal(was.ExpiresAt) {
		if was, err = s.withLatest(ctx, was); err != nil {
			return err
		}
	}
	err = s.saveListed(ctx, was, is, told)
	if !errors.Is(err, errNoChunk) {
		return err
	}
	if was, err = s.withoutGone(ctx, was); err != nil {
		return err
	}
	return s.saveListed(ctx, was, is, told)
}

// saveListed stores a change of an alert that is listed with its status, or with another.
func (s *Store) saveListed(ctx context.Context, was storedAlert, is alert.Alert, told []change) error {
	var stored item
	err := s.write(ctx, append(savingChanges(was, is, was.Status, &stored), told...)...)
	if !errors.Is(err, errStale) || stored == nil {
		return err
	}
	as, asErr := listedAs(stored)
	now, nowErr := alertKind.read(stored)
	if readErr := errors.Join(asErr, nowErr); readErr != nil {
		return readErr
	}
	if now.Version != was.Version || as == was.Status {
		return err
	}
	return s.write(ctx, append(savingChanges(was, is, as, &stored), told...)...)
}

// savingChanges store a change of an alert that is listed with a status, or not.
func savingChanges(was storedAlert, is alert.Alert, as alert.Status, stored *item) []change {
	state := append(stateOfAlert(&is), listedField(is.Status))
	if countsOnSlot(was.Alert) && !is.Open() {
		state = append(append(state, peakField(&is)...), latestChunks(&was.latest))
	}
	saved := set(alertItem.key(is.ProjectID, is.IID), state).
		whileListed(was.Version, as).orElse(errStale).tell(stored)
	return slices.Concat([]change{saved}, slotChanges(was, is), relistChanges(as, is), reassign(was.Alert, is), expiryChanges(was, is))
}

// slotChanges are the changes of the slot that go with those of its alert.
func slotChanges(was storedAlert, is alert.Alert) []change {
	switch {
	case was.Open() == is.Open() || is.Fingerprint == "":
		return nil
	case is.Grouped && is.Open():
		opened := slotOf(is, was.latest)
		if was.latestUnknown() {
			opened.latest = maxLatestChunks
		}
		return []change{create(slotKey(is.ProjectID, is.Fingerprint), slotFields(&opened)).orElse(alert.ErrDuplicateOpen)}
	case is.Grouped:
		removed := mustRemove(slotKey(is.ProjectID, is.Fingerprint)).when("iid = :iid AND event_count = :events",
			item{":iid": number(was.IID), ":events": number(was.Events)})
		if !is.ExpiresAt.IsZero() || was.latest > 0 { // it was read with its slot
			removed = removed.ifEqual(fields{{"payload_at", &was.keptAt}})
		}
		return []change{removed.orElse(errStale)}
	case is.Open():
		return []change{createAlone(is)}
	default:
		return []change{remove(aloneKey(is))}
	}
}

// recover resolves every open alert to which the recovery applies.
func (s *Store) recover(ctx context.Context, projectID int64, o alert.Occurrence, now time.Time) ([]alert.Recorded, error) {
	recorded, err := s.changeOpen(ctx, projectID, o, now, alert.Recovered, func(a alert.Alert) (alert.Change, bool) {
		return o.Resolution(now), o.Resolves(a)
	})
	if err == nil && len(recorded) == 0 {
		recorded = []alert.Recorded{{Outcome: alert.Unmatched}}
	}
	return recorded, err
}

// acknowledge acknowledges every open alert with the fingerprint of the occurrence.
func (s *Store) acknowledge(ctx context.Context, projectID int64, o alert.Occurrence, now time.Time) ([]alert.Recorded, error) {
	return s.changeOpen(ctx, projectID, o, now, alert.Acked, func(a alert.Alert) (alert.Change, bool) {
		return o.Acknowledgement(a, now), a.Open()
	})
}

// changeOpen makes a change of every open alert with the fingerprint to which the occurrence
// applies, and returns these by their iids.
func (s *Store) changeOpen(
	ctx context.Context, projectID int64, o alert.Occurrence, now time.Time, outcome alert.Outcome, change func(alert.Alert) (alert.Change, bool),
) ([]alert.Recorded, error) {
	open, err := s.openAlerts(ctx, projectID, o.Fingerprint, now)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var recorded []alert.Recorded
	err = inParallel(ctx, open, func(ctx context.Context, iid int64) error {
		a, applies, err := s.changeIf(ctx, projectID, iid, change)
		if applies {
			mu.Lock()
			defer mu.Unlock()
			recorded = append(recorded, alert.Recorded{Outcome: outcome, IID: a.IID, Title: a.Title})
		}
		return err
	})
	slices.SortFunc(recorded, func(a, b alert.Recorded) int { return cmp.Compare(a.IID, b.IID) })
	return recorded, err
}

// openAlerts returns the iids of the open alerts with a fingerprint. It waits for
// one that another caller is opening.
func (s *Store) openAlerts(ctx context.Context, projectID int64, f alert.Fingerprint, now time.Time) (iids []int64, err error) {
	if f == "" {
		return nil, nil
	}
	beingOpened := false
	err = s.query(ctx, openOf(projectID, f), forward, func(it item) (bool, error) {
		found, err := readSlot(it) // an entry has only the iid of a slot
		if found.iid != 0 && (found.opened || found.events == 0) {
			iids = append(iids, found.iid)
		}
		beingOpened = beingOpened || found.events > 0 && !found.opened
		return true, err
	})
	if err != nil {
		return nil, fmt.Errorf("list open alerts: %w", err)
	}
	if beingOpened {
		found, _, err := s.await(ctx, slotKey(projectID, f), now)
		if err != nil {
			return nil, err
		}
		if found.iid != 0 {
			iids = append(iids, found.iid)
		}
	}
	return iids, nil
}

// changeIf changes an alert if the change applies to it.
func (s *Store) changeIf(ctx context.Context, projectID, iid int64, change func(alert.Alert) (alert.Change, bool)) (alert.Alert, bool, error) {
	for {
		a, err := s.alert(ctx, projectID, iid)
		switch {
		case fault.Is(err, fault.NotFound): // numbered, and never stored
			return alert.Alert{}, false, nil
		case err != nil:
			return alert.Alert{}, false, err
		}
		c, applies := change(a.Alert)
		changed := a.Changed(c)
		if !applies || changed.Version == a.Version {
			return a.Alert, applies, nil
		}
		err = s.saveAlert(ctx, a, changed, tellAll(changed.ToldChanged(a.Alert, c)))
		if errors.Is(err, errStale) {
			continue
		}
		return a.Alert, err == nil, err
	}
}
