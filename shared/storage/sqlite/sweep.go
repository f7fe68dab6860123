package sqlite

import (
	"context"
	"time"
)

// grace is how long an ended grant is kept, so that a late request still
// hears that it has expired rather than that it never was.
const grace = 24 * time.Hour

// Sweep deletes what nobody can use any more: expired sessions and audit
// entries, counters of attempts that count no more, grants that ended a day ago
// and alerts of deleted projects. Personal access tokens stay, for their owners
// to see. The caller calls it now and then, as nothing depends on when.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	const sessions = `DELETE FROM sessions WHERE rowid IN
		(SELECT rowid FROM sessions WHERE expires_at <= ? LIMIT 500)`
	const attempts = `DELETE FROM attempts WHERE rowid IN
		(SELECT rowid FROM attempts WHERE ends_at <= ? LIMIT 500)`
	const grants = `DELETE FROM grants WHERE rowid IN
		(SELECT rowid FROM grants WHERE ends_at <= ? LIMIT 500)`
	const entries = `DELETE FROM audit_entries WHERE id IN
		(SELECT id FROM audit_entries WHERE expires_at <= ? LIMIT 500)`
	for _, expired := range []string{sessions, attempts, entries} {
		if err := s.portions(ctx, expired, micros(now)); err != nil {
			return err
		}
	}
	if err := s.sweepAlerts(ctx); err != nil {
		return err
	}
	return s.portions(ctx, grants, micros(now.Add(-grace)))
}

// sweepAlerts deletes what is left of the alerts of deleted projects: of one
// whose deletion came to no end, and what was on its way even then.
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
