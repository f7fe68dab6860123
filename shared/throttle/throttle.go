// Package throttle slows down who guesses the password of an account, or
// whatever else opens one: after so many failures at one account from one
// address, that address is refused there for a while. Everybody else signs in
// to the account as before, so that no stranger can lock anybody out from
// elsewhere.
//
// An attempt is counted before what it tries is looked at, and a success takes
// the count back: however many attempts come at once, to however many
// functions, only as many are looked at as may fail. Accounts are counted by
// the name that was typed, be there such an account or not, so that being
// throttled tells nothing about it.
//
// An account has two names, the user name and the e-mail address, and each has
// a counter of its own, so that an address may fail twice as often at an
// account of which it knows both. One counter for both would cost more than it
// saves. Whoever used up the attempts at a user name could then try e-mail
// addresses, one attempt each: the one that is refused at once is that user's,
// whoever it is that hides it, while a name that nobody has refuses no other.
// Nor does it help to answer like a wrong password does, because a friend's or
// one's own right password at one name then tells of the other. And the
// counter could be named only after the account was read, one call to the
// store later, where today both are called at the same time.
package throttle

import (
	"context"
	"encoding/hex"
	"time"

	"gatehouse/shared/fault"
)

// Limit says how many attempts may fail within which time.
type Limit struct {
	Failures int // zero: any number
	Window   time.Duration
	// Patience is how long an attempt that would be refused waits for those
	// that came just before it: they may turn out well and make room. Many
	// right ones at once are then all let through, a few at a time.
	Patience time.Duration
}

// DefaultLimit is for instances that are not told another.
var DefaultLimit = Limit{Failures: 10, Window: 10 * time.Minute}

// Counter counts the attempts at one account from one address since the last
// success.
type Counter struct {
	Attempts    int
	Since, Last time.Time // when the first and the last of them came
}

// EndsAt is when the counter counts no more: one Window after its first
// attempt, but one that is full a Window after its last.
func (c Counter) EndsAt(l Limit) time.Time {
	if c.full(l) {
		return c.Last.Add(l.Window)
	}
	return c.Since.Add(l.Window)
}

func (c Counter) full(l Limit) bool { return c.Attempts >= l.Failures }

// Next returns the counter with an attempt more. One that ended, and so the
// zero Counter, begins anew; when it is full, the error is a *Refused.
func (c Counter) Next(l Limit, now time.Time) (Counter, error) {
	switch end := c.EndsAt(l); {
	case !now.Before(end):
		return Counter{Attempts: 1, Since: now, Last: now}, nil
	case c.full(l):
		return c, &Refused{Wait: end.Sub(now)}
	default:
		return Counter{Attempts: c.Attempts + 1, Since: c.Since, Last: now}, nil
	}
}

// Refused is the error of an attempt that came after too many failures. It is
// of kind fault.TooMany.
type Refused struct{ Wait time.Duration }

// Error says that there were too many.
func (*Refused) Error() string { return "too many failed attempts" }

// Is reports whether target is fault.TooMany.
func (*Refused) Is(target error) bool { return target == fault.TooMany }

// RetryAfter is how long to wait before the next attempt.
func (r *Refused) RetryAfter() time.Duration { return r.Wait }

// Key names a counter and tells nothing of what it counts.
type Key [32]byte

// String returns the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Store keeps counters, each at least until it ends.
type Store interface {
	// CountAttempt puts Counter.Next in the place of the key's counter, which
	// is the zero Counter where there is none, and returns its Since. What
	// Next refuses is not counted, and the error is Next's. Of concurrent
	// callers each counts.
	CountAttempt(ctx context.Context, k Key, l Limit, now time.Time) (since time.Time, err error)

	// WithdrawAttempt takes one attempt off the key's counter if that began at
	// since. Another counter stays as it is, and so does one without attempts,
	// which is no error.
	WithdrawAttempt(ctx context.Context, k Key, since time.Time) error

	// ForgetAttempts removes the key's counter; that there is none is no
	// error.
	ForgetAttempts(ctx context.Context, k Key) error
}
