package sqlite

import (
	"context"
	"slices"
	"time"

	"gatehouse/shared/oauth"
)

var grants = newKind("grants", grantColumns, oauth.ErrGrantNotFound, nil)

func grantColumns(g *oauth.Grant) columns {
	return slices.Concat(columns{
		{"user_id", &g.UserID}, {"client_id", &g.ClientID}, {"random", g.Random[:]},
		{"application", &g.Application}, {"nonce", g.Nonce[:]}, {"redirect_uri", &g.RedirectURI},
		{"challenge", &g.Challenge}, {"refreshable", &g.Refreshable}, {"oidc_nonce", &g.OIDCNonce},
		{"authenticated_at", &g.AuthenticatedAt}, {"user_since", &g.SessionEpoch}, {"created_at", &g.CreatedAt},
		{"revoked_at", &g.RevokedAt}, {"used_at", &g.UsedAt},
	}, grantProgress(g))
}

// grantProgress are the columns that AdvanceGrant changes.
func grantProgress(g *oauth.Grant) columns {
	return columns{
		{"scopes", &g.Scopes}, {"generation", &g.Generation}, {"issued_at", &g.IssuedAt},
		{"previous_issued_at", &g.PreviousIssuedAt}, {"narrowed", &g.Narrowed},
		{"ends_at", derived(func() any { return micros(g.EndsAt()) })},
	}
}

const byGrantID = "WHERE user_id = ? AND client_id = ? AND random = ?"

// CreateGrant stores a grant.
func (s *Store) CreateGrant(ctx context.Context, g oauth.Grant) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		_, err := grants.insert(tx, &g)
		return err
	})
}

// Grant returns the grant with this id.
func (s *Store) Grant(ctx context.Context, id oauth.GrantID) (oauth.Grant, error) {
	return grants.find(ctx, s.readers, byGrantID, id.UserID, id.ClientID, id.Random[:])
}

// GrantsOf returns the user's grants to the client.
func (s *Store) GrantsOf(ctx context.Context, userID, clientID int64) ([]oauth.Grant, error) {
	return grants.all(ctx, s.readers, "WHERE user_id = ? AND client_id = ?", userID, clientID)
}

// GrantsByUser returns all of the user's grants.
func (s *Store) GrantsByUser(ctx context.Context, userID int64) ([]oauth.Grant, error) {
	return grants.all(ctx, s.readers, "WHERE user_id = ?", userID)
}

var advanceGrant = update("grants", grantProgress, byGrantID+" AND generation = ? AND revoked_at = 0")

// AdvanceGrant replaces a grant by its next generation.
func (s *Store) AdvanceGrant(ctx context.Context, next oauth.Grant) (stored oauth.Grant, err error) {
	err = s.writer.do(ctx, func(tx *transaction) error {
		advanced, err := advanceGrant.change(tx, &next, next.UserID, next.ClientID, next.Random[:], next.Generation-1)
		if err != nil || advanced {
			stored = next
			return err
		}
		stored, err = grants.find(context.Background(), tx, byGrantID, next.UserID, next.ClientID, next.Random[:])
		if err != nil {
			return err
		}
		return oauth.ErrGrantChanged
	})
	return stored, err
}

// RevokeGrant ends a grant.
func (s *Store) RevokeGrant(ctx context.Context, id oauth.GrantID, now time.Time) error {
	return s.exec(ctx, "UPDATE grants SET revoked_at = ? "+byGrantID+" AND revoked_at = 0",
		micros(now), id.UserID, id.ClientID, id.Random[:])
}

// RevokeGrants ends all of the user's grants to the client.
func (s *Store) RevokeGrants(ctx context.Context, userID, clientID int64, now time.Time) error {
	return s.exec(ctx, "UPDATE grants SET revoked_at = ? WHERE user_id = ? AND client_id = ? AND revoked_at = 0",
		micros(now), userID, clientID)
}

// TouchGrant records the use of a grant.
func (s *Store) TouchGrant(ctx context.Context, id oauth.GrantID, now time.Time) error {
	return s.exec(ctx, "UPDATE grants SET used_at = ? "+byGrantID, micros(now), id.UserID, id.ClientID, id.Random[:])
}
