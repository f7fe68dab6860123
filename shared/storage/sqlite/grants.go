package sqlite

import (
	"context"
	"slices"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
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

// CreateGrant stores a grant, and adds it to the summary of the client's.
func (s *Store) CreateGrant(ctx context.Context, g oauth.Grant) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if _, err := grants.insert(tx, &g); err != nil || g.ClientID == 0 {
			return err
		}
		a, err := summaries.find(context.Background(), tx, ofClient, g.UserID, g.ClientID)
		if fault.IgnoreNotFound(err) != nil {
			return err
		}
		a = a.With(g)
		return summaries.put(tx, &a)
	})
}

var summaries = newKind("grant_summaries", summaryColumns, oauth.ErrGrantNotFound, nil)

func summaryColumns(a *oauth.Summary) columns {
	return columns{
		{"user_id", &a.UserID}, {"client_id", &a.ClientID}, {"application", &a.Application}, {"scopes", &a.Scopes},
		{"since", &a.Since}, {"last_use", &a.LastUse}, {"grants", &a.Grants},
	}
}

const ofClient = "WHERE user_id = ? AND client_id = ?"

// Summaries returns a page of the summaries of the user's grants.
func (s *Store) Summaries(ctx context.Context, userID int64, r page.Request) (page.Of[oauth.Summary], error) {
	return walk.List[oauth.Summary]{
		Sources:  []walk.Source[oauth.Summary]{summaries.newest(s, "client_id", "WHERE user_id = ?", userID)},
		Position: func(a oauth.Summary) page.Position { return page.At(a.ClientID) },
	}.Page(ctx, r)
}

// ForgetSummary removes the summary, unless a grant was added. A summary that was
// forgotten and begun again has the same number of grants, and another beginning.
func (s *Store) ForgetSummary(ctx context.Context, a oauth.Summary) error {
	return s.exec(ctx, "DELETE FROM grant_summaries "+ofClient+" AND grants = ? AND since = ?",
		a.UserID, a.ClientID, a.Grants, micros(a.Since))
}

// Grant returns the grant with this id.
func (s *Store) Grant(ctx context.Context, id oauth.GrantID) (oauth.Grant, error) {
	return grants.find(ctx, s.readers, byGrantID, id.UserID, id.ClientID, id.Random[:])
}

// GrantsOf returns the user's newest grants to the client.
func (s *Store) GrantsOf(ctx context.Context, userID, clientID int64, most int) ([]oauth.Grant, error) {
	return grants.all(ctx, s.readers, newestGrants, userID, clientID, most)
}

// GrantsOfEach returns the newest grants of each of the summaries.
func (s *Store) GrantsOfEach(ctx context.Context, of []oauth.Summary, most int) (map[int64][]oauth.Grant, error) {
	found := make(map[int64][]oauth.Grant, len(of))
	for _, a := range of {
		newest, err := s.GrantsOf(ctx, a.UserID, a.ClientID, most)
		if err != nil {
			return nil, err
		}
		found[a.ClientID] = newest
	}
	return found, nil
}

const newestGrants = ofClient + " ORDER BY random DESC LIMIT ?"

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
	return s.writer.do(ctx, func(tx *transaction) error {
		revoked, err := tx.change("UPDATE grants SET revoked_at = ? "+ofClient+" AND revoked_at = 0", micros(now), userID, clientID)
		if err != nil {
			return err
		}
		forgotten, err := tx.change("DELETE FROM grant_summaries "+ofClient, userID, clientID)
		if err == nil && !revoked && !forgotten {
			err = oauth.ErrNothingGranted
		}
		return err
	})
}

// TouchGrant records the use of a grant.
func (s *Store) TouchGrant(ctx context.Context, id oauth.GrantID, now time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.exec("UPDATE grants SET used_at = ? "+byGrantID, micros(now), id.UserID, id.ClientID, id.Random[:]); err != nil {
			return err
		}
		return tx.exec("UPDATE grant_summaries SET last_use = ? "+ofClient, micros(now), id.UserID, id.ClientID)
	})
}

// People counts the users who have a summary of their grants to the client.
func (s *Store) People(ctx context.Context, clientID int64, most int) (int, error) {
	const query = "SELECT count(*) FROM (SELECT 1 FROM grant_summaries INDEXED BY grant_summaries_by_client WHERE client_id = ? LIMIT ?)"
	n, err := one(ctx, s.readers, scalar[int64], query, clientID, most)
	return int(n), err
}

// clientUse is the day of the last use of a client.
type clientUse struct {
	clientID int64
	day      time.Time
}

var clientUses = newKind("client_uses", func(u *clientUse) columns {
	return columns{{"client_id", &u.clientID}, {"used_at", &u.day}}
}, oauth.ErrClientNotFound, nil)

// NoteUse records the day of the last use of the client.
func (s *Store) NoteUse(ctx context.Context, clientID int64, day time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error { return clientUses.put(tx, &clientUse{clientID, day}) })
}

// LastUses returns the days of the last uses of the clients.
func (s *Store) LastUses(ctx context.Context, clientIDs []int64) (map[int64]time.Time, error) {
	found, err := clientUses.all(ctx, s.readers, "WHERE client_id IN (SELECT value FROM json_each(?))", text(clientIDs))
	uses := make(map[int64]time.Time, len(found))
	for _, u := range found {
		uses[u.clientID] = u.day
	}
	return uses, err
}
