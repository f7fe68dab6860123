package oauth_test

import (
	"testing"
	"time"

	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
)

func TestEitherTokenEndsThePair(t *testing.T) {
	for _, half := range []string{"access", "refresh"} {
		t.Run(half, func(t *testing.T) {
			f := newFixture(t, oauth.Settings{})
			tokens := f.tokens(t)
			token := tokens.Access
			if half == "refresh" {
				token = tokens.Refresh
			}
			for range 2 { // the second time there is nothing left to do
				if err := f.Revoke(t.Context(), f.credentials(), token); err != nil {
					t.Fatal(err)
				}
				f.wantAlive(t, tokens, false)
				f.wantRefused(t, f.refreshRequest(tokens.Refresh), oauth.InvalidGrant)
			}
		})
	}
}

func TestWhoMayRevoke(t *testing.T) {
	tests := []struct {
		name        string
		credentials func(*fixture) oauth.Credentials
	}{
		{"nobody", func(*fixture) oauth.Credentials { return oauth.Credentials{} }},
		{"unknown client", func(*fixture) oauth.Credentials { return oauth.Credentials{ClientID: "x"} }},
		{"without the secret", func(f *fixture) oauth.Credentials { return oauth.Credentials{ClientID: f.client.ClientID} }},
		{"wrong secret", func(f *fixture) oauth.Credentials {
			return oauth.Credentials{ClientID: f.client.ClientID, Secret: secret.NewText("wrong")}
		}},
		{"another client", func(f *fixture) oauth.Credentials { return oauth.Credentials{ClientID: f.public.ClientID} }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, oauth.Settings{})
			tokens := f.tokens(t)
			if err := f.Revoke(t.Context(), test.credentials(f), tokens.Access); codeOf(err) != oauth.UnauthorizedClient {
				t.Errorf("revoke: %v, want unauthorized_client", err)
			}
			f.wantAlive(t, tokens, true)
		})
	}
}

// The Application ID of a public client is no secret, so that it need not be sent.
func TestPublicClientRevokesWithoutItsName(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	for name, token := range map[string]func(oauth.Tokens) secret.Text{
		"access token":  func(pair oauth.Tokens) secret.Text { return pair.Access },
		"refresh token": func(pair oauth.Tokens) secret.Text { return pair.Refresh },
	} {
		pair := f.publicTokens(t)
		if err := f.Revoke(t.Context(), oauth.Credentials{}, token(pair)); err != nil {
			t.Errorf("revoke by the %s: %v", name, err)
		}
		f.wantAlive(t, pair, false)
	}
}

func TestRevokeWhatIsNoPresentToken(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	first := f.tokens(t)
	second := f.mustToken(t, f.refreshRequest(first.Refresh))
	for name, token := range map[string]secret.Text{
		"nothing":          {},
		"unknown":          secret.NewText("x"),
		"old access token": first.Access,
	} {
		if err := f.Revoke(t.Context(), f.credentials(), token); err != nil {
			t.Errorf("revoke of %s: %v", name, err)
		}
		f.wantAlive(t, second, true)
	}
}

func TestRotatedRefreshTokenEndsTheGrant(t *testing.T) {
	for _, later := range []time.Duration{0, time.Second, time.Hour} {
		f := newFixture(t, oauth.Settings{})
		first := f.tokens(t)
		second := f.mustToken(t, f.refreshRequest(first.Refresh))
		third := f.mustToken(t, f.refreshRequest(second.Refresh))
		f.advance(later)
		if err := f.Revoke(t.Context(), f.credentials(), first.Refresh); err != nil {
			t.Fatal(err)
		}
		f.wantAlive(t, third, false)
	}
}

func TestRevokeAfterTheAccessTokenExpired(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	tokens := f.tokens(t)
	f.advance(oauth.AccessLifetime + time.Second)
	if err := f.Revoke(t.Context(), f.credentials(), tokens.Access); err != nil {
		t.Fatal(err)
	}
	tokens = f.mustToken(t, f.refreshRequest(tokens.Refresh)) // left alone

	f.advance(oauth.AccessLifetime + time.Second)
	if err := f.Revoke(t.Context(), f.credentials(), tokens.Refresh); err != nil {
		t.Fatal(err)
	}
	f.wantRefused(t, f.refreshRequest(tokens.Refresh), oauth.InvalidGrant)
}

func TestHolderRevokesATokenWithoutClient(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	tokens := f.mustToken(t, oauth.TokenRequest{GrantType: "password", Username: "ada", Password: secret.NewText(password)})
	if err := f.Revoke(t.Context(), oauth.Credentials{}, tokens.Access); err != nil {
		t.Fatal(err)
	}
	f.wantAlive(t, tokens, false)
}

func TestAccessTokenExpires(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	tokens := f.tokens(t)
	f.advance(oauth.AccessLifetime - time.Second)
	f.wantAlive(t, tokens, true)
	f.advance(time.Second)
	f.wantAlive(t, tokens, false)
}
