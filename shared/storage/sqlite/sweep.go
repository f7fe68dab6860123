package sqlite

import (
	"context"
	"fmt"
	"time"
)

// grace is how long an ended grant is kept, so that a late request is told that
// the grant has expired, and not that it is unknown.
const grace = 24 * time.Hour

// Sweep deletes what nobody can use any more: expired sessions, counters of
// attempts and audit entries, grants that ended a day ago, and alerts of
// deleted projects. Personal access tokens stay, for their owners to see. It
// should be called now and then; nothing depends on when.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	const expired = "DELETE FROM %s WHERE %s IN (SELECT %[2]s FROM %[1]s WHERE %[3]s <= ? LIMIT 500)"
	for _, e := range []struct {
		table, id, end string
		before         time.Time
	}{
		{"sessions", "rowid", "expires_at", now},
		{"attempts", "rowid", "ends_at", now},
		{"audit_entries", "id", "expires_at", now},
		{"grants", "rowid", "ends_at", now.Add(-grace)},
	} {
		if err := s.portions(ctx, fmt.Sprintf(expired, e.table, e.id, e.end), micros(e.before)); err != nil {
			return err
		}
	}
	return s.sweepAlerts(ctx)
}

// sweepAlerts deletes what is left of the alerts of deleted projects: where the
// deletion was interrupted, or an alert came in while it ran.
func (s *Store) sweepAlerts(ctx context.Context) error {
	const orphans = `DELETE FROM alerts WHERE id IN
		(SELECT a.id FROM alert_counters c JOIN alerts a USING (project_id)
			WHERE c.project_id NOT IN (SELECT id FROM projects) LIMIT 500)`
	const counters = `DELETE FROM alert_counters WHERE project_id IN
		(SELECT project_id FROM alert_counters c WHERE project_id NOT IN (SELECT id FROM projects)
			AND NOT EXISTS (SELECT 1 FROM alerts a WHERE a.project_id = c.project_id) LIMIT 500)`
	if err := s.portions(ctx, orphans); err != nil {
		return err
	}
	return s.portions(ctx, counters)
}

// portions deletes in small portions, between which others can write.
func (s *Store) portions(ctx context.Context, query string, args ...any) error {
	for more := true; more; {
		err := s.writer.do(ctx, func(tx *transaction) (err error) {
			more, err = tx.change(query, args...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
