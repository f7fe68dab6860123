package sqlite

import (
	"context"
	"slices"

	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

var secondFactors = newKind("second_factors", factorColumns, twofactor.ErrNotFound, nil)

func factorColumns(f *twofactor.Factor) columns {
	return slices.Concat(columns{{"user_id", &f.UserID}, {"created_at", &f.CreatedAt}}, factorState(f))
}

// factorState are the columns that ReplaceSecondFactor changes.
func factorState(f *twofactor.Factor) columns {
	return columns{
		{"mark", f.Mark[:]}, {"sealed", &f.Sealed}, {"last_step", &f.LastStep},
		{"recovery", &f.Recovery.Digests}, {"recovery_used", &f.Recovery.Used}, {"last_sign_in", &f.LastSignIn},
	}
}

// SecondFactor returns the user's factor.
func (s *Store) SecondFactor(ctx context.Context, userID int64) (twofactor.Factor, error) {
	return secondFactors.find(ctx, s.readers, "WHERE user_id = ?", userID)
}

var replaceFactor = update("second_factors", factorState, "WHERE user_id = ? AND mark = ?")

// ReplaceSecondFactor replaces the factor with this mark by its next state.
func (s *Store) ReplaceSecondFactor(ctx context.Context, was twofactor.Mark, next twofactor.Factor) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		replaced, err := replaceFactor.change(tx, &next, next.UserID, was[:])
		if err == nil && !replaced {
			return twofactor.ErrChanged
		}
		return err
	})
}

// EnableTwoFactor gives the factor to the user.
func (s *Store) EnableTwoFactor(ctx context.Context, u user.User, f twofactor.Factor) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.setTwoFactor(u); err != nil {
			return err
		}
		return secondFactors.put(tx, &f)
	})
}

// DisableTwoFactor takes the factor from the user.
func (s *Store) DisableTwoFactor(ctx context.Context, u user.User, by int64) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireAdministrator(by); err != nil {
			return err
		}
		if err := tx.setTwoFactor(u); err != nil {
			return err
		}
		return tx.exec("DELETE FROM second_factors WHERE user_id = ?", u.ID)
	})
}

// setTwoFactor stores the fields of a user that change with the second factor.
func (tx *transaction) setTwoFactor(u user.User) error {
	if err := users.requireVersion(tx, u.Version, "WHERE id = ?", u.ID); err != nil {
		return err
	}
	return tx.exec("UPDATE users SET two_factor_enabled = ?, updated_at = ?, sessions_since = ?, version = version + 1 WHERE id = ?",
		u.TwoFactorEnabled, micros(u.UpdatedAt), micros(u.SessionEpoch), u.ID)
}
