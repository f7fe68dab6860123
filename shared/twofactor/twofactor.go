// Package twofactor holds the rules for signing in with a second factor: the
// codes of an authenticator app (TOTP, RFC 6238), and recovery codes for when
// the app is lost.
//
// Each code works once. A seed takes effect only with its first code, so that
// an app that did not store it locks nobody out.
package twofactor

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/passkey"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// Factor is a user's second factor.
type Factor struct {
	UserID int64
	Mark   Mark
	Sealed []byte // the seed, encrypted
	// LastStep is the time step of the last code that was used: that code and
	// earlier ones no longer work (RFC 6238 section 5.2).
	LastStep int64
	Recovery RecoveryCodes
	// LastSignIn is when the last sign-in that it completed began. That one
	// and earlier ones can no longer be completed.
	LastSignIn time.Time
	CreatedAt  time.Time
}

// Mark identifies one state of a factor. No other state has it, not even one of
// the same user's next factor.
type Mark [16]byte

func newMark() Mark { return Mark(secret.Random(16)) }

// The reasons why a store refuses an operation.
var (
	ErrNotFound = fault.New(fault.NotFound, "second factor not found")
	ErrChanged  = fault.New(fault.Conflict, "the second factor was changed in between")
)

// Events of second factors.
var (
	EventEnabled              = audit.Declare("two_factor.enabled", "Two-factor authentication turned on")
	EventDisabled             = audit.Declare("two_factor.disabled", "Two-factor authentication turned off")
	EventRecoveryCodesRenewed = audit.Declare("two_factor.recovery_codes_renewed", "New recovery codes made")
	EventRecoveryCodeUsed     = audit.Declare("two_factor.recovery_code_used", "Recovery code used")
)

// Store keeps second factors. Reads see every write that was acknowledged
// before. A user has a factor exactly while TwoFactorEnabled is set.
type Store interface {
	// SecondFactor returns the user's factor, or a fault.NotFound error.
	SecondFactor(ctx context.Context, userID int64) (Factor, error)

	// ReplaceSecondFactor replaces the user's factor if it still has this mark.
	// It returns a fault.Conflict error when it was changed or removed in
	// between; of concurrent callers with one mark one wins.
	ReplaceSecondFactor(ctx context.Context, was Mark, next Factor) error

	// EnableTwoFactor stores the factor, and the user's TwoFactorEnabled,
	// SessionEpoch and UpdatedAt, if the user's Version is still the stored
	// one, and increments the stored version. It returns a fault.Conflict error
	// when the user changed in between and a fault.NotFound error when the user
	// is gone, and changes nothing then.
	EnableTwoFactor(ctx context.Context, u user.User, f Factor) error

	// DisableTwoFactor removes the factor in the same way; that there is none
	// is no error. The id by means the same as with user.Store.UpdateUser.
	DisableTwoFactor(ctx context.Context, u user.User, by int64) error
}

// Rules enrol second factors, take their codes and remove them.
type Rules struct {
	store      Store
	trail      *audit.Trail
	passkeys   *passkey.Rules
	seeds      secret.Box
	enrolments secret.Box
	now        func() time.Time
}

// NewRules returns the rules over a store, which sees seeds only encrypted.
func NewRules(store Store, trail *audit.Trail, passkeys *passkey.Rules, keys secret.Keys, now func() time.Time) *Rules {
	return &Rules{store, trail, passkeys, keys.Box("two-factor seed"), keys.Box("two-factor enrolment"), now}
}

// ErrOver means that an enrolment took too long, was completed before, or that
// the user changed in between. It has to start again.
var ErrOver = fault.New(fault.Conflict, "That took too long, or it was done before. Start again.")

// ErrWrongCode means that a code is wrong or was used before.
var ErrWrongCode = fault.New(fault.Unauthorized, "The code is not right, or it was used before.")

// Factor returns the user's second factor, or a fault.NotFound error.
func (r *Rules) Factor(ctx context.Context, userID int64) (Factor, error) {
	return r.store.SecondFactor(ctx, userID)
}

// Use uses up the answer for a sign-in that began at this time. The error is
// ErrWrongCode, or of kind fault.Conflict if the factor has changed since it was
// read: then the caller reads it again and calls Use again.
func (r *Rules) Use(ctx context.Context, f Factor, a Answer, began time.Time) error {
	next, ok := r.use(ctx, f, a)
	if !ok {
		return ErrWrongCode
	}
	next.Mark, next.LastSignIn = newMark(), began
	return r.store.ReplaceSecondFactor(ctx, f.Mark, next)
}

func seedLabel(userID int64) string { return strconv.FormatInt(userID, 10) }

// use returns the factor after the answer was used, if that is right.
func (r *Rules) use(ctx context.Context, f Factor, a Answer) (next Factor, ok bool) {
	if next = r.sealedAnew(f); a.recovery {
		next.Recovery, ok = f.Recovery.use(a.code)
		return next, ok
	}
	seed, _, err := r.seeds.Open(next.Sealed, seedLabel(f.UserID))
	if err != nil {
		// The key that sealed the seed is gone. Recovery codes need no key.
		slog.ErrorContext(ctx, "seed of a second factor does not open", "user_id", f.UserID, "error", err)
		return f, false
	}
	next.LastStep, ok = Seed(seed).recognise(a.code.Reveal(), f.LastStep, r.now())
	return next, ok
}

// sealedAnew returns the factor with its seed sealed under the instance's
// current key. A seed that does not open stays as it is.
func (r *Rules) sealedAnew(f Factor) Factor {
	if anew, err := r.seeds.Anew(f.Sealed, seedLabel(f.UserID)); err == nil && anew != nil {
		f.Sealed = anew
	}
	return f
}

// Reseal seals the user's seed under the instance's current key, if there is a
// seed and another key sealed it, and reports whether it did. The error is
// secret.ErrSealed when the key that sealed it is gone.
func (r *Rules) Reseal(ctx context.Context, userID int64) (bool, error) {
	for {
		f, err := r.store.SecondFactor(ctx, userID)
		if err != nil {
			return false, fault.IgnoreNotFound(err)
		}
		next := f
		next.Mark = newMark()
		if next.Sealed, err = r.seeds.Anew(f.Sealed, seedLabel(userID)); err != nil || next.Sealed == nil {
			return false, err
		}
		err = r.store.ReplaceSecondFactor(ctx, f.Mark, next)
		if !fault.Is(err, fault.Conflict) {
			return err == nil, err
		}
	}
}
