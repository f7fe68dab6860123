package dynamodb

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gatehouse/shared/alert"
)

// listedAtOnce is how many alerts ListAlerts holds in memory.
const listedAtOnce = 1000

// ListAlerts brings the alerts of a project that functions of an earlier release
// stored or changed into the lists and the counts, and returns how many there were. It
// also lists those that wait for somebody.
// It runs beside functions of this release, but not beside earlier ones, which could
// still store an alert. It reads all alerts, and can be called again, also after a
// failure: each alert is listed in a transaction that notes with which status.
func (s *Store) ListAlerts(ctx context.Context, projectID int64) (listed int, err error) {
	before, err := s.alertCounter(ctx, projectID)
	if err != nil {
		return 0, err
	}
	var some []relisted
	flush := func() error {
		err := s.relistAll(ctx, some)
		listed += len(some)
		some = some[:0]
		return err
	}
	err = s.query(ctx, alertItem.key(projectID), forward, func(it item) (bool, error) {
		one, err := readRelisted(it)
		if err == nil && assignedKey(one.Alert) != (key{}) {
			err = s.listAssigned(ctx, one.Alert)
		}
		if err != nil || one.Status == one.as {
			return true, err
		}
		if some = append(some, one); len(some) == listedAtOnce {
			err = flush()
		}
		return true, err
	})
	if err == nil {
		err = flush()
	}
	if err == nil {
		err = s.concludeListing(ctx, projectID, before)
	}
	if err != nil {
		return 0, fmt.Errorf("list the alerts of an earlier release: %w", err)
	}
	return listed, nil
}

// listAssigned lists an alert for whom it waits, unless it changed since it was read: then
// that change listed it.
func (s *Store) listAssigned(ctx context.Context, a alert.Alert) error {
	unchanged := requireExists(alertItem.key(a.ProjectID, a.IID)).version(a.Version)
	err := s.write(ctx, append([]change{unchanged}, reassign(alert.Alert{}, a)...)...)
	if _, unmet := failed(err, 0); unmet {
		return nil
	}
	return err
}

// relisted is an alert, and the status with which it is listed; none: "".
type relisted struct {
	alert.Alert
	as alert.Status
}

func readRelisted(it item) (one relisted, err error) {
	if one.Alert, err = alertKind.read(it); err == nil {
		one.as, err = listedAs(it)
	}
	return one, err
}

// relistAll lists alerts, those of different shards in parallel.
func (s *Store) relistAll(ctx context.Context, all []relisted) error {
	parts := map[string][]relisted{}
	for _, one := range all {
		parts[shardOf(one.Alert)] = append(parts[shardOf(one.Alert)], one)
	}
	return inParallel(ctx, slices.Collect(maps.Values(parts)), func(ctx context.Context, part []relisted) error {
		for _, one := range part {
			if err := s.relist(ctx, one); err != nil {
				return err
			}
		}
		return nil
	})
}

// relist lists an alert as it is. That may have changed since it was read.
func (s *Store) relist(ctx context.Context, one relisted) error {
	for one.Status != one.as {
		mark := set(alertItem.key(one.ProjectID, one.IID), fields{listedField(one.Status)}).keepNonce().whileListed(one.Version, one.as)
		err := s.write(ctx, slices.Concat([]change{mark}, relistChanges(one.as, one.Alert))...)
		stored, unmet := failed(err, 0)
		switch {
		case !unmet:
			return err
		case stored == nil: // it was removed
			return nil
		}
		if one, err = readRelisted(stored); err != nil {
			return err
		}
	}
	return nil
}

// concludeListing notes on the counter that the numbers which it had given to
// unlisted alerts before are done.
func (s *Store) concludeListing(ctx context.Context, projectID int64, before alertCounting) error {
	if before.complete() {
		return nil
	}
	older := before.last - before.listed
	return s.writeIf(ctx, set(alertCounter.key(projectID), fields{{"older", &older}}).keepNonce().
		when("attribute_exists(pk) AND (attribute_not_exists(older) OR older < :older)", item{}))
}
