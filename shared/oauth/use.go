package oauth

import (
	"context"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"
)

// MaxPeople is how far the people who authorized a client are counted.
const MaxPeople = 1000

// Use is how much a client is used.
type Use struct {
	People int       // who authorized it, MaxPeople at most
	Last   time.Time // the day (UTC) of the last use of an access token; zero: none is known
}

// UseOf returns how much the client is used.
func (s *Server) UseOf(ctx context.Context, c Client) (u Use, err error) {
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		u.People, err = s.store.People(ctx, c.ID, MaxPeople)
		return err
	})
	var days map[int64]time.Time
	reads.Go(func() (err error) {
		days, err = s.LastUses(ctx, []Client{c})
		return err
	})
	err = reads.Wait()
	u.Last = days[c.ID]
	return u, err
}

// LastUses returns the days of the last uses of the clients, by their numbers.
func (s *Server) LastUses(ctx context.Context, clients []Client) (map[int64]time.Time, error) {
	var ids []int64
	for _, c := range clients {
		ids = append(ids, c.ID)
	}
	return s.store.LastUses(ctx, ids)
}

// AuthorizationExample is an authorization request of a client to try out or to copy from.
type AuthorizationExample struct{ Address, Verifier string }

// Example returns a request for all that the client may ask for, with its first redirect URI
// and the code challenge of RFC 7636 appendix B.
func (s *Server) Example(c Client, endpoint string) AuthorizationExample {
	const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	query := url.Values{
		"response_type": {"code"}, "client_id": {c.ClientID}, "scope": {s.Held(c.Scopes).String()}, "state": {"a-state-of-yours"},
		"code_challenge": {string(ChallengeOf(verifier))}, "code_challenge_method": {"S256"},
	}
	if len(c.RedirectURIs) > 0 {
		query.Set("redirect_uri", c.RedirectURIs[0])
	}
	return AuthorizationExample{endpoint + "?" + query.Encode(), verifier}
}
