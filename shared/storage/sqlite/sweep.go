package sqlite

import (
	"context"
	"time"
)

// grace is how long an ended grant is kept, so that a late request still
// hears that it has expired rather than that it never was.
const grace = 24 * time.Hour

// Sweep deletes what nobody can use any more: expired sessions and audit
// entries, counters of attempts that count no more, and grants that ended a day
// ago. Personal
// access tokens stay, for their owners to see. The caller calls it now and
// then, as nothing depends on when.
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
		if err := s.sweep(ctx, expired, now); err != nil {
			return err
		}
	}
	return s.sweep(ctx, grants, now.Add(-grace))
}

// sweep deletes in small portions, between which others can write.
func (s *Store) sweep(ctx context.Context, query string, until time.Time) error {
	for more := true; more; {
		err := s.writer.do(ctx, func(tx *transaction) (err error) {
			more, err = tx.change(query, micros(until))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
