package storagetest

import (
	"testing"

	"gatehouse/shared/oidc"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
)

// signingKeys exist once, so that each promise begins where the last one ended.
var signingKeys = []promise{
	{"are not there before somebody stores them", noSigningKeys},
	{"stored by many at once are those of one", firstSigningKeysRace},
	{"are replaced by the next version alone", replaceSigningKeys},
	{"replaced by many at once are those of one", replaceSigningKeysRace},
}

func sealedKeys(version int64) oidc.SealedKeys {
	return oidc.SealedKeys{Version: version, Sealed: secret.Random(5000)}
}

func noSigningKeys(t *testing.T, s storage.Store) {
	_, err := s.SigningKeys(t.Context())
	wantError(t, "SigningKeys", err, oidc.ErrNotFound)
	wantError(t, "ReplaceSigningKeys of none", s.ReplaceSigningKeys(t.Context(), sealedKeys(2)), oidc.ErrReplaced)
	_, err = s.SigningKeys(t.Context())
	wantError(t, "SigningKeys", err, oidc.ErrNotFound)
}

func firstSigningKeysRace(t *testing.T, s storage.Store) { wantOneReplacement(t, s, 1) }

func replaceSigningKeys(t *testing.T, s storage.Store) {
	stored := must[oidc.SealedKeys](t)(s.SigningKeys(t.Context()))
	for _, version := range []int64{1, stored.Version, stored.Version + 2} {
		err := s.ReplaceSigningKeys(t.Context(), sealedKeys(version))
		wantError(t, "ReplaceSigningKeys out of step", err, oidc.ErrReplaced)
		wantSigningKeys(t, s, stored)
	}
	next := sealedKeys(stored.Version + 1)
	wantOK(t, "ReplaceSigningKeys", s.ReplaceSigningKeys(t.Context(), next))
	wantSigningKeys(t, s, next)
}

func replaceSigningKeysRace(t *testing.T, s storage.Store) {
	wantOneReplacement(t, s, must[oidc.SealedKeys](t)(s.SigningKeys(t.Context())).Version+1)
}

func wantOneReplacement(t *testing.T, s storage.Store, version int64) {
	t.Helper()
	var all []oidc.SealedKeys
	for range 16 {
		all = append(all, sealedKeys(version))
	}
	errs := race(len(all), func(i int) error { return s.ReplaceSigningKeys(t.Context(), all[i]) })
	wantSigningKeys(t, s, all[wantOneWinner(t, "ReplaceSigningKeys", errs, is(oidc.ErrReplaced))])
}

func wantSigningKeys(t *testing.T, s storage.Store, want oidc.SealedKeys) {
	t.Helper()
	wantSame(t, "SigningKeys", must[oidc.SealedKeys](t)(s.SigningKeys(t.Context())), want)
}
