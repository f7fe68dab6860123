package dynamodb

import (
	"context"

	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

var factorItem = shape{tokens, "USER#<id>", "TWOFACTOR", "the second factor of a user", ""}

var secondFactors = kind[twofactor.Factor]{noun: "second factor", notFound: twofactor.ErrNotFound, fields: factorFields}

func factorFields(f *twofactor.Factor) fields {
	return fields{
		{"user_id", &f.UserID}, {"mark", f.Mark[:]}, {"sealed", &f.Sealed}, {"last_step", &f.LastStep},
		{"recovery", &f.Recovery.Digests}, {"recovery_used", &f.Recovery.Used}, {"last_sign_in", &f.LastSignIn},
		{"created_at", &f.CreatedAt},
	}
}

// SecondFactor returns the user's factor.
func (s *Store) SecondFactor(ctx context.Context, userID int64) (twofactor.Factor, error) {
	return secondFactors.get(ctx, s, factorItem.key(userID))
}

// ReplaceSecondFactor replaces the factor with this mark by its next state.
func (s *Store) ReplaceSecondFactor(ctx context.Context, was twofactor.Mark, next twofactor.Factor) error {
	return s.write(ctx, set(factorItem.key(next.UserID), factorFields(&next)).
		ifEqual(fields{{"mark", was[:]}}).orElse(twofactor.ErrChanged))
}

// EnableTwoFactor gives the factor to the user.
func (s *Store) EnableTwoFactor(ctx context.Context, u user.User, f twofactor.Factor) error {
	factor := create(factorItem.key(u.ID), factorFields(&f)).when("", nil) // the user's version shows that there is none
	return s.write(ctx, setTwoFactor(u), factor)
}

// DisableTwoFactor takes the factor from the user.
func (s *Store) DisableTwoFactor(ctx context.Context, u user.User, by int64) error {
	needed, err := requireAdministrator(u, by)
	if err != nil {
		return err
	}
	return s.write(ctx, append(needed, setTwoFactor(u), remove(factorItem.key(u.ID)))...)
}

// setTwoFactor stores the fields of a user that change with the second factor.
func setTwoFactor(u user.User) change {
	was := u.Version
	u.Version++
	return users.explain(set(userItem.key(u.ID), fields{
		{"two_factor_enabled", &u.TwoFactorEnabled}, {"updated_at", &u.UpdatedAt},
		{"sessions_since", &u.SessionEpoch}, {"version", &u.Version},
	}).version(was))
}
