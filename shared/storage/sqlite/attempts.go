package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"gatehouse/shared/throttle"
)

func scanCounter(r row) (c throttle.Counter, err error) {
	return c, r.Scan(&c.Attempts, intoTime(&c.Since), intoTime(&c.Last))
}

// CountAttempt counts an attempt.
func (s *Store) CountAttempt(ctx context.Context, k throttle.Key, l throttle.Limit, now time.Time) (since time.Time, err error) {
	const counter = "SELECT attempts, first_at, last_at FROM attempts WHERE key = ?"
	err = s.writer.do(ctx, func(tx *transaction) error {
		stored, err := one(context.Background(), tx, scanCounter, counter, k[:])
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		next, err := stored.Next(l, now)
		if err != nil {
			return err
		}
		since = next.Since
		return tx.exec("INSERT OR REPLACE INTO attempts (key, attempts, first_at, last_at, ends_at) VALUES (?, ?, ?, ?, ?)",
			k[:], next.Attempts, micros(next.Since), micros(next.Last), micros(next.Last.Add(l.Window)))
	})
	return since, err
}

// WithdrawAttempt takes one attempt off a counter.
func (s *Store) WithdrawAttempt(ctx context.Context, k throttle.Key, since time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("UPDATE attempts SET attempts = attempts - 1 WHERE key = ? AND first_at = ? AND attempts > 0",
			k[:], micros(since))
	})
}

// ForgetAttempts removes a counter.
func (s *Store) ForgetAttempts(ctx context.Context, k throttle.Key) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("DELETE FROM attempts WHERE key = ?", k[:])
	})
}
