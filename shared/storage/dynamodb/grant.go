package dynamodb

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"gatehouse/shared/oauth"
)

var grantItem = shape{tokens, "USER#<id>", "GRANT#<client>#<random>", "a grant", "a day after its end"}

func grantKey(id oauth.GrantID) key {
	return grantItem.key(id.UserID, id.ClientID, hex.EncodeToString(id.Random[:]))
}

// grantGrace keeps a grant a little beyond its end, so that DynamoDB never removes
// a live one when clocks differ.
const grantGrace = 24 * time.Hour

var grants = kind[oauth.Grant]{noun: "grant", notFound: oauth.ErrGrantNotFound, fields: grantFields}

func grantFields(g *oauth.Grant) fields {
	return append(fields{
		{"user_id", &g.UserID}, {"client_number", &g.ClientID}, {"random", g.Random[:]},
		{"application", &g.Application}, {"nonce", g.Nonce[:]}, {"redirect_uri", &g.RedirectURI},
		{"challenge", (*string)(&g.Challenge)}, {"refreshable", &g.Refreshable}, {"oidc_nonce", &g.OIDCNonce},
		{"authenticated_at", &g.AuthenticatedAt}, {"user_since", &g.SessionEpoch}, {"created_at", &g.CreatedAt},
		{"revoked_at", &g.RevokedAt}, {"used_at", &g.UsedAt},
	}, progressOf(g)...)
}

// progressOf lists what changes when the grant advances.
func progressOf(g *oauth.Grant) fields {
	return fields{
		{"scopes", (*[]string)(&g.Scopes)}, {"generation", &g.Generation}, {"issued_at", &g.IssuedAt},
		{"previous_issued_at", &g.PreviousIssuedAt}, {"narrowed", &g.Narrowed},
	}
}

// until adds the time from which DynamoDB may remove the item.
func (fs fields) until(end time.Time) fields {
	ttl := end.Unix()
	return append(fs, field{"ttl", &ttl})
}

// CreateGrant stores a new grant, and adds it to the summary of the client's.
func (s *Store) CreateGrant(ctx context.Context, g oauth.Grant) error {
	created := create(grantKey(g.GrantID), grantFields(&g).until(g.EndsAt().Add(grantGrace)))
	if g.ClientID == 0 {
		return s.write(ctx, created)
	}
	return s.write(ctx, created, addGrant(g))
}

// Grant returns the grant with this id.
func (s *Store) Grant(ctx context.Context, id oauth.GrantID) (oauth.Grant, error) {
	return grants.get(ctx, s, grantKey(id))
}

// GrantsOf returns the user's newest grants to the client.
func (s *Store) GrantsOf(ctx context.Context, userID, clientID int64, most int) (found []oauth.Grant, err error) {
	const highest = "g" // above all digits
	err = s.between(ctx, grantItem.key(userID, clientID), "", highest, most, func(it item) (bool, error) {
		g, err := grants.read(it)
		found = append(found, g)
		return len(found) < most, err
	})
	if err != nil {
		return nil, fmt.Errorf("list grants: %w", err)
	}
	return found, nil
}

// AdvanceGrant stores the next state of a grant in one conditional write. If the
// condition fails, DynamoDB returns the stored grant.
func (s *Store) AdvanceGrant(ctx context.Context, next oauth.Grant) (oauth.Grant, error) {
	step := set(grantKey(next.GrantID), progressOf(&next).until(next.EndsAt().Add(grantGrace)))
	err := s.write(ctx, step.when("generation = :was AND attribute_not_exists(revoked_at)",
		item{":was": number(next.Generation - 1)}))
	stored, yes := failed(err, 0)
	switch {
	case !yes:
		return next, err
	case stored == nil:
		return oauth.Grant{}, grants.notFound
	}
	g, err := grants.read(stored)
	if err != nil {
		return oauth.Grant{}, err
	}
	return g, oauth.ErrGrantChanged
}

// unrevoked is the condition for revoking something once.
const unrevoked = exists + " AND attribute_not_exists(revoked_at)"

// RevokeGrant ends the grant.
func (s *Store) RevokeGrant(ctx context.Context, id oauth.GrantID, now time.Time) error {
	return s.writeIf(ctx, set(grantKey(id), fields{{"revoked_at", &now}}).when(unrevoked, nil))
}

// RevokeGrants ends all of the user's grants to the client, each in its own write.
// When one fails, the next call ends the rest.
func (s *Store) RevokeGrants(ctx context.Context, userID, clientID int64, now time.Time) error {
	summary, err := s.get(ctx, summaryItem.key(userID, clientID)) // before the grants, to notice those that come
	if err != nil {
		return err
	}
	found, err := grants.all(ctx, s, grantItem.key(userID, clientID))
	if err != nil {
		return err
	}
	unended := slices.DeleteFunc(found, oauth.Grant.Revoked)
	err = inParallel(ctx, unended, func(ctx context.Context, g oauth.Grant) error {
		return s.RevokeGrant(ctx, g.GrantID, now)
	})
	if err != nil || summary == nil {
		return err
	}
	a, err := summaries.read(summary)
	if err != nil {
		return err
	}
	return s.ForgetSummary(ctx, a)
}

// TouchGrant records the use of a grant, in the summary too.
func (s *Store) TouchGrant(ctx context.Context, id oauth.GrantID, now time.Time) error {
	uses := []change{set(grantKey(id), fields{{"used_at", &now}})}
	if id.ClientID != 0 {
		uses = append(uses, set(summaryItem.key(id.UserID, id.ClientID), fields{{"last_use", &now}}))
	}
	return inParallel(ctx, uses, func(ctx context.Context, use change) error { return s.writeIf(ctx, use.keepNonce()) })
}
