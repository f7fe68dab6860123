package dynamodb

import (
	"context"
	"fmt"
	"slices"

	"gatehouse/shared/alert"
)

// listedAtOnce is how many alerts ListAlerts holds in memory.
const listedAtOnce = 1000

// ListAlerts brings the alerts of a project that an earlier release stored into the
// lists and the counts, and returns how many there were. It runs beside functions
// of this release, but not beside those of the earlier one, which could still store
// an alert. It can be called again, also after a failure: each alert is listed
// once, in a transaction that marks it.
func (s *Store) ListAlerts(ctx context.Context, projectID int64) (listed int, err error) {
	before, err := s.alertCounter(ctx, projectID)
	if err != nil || before.complete() {
		return 0, err
	}
	var some []alert.Alert
	flush := func() error {
		err := s.listAll(ctx, some)
		listed += len(some)
		some = some[:0]
		return err
	}
	err = s.query(ctx, alertItem.key(projectID), forward, func(it item) (bool, error) {
		if !unlisted(it) {
			return true, nil
		}
		a, err := alertKind.read(it)
		if some = append(some, a); err == nil && len(some) == listedAtOnce {
			err = flush()
		}
		return true, err
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return 0, fmt.Errorf("list the alerts of an earlier release: %w", err)
	}
	return listed, s.concludeListing(ctx, projectID, before)
}

// listAll lists alerts, those of different shards in parallel.
func (s *Store) listAll(ctx context.Context, all []alert.Alert) error {
	parts := map[string][]alert.Alert{}
	for _, a := range all {
		parts[shardOf(a)] = append(parts[shardOf(a)], a)
	}
	var lists [][]alert.Alert
	for _, part := range parts {
		lists = append(lists, part)
	}
	return inParallel(ctx, lists, func(ctx context.Context, part []alert.Alert) error {
		for _, a := range part {
			if err := s.listOne(ctx, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// listOne lists an alert as it is, unless it is listed by now. What it is may have
// changed since it was read.
func (s *Store) listOne(ctx context.Context, a alert.Alert) error {
	for {
		mark := set(alertItem.key(a.ProjectID, a.IID), fields{listedField()}).keepNonce().
			when("version = :was AND attribute_not_exists("+listedName+")", item{":was": number(a.Version)})
		err := s.write(ctx, slices.Concat([]change{mark}, listChanges(a))...)
		stored, unmet := failed(err, 0)
		if !unmet {
			return err
		}
		if !unlisted(stored) {
			return nil
		}
		if a, err = alertKind.read(stored); err != nil {
			return err
		}
	}
}

// concludeListing notes on the counter that the numbers which it had given to
// unlisted alerts before are done.
func (s *Store) concludeListing(ctx context.Context, projectID int64, before alertCounting) error {
	older := before.last - before.listed
	return s.writeIf(ctx, set(alertCounter.key(projectID), fields{{"older", &older}}).keepNonce().
		when("attribute_exists(pk) AND (attribute_not_exists(older) OR older < :older)", item{}))
}
