package twofactor

import (
	"context"

	"gatehouse/shared/fault"
)

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
