package sqlite

import (
	"context"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/deprecation"
)

// grace is how long an ended grant is kept, so that a late request is told that
// the grant has expired, and not that it is unknown.
const grace = 24 * time.Hour

// late is how long after its first sweep a deleted project is swept again: an alert
// that was on its way when the project was deleted is stored within that time.
const late = 24 * time.Hour

// Sweep deletes what nobody can use any more: expired sessions, counters of
// attempts, audit entries, uses of deprecated names, reservations of paths, records and alerts, grants that ended
// a day ago, and alerts of deleted projects. Personal access tokens stay, for their owners to see. It
// should be called now and then; nothing depends on when. Each step begins at what
// is due, and deletes a portion, between which others can write.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	for _, step := range []struct {
		query string
		due   any
	}{
		{sweepSessions, micros(now)},
		{sweepAttempts, micros(now)},
		{sweepEntries, audit.OldestKept(now)},
		{sweepGrants, micros(now.Add(-grace))},
		{sweepUses, micros(deprecation.OldestKept(now))},
		{sweepReserved, micros(now)},
	} {
		if err := s.portions(ctx, step.query, step.due); err != nil {
			return err
		}
	}
	if err := s.sweepRecords(ctx, now); err != nil {
		return err
	}
	if err := s.sweepExpiredAlerts(ctx, now); err != nil {
		return err
	}
	return s.sweepOrphanedAlerts(ctx, now)
}

const (
	sweepSessions = "DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions WHERE expires_at <= ? LIMIT 500)"
	sweepAttempts = "DELETE FROM attempts WHERE rowid IN (SELECT rowid FROM attempts WHERE ends_at <= ? LIMIT 500)"
	sweepEntries  = "DELETE FROM audit_entries WHERE id IN (SELECT id FROM audit_entries WHERE id < ? LIMIT 500)"
	sweepGrants   = "DELETE FROM grants WHERE rowid IN (SELECT rowid FROM grants WHERE ends_at <= ? LIMIT 500)"
	sweepUses     = `DELETE FROM deprecated_uses WHERE (day, entry, caller) IN
		(SELECT day, entry, caller FROM deprecated_uses WHERE day < ? LIMIT 500)`
	sweepReserved = "DELETE FROM reserved_paths WHERE path IN (SELECT path FROM reserved_paths WHERE until <= ? LIMIT 500)"
	// CROSS JOIN begins at the deleted projects, which are few.
	sweepOrphans = `DELETE FROM alerts WHERE id IN
		(SELECT a.id FROM deleted_projects d CROSS JOIN alerts a USING (project_id) LIMIT 500)`

	expiredRecords = "SELECT place_kind, place_id, kind, number FROM records WHERE expires_at > 0 AND expires_at <= ? ORDER BY expires_at, rowid LIMIT 100"
	sweepWords     = "DELETE FROM record_words WHERE (place_kind, place_id, kind, number) IN (" + expiredRecords + ")"
	sweepListed    = "DELETE FROM record_lists WHERE (place_kind, place_id, kind, number) IN (" + expiredRecords + ")"
	sweepRecords   = "DELETE FROM records WHERE (place_kind, place_id, kind, number) IN (" + expiredRecords + ")"

	expiredAlerts = "FROM alerts WHERE expires_at > 0 AND expires_at <= ? ORDER BY expires_at, id LIMIT 500"
	uncountAlerts = `UPDATE alert_counts SET alerts = alerts - expired.n FROM
		(SELECT project_id, severity, count(*) AS n FROM (SELECT project_id, severity ` + expiredAlerts + `) GROUP BY 1, 2) AS expired
		WHERE alert_counts.project_id = expired.project_id AND status = 'resolved' AND alert_counts.severity = expired.severity`
	sweepAlerts = "DELETE FROM alerts WHERE id IN (SELECT id " + expiredAlerts + ")"
)

// sweepRecords deletes the records that have expired, with what refers to them.
func (s *Store) sweepRecords(ctx context.Context, now time.Time) error {
	for more := true; more; {
		err := s.writer.do(ctx, func(tx *transaction) (err error) {
			for _, query := range []string{sweepWords, sweepListed} {
				if err := tx.exec(query, micros(now)); err != nil {
					return err
				}
			}
			more, err = tx.change(sweepRecords, micros(now))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sweepExpiredAlerts deletes the alerts that have expired, with their payloads, and counts
// them no more.
func (s *Store) sweepExpiredAlerts(ctx context.Context, now time.Time) error {
	for more := true; more; {
		err := s.writer.do(ctx, func(tx *transaction) (err error) {
			if err := tx.exec(uncountAlerts, micros(now)); err != nil {
				return err
			}
			more, err = tx.change(sweepAlerts, micros(now))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sweepOrphanedAlerts deletes what is left of the alerts of deleted projects: where the
// deletion was interrupted, or an alert came in while it ran.
func (s *Store) sweepOrphanedAlerts(ctx context.Context, now time.Time) error {
	if err := s.portions(ctx, sweepOrphans); err != nil {
		return err
	}
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.exec("UPDATE deleted_projects SET swept_at = ? WHERE swept_at = 0", micros(now)); err != nil {
			return err
		}
		const over = "FROM deleted_projects WHERE swept_at <= ?"
		if err := tx.exec("DELETE FROM alert_counters WHERE project_id IN (SELECT project_id "+over+")", micros(now.Add(-late))); err != nil {
			return err
		}
		return tx.exec("DELETE "+over, micros(now.Add(-late)))
	})
}

// portions repeats the query until it deletes nothing.
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
