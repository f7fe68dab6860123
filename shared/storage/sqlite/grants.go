package sqlite

import (
	"context"
	"time"

	"gatehouse/shared/oauth"
)

const (
	grantColumns = `user_id, client_id, random, application, nonce, redirect_uri, scopes, challenge, refreshable,
		oidc_nonce, authenticated_at, user_since, created_at, generation, issued_at, previous_issued_at, narrowed, revoked_at, used_at`
	byGrantID   = " WHERE user_id = ? AND client_id = ? AND random = ?"
	selectGrant = "SELECT " + grantColumns + " FROM grants" + byGrantID
)

func scanGrant(r row) (g oauth.Grant, err error) {
	return g, r.Scan(&g.UserID, &g.ClientID, intoBytes(g.Random[:]), &g.Application, intoBytes(g.Nonce[:]),
		&g.RedirectURI, intoScopes(&g.Scopes), &g.Challenge, &g.Refreshable, &g.OIDCNonce, intoTime(&g.AuthenticatedAt),
		intoTime(&g.SessionEpoch), intoTime(&g.CreatedAt), &g.Generation, intoTime(&g.IssuedAt), intoTime(&g.PreviousIssuedAt), &g.Narrowed, intoTime(&g.RevokedAt),
		intoTime(&g.UsedAt))
}

// CreateGrant stores a grant.
func (s *Store) CreateGrant(ctx context.Context, g oauth.Grant) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("INSERT INTO grants ("+grantColumns+", ends_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			g.UserID, g.ClientID, g.Random[:], g.Application, g.Nonce[:], g.RedirectURI, g.Scopes.String(), g.Challenge,
			g.Refreshable, g.OIDCNonce, micros(g.AuthenticatedAt), micros(g.SessionEpoch), micros(g.CreatedAt), g.Generation, micros(g.IssuedAt),
			micros(g.PreviousIssuedAt), g.Narrowed, micros(g.RevokedAt), micros(g.UsedAt), micros(g.EndsAt()))
	})
}

// Grant returns the grant with this id.
func (s *Store) Grant(ctx context.Context, id oauth.GrantID) (oauth.Grant, error) {
	return find(ctx, s.readers, oauth.ErrGrantNotFound, scanGrant, selectGrant, id.UserID, id.ClientID, id.Random[:])
}

// GrantsOf returns the user's grants to the client.
func (s *Store) GrantsOf(ctx context.Context, userID, clientID int64) ([]oauth.Grant, error) {
	const query = "SELECT " + grantColumns + " FROM grants WHERE user_id = ? AND client_id = ?"
	return many(ctx, s.readers, scanGrant, query, userID, clientID)
}

// GrantsByUser returns all of the user's grants.
func (s *Store) GrantsByUser(ctx context.Context, userID int64) ([]oauth.Grant, error) {
	return many(ctx, s.readers, scanGrant, "SELECT "+grantColumns+" FROM grants WHERE user_id = ?", userID)
}

// AdvanceGrant puts the next generation of a grant in the place of the last.
func (s *Store) AdvanceGrant(ctx context.Context, next oauth.Grant) (stored oauth.Grant, err error) {
	err = s.writer.do(ctx, func(tx *transaction) error {
		advanced, err := tx.change(`
			UPDATE grants SET scopes = ?, generation = ?, issued_at = ?, previous_issued_at = ?, narrowed = ?, ends_at = ?`+
			byGrantID+" AND generation = ? AND revoked_at = 0",
			next.Scopes.String(), next.Generation, micros(next.IssuedAt), micros(next.PreviousIssuedAt), next.Narrowed,
			micros(next.EndsAt()), next.UserID, next.ClientID, next.Random[:], next.Generation-1)
		if err != nil || advanced {
			stored = next
			return err
		}
		stored, err = find(context.Background(), tx, oauth.ErrGrantNotFound, scanGrant, selectGrant,
			next.UserID, next.ClientID, next.Random[:])
		if err != nil {
			return err
		}
		return oauth.ErrGrantChanged
	})
	return stored, err
}

// RevokeGrant ends a grant.
func (s *Store) RevokeGrant(ctx context.Context, id oauth.GrantID, now time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("UPDATE grants SET revoked_at = ?"+byGrantID+" AND revoked_at = 0",
			micros(now), id.UserID, id.ClientID, id.Random[:])
	})
}

// RevokeGrants ends all of the user's grants to the client.
func (s *Store) RevokeGrants(ctx context.Context, userID, clientID int64, now time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("UPDATE grants SET revoked_at = ? WHERE user_id = ? AND client_id = ? AND revoked_at = 0",
			micros(now), userID, clientID)
	})
}

// TouchGrant notes the use of a grant.
func (s *Store) TouchGrant(ctx context.Context, id oauth.GrantID, now time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("UPDATE grants SET used_at = ?"+byGrantID, micros(now), id.UserID, id.ClientID, id.Random[:])
	})
}
