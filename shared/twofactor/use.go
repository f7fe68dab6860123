package twofactor

import (
	"context"
	"log/slog"
	"strconv"
	"time"
)

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
