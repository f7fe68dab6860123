package dynamodb

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"
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
	return s.write(ctx, created, addGrant(g), replace(personItem.key(g.ClientID, g.UserID), nil))
}

// Grant returns the grant with this id.
func (s *Store) Grant(ctx context.Context, id oauth.GrantID) (oauth.Grant, error) {
	return grants.get(ctx, s, grantKey(id))
}

// highestRandom is above the ends of all sort keys of grants.
const highestRandom = "g"

// GrantsOf returns the user's newest grants to the client.
func (s *Store) GrantsOf(ctx context.Context, userID, clientID int64, most int) (found []oauth.Grant, err error) {
	err = s.between(ctx, grantItem.key(userID, clientID), "", highestRandom, most, func(it item) (bool, error) {
		g, err := grants.read(it)
		found = append(found, g)
		return len(found) < most, err
	})
	if err != nil {
		return nil, fmt.Errorf("list grants: %w", err)
	}
	return found, nil
}

// maxGrants is how many grants one request of GrantsOfEach reads of several clients:
// about fifteen read units.
const maxGrants = 100

// GrantsOfEach returns the newest grants of each of the summaries. Clients that
// follow each other and have no more grants than are wanted are read in one request.
func (s *Store) GrantsOfEach(ctx context.Context, of []oauth.Summary, most int) (map[int64][]oauth.Grant, error) {
	return s.grantsOfRuns(ctx, grantRuns(of, most), most)
}

func (s *Store) grantsOfRuns(ctx context.Context, runs [][]oauth.Summary, most int) (map[int64][]oauth.Grant, error) {
	found := map[int64][]oauth.Grant{}
	var mu sync.Mutex
	return found, inParallel(ctx, runs, func(ctx context.Context, run []oauth.Summary) error {
		some, err := s.grantsOfRun(ctx, run, most)
		mu.Lock()
		defer mu.Unlock()
		maps.Copy(found, some)
		return err
	})
}

// grantRuns divides summaries into those that one request reads.
func grantRuns(of []oauth.Summary, most int) (runs [][]oauth.Summary) {
	room := int64(0)
	for _, a := range of {
		if few := a.Grants <= int64(most); few && a.Grants <= room {
			runs[len(runs)-1] = append(runs[len(runs)-1], a)
			room -= a.Grants
		} else if runs = append(runs, []oauth.Summary{a}); few {
			room = maxGrants - a.Grants
		} else {
			room = 0
		}
	}
	return runs
}

// grantsOfRun reads the grants between the first and the last client. If there are
// many of clients without a summary in between, it reads those of each client.
func (s *Store) grantsOfRun(ctx context.Context, run []oauth.Summary, most int) (map[int64][]oauth.Grant, error) {
	newest, oldest := run[0], run[len(run)-1]
	if len(run) == 1 {
		all, err := s.GrantsOf(ctx, newest.UserID, newest.ClientID, most)
		return map[int64][]oauth.Grant{newest.ClientID: all}, err
	}
	found, looked := map[int64][]oauth.Grant{}, 0
	for _, a := range run {
		found[a.ClientID] = nil
	}
	low, high := grantItem.key(oldest.UserID, oldest.ClientID), grantItem.key(newest.UserID, newest.ClientID)
	err := s.between(ctx, key{low.table, low.pk, ""}, low.sk, high.sk+highestRandom, maxGrants+1, func(it item) (bool, error) {
		g, err := grants.read(it)
		if newer, wanted := found[g.ClientID]; wanted && len(newer) < most {
			found[g.ClientID] = append(newer, g)
		}
		looked++
		return looked <= maxGrants, err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("list grants: %w", err)
	case looked <= maxGrants:
		return found, nil
	}
	return s.grantsOfRuns(ctx, slices.Collect(slices.Chunk(run, 1)), most)
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
	if len(unended) == 0 && summary == nil {
		return oauth.ErrNothingGranted
	}
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
