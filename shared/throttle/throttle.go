// Package throttle slows down guessing of passwords and second factors: after
// too many failures at one account from one address, the account refuses that
// address for a while. It still accepts sign-ins from every other address, so
// that a stranger cannot lock its user out. Codes of a second factor also have a
// limit for all addresses together: they are short enough to be guessed, and only
// people with the password get to guess them.
//
// An attempt is counted before the password is checked, and a success removes
// the count. Many attempts at the same time, even in several functions, thus
// get no more checks than failures are allowed. Attempts are counted by the
// name that was typed, whether or not such an account exists, so that the
// throttle does not reveal which accounts exist.
//
// An account has two names, the user name and the e-mail address, and each has
// its own counter. A client that knows both may therefore fail twice as often.
// A shared counter would reveal which address belongs to which user: after too
// many failures at a user name, the only e-mail address that is refused at once
// is that user's. Answering as for a wrong password would not hide it, because
// a right password at one name would then be refused because of the other. And
// the counter's key would be known only after the account was read, which costs
// another round trip; today both happen at the same time.
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
	// Patience is how long an attempt waits, instead of being refused, for the
	// attempts just before it: if they succeed, they make room. Many right
	// attempts at the same time thus all succeed, a few at a time.
	Patience time.Duration
}

// DefaultLimit is the limit of instances that do not configure one.
var DefaultLimit = Limit{Failures: 10, Window: 10 * time.Minute}

// Counter counts the attempts at one account from one address since the last
// success.
type Counter struct {
	Attempts    int
	Since, Last time.Time // when the first and the last of them came
}

// EndsAt is when the counter expires: one Window after its first attempt, or,
// if it is full, one Window after its last attempt.
func (c Counter) EndsAt(l Limit) time.Time {
	if c.full(l) {
		return c.Last.Add(l.Window)
	}
	return c.Since.Add(l.Window)
}

func (c Counter) full(l Limit) bool { return c.Attempts >= l.Failures }

// Next returns the counter with one more attempt. An expired counter, and so the
// zero Counter, starts again. For a full one the error is a *Refused.
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

// Refused is the error of an attempt after too many failures. Its kind is
// fault.TooMany.
type Refused struct{ Wait time.Duration }

// Error returns the message.
func (*Refused) Error() string { return "too many failed attempts" }

// Is reports whether target is fault.TooMany.
func (*Refused) Is(target error) bool { return target == fault.TooMany }

// RetryAfter is how long to wait before the next attempt.
func (r *Refused) RetryAfter() time.Duration { return r.Wait }

// Key identifies a counter without revealing the account or address.
type Key [32]byte

// String returns the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Store keeps counters, each at least until it expires.
type Store interface {
	// CountAttempt replaces the key's counter by Counter.Next and returns its
	// Since. A missing counter is the zero Counter. If Next returns an error,
	// nothing changes and CountAttempt returns that error. Concurrent attempts
	// are all counted.
	CountAttempt(ctx context.Context, k Key, l Limit, now time.Time) (since time.Time, err error)

	// WithdrawAttempt subtracts one attempt from the key's counter if the
	// counter began at since and has attempts. Otherwise nothing changes, which
	// is no error.
	WithdrawAttempt(ctx context.Context, k Key, since time.Time) error

	// ForgetAttempts removes the key's counter, if there is one.
	ForgetAttempts(ctx context.Context, k Key) error
}
