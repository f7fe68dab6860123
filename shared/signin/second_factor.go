package signin

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/throttle"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// CodeAttempt is an attempt at the second step.
type CodeAttempt struct {
	Pending string // the cookie that the password gave
	Code    string // as it was typed: a code of the app or a recovery code
	Origin  Origin
}

// codeLimit is how many codes of an app may be wrong in a row, from whatever
// addresses. Three of a million codes are right at a time, so whoever knows the
// password guesses one with a chance of 0.03 % a day. NIST SP 800-63B-4 section
// 3.2.2 allows at most 100.
var codeLimit = throttle.Limit{Failures: 100, Window: 24 * time.Hour}

// SecondFactor takes the second factor of a pending sign-in. The result is
// SignedIn, Refused, Throttled or Over. Text that cannot be a code does not
// count as an attempt.
func (r *Rules) SecondFactor(ctx context.Context, a CodeAttempt) (Result, error) {
	p, err := r.parsePending(a.Pending)
	if err != nil {
		return Result{Outcome: Over}, nil
	}
	answer, ok := twofactor.ParseAnswer(a.Code)
	if !ok {
		return Result{Outcome: Refused}, nil
	}
	u, attempt, err := r.complete(ctx, p, answer, a.Origin.Address)
	switch {
	case errors.Is(err, errOver):
		return Result{Outcome: Over}, r.attempts.Withdraw(ctx, attempt)
	case err != nil:
		after := audit.Details{"after": "the right password"}
		return r.refuse(ctx, err, audit.Event{Name: EventFailed, UserID: p.userID, Details: after})
	case !answer.Recovery():
		return r.start(ctx, u, attempt, a.Origin, nil)
	}
	result, err := r.start(ctx, u, attempt, a.Origin, nil, u.Event(twofactor.EventRecoveryCodeUsed, u.ID))
	result.RecoveryCode = true
	return result, err
}

// complete uses up the answer and with it the sign-in, and every sign-in that
// began earlier. It counts the attempt while it reads what it checks against.
func (r *Rules) complete(ctx context.Context, p pending, answer twofactor.Answer, from netip.Addr) (u user.User, attempt throttle.Attempt, err error) {
	guess := p.guess(answer, from)
	count := func(ctx context.Context) (err error) {
		attempt, err = r.attempts.Begin(ctx, guess)
		return err
	}
	for {
		var f twofactor.Factor
		if u, f, err = r.read(ctx, p, count); err != nil {
			return u, attempt, err
		}
		if err = r.factors.Use(ctx, f, answer, p.began); !fault.Is(err, fault.Conflict) {
			return u, attempt, err
		}
		// Another sign-in used a code meanwhile. The attempt is counted already.
		count = func(context.Context) error { return nil }
	}
}

// guess describes an attempt with this answer. A change that ends the sessions of
// the user, such as a new password, begins new counters: whoever guessed until
// then is out. Recovery codes are too long to be guessed, so they open the account
// to its user even while no other code is looked at.
func (p pending) guess(answer twofactor.Answer, from netip.Addr) throttle.Guess {
	account := fmt.Sprintf("%d since %d", p.userID, p.sessionEpoch)
	g := throttle.Guess{Kind: throttle.SecondFactor, Account: account, Address: from}
	if !answer.Recovery() {
		g.Total = codeLimit
	}
	return g
}

// read returns the user and the second factor that the sign-in waits for, or
// errOver. It calls also beside the reads; an error of any of them comes before
// errOver, and the first of several is returned.
func (r *Rules) read(ctx context.Context, p pending, also func(context.Context) error) (u user.User, f twofactor.Factor, err error) {
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		u, err = r.users.User(ctx, p.userID)
		return fault.IgnoreNotFound(err)
	})
	reads.Go(func() (err error) {
		f, err = r.factors.Factor(ctx, p.userID)
		return fault.IgnoreNotFound(err)
	})
	reads.Go(func() error { return also(ctx) })
	if err := reads.Wait(); err != nil {
		return u, f, err
	}
	if !p.waitsFor(u, f) {
		return u, f, errOver
	}
	return u, f, nil
}
