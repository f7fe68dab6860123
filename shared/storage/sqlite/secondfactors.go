package sqlite

import (
	"context"

	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

const factorColumns = "user_id, mark, sealed, last_step, recovery, recovery_used, last_sign_in, created_at"

func scanFactor(r row) (f twofactor.Factor, err error) {
	return f, r.Scan(&f.UserID, intoBytes(f.Mark[:]), &f.Sealed, &f.LastStep, &f.Recovery.Digests, &f.Recovery.Used,
		intoTime(&f.LastSignIn), intoTime(&f.CreatedAt))
}

// SecondFactor returns the user's factor.
func (s *Store) SecondFactor(ctx context.Context, userID int64) (twofactor.Factor, error) {
	const query = "SELECT " + factorColumns + " FROM second_factors WHERE user_id = ?"
	return find(ctx, s.readers, twofactor.ErrNotFound, scanFactor, query, userID)
}

// ReplaceSecondFactor puts the next state of a factor in the place of the one
// with this mark.
func (s *Store) ReplaceSecondFactor(ctx context.Context, was twofactor.Mark, next twofactor.Factor) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		replaced, err := tx.change(`
			UPDATE second_factors SET mark = ?, sealed = ?, last_step = ?, recovery = ?, recovery_used = ?, last_sign_in = ?
			WHERE user_id = ? AND mark = ?`,
			next.Mark[:], next.Sealed, next.LastStep, next.Recovery.Digests, next.Recovery.Used, micros(next.LastSignIn),
			next.UserID, was[:])
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
		return tx.exec("INSERT OR REPLACE INTO second_factors ("+factorColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			f.UserID, f.Mark[:], f.Sealed, f.LastStep, f.Recovery.Digests, f.Recovery.Used,
			micros(f.LastSignIn), micros(f.CreatedAt))
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

// setTwoFactor changes of the user what goes with the second factor.
func (tx *transaction) setTwoFactor(u user.User) error {
	if err := tx.checkVersion(user.ErrNotFound, user.ErrChanged, "SELECT version FROM users WHERE id = ?", u.ID, u.Version); err != nil {
		return err
	}
	return tx.exec("UPDATE users SET two_factor_enabled = ?, updated_at = ?, sessions_since = ?, version = version + 1 WHERE id = ?",
		u.TwoFactorEnabled, micros(u.UpdatedAt), micros(u.SessionEpoch), u.ID)
}
