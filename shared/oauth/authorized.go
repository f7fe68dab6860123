package oauth

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

// Authorized is a client that can act for a user, with the scopes of all its
// live grants.
type Authorized struct {
	Client
	Scopes  scope.Set
	Since   time.Time // the first of the grants
	LastUse time.Time // exact to TouchEvery
}

// Authorized returns the clients that can act for the user, the most recent one
// first. It leaves out grants of deleted clients, which no longer work, and
// grants without a client, which nobody can revoke and which end with their
// access token.
func (s *Server) Authorized(ctx context.Context, u user.User) ([]Authorized, error) {
	grants, err := s.store.GrantsByUser(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	live := map[string]Authorized{}
	for _, g := range grants {
		if g.Application != "" && g.Live(s.now()) && !g.endedWith(u) {
			live[g.Application] = live[g.Application].with(g)
		}
	}
	known, err := s.knownClients(ctx, live)
	slices.SortFunc(known, func(a, b Authorized) int {
		return cmp.Or(b.LastUse.Compare(a.LastUse), cmp.Compare(a.ID, b.ID))
	})
	return known, err
}

// RevokeAuthorization ends all that the actor allowed the client with this
// number. A client that was deleted, or was allowed nothing, is no error.
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

// with adds a grant.
func (a Authorized) with(g Grant) Authorized {
	a.Scopes = scope.Of(append(slices.Clone(a.Scopes), g.Scopes...)...)
	if a.Since.IsZero() || g.CreatedAt.Before(a.Since) {
		a.Since = g.CreatedAt
	}
	if last := g.LastUse(); last.After(a.LastUse) {
		a.LastUse = last
	}
	return a
}

// readTogether is the number of clients that are read in parallel.
const readTogether = 16

// knownClients reads those of the clients that still exist. The keys are their
// Application IDs.
func (s *Server) knownClients(ctx context.Context, live map[string]Authorized) ([]Authorized, error) {
	found := make(chan Authorized, len(live))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(readTogether)
	for application, a := range live {
		reads.Go(func() (err error) {
			if a.Client, err = s.store.Client(ctx, application); err == nil {
				found <- a
			}
			return fault.IgnoreNotFound(err)
		})
	}
	err := reads.Wait()
	close(found)
	var all []Authorized
	for a := range found {
		all = append(all, a)
	}
	return all, err
}
