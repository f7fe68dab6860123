package oidc_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

func TestClaimsOfAnIDToken(t *testing.T) {
	a := apptest.New(t)
	owner, loner := a.User("owner"), a.User("loner")
	a.Group("engines", project.Group{}, owner, project.Private)
	confirmed := loner
	confirmed.ConfirmedAt = start
	tests := []struct {
		name   string
		user   user.User
		change func(*oauth.Grant)
		want   map[string]any // nil: the claim is missing
	}{
		{"without more", loner, func(*oauth.Grant) {}, map[string]any{
			"iss": issuer, "aud": "client", "exp": float64(start.Add(oauth.AccessLifetime).Unix()), "iat": float64(start.Unix()),
			"at_hash": "DD1GlGu_mcghPdf2xkDtZA", "auth_time": nil, "nonce": nil, "email": nil, "email_verified": nil, "groups_direct": nil,
			"name": nil, "preferred_username": nil,
		}},
		{"of a group's member", owner, func(*oauth.Grant) {}, map[string]any{"groups_direct": []any{"engines"}}},
		{"with a known sign-in", loner, func(g *oauth.Grant) { g.AuthenticatedAt = start.Add(-time.Hour) }, map[string]any{
			"auth_time": float64(start.Add(-time.Hour).Unix()),
		}},
		{"the first with a nonce", loner, func(g *oauth.Grant) { g.OIDCNonce = "n" }, map[string]any{"nonce": "n"}},
		{"the second with a nonce", loner, func(g *oauth.Grant) { g.OIDCNonce, g.Generation = "n", 2 }, map[string]any{"nonce": nil}},
		{"with the e-mail address", loner, func(g *oauth.Grant) { g.Scopes = scope.Of(scope.OpenID, scope.Email) }, map[string]any{
			"email": "loner@example.com", "email_verified": false,
		}},
		{"with the profile", loner, func(g *oauth.Grant) { g.Scopes = scope.Of(scope.OpenID, scope.Profile) }, map[string]any{
			"name": loner.Name, "preferred_username": "loner", "email": nil,
		}},
		{"with a confirmed e-mail address", confirmed, func(g *oauth.Grant) { g.Scopes = scope.Of(scope.OpenID, scope.Email) }, map[string]any{
			"email": "loner@example.com", "email_verified": true,
		}},
		{"without an e-mail address", user.User{ID: loner.ID}, func(g *oauth.Grant) { g.Scopes = scope.Of(scope.OpenID, scope.Email) }, map[string]any{
			"email": nil, "email_verified": nil,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := oidc.New(a.Store, a.Projects, a.Keys, issuer, a.Now).Identity(t.Context(), test.user.ID)
			if err != nil {
				t.Fatal(err)
			}
			g := oauth.Grant{Application: "client", Scopes: scope.Of(scope.OpenID), Generation: 1, IssuedAt: start}
			test.change(&g)
			token, err := identity.IDToken(test.user, g, secret.NewText("access token"))
			if err != nil {
				t.Fatal(err)
			}
			_, claims := parsed(t, token.Reveal())
			for name, want := range test.want {
				if got := claims[name]; !cmp.Equal(got, want) {
					t.Errorf("%s is %v, want %v", name, got, want)
				}
			}
		})
	}
}
