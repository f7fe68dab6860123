package storagetest

import (
	"errors"
	"testing"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/throttle"
)

var attempts = []promise{
	{"are counted up to the limit", countAttempts},
	{"are counted by key", countAttemptsByKey},
	{"begin anew a window after the first", countAttemptsAnew},
	{"stay refused for a window after the last that was counted", refuseAttempts},
	{"can be withdrawn", withdrawAttempts},
	{"can be withdrawn from their own counter alone", withdrawFromAnotherCounter},
	{"are forgotten", forgetAttempts},
	{"at once are counted one by one", countAttemptsAtOnce},
	{"at once begin one counter anew", countAttemptsAnewAtOnce},
	{"at once are withdrawn one by one", withdrawAttemptsAtOnce},
}

var limit = throttle.Limit{Failures: 3, Window: time.Hour}

// counter counts attempts under its own key.
type counter struct {
	storage.Store
	key throttle.Key
}

func newCounter(s storage.Store) counter {
	return counter{s, throttle.Key(secret.Random(32))}
}

func (c counter) count(t *testing.T, at time.Time) (since time.Time, err error) {
	t.Helper()
	since, err = c.CountAttempt(t.Context(), c.key, limit, at)
	if err != nil && !fault.Is(err, fault.TooMany) {
		t.Fatalf("CountAttempt = %v, want it counted or refused", err)
	}
	return since, err
}

// wantCounted counts an attempt and checks when its counter began.
func (c counter) wantCounted(t *testing.T, at, since time.Time) {
	t.Helper()
	got, err := c.count(t, at)
	wantOK(t, "CountAttempt", err)
	wantSame(t, "CountAttempt", got, since)
}

// wantRefused checks that an attempt is not counted, and the time to wait.
func (c counter) wantRefused(t *testing.T, at time.Time, wait time.Duration) {
	t.Helper()
	_, err := c.count(t, at)
	var refused *throttle.Refused
	if !errors.As(err, &refused) || refused.Wait != wait {
		t.Errorf("CountAttempt = %v, want a wait of %s", err, wait)
	}
}

// fill counts attempts from now on, a minute apart, up to the limit.
func (c counter) fill(t *testing.T) (last time.Time) {
	t.Helper()
	for i := range limit.Failures {
		last = now.Add(time.Duration(i) * time.Minute)
		c.wantCounted(t, last, now)
	}
	return last
}

func countAttempts(t *testing.T, s storage.Store) {
	c := newCounter(s)
	last := c.fill(t)
	c.wantRefused(t, last, limit.Window)
}

func countAttemptsByKey(t *testing.T, s storage.Store) {
	newCounter(s).fill(t)
	newCounter(s).wantCounted(t, now, now)
}

func countAttemptsAnew(t *testing.T, s storage.Store) {
	c := newCounter(s)
	c.wantCounted(t, now, now)
	later := now.Add(limit.Window)
	c.wantCounted(t, later.Add(-time.Microsecond), now)
	c.wantCounted(t, later, later)
	c.wantCounted(t, later, later)
	c.wantCounted(t, later, later)
	c.wantRefused(t, later, limit.Window)
}

func refuseAttempts(t *testing.T, s storage.Store) {
	c := newCounter(s)
	end := c.fill(t).Add(limit.Window)
	c.wantRefused(t, end.Add(-time.Minute), time.Minute)
	c.wantRefused(t, end.Add(-time.Microsecond), time.Microsecond)
	c.wantCounted(t, end, end)
	c.wantCounted(t, end, end)
}

func withdrawAttempts(t *testing.T, s storage.Store) {
	c := newCounter(s)
	last := c.fill(t)
	wantOK(t, "WithdrawAttempt", s.WithdrawAttempt(t.Context(), c.key, now))
	c.wantCounted(t, last, now)
	c.wantRefused(t, last, limit.Window)

	for range limit.Failures + 1 {
		wantOK(t, "WithdrawAttempt", s.WithdrawAttempt(t.Context(), c.key, now))
	}
	c.fill(t)
	c.wantRefused(t, last, limit.Window)
}

func withdrawFromAnotherCounter(t *testing.T, s storage.Store) {
	c := newCounter(s)
	wantOK(t, "WithdrawAttempt without a counter", s.WithdrawAttempt(t.Context(), c.key, now))
	last := c.fill(t)
	wantOK(t, "WithdrawAttempt", s.WithdrawAttempt(t.Context(), c.key, now.Add(-time.Microsecond)))
	wantOK(t, "WithdrawAttempt", s.WithdrawAttempt(t.Context(), newCounter(s).key, now))
	c.wantRefused(t, last, limit.Window)
}

func forgetAttempts(t *testing.T, s storage.Store) {
	c, other := newCounter(s), newCounter(s)
	last := c.fill(t)
	other.fill(t)
	wantOK(t, "ForgetAttempts", s.ForgetAttempts(t.Context(), c.key))
	wantOK(t, "ForgetAttempts again", s.ForgetAttempts(t.Context(), c.key))
	c.wantCounted(t, last, last)
	other.wantRefused(t, last, limit.Window)
}

// wantLimit checks that as many attempts were counted as may fail.
func wantLimit(t *testing.T, errs []error) {
	t.Helper()
	counted := 0
	for _, err := range errs {
		switch {
		case err == nil:
			counted++
		case !fault.Is(err, fault.TooMany):
			t.Errorf("CountAttempt = %v, want it counted or refused", err)
		}
	}
	if counted != limit.Failures {
		t.Errorf("%d of %d attempts at once were counted, want %d", counted, len(errs), limit.Failures)
	}
}

func countAttemptsAtOnce(t *testing.T, s storage.Store) {
	c := newCounter(s)
	wantLimit(t, race(100, func(int) error {
		_, err := s.CountAttempt(t.Context(), c.key, limit, now)
		return err
	}))
	c.wantRefused(t, now, limit.Window)
}

func countAttemptsAnewAtOnce(t *testing.T, s storage.Store) {
	c := newCounter(s)
	end := c.fill(t).Add(limit.Window)
	wantLimit(t, race(30, func(i int) error {
		_, err := s.CountAttempt(t.Context(), c.key, limit, end.Add(time.Duration(i)*time.Microsecond))
		return err
	}))
}

func withdrawAttemptsAtOnce(t *testing.T, s storage.Store) {
	c := newCounter(s)
	c.fill(t)
	for _, err := range race(limit.Failures, func(int) error { return s.WithdrawAttempt(t.Context(), c.key, now) }) {
		wantOK(t, "WithdrawAttempt", err)
	}
	c.fill(t)
}
