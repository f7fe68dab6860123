package sqlite

import (
	"context"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
)

const accessTokenColumns = "id, user_id, name, scopes, digest, created_at, expires_at, revoked_at, last_used_at"

func scanAccessToken(r row) (t accesstoken.Token, err error) {
	return t, r.Scan(&t.ID, &t.UserID, &t.Name, intoScopes(&t.Scopes), intoBytes(t.Digest[:]),
		intoTime(&t.CreatedAt), intoTime(&t.ExpiresAt), intoTime(&t.RevokedAt), intoTime(&t.LastUsedAt))
}

// CreateAccessToken stores a token.
func (s *Store) CreateAccessToken(ctx context.Context, t accesstoken.Token) (accesstoken.Token, error) {
	err := s.writer.do(ctx, func(tx *transaction) error { return tx.addAccessToken(&t) })
	return t, err
}

func (tx *transaction) addAccessToken(t *accesstoken.Token) error {
	err := tx.refuse(accesstoken.ErrTaken, "SELECT 1 FROM access_tokens WHERE digest = ?", t.Digest[:])
	if err != nil {
		return err
	}
	t.ID, err = tx.insert(`
		INSERT INTO access_tokens (user_id, name, scopes, digest, created_at, expires_at, revoked_at, last_used_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		t.UserID, t.Name, t.Scopes.String(), t.Digest[:],
		micros(t.CreatedAt), micros(t.ExpiresAt), micros(t.RevokedAt), micros(t.LastUsedAt))
	return err
}

// AccessTokenByDigest returns the token with this digest.
func (s *Store) AccessTokenByDigest(ctx context.Context, d secret.Digest) (accesstoken.Token, error) {
	return find(ctx, s.readers, accesstoken.ErrNotFound, scanAccessToken,
		"SELECT "+accessTokenColumns+" FROM access_tokens WHERE digest = ?", d[:])
}

// AccessToken returns the token with this id.
func (s *Store) AccessToken(ctx context.Context, id int64) (accesstoken.Token, error) {
	return find(ctx, s.readers, accesstoken.ErrNotFound, scanAccessToken,
		"SELECT "+accessTokenColumns+" FROM access_tokens WHERE id = ?", id)
}

// AccessTokens returns a page of the user's tokens, or of everybody's.
func (s *Store) AccessTokens(ctx context.Context, userID int64, r page.Request) (page.Of[accesstoken.Token], error) {
	if userID == 0 {
		return list(ctx, s, scanAccessToken, accessTokenColumns, "access_tokens", r)
	}
	return list(ctx, s, scanAccessToken, accessTokenColumns, "access_tokens WHERE user_id = ?", r, userID)
}

// RevokeAccessToken ends a token.
func (s *Store) RevokeAccessToken(ctx context.Context, id int64, now time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireAccessToken(id); err != nil {
			return err
		}
		return tx.revokeAccessToken(id, now)
	})
}

func (tx *transaction) requireAccessToken(id int64) error {
	return tx.require(accesstoken.ErrNotFound, "SELECT 1 FROM access_tokens WHERE id = ?", id)
}

func (tx *transaction) revokeAccessToken(id int64, now time.Time) error {
	return tx.exec("UPDATE access_tokens SET revoked_at = ? WHERE id = ? AND revoked_at = 0", micros(now), id)
}

// RotateAccessToken puts a successor in the place of a token.
func (s *Store) RotateAccessToken(ctx context.Context, id int64, successor accesstoken.Token, now time.Time) (accesstoken.Token, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireAccessToken(id); err != nil {
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

// TouchAccessToken notes the use of a token.
func (s *Store) TouchAccessToken(ctx context.Context, t accesstoken.Token, now time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("UPDATE access_tokens SET last_used_at = ? WHERE id = ?", micros(now), t.ID)
	})
}
