package oauth_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// introspect asks as the confidential client.
func (f *fixture) introspect(t *testing.T, token secret.Text) oauth.Introspection {
	t.Helper()
	info, err := f.Introspect(t.Context(), oauth.IntrospectionRequest{Client: f.credentials(), Token: token})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func (f *fixture) wantActive(t *testing.T, token secret.Text, want bool) {
	t.Helper()
	info := f.introspect(t, token)
	if info.Active != want {
		t.Errorf("the token is active: %t, want %t", info.Active, want)
	}
	if diff := cmp.Diff(oauth.Introspection{}, info); !want && diff != "" {
		t.Errorf("more is told of an inactive token (-want +got):\n%s", diff)
	}
}

func (f *fixture) publicTokens(t *testing.T) oauth.Tokens {
	t.Helper()
	authorize := f.authorizeRequest()
	authorize.ClientID = f.public.ClientID
	return f.mustToken(t, oauth.TokenRequest{
		GrantType: "authorization_code", Client: oauth.Credentials{ClientID: f.public.ClientID}, RedirectURI: redirectURI,
		CodeVerifier: verifier, Code: f.approve(t, f.public, authorize),
	})
}

// A refresh token is as old as the access token beside it and outlives it.
func TestIntrospectionTellsScopeClientAndTimes(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	authorize := f.authorizeRequest()
	authorize.Scope = "read_user api"
	req := f.exchangeRequest(t)
	req.Code = f.approve(t, f.client, authorize)
	tokens, issued := f.mustToken(t, req), f.now()
	f.advance(time.Minute)
	want := oauth.Introspection{
		Active: true, Scopes: scope.Of(scope.API, scope.ReadUser), ClientID: f.client.ClientID,
		IssuedAt: issued, ExpiresAt: issued.Add(oauth.AccessLifetime), UserID: f.user.ID, Username: f.user.Username,
	}
	if diff := cmp.Diff(want, f.introspect(t, tokens.Access)); diff != "" {
		t.Errorf("access token (-want +got):\n%s", diff)
	}
	want.ExpiresAt = issued.Add(oauth.GrantIdleLimit)
	if diff := cmp.Diff(want, f.introspect(t, tokens.Refresh)); diff != "" {
		t.Errorf("refresh token (-want +got):\n%s", diff)
	}
}

// What ends a token makes it inactive at once, and an active one works.
func TestIntrospectionFollowsTheToken(t *testing.T) {
	tests := []struct {
		name            string
		happens         func(*testing.T, *fixture, oauth.Tokens)
		access, refresh bool
	}{
		{"nothing", func(*testing.T, *fixture, oauth.Tokens) {}, true, true},
		{"two hours less a second", func(_ *testing.T, f *fixture, _ oauth.Tokens) { f.advance(oauth.AccessLifetime - time.Second) }, true, true},
		{"two hours", func(_ *testing.T, f *fixture, _ oauth.Tokens) { f.advance(oauth.AccessLifetime) }, false, true},
		{"half a year", func(_ *testing.T, f *fixture, _ oauth.Tokens) { f.advance(oauth.GrantIdleLimit) }, false, false},
		{"refreshed", func(t *testing.T, f *fixture, tokens oauth.Tokens) { f.mustToken(t, f.refreshRequest(tokens.Refresh)) }, false, false},
		{"revoked", func(t *testing.T, f *fixture, tokens oauth.Tokens) {
			if err := f.Revoke(t.Context(), f.credentials(), tokens.Access); err != nil {
				t.Fatal(err)
			}
		}, false, false},
		{"user blocked", func(t *testing.T, f *fixture, _ oauth.Tokens) { f.block(t, user.Blocked) }, false, false},
		{"user blocked and let in again", func(t *testing.T, f *fixture, _ oauth.Tokens) {
			f.block(t, user.Blocked)
			f.block(t, user.Active)
		}, true, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, oauth.Settings{})
			tokens := f.tokens(t)
			test.happens(t, f, tokens)
			f.wantActive(t, tokens.Access, test.access)
			f.wantActive(t, tokens.Refresh, test.refresh)
			if test.access {
				f.wantAlive(t, tokens, true)
			}
			if test.refresh {
				f.mustToken(t, f.refreshRequest(tokens.Refresh))
			}
		})
	}
}

func TestAnotherPasswordEndsPasswordGrantTokens(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	byPassword := f.mustToken(t, oauth.TokenRequest{
		GrantType: "password", Client: f.credentials(), Username: "ada", Password: secret.NewText(password),
	})
	byCode := f.tokens(t)
	f.wantActive(t, byPassword.Access, true)
	f.advance(time.Second)
	other := secret.NewText("a better password")
	if _, err := f.users.Update(t.Context(), audit.Setup, f.user.ID, user.Change{Password: &other}); err != nil {
		t.Fatal(err)
	}
	f.wantActive(t, byPassword.Access, false)
	f.wantActive(t, byCode.Access, true)
}

// A client learns nothing of what is not a token of its own.
func TestClientsIntrospectTheirOwnTokensOnly(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	withoutClient := f.mustToken(t, oauth.TokenRequest{GrantType: "password", Username: "ada", Password: secret.NewText(password)})
	for name, token := range map[string]secret.Text{
		"nothing":                         {},
		"unknown":                         secret.NewText("x"),
		"a code":                          f.approve(t, f.client, f.authorizeRequest()),
		"another client's access token":   f.publicTokens(t).Access,
		"another client's refresh token":  f.publicTokens(t).Refresh,
		"an access token without client":  withoutClient.Access,
		"its own client secret":           f.clientSecret,
		"an access token with a tail":     secret.NewText(f.tokens(t).Access.Reveal() + "AAAA"),
		"an access token without its end": secret.NewText(f.tokens(t).Access.Reveal()[4:]),
	} {
		t.Run(name, func(t *testing.T) { f.wantActive(t, token, false) })
	}
}

// The endpoint must require authorization (RFC 7662 section 2.1): a secret, or
// another access token of the same client.
func TestWhoMayIntrospect(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	pair, second := f.tokens(t), f.tokens(t)
	old := f.tokens(t)
	f.mustToken(t, f.refreshRequest(old.Refresh))
	withoutClient := func() secret.Text {
		return f.mustToken(t, oauth.TokenRequest{GrantType: "password", Username: "ada", Password: secret.NewText(password)}).Access
	}
	wrong := oauth.Credentials{ClientID: f.client.ClientID, Secret: secret.NewText("wrong")}
	tests := []struct {
		name string
		req  oauth.IntrospectionRequest
		want oauth.Code // empty: the token is active
	}{
		{"client", oauth.IntrospectionRequest{Client: f.credentials(), Token: pair.Access}, ""},
		{"nobody", oauth.IntrospectionRequest{Token: pair.Access}, oauth.InvalidRequest},
		{"client and bearer", oauth.IntrospectionRequest{Client: f.credentials(), Bearer: second.Access, Token: pair.Access}, oauth.InvalidRequest},
		{"unknown client", oauth.IntrospectionRequest{Client: oauth.Credentials{ClientID: "x", Secret: f.clientSecret}, Token: pair.Access}, oauth.InvalidClient},
		{"wrong secret", oauth.IntrospectionRequest{Client: wrong, Token: pair.Access}, oauth.InvalidClient},
		{"wrong secret, unknown token", oauth.IntrospectionRequest{Client: wrong, Token: secret.NewText("x")}, oauth.InvalidClient},
		{"secret alone", oauth.IntrospectionRequest{Client: oauth.Credentials{Secret: f.clientSecret}, Token: pair.Access}, oauth.InvalidClient},
		{"client without its secret", oauth.IntrospectionRequest{Client: oauth.Credentials{ClientID: f.client.ClientID}, Token: pair.Access}, oauth.InvalidClient},
		{"public client by its name", oauth.IntrospectionRequest{Client: oauth.Credentials{ClientID: f.public.ClientID}, Token: f.publicTokens(t).Access}, oauth.InvalidClient},

		{"bearer of another token", oauth.IntrospectionRequest{Bearer: second.Access, Token: pair.Access}, ""},
		{"bearer about the refresh token", oauth.IntrospectionRequest{Bearer: pair.Access, Token: pair.Refresh}, ""},
		{"bearer of a public client", oauth.IntrospectionRequest{Bearer: f.publicTokens(t).Access, Token: f.publicTokens(t).Access}, ""},
		{"bearer about itself", oauth.IntrospectionRequest{Bearer: pair.Access, Token: pair.Access}, oauth.InvalidToken},
		{"bearer about itself, written otherwise", oauth.IntrospectionRequest{Bearer: pair.Access, Token: secret.NewText(pair.Access.Reveal() + "\n")}, oauth.InvalidToken},
		{"unknown bearer", oauth.IntrospectionRequest{Bearer: secret.NewText("x"), Token: pair.Access}, oauth.InvalidToken},
		{"bearer of a refresh token", oauth.IntrospectionRequest{Bearer: second.Refresh, Token: pair.Access}, oauth.InvalidToken},
		{"bearer of a token rotated away", oauth.IntrospectionRequest{Bearer: old.Access, Token: pair.Access}, oauth.InvalidToken},
		{"bearer of another client", oauth.IntrospectionRequest{Bearer: f.publicTokens(t).Access, Token: pair.Access}, oauth.InvalidToken},
		{"bearer without client", oauth.IntrospectionRequest{Bearer: withoutClient(), Token: pair.Access}, oauth.InvalidToken},
		{"both without client", oauth.IntrospectionRequest{Bearer: withoutClient(), Token: withoutClient()}, oauth.InvalidToken},
		{"bearer about nothing", oauth.IntrospectionRequest{Bearer: pair.Access}, oauth.InvalidToken},
		{"bearer about an unknown token", oauth.IntrospectionRequest{Bearer: pair.Access, Token: secret.NewText("x")}, oauth.InvalidToken},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			info, err := f.Introspect(t.Context(), test.req)
			if codeOf(err) != test.want || info.Active != (test.want == "") {
				t.Errorf("introspect: active %t, %v, want %q", info.Active, err, test.want)
			}
		})
	}
}

// Whatever ends the bearer's own token ends what it may ask; what ends the
// other one is the answer.
func TestIntrospectionByABearerOfNoMoreUse(t *testing.T) {
	tests := map[string]func(*testing.T, *fixture, oauth.Tokens){
		"expired": func(_ *testing.T, f *fixture, _ oauth.Tokens) { f.advance(oauth.AccessLifetime) },
		"revoked": func(t *testing.T, f *fixture, tokens oauth.Tokens) {
			if err := f.Revoke(t.Context(), f.credentials(), tokens.Access); err != nil {
				t.Fatal(err)
			}
		},
		"user blocked": func(t *testing.T, f *fixture, _ oauth.Tokens) { f.block(t, user.Blocked) },
		"client deleted": func(t *testing.T, f *fixture, _ oauth.Tokens) {
			if err := f.store.DeleteClient(t.Context(), f.client); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, oauth.Settings{})
			bearer, token := f.tokens(t), f.tokens(t)
			end(t, f, bearer)
			_, err := f.Introspect(t.Context(), oauth.IntrospectionRequest{Bearer: bearer.Access, Token: token.Refresh})
			if codeOf(err) != oauth.InvalidToken {
				t.Errorf("introspect: %v, want invalid_token", err)
			}
		})
	}
	t.Run("the other revoked", func(t *testing.T) {
		f := newFixture(t, oauth.Settings{})
		bearer, token := f.tokens(t), f.tokens(t)
		tests["revoked"](t, f, token)
		info, err := f.Introspect(t.Context(), oauth.IntrospectionRequest{Bearer: bearer.Access, Token: token.Access})
		if err != nil || info.Active {
			t.Errorf("introspect: active %t, %v, want inactive", info.Active, err)
		}
	})
}
