package dynamodb

import (
	"context"
	"fmt"
	"time"

	"gatehouse/shared/throttle"
)

var attemptsItem = shape{tokens, "ATTEMPTS#<key>", "ATTEMPTS", "a counter of failed attempts or invitations", "a window after the last"}

func attemptsKey(k throttle.Key) key { return attemptsItem.key(k.String()) }

func counterFields(c *throttle.Counter) fields {
	return fields{
		{"attempts", &c.Attempts}, {"first_at", &c.Since}, {"last_at", &c.Last},
	}
}

// CountAttempt counts an attempt: in one request for the first, in two for the
// next, and in one again when the counter is full. A failed write returns the
// stored counter.
func (s *Store) CountAttempt(ctx context.Context, k throttle.Key, l throttle.Limit, now time.Time) (since time.Time, err error) {
	var stored throttle.Counter
	for {
		next, err := stored.Next(l, now)
		if err != nil {
			return time.Time{}, err
		}
		err = s.write(ctx, counted(k, stored, next, l))
		it, changed := failed(err, 0)
		if !changed {
			return next.Since, err
		}
		stored = throttle.Counter{}
		if err := counterFields(&stored).read(it); err != nil {
			return time.Time{}, fmt.Errorf("read stored counter of attempts: %w", err)
		}
	}
}

// counted changes the stored counter, the zero Counter for none, to the next.
// Concurrent counts do not conflict, unless the counter was restarted or is full.
func counted(k throttle.Key, stored, next throttle.Counter, l throttle.Limit) change {
	was, end := item{":was": number(stored.Since.UnixMicro())}, next.Last.Add(l.Window)
	if !next.Since.Equal(stored.Since) {
		return create(attemptsKey(k), counterFields(&next).until(end)).when(isNew+" OR first_at = :was", was)
	}
	was[":most"] = number(int64(l.Failures))
	c := set(attemptsKey(k), fields{{"last_at", &next.Last}}.until(end))
	c.add = item{"attempts": number(1)}
	return c.when("first_at = :was AND attempts < :most AND "+unwritten, was)
}

// unwritten keeps a number from being changed twice when the request is repeated
// because its answer was lost.
const unwritten = nonceName + " <> :" + nonceName

// WithdrawAttempt takes one attempt off a counter.
func (s *Store) WithdrawAttempt(ctx context.Context, k throttle.Key, since time.Time) error {
	return s.writeIf(ctx, add(attemptsKey(k), "attempts", -1).when("first_at = :was AND attempts > :none AND "+unwritten,
		item{":was": number(since.UnixMicro()), ":none": number(0)}))
}

// ForgetAttempts removes a counter.
func (s *Store) ForgetAttempts(ctx context.Context, k throttle.Key) error {
	return s.write(ctx, remove(attemptsKey(k)))
}
