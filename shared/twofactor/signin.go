package twofactor

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"log/slog"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// PendingLifetime is how long after the password the code may come.
const PendingLifetime = 10 * time.Minute

// Pending is a sign-in that waits for its second factor. It is stored nowhere,
// but in a cookie of the browser that gave the password.
type Pending struct {
	UserID int64
	began  time.Time
	// sessionsSince is the user's, in microseconds, as it was with the
	// password: a new password, a block and another second factor end the
	// sign-in.
	sessionsSince int64
}

// The sign-in's label, and what its numbers take.
const (
	signInLabel   = "sign-in"
	pendingLength = 3 * 8
)

// Pend returns the value of the cookie for the sign-in of a user, as read when
// the password was verified.
func (r *Rules) Pend(u user.User) secret.Text {
	var text []byte
	for _, n := range []int64{u.ID, r.now().UnixMicro(), micros(u.SessionEpoch)} {
		text = binary.BigEndian.AppendUint64(text, uint64(n))
	}
	return secret.NewText(base64.RawURLEncoding.EncodeToString(r.signIns.Seal(text, signInLabel)))
}

// Pending returns the sign-in of a cookie, or ErrOver.
func (r *Rules) Pending(cookie string) (Pending, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil {
		return Pending{}, ErrOver
	}
	text, _, err := r.signIns.Open(sealed, signInLabel)
	if err != nil || len(text) != pendingLength {
		return Pending{}, ErrOver
	}
	number := func(i int) int64 { return int64(binary.BigEndian.Uint64(text[8*i:])) }
	p := Pending{UserID: number(0), began: time.UnixMicro(number(1)), sessionsSince: number(2)}
	if !r.now().Before(p.began.Add(PendingLifetime)) {
		return Pending{}, ErrOver
	}
	return p, nil
}

// micros is a time as a store keeps it.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Complete uses up the answer, and with it the sign-in and all that began
// before it, and returns the user. The error is ErrWrongCode, or ErrOver for a
// sign-in that cannot be completed any more. While the user is looked up the
// conditions are asked; when one of them has an error, that is returned and
// the answer is not looked at.
func (r *Rules) Complete(ctx context.Context, p Pending, a Answer, conditions ...func(context.Context) error) (user.User, error) {
	for {
		u, f, err := r.read(ctx, p, conditions)
		if err != nil {
			return user.User{}, err
		}
		next, ok := r.use(ctx, f, a)
		if !ok {
			return user.User{}, ErrWrongCode
		}
		next.Mark, next.LastSignIn = newMark(), p.began
		if err = r.store.ReplaceSecondFactor(ctx, f.Mark, next); !fault.Is(err, fault.Conflict) {
			return u, err
		}
		conditions = nil // once is enough; what another did meanwhile is looked at anew
	}
}

// read returns the user and the second factor that the sign-in waits for, or
// ErrOver.
func (r *Rules) read(ctx context.Context, p Pending, conditions []func(context.Context) error) (u user.User, f Factor, err error) {
	var userErr, factorErr error
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() error { u, userErr = r.users.User(ctx, p.UserID); return unlessMissing(userErr) })
	reads.Go(func() error { f, factorErr = r.store.SecondFactor(ctx, p.UserID); return unlessMissing(factorErr) })
	for _, condition := range conditions {
		reads.Go(func() error { return condition(ctx) })
	}
	switch err := reads.Wait(); {
	case err != nil:
		return u, f, err
	case userErr != nil, factorErr != nil, u.Blocked(), !u.TwoFactorEnabled,
		micros(u.SessionEpoch) != p.sessionsSince, !p.began.After(f.LastSignIn):
		return u, f, ErrOver
	}
	return u, f, nil
}

func unlessMissing(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
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
		// The key is gone that sealed it. Recovery codes need none.
		slog.ErrorContext(ctx, "seed of a second factor does not open", "user_id", f.UserID, "error", err)
		return f, false
	}
	next.LastStep, ok = Seed(seed).recognise(a.code.Reveal(), f.LastStep, r.now())
	return next, ok
}
