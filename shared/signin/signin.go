// Package signin signs people in: with a password and, where the account has
// one, a second factor; or with a passkey, which counts as both. Each step counts the attempt, writes the session and
// the audit trail, and returns how it ended. A page only shows that.
//
// A blocked user gets the answer of a wrong password here. Only a browser with
// a session of that user is told about the block.
package signin

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/passkey"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/throttle"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// Rules take people through the steps of a sign-in.
type Rules struct {
	users    *user.Rules
	trail    *audit.Trail
	attempts *throttle.Rules
	factors  *twofactor.Rules
	passkeys *passkey.Rules
	sessions *session.Rules
	pendings secret.Box
	now      func() time.Time
}

// NewRules returns the rules.
func NewRules(
	users *user.Rules, trail *audit.Trail, attempts *throttle.Rules, factors *twofactor.Rules, passkeys *passkey.Rules,
	sessions *session.Rules, keys secret.Keys, now func() time.Time,
) *Rules {
	return &Rules{users, trail, attempts, factors, passkeys, sessions, keys.Box("pending sign-in"), now}
}

// The events of a sign-in.
var (
	EventSignIn    = audit.Declare("user.sign_in", "Signed in")
	EventFailed    = audit.Declare("user.sign_in_failed", "Sign-in failed", audit.Warning)
	EventThrottled = audit.Declare("user.sign_in_throttled", "Sign-in throttled", audit.Warning, audit.LogOnly)
)

// Origin is where an attempt to sign in comes from.
type Origin struct {
	Address netip.Addr
	Browser audit.Browser
	Session string // the cookie of the session that the browser has; a sign-in ends it
}

// Outcome says how a step ended.
type Outcome string

// The outcomes.
const (
	SignedIn          Outcome = "signed in"
	NeedsSecondFactor Outcome = "needs the second factor"
	Confirmed         Outcome = "confirmed" // the password was right
	Refused           Outcome = "refused"   // the password, code or passkey was wrong
	Throttled         Outcome = "throttled" // nothing was checked after too many failures
	// Over means that the sign-in took too long, was completed before, or that
	// the user changed in between. It starts again with the password.
	Over Outcome = "over"
	// Copied means that the passkey is right and refused, as it may exist twice.
	Copied Outcome = "copied"
)

// Result is how a step ended and what the browser needs to know.
type Result struct {
	Outcome      Outcome
	Cookie       secret.Text   // of the session if SignedIn, of the pending sign-in if NeedsSecondFactor
	RecoveryCode bool          // a recovery code was used up to get SignedIn
	Wait         time.Duration // until the next attempt, if Throttled
}

// PasswordAttempt is an attempt at the first step.
type PasswordAttempt struct {
	Login    string // a user name or e-mail address
	Password secret.Text
	Origin   Origin
}

// Password takes the password. The result is SignedIn, NeedsSecondFactor,
// Refused or Throttled.
func (r *Rules) Password(ctx context.Context, a PasswordAttempt) (Result, error) {
	var attempt throttle.Attempt
	u, err := r.users.Authenticate(secret.From(ctx, a.Origin.Address), a.Login, a.Password, func(ctx context.Context) (err error) {
		attempt, err = r.attempts.Begin(ctx, throttle.Guess{Kind: throttle.Password, Account: a.Login, Address: a.Origin.Address})
		return err
	})
	switch {
	case errors.Is(err, secret.ErrBusy):
		return Result{}, r.withdraw(ctx, attempt, err)
	case err != nil:
		return r.refuse(ctx, err, audit.Event{Name: EventFailed, UserID: u.ID})
	case u.TwoFactorEnabled:
		return Result{Outcome: NeedsSecondFactor, Cookie: r.pend(u)}, r.attempts.Succeed(ctx, attempt)
	}
	return r.start(ctx, u, attempt, a.Origin, nil)
}

// Confirm takes the password of a signed-in user once more, as protection
// against strangers who find an open browser. The result is Confirmed, Refused
// or Throttled.
func (r *Rules) Confirm(ctx context.Context, u user.User, password secret.Text, from netip.Addr) (Result, error) {
	attempt, err := r.attempts.Begin(ctx, throttle.Guess{Kind: throttle.Password, Account: u.Username, Address: from})
	if err == nil {
		err = r.checkPassword(secret.From(ctx, from), u, password)
	}
	switch {
	case errors.Is(err, secret.ErrBusy):
		return Result{}, r.withdraw(ctx, attempt, err)
	case err != nil:
		return r.refuse(ctx, err, audit.Event{Name: user.EventPasswordRefused, UserID: u.ID})
	}
	return Result{Outcome: Confirmed}, r.attempts.Succeed(ctx, attempt)
}

func (r *Rules) checkPassword(ctx context.Context, u user.User, password secret.Text) error {
	right, err := r.users.VerifyPassword(ctx, u, password)
	if err == nil && !right {
		err = errWrongPassword
	}
	return err
}

// withdraw uncounts the attempt, since nobody looked at the password, and returns the
// reason.
func (r *Rules) withdraw(ctx context.Context, attempt throttle.Attempt, reason error) error {
	if err := r.attempts.Withdraw(ctx, attempt); err != nil {
		return err
	}
	return reason
}

var errWrongPassword = fault.New(fault.Unauthorized, "The password is not right.")

// refuse records an attempt that was throttled or refused, the latter as the
// event failed. It returns any other error as it is.
func (r *Rules) refuse(ctx context.Context, err error, failed audit.Event) (Result, error) {
	var throttled *throttle.Refused
	switch {
	case errors.As(err, &throttled):
		r.trail.Record(ctx, audit.Event{Name: EventThrottled, UserID: failed.UserID, Outcome: audit.Refused})
		return Result{Outcome: Throttled, Wait: throttled.Wait}, nil
	case fault.Is(err, fault.Unauthorized):
		failed.Outcome = audit.Refused
		r.trail.Record(ctx, failed)
		return Result{Outcome: Refused}, nil
	}
	return Result{}, err
}

// start starts the session of a user who gave everything that is needed. All
// writes happen at once, those of the events before it included.
func (r *Rules) start(
	ctx context.Context, u user.User, attempt throttle.Attempt, from Origin, with audit.Details, before ...audit.Event,
) (Result, error) {
	result := Result{Outcome: SignedIn}
	event := audit.Event{Name: EventSignIn, ActorID: u.ID, UserID: u.ID, Details: with}
	err := r.trail.Do(ctx, event, func(ctx context.Context) error {
		writes, ctx := errgroup.WithContext(ctx)
		writes.Go(func() error { return r.attempts.Succeed(ctx, attempt) })
		writes.Go(func() error { return r.users.SignedIn(ctx, u.ID) })
		writes.Go(func() (err error) {
			result.Cookie, err = r.sessions.Replace(ctx, from.Session, u, from.Browser)
			return err
		})
		writes.Go(func() error { r.trail.Record(ctx, before...); return nil })
		return writes.Wait()
	})
	if err != nil {
		return Result{}, err
	}
	return result, nil
}
