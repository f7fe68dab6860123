package oauth

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

// Summary sums up a user's grants to a client. It lasts until the user revokes
// them, or it is found that all have ended.
type Summary struct {
	UserID, ClientID int64
	Application      string    // the client's Application ID
	Scopes           scope.Set // of all the grants, also of those that have ended
	Since            time.Time // the first of the grants
	LastUse          time.Time // of an access token, exact to TouchEvery; zero: none
	Grants           int64     // how many there have been
}

// With returns the summary with one more grant.
func (a Summary) With(g Grant) Summary {
	if a.Grants == 0 {
		a = Summary{UserID: g.UserID, ClientID: g.ClientID, Application: g.Application, Since: g.CreatedAt}
	}
	if g.CreatedAt.Before(a.Since) {
		a.Since = g.CreatedAt
	}
	a.Scopes, a.LastUse = a.Scopes.Or(g.Scopes), later(a.LastUse, g.UsedAt)
	a.Grants++
	return a
}

// Authorized is a client that can act for a user.
type Authorized struct {
	Client
	Scopes  scope.Set
	Since   time.Time // the first of the grants
	LastUse time.Time // exact to TouchEvery
}

// Authorized returns a page of the clients that can act for the user, that with the
// highest number first. The page leaves out clients that were deleted or have no
// live grant left, and so it can be short. Grants without a client have no
// Summary: nobody can revoke them, and they end with their access token.
func (s *Server) Authorized(ctx context.Context, u user.User, r page.Request) (page.Of[Authorized], error) {
	summaries, err := s.store.Summaries(ctx, u.ID, r)
	if err != nil {
		return page.Of[Authorized]{}, err
	}
	clients, grants, err := s.granted(ctx, summaries.Items)
	if err != nil {
		return page.Of[Authorized]{}, err
	}
	found := make([]Authorized, len(summaries.Items))
	checks, ctx := errgroup.WithContext(ctx)
	checks.SetLimit(checkedTogether)
	for i, a := range summaries.Items {
		checks.Go(func() (err error) {
			found[i], err = s.authorized(ctx, u, a, clients[a.Application], grants[a.ClientID])
			return err
		})
	}
	err = checks.Wait()
	found = slices.DeleteFunc(found, func(a Authorized) bool { return a.ID == 0 })
	return page.Of[Authorized]{Items: found, Total: -1, More: summaries.More, Next: summaries.Next}, err
}

// granted returns the clients of the summaries that were not deleted, and the newest
// grants to them.
func (s *Server) granted(ctx context.Context, summaries []Summary) (clients map[string]Client, grants map[int64][]Grant, err error) {
	applications := make([]string, len(summaries))
	for i, a := range summaries {
		applications[i] = a.Application
	}
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		clients, err = s.store.ClientsNamed(ctx, applications)
		return err
	})
	reads.Go(func() (err error) {
		grants, err = s.store.GrantsOfEach(ctx, summaries, newestGrants+1)
		return err
	})
	return clients, grants, reads.Wait()
}

// checkedTogether is the number of clients that are checked in parallel. Few of
// them take another read, or are forgotten.
const checkedTogether = 20

// authorized returns the client with what it can do, or the zero Authorized if it
// can do nothing. It forgets the summary if that is so for good.
func (s *Server) authorized(ctx context.Context, u user.User, a Summary, c Client, newest []Grant) (Authorized, error) {
	can, ended, err := s.canDo(ctx, u, a, newest)
	switch {
	case err != nil:
		return Authorized{}, err
	case ended || c.ID == 0:
		return Authorized{}, s.store.ForgetSummary(ctx, a)
	case can.Since.IsZero():
		return Authorized{}, nil
	}
	can.Client = c
	return can, nil
}

// How many grants to a client are all looked at, and how many of more if none of
// the newest is live. Seven grants are a read unit of DynamoDB.
const newestGrants, someGrants = 6, 100

// canDo returns what the live grants allow, or the zero Authorized if there is
// none. That is exact if it has looked at all grants: if the newest are all there
// are, or if none of them is live and there are not too many. Otherwise the older
// ones are known from the summary only, which includes those that have ended. It
// also reports whether all grants have ended; an outstanding code has not.
func (s *Server) canDo(ctx context.Context, u user.User, a Summary, newest []Grant) (can Authorized, ended bool, err error) {
	all := len(newest) <= newestGrants
	can = s.allowed(u, newest)
	if !all && can.Since.IsZero() {
		newest, err = s.store.GrantsOf(ctx, a.UserID, a.ClientID, someGrants+1)
		all, can = len(newest) <= someGrants, s.allowed(u, newest)
	}
	if !all {
		can.Scopes, can.Since = a.Scopes, a.Since
		can.LastUse = later(later(can.LastUse, a.LastUse), a.Since)
	}
	return can, all && !slices.ContainsFunc(newest, s.unended), err
}

// clockSkew is how much a clock of another function may differ from ours.
const clockSkew = time.Hour

// unended reports whether any function may take the grant for a live one, or its
// code for a good one.
func (s *Server) unended(g Grant) bool {
	return !g.Revoked() && s.now().Before(g.EndsAt().Add(clockSkew))
}

// allowed returns what the live ones of the grants allow the client.
func (s *Server) allowed(u user.User, grants []Grant) (can Authorized) {
	for _, g := range grants {
		if !g.Live(s.now()) || g.endedWith(u) {
			continue
		}
		can.Scopes = can.Scopes.Or(g.Scopes)
		if can.Since.IsZero() || g.CreatedAt.Before(can.Since) {
			can.Since = g.CreatedAt
		}
		can.LastUse = later(can.LastUse, g.LastUse())
	}
	return can
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// RevokeAuthorization ends all that the actor allowed the client with this
// number, which may be deleted. It returns ErrNothingGranted if that is nothing.
func (s *Server) RevokeAuthorization(ctx context.Context, actor audit.Actor, clientID int64) error {
	client, err := s.store.ClientByID(ctx, clientID)
	if fault.IgnoreNotFound(err) != nil {
		return err
	}
	err = s.store.RevokeGrants(ctx, actor.UserID, clientID, s.now())
	return s.trail.RecordUnless(ctx, err, actor.Event(EventAuthorizationRevoked, client.details()))
}

// endedWith reports whether the grant ended with the user's sessions.
func (g Grant) endedWith(u user.User) bool { return !g.Refreshable && !u.SessionValid(g.SessionEpoch) }
