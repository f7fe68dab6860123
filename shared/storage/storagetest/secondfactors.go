package storagetest

import (
	"errors"
	"testing"
	"time"

	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

var secondFactors = []promise{
	{"are given to users with what that changes of them", enableTwoFactor},
	{"are given to users as they were read alone", enableTwoFactorOfAnotherVersion},
	{"given by many at once are those of one", enableTwoFactorRace},
	{"are replaced", replaceSecondFactor},
	{"replaced by many at once are replaced by one", replaceSecondFactorRace},
	{"that are gone or others are not replaced", replaceGoneFactor},
	{"are taken away", disableTwoFactor},
	{"are taken away by an active administrator alone", disableTwoFactorBy},
	{"taken away or changed at once are one of both", disableAndUpdateRace},
	{"taken away while they are used stay away", disableAndUseRace},
	{"go with their users", deleteUserWithFactor},
}

func newFactor(userID int64) twofactor.Factor {
	return twofactor.Factor{
		UserID: userID, Mark: twofactor.Mark(secret.Random(16)), Sealed: secret.Random(48), LastStep: 59_000_000,
		Recovery:   twofactor.RecoveryCodes{Digests: secret.Random(320), Used: 0b1000000001},
		LastSignIn: now.Add(time.Minute), CreatedAt: now,
	}
}

// without returns a new user who has no second factor.
func without(t *testing.T, s storage.Store) user.User {
	t.Helper()
	u := newUser()
	u.TwoFactorEnabled = false
	return must[user.User](t)(s.CreateUser(t.Context(), u))
}

// turned returns the user after a change of the second factor.
func turned(u user.User, enabled bool) user.User {
	u.TwoFactorEnabled = enabled
	u.UpdatedAt, u.SessionEpoch = u.UpdatedAt.Add(time.Hour), u.SessionEpoch.Add(time.Hour)
	return u
}

// with returns a new user who has a second factor, and the factor.
func with(t *testing.T, s storage.Store) (user.User, twofactor.Factor) {
	t.Helper()
	u := turned(without(t, s), true)
	f := newFactor(u.ID)
	wantOK(t, "EnableTwoFactor", s.EnableTwoFactor(t.Context(), u, f))
	u.Version++
	return u, f
}

func wantFactor(t *testing.T, s storage.Store, want twofactor.Factor) {
	t.Helper()
	wantSame(t, "SecondFactor", must[twofactor.Factor](t)(s.SecondFactor(t.Context(), want.UserID)), want)
}

func wantNoFactor(t *testing.T, s storage.Store, userID int64) {
	t.Helper()
	_, err := s.SecondFactor(t.Context(), userID)
	wantError(t, "SecondFactor", err, twofactor.ErrNotFound)
}

func wantUser(t *testing.T, s storage.Store, want user.User) {
	t.Helper()
	wantSame(t, "User", must[user.User](t)(s.User(t.Context(), want.ID)), want)
}

func enableTwoFactor(t *testing.T, s storage.Store) {
	wantNoFactor(t, s, without(t, s).ID)
	wantNoFactor(t, s, unknownID)
	u, f := with(t, s)
	other, bare := with(t, s)
	wantUser(t, s, u)
	wantFactor(t, s, f)
	wantFactor(t, s, bare)

	other = turned(other, false)
	wantOK(t, "DisableTwoFactor", s.DisableTwoFactor(t.Context(), other, 0))
	other.Version++
	other, bare = turned(other, true), twofactor.Factor{UserID: other.ID, Mark: newFactor(0).Mark, Sealed: []byte{1}, Recovery: bare.Recovery, CreatedAt: now}
	wantOK(t, "EnableTwoFactor", s.EnableTwoFactor(t.Context(), other, bare))
	wantFactor(t, s, bare)
}

func enableTwoFactorOfAnotherVersion(t *testing.T, s storage.Store) {
	u := without(t, s)
	stale, gone := turned(u, true), turned(u, true)
	stale.Version--
	wantError(t, "EnableTwoFactor of an old version", s.EnableTwoFactor(t.Context(), stale, newFactor(u.ID)), user.ErrChanged)
	wantUser(t, s, u)
	wantNoFactor(t, s, u.ID)
	gone.ID = unknownID
	wantError(t, "EnableTwoFactor of nobody", s.EnableTwoFactor(t.Context(), gone, newFactor(unknownID)), user.ErrNotFound)
	wantNoFactor(t, s, unknownID)
}

func enableTwoFactorRace(t *testing.T, s storage.Store) {
	u := turned(without(t, s), true)
	var all []twofactor.Factor
	for range 8 {
		all = append(all, newFactor(u.ID))
	}
	errs := race(len(all), func(i int) error { return s.EnableTwoFactor(t.Context(), u, all[i]) })
	wantFactor(t, s, all[wantOneWinner(t, "EnableTwoFactor", errs, is(user.ErrChanged))])
	u.Version++
	wantUser(t, s, u)
}

// used returns the factor after a use.
func used(f twofactor.Factor) twofactor.Factor {
	next := newFactor(f.UserID)
	next.LastStep, next.Recovery.Used, next.CreatedAt = f.LastStep+1, f.Recovery.Used|2, f.CreatedAt
	return next
}

func replaceSecondFactor(t *testing.T, s storage.Store) {
	u, f := with(t, s)
	_, other := with(t, s)
	next := used(f)
	wantOK(t, "ReplaceSecondFactor", s.ReplaceSecondFactor(t.Context(), f.Mark, next))
	wantFactor(t, s, next)
	wantError(t, "ReplaceSecondFactor by its old mark", s.ReplaceSecondFactor(t.Context(), f.Mark, used(f)), twofactor.ErrChanged)
	wantFactor(t, s, next)
	wantFactor(t, s, other)
	wantUser(t, s, u)
}

func replaceSecondFactorRace(t *testing.T, s storage.Store) {
	_, f := with(t, s)
	var all []twofactor.Factor
	for range 16 {
		all = append(all, used(f))
	}
	errs := race(len(all), func(i int) error { return s.ReplaceSecondFactor(t.Context(), f.Mark, all[i]) })
	wantFactor(t, s, all[wantOneWinner(t, "ReplaceSecondFactor", errs, is(twofactor.ErrChanged))])
}

func replaceGoneFactor(t *testing.T, s storage.Store) {
	u, f := with(t, s)
	u = turned(u, false)
	wantOK(t, "DisableTwoFactor", s.DisableTwoFactor(t.Context(), u, 0))
	wantError(t, "ReplaceSecondFactor of none", s.ReplaceSecondFactor(t.Context(), f.Mark, used(f)), twofactor.ErrChanged)
	wantNoFactor(t, s, u.ID)
	u.Version++
	another := newFactor(u.ID)
	wantOK(t, "EnableTwoFactor", s.EnableTwoFactor(t.Context(), turned(u, true), another))
	wantError(t, "ReplaceSecondFactor of another", s.ReplaceSecondFactor(t.Context(), f.Mark, used(f)), twofactor.ErrChanged)
	wantFactor(t, s, another)
}

func disableTwoFactor(t *testing.T, s storage.Store) {
	u, f := with(t, s)
	stale := turned(u, false)
	stale.Version--
	wantError(t, "DisableTwoFactor of an old version", s.DisableTwoFactor(t.Context(), stale, 0), user.ErrChanged)
	wantFactor(t, s, f)
	u = turned(u, false)
	wantOK(t, "DisableTwoFactor", s.DisableTwoFactor(t.Context(), u, 0))
	u.Version++
	wantUser(t, s, u)
	wantNoFactor(t, s, u.ID)
	wantOK(t, "DisableTwoFactor without a factor", s.DisableTwoFactor(t.Context(), u, 0))
	u.ID = unknownID
	wantError(t, "DisableTwoFactor of nobody", s.DisableTwoFactor(t.Context(), u, 0), user.ErrNotFound)
}

func disableTwoFactorBy(t *testing.T, s storage.Store) {
	root, demoted := addUser(t, s), newUser()
	demoted.Admin = false
	demoted = must[user.User](t)(s.CreateUser(t.Context(), demoted))
	u, f := with(t, s)
	for _, by := range []int64{demoted.ID, unknownID} {
		wantError(t, "DisableTwoFactor by no administrator", s.DisableTwoFactor(t.Context(), turned(u, false), by), user.ErrNotAdministrator)
	}
	wantFactor(t, s, f)
	wantUser(t, s, u)
	u = turned(u, false)
	wantOK(t, "DisableTwoFactor by an administrator", s.DisableTwoFactor(t.Context(), u, root.ID))
	u.Version++
	wantUser(t, s, u)
	wantNoFactor(t, s, u.ID)
	wantOK(t, "DisableTwoFactor of oneself", s.DisableTwoFactor(t.Context(), turned(root, false), root.ID))
}

func disableAndUpdateRace(t *testing.T, s storage.Store) {
	for range 8 {
		u, f := with(t, s)
		renamed := u
		renamed.Name = "Grace Hopper"
		errs := race(2, func(i int) error {
			if i == 0 {
				return s.DisableTwoFactor(t.Context(), turned(u, false), 0)
			}
			return s.UpdateUser(t.Context(), renamed, 0)
		})
		if wantOneWinner(t, "DisableTwoFactor and UpdateUser", errs, is(user.ErrChanged)) == 0 {
			wantNoFactor(t, s, u.ID)
		} else {
			wantFactor(t, s, f)
		}
		stored := must[user.User](t)(s.User(t.Context(), u.ID))
		if _, err := s.SecondFactor(t.Context(), u.ID); stored.TwoFactorEnabled != (err == nil) {
			t.Errorf("TwoFactorEnabled is %t, but SecondFactor = %v", stored.TwoFactorEnabled, err)
		}
	}
}

func disableAndUseRace(t *testing.T, s storage.Store) {
	for range 8 {
		u, f := with(t, s)
		errs := race(2, func(i int) error {
			if i == 0 {
				return s.DisableTwoFactor(t.Context(), turned(u, false), 0)
			}
			if err := s.ReplaceSecondFactor(t.Context(), f.Mark, used(f)); !errors.Is(err, twofactor.ErrChanged) {
				return err
			}
			return nil
		})
		for _, err := range errs {
			wantOK(t, "DisableTwoFactor or ReplaceSecondFactor", err)
		}
		wantNoFactor(t, s, u.ID)
	}
}

func deleteUserWithFactor(t *testing.T, s storage.Store) {
	u, f := with(t, s)
	wantOK(t, "DeleteUser", s.DeleteUser(t.Context(), u.ID, 0, now))
	wantNoFactor(t, s, u.ID)
	wantError(t, "ReplaceSecondFactor", s.ReplaceSecondFactor(t.Context(), f.Mark, used(f)), twofactor.ErrChanged)
}
