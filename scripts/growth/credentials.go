package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/session"
)

const day = 24 * time.Hour

func (f *filler) addClients(ctx context.Context) error {
	f.clients = make([]oauth.Client, f.size.clients)
	return f.each(ctx, "applications", len(f.clients), func(ctx context.Context, i int) (err error) {
		id := make([]byte, 32)
		randomBytes(chance("clients", i), id)
		f.clients[i], err = f.CreateClient(ctx, oauth.Client{
			ClientID: hex.EncodeToString(id), Name: fmt.Sprintf("Application %04d", i), RedirectURIs: []string{"https://client.example/callback"},
			Scopes: scope.Of(scope.API, scope.ReadUser, scope.OpenID), Confidential: true, CreatedAt: f.ago(year, i, len(f.clients)),
		})
		return err
	})
}

// addGrants adds grants with tokens. The first are of the person with many.
func (f *filler) addGrants(ctx context.Context) error {
	return f.each(ctx, "grants", f.size.grants, func(ctx context.Context, i int) error {
		r := chance("grants", i)
		holder, client := f.other("holders", i), f.clients[r.IntN(len(f.clients))]
		if i < f.size.grantsOfMany {
			holder, client = f.users[many], f.clients[i%len(f.clients)]
		}
		g := newGrant(r, holder.ID, client, f.ago(90*day, i, f.size.grants))
		if err := f.CreateGrant(ctx, g); err != nil {
			return err
		}
		_, err := f.AdvanceGrant(ctx, g.Redeemed(g.CreatedAt.Add(time.Second)))
		return err
	})
}

func newGrant(r *rand.Rand, userID int64, client oauth.Client, at time.Time) oauth.Grant {
	g := oauth.Grant{
		GrantID: oauth.GrantID{UserID: userID, ClientID: client.ID}, Application: client.ClientID, RedirectURI: client.RedirectURIs[0],
		Scopes: scope.Of(scope.ReadUser), Refreshable: true, AuthenticatedAt: at, CreatedAt: at,
	}
	randomBytes(r, g.Random[:])
	randomBytes(r, g.Nonce[:])
	return g
}

// addTokens adds personal access tokens. The first are of the person with many.
func (f *filler) addTokens(ctx context.Context) error {
	return f.each(ctx, "tokens", f.size.tokens, func(ctx context.Context, i int) error {
		holder := f.other("tokens", i)
		if i < f.size.tokensOfMany {
			holder = f.users[many]
		}
		t := accesstoken.Token{
			UserID: holder.ID, Name: fmt.Sprintf("Script %d", i), Scopes: scope.Of(scope.ReadAPI),
			CreatedAt: f.ago(300*day, i, f.size.tokens), ExpiresAt: f.now.Truncate(day).Add(60 * day),
		}
		randomBytes(chance("digests", i), t.Digest[:])
		_, err := f.CreateAccessToken(ctx, t)
		return err
	})
}

func (f *filler) addSessions(ctx context.Context) error {
	return f.each(ctx, "sessions", f.size.sessionsOfMany, func(ctx context.Context, i int) error {
		id, at := make([]byte, 16), f.ago(day, i, f.size.sessionsOfMany)
		r := chance("sessions", i)
		s := session.Session{
			UserID: f.users[many].ID, CreatedAt: at, LastSeenAt: at,
			Browser: audit.Browser{UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", Address: "192.0.2.7"},
		}
		randomBytes(r, id)
		randomBytes(r, s.Digest[:])
		s.ID = hex.EncodeToString(id)
		return f.CreateSession(ctx, s)
	})
}
