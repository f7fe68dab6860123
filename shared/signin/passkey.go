package signin

import (
	"context"
	"errors"
	"strconv"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/passkey"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
)

// PasskeyAttempt is an attempt with a passkey. It is the only step.
type PasskeyAttempt struct {
	Ticket string // of the question
	Answer passkey.Assertion
	Origin Origin
}

// Passkey takes the answer of a passkey. The result is SignedIn, Refused, Copied, Throttled
// or Over.
func (r *Rules) Passkey(ctx context.Context, a PasskeyAttempt) (Result, error) {
	question, err := r.passkeys.Resume(passkey.ForSignIn, a.Ticket)
	if err != nil {
		return Result{Outcome: Over}, nil
	}
	u, used, attempt, err := r.usePasskey(ctx, question, a)
	with := audit.Details{"with": "passkey"}
	if used.Name != "" {
		with["passkey"] = used.Name
	}
	switch {
	case errors.Is(err, passkey.ErrOver):
		return Result{Outcome: Over}, r.attempts.Withdraw(ctx, attempt)
	case errors.Is(err, passkey.ErrCopied):
		r.trail.Record(ctx, audit.Event{Name: EventFailed, UserID: u.ID, Details: with, Outcome: audit.Refused})
		return Result{Outcome: Copied}, nil
	case err != nil:
		return r.refuse(ctx, err, audit.Event{Name: EventFailed, UserID: u.ID, Details: with})
	}
	return r.start(ctx, u, attempt, a.Origin, with)
}

// usePasskey uses up the question. It counts the attempt while it reads what it checks
// against. The user is zero if there is none.
func (r *Rules) usePasskey(ctx context.Context, q passkey.Question, a PasskeyAttempt) (u user.User, used passkey.Passkey, attempt throttle.Attempt, err error) {
	var has passkey.Keyring
	id := a.Answer.UserID()
	var reads errgroup.Group // none ends another: the trail of a throttled attempt names the user
	reads.Go(func() (err error) {
		u, err = r.users.User(ctx, id)
		return fault.IgnoreNotFound(err)
	})
	reads.Go(func() (err error) {
		has, err = r.passkeys.Of(ctx, id)
		return err
	})
	reads.Go(func() (err error) {
		guess := throttle.Guess{Kind: throttle.Passkey, Account: strconv.FormatInt(id, 10), Address: a.Origin.Address}
		attempt, err = r.attempts.Begin(ctx, guess)
		return err
	})
	if err = reads.Wait(); err == nil && (u.ID == 0 || u.Blocked()) {
		err = passkey.ErrRefused
	}
	if err == nil {
		used, err = r.passkeys.Use(ctx, u, has, q, a.Answer)
	}
	return u, used, attempt, err
}
