package storagetest

import (
	"testing"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/page"
	"gatehouse/shared/storage"
)

var accessTokens = []promise{
	{"are created and found by digest and id", createToken},
	{"never share a digest", sharedDigest},
	{"racing for a digest get it once", raceForDigest},
	{"that never expire keep no time", timelessToken},
	{"are found after they have ended", endedTokens},
	{"are revoked once and for all", revokeToken},
	{"are rotated", rotateToken},
	{"rotated by many at once have one successor", rotateRace},
	{"stay when their successor is refused", rotateToTakenDigest},
	{"note their use", touchToken},
}

func createToken(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	first, second := addToken(t, s, u.ID), addToken(t, s, u.ID)
	if first.ID <= 0 || second.ID <= first.ID {
		t.Errorf("CreateAccessToken gave ids %d then %d, want them to rise", first.ID, second.ID)
	}
	for _, want := range []accesstoken.Token{first, second} {
		wantToken(t, s, want)
	}
	_, err := s.AccessToken(t.Context(), unknownID)
	wantError(t, "AccessToken of an unknown id", err, accesstoken.ErrNotFound)
	_, err = s.AccessTokenByDigest(t.Context(), newToken(u.ID).Digest)
	wantError(t, "AccessTokenByDigest of an unknown digest", err, accesstoken.ErrNotFound)
}

func wantToken(t *testing.T, s storage.Store, want accesstoken.Token) {
	t.Helper()
	wantSame(t, "AccessToken", must[accesstoken.Token](t)(s.AccessToken(t.Context(), want.ID)), want)
	wantSame(t, "AccessTokenByDigest",
		must[accesstoken.Token](t)(s.AccessTokenByDigest(t.Context(), want.Digest)), want)
}

func sharedDigest(t *testing.T, s storage.Store) {
	first := addToken(t, s, addUser(t, s).ID)
	other := newToken(addUser(t, s).ID)
	other.Digest = first.Digest
	_, err := s.CreateAccessToken(t.Context(), other)
	wantError(t, "CreateAccessToken with a known digest", err, accesstoken.ErrTaken)
	wantToken(t, s, first)

	wantOK(t, "RevokeAccessToken", s.RevokeAccessToken(t.Context(), first.ID, now))
	_, err = s.CreateAccessToken(t.Context(), other)
	wantError(t, "CreateAccessToken with the digest of a revoked token", err, accesstoken.ErrTaken)
}

func raceForDigest(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	token := newToken(u.ID)
	errs := race(8, func(int) error {
		_, err := s.CreateAccessToken(t.Context(), token)
		return err
	})
	wantOneWinner(t, "CreateAccessToken", errs, is(accesstoken.ErrTaken))
	if got := must[page.Of[accesstoken.Token]](t)(s.AccessTokens(t.Context(), u.ID, page.First)); got.Total != 1 {
		t.Errorf("AccessTokens has %d tokens after the race, want 1", got.Total)
	}
}

func timelessToken(t *testing.T, s storage.Store) {
	token := newToken(addUser(t, s).ID)
	token.ExpiresAt, token.Scopes, token.Name = time.Time{}, nil, "käse 🧀"
	wantToken(t, s, must[accesstoken.Token](t)(s.CreateAccessToken(t.Context(), token)))
}

func endedTokens(t *testing.T, s storage.Store) {
	expired := newToken(addUser(t, s).ID)
	expired.CreatedAt, expired.ExpiresAt = now.AddDate(-1, 0, 0), now.AddDate(0, -1, 0)
	wantToken(t, s, must[accesstoken.Token](t)(s.CreateAccessToken(t.Context(), expired)))
}

func revokeToken(t *testing.T, s storage.Store) {
	token := addToken(t, s, addUser(t, s).ID)
	wantOK(t, "RevokeAccessToken", s.RevokeAccessToken(t.Context(), token.ID, now.Add(time.Minute)))
	token.RevokedAt = now.Add(time.Minute)
	wantToken(t, s, token)

	wantError(t, "RevokeAccessToken again", s.RevokeAccessToken(t.Context(), token.ID, now.Add(time.Hour)), accesstoken.ErrRevoked)
	wantToken(t, s, token)
	wantError(t, "RevokeAccessToken of an unknown id", s.RevokeAccessToken(t.Context(), unknownID, now), accesstoken.ErrNotFound)
}

func rotateToken(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	old := addToken(t, s, u.ID)
	at := now.Add(time.Minute)
	successor := must[accesstoken.Token](t)(s.RotateAccessToken(t.Context(), old.ID, newToken(u.ID), at))
	old.RevokedAt = at
	wantToken(t, s, old)
	wantToken(t, s, successor)
	if successor.ID <= old.ID {
		t.Errorf("RotateAccessToken gave id %d after %d, want a higher one", successor.ID, old.ID)
	}

	_, err := s.RotateAccessToken(t.Context(), old.ID, newToken(u.ID), at.Add(time.Minute))
	wantError(t, "RotateAccessToken of a revoked token", err, accesstoken.ErrRevoked)
	wantToken(t, s, old)
}

func rotateRace(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	old := addToken(t, s, u.ID)
	errs := race(16, func(int) error {
		_, err := s.RotateAccessToken(t.Context(), old.ID, newToken(u.ID), now)
		return err
	})
	wantOneWinner(t, "RotateAccessToken", errs, is(accesstoken.ErrRevoked))
	if got := must[page.Of[accesstoken.Token]](t)(s.AccessTokens(t.Context(), u.ID, page.First)); got.Total != 2 {
		t.Errorf("AccessTokens has %d tokens after the race, want the old one and its successor", got.Total)
	}
}

func rotateToTakenDigest(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	old, taken := addToken(t, s, u.ID), addToken(t, s, u.ID)
	successor := newToken(u.ID)
	successor.Digest = taken.Digest
	if _, err := s.RotateAccessToken(t.Context(), old.ID, successor, now); err == nil {
		t.Error("RotateAccessToken to the digest of another token gave no error")
	}
	wantToken(t, s, old)
	if _, err := s.RotateAccessToken(t.Context(), unknownID, newToken(u.ID), now); err == nil {
		t.Error("RotateAccessToken of an unknown id gave no error")
	}
	if got := must[page.Of[accesstoken.Token]](t)(s.AccessTokens(t.Context(), u.ID, page.First)); got.Total != 2 {
		t.Errorf("AccessTokens has %d tokens, want the two from before", got.Total)
	}
}

func touchToken(t *testing.T, s storage.Store) {
	token := addToken(t, s, addUser(t, s).ID)
	used := now.Add(90 * time.Second)
	wantOK(t, "TouchAccessToken", s.TouchAccessToken(t.Context(), token, used))
	got := must[accesstoken.Token](t)(s.AccessTokenByDigest(t.Context(), token.Digest))
	if off := got.LastUsedAt.Sub(used).Abs(); off > accesstoken.TouchEvery {
		t.Errorf("LastUsedAt = %v, want %v to a minute", got.LastUsedAt, used)
	}
	token.LastUsedAt = got.LastUsedAt
	wantToken(t, s, token)

	wantOK(t, "RevokeAccessToken", s.RevokeAccessToken(t.Context(), token.ID, now))
	wantOK(t, "TouchAccessToken", s.TouchAccessToken(t.Context(), token, used))
	if got := must[accesstoken.Token](t)(s.AccessToken(t.Context(), token.ID)); !got.Revoked() {
		t.Error("TouchAccessToken brought a revoked token back")
	}
}
