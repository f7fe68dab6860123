package sqlite

import (
	"context"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/throttle"
)

// counter is a counter as it is stored.
type counter struct {
	throttle.Counter
	key    throttle.Key
	endsAt time.Time
}

var counters = newKind("attempts", counterColumns, fault.NotFound, nil)

func counterColumns(c *counter) columns {
	return columns{
		{"key", c.key[:]}, {"attempts", &c.Attempts}, {"first_at", &c.Since}, {"last_at", &c.Last},
		{"ends_at", &c.endsAt},
	}
}

// CountAttempt counts an attempt.
func (s *Store) CountAttempt(ctx context.Context, k throttle.Key, l throttle.Limit, now time.Time) (since time.Time, err error) {
	err = s.writer.do(ctx, func(tx *transaction) error {
		stored, err := counters.find(context.Background(), tx, "WHERE key = ?", k[:])
		if fault.IgnoreNotFound(err) != nil {
			return err
		}
		next, err := stored.Next(l, now)
		if err != nil {
			return err
		}
		since = next.Since
		return counters.put(tx, &counter{next, k, next.Last.Add(l.Window)})
	})
	return since, err
}

// WithdrawAttempt takes one attempt off a counter.
func (s *Store) WithdrawAttempt(ctx context.Context, k throttle.Key, since time.Time) error {
	return s.exec(ctx, "UPDATE attempts SET attempts = attempts - 1 WHERE key = ? AND first_at = ? AND attempts > 0",
		k[:], micros(since))
}

// ForgetAttempts removes a counter.
func (s *Store) ForgetAttempts(ctx context.Context, k throttle.Key) error {
	return s.exec(ctx, "DELETE FROM attempts WHERE key = ?", k[:])
}
