package signin

import (
	"context"
	"errors"
	"net/netip"
	"strconv"

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
		return r.start(ctx, u, attempt, a.Origin)
	}
	result, err := r.start(ctx, u, attempt, a.Origin, u.Event(twofactor.EventRecoveryCodeUsed, u.ID))
	result.RecoveryCode = true
	return result, err
}

// complete uses up the answer and with it the sign-in, and every sign-in that
// began earlier. It counts the attempt while it reads what it checks against.
func (r *Rules) complete(ctx context.Context, p pending, answer twofactor.Answer, from netip.Addr) (u user.User, attempt throttle.Attempt, err error) {
	guess := throttle.Guess{Kind: throttle.SecondFactor, Account: strconv.FormatInt(p.userID, 10), Address: from}
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

// read returns the user and the second factor that the sign-in waits for, or
// errOver. It calls also beside the reads; an error of that comes first.
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
