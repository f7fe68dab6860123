package sqlite

import (
	"context"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
)

var accessTokens = newKind("access_tokens", accessTokenColumns, accesstoken.ErrNotFound, nil)

func accessTokenColumns(t *accesstoken.Token) columns {
	return columns{
		{"id", given{&t.ID}}, {"user_id", &t.UserID}, {"name", &t.Name}, {"scopes", &t.Scopes},
		{"digest", t.Digest[:]}, {"created_at", &t.CreatedAt}, {"expires_at", &t.ExpiresAt},
		{"revoked_at", &t.RevokedAt}, {"last_used_at", &t.LastUsedAt},
	}
}

// CreateAccessToken stores a token.
func (s *Store) CreateAccessToken(ctx context.Context, t accesstoken.Token) (accesstoken.Token, error) {
	err := s.writer.do(ctx, func(tx *transaction) error { return tx.addAccessToken(&t) })
	return t, err
}

// CreateAccessTokenWithin stores a token unless its user has so many.
func (s *Store) CreateAccessTokenWithin(ctx context.Context, most int, t accesstoken.Token) (accesstoken.Token, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		const active = `SELECT 1 FROM access_tokens WHERE user_id = ? AND revoked_at = 0 AND (expires_at = 0 OR expires_at > ?)
			LIMIT 1 OFFSET ?`
		if err := tx.refuse(accesstoken.ErrTooMany, active, t.UserID, micros(t.CreatedAt), most-1); err != nil {
			return err
		}
		return tx.addAccessToken(&t)
	})
	return t, err
}

func (tx *transaction) addAccessToken(t *accesstoken.Token) error {
	err := tx.refuse(accesstoken.ErrTaken, "SELECT 1 FROM access_tokens WHERE digest = ?", t.Digest[:])
	if err == nil {
		t.ID, err = accessTokens.insert(tx, t)
	}
	return err
}

// AccessTokenByDigest returns the token with this digest.
func (s *Store) AccessTokenByDigest(ctx context.Context, d secret.Digest) (accesstoken.Token, error) {
	return accessTokens.find(ctx, s.readers, "WHERE digest = ?", d[:])
}

// AccessToken returns the token with this id.
func (s *Store) AccessToken(ctx context.Context, id int64) (accesstoken.Token, error) {
	return accessTokens.find(ctx, s.readers, "WHERE id = ?", id)
}

// AccessTokens returns a page of the user's tokens, or of all tokens.
func (s *Store) AccessTokens(ctx context.Context, userID int64, r page.Request) (page.Of[accesstoken.Token], error) {
	number := func(t accesstoken.Token) int64 { return t.ID }
	if userID == 0 {
		return accessTokens.from(s, r, "id", number, "WHERE true").Page(ctx, r)
	}
	return accessTokens.from(s, r, "id", number, "WHERE user_id = ?", userID).Page(ctx, r)
}

// RevokeAccessToken ends a token.
func (s *Store) RevokeAccessToken(ctx context.Context, id int64, now time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := accessTokens.require(tx, "WHERE id = ?", id); err != nil {
			return err
		}
		return tx.revokeAccessToken(id, now)
	})
}

func (tx *transaction) revokeAccessToken(id int64, now time.Time) error {
	return tx.changeOne(accesstoken.ErrRevoked, "UPDATE access_tokens SET revoked_at = ? WHERE id = ? AND revoked_at = 0", micros(now), id)
}

// RotateAccessToken replaces a token by its successor.
func (s *Store) RotateAccessToken(ctx context.Context, id int64, successor accesstoken.Token, now time.Time) (accesstoken.Token, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := accessTokens.require(tx, "WHERE id = ?", id); err != nil {
			return err
		}
		const revoked = "SELECT 1 FROM access_tokens WHERE id = ? AND revoked_at <> 0"
		if err := tx.refuse(accesstoken.ErrRevoked, revoked, id); err != nil {
			return err
		}
		if err := tx.revokeAccessToken(id, now); err != nil {
			return err
		}
		return tx.addAccessToken(&successor)
	})
	return successor, err
}

// TouchAccessToken records the use of a token.
func (s *Store) TouchAccessToken(ctx context.Context, t accesstoken.Token, now time.Time) error {
	return s.exec(ctx, "UPDATE access_tokens SET last_used_at = ? WHERE id = ?", micros(now), t.ID)
}
