package oauth_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

func TestCodeGivesAPair(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	tokens := f.tokens(t)
	if tokens.ExpiresIn != 7200*time.Second || tokens.Refresh.Empty() || !tokens.CreatedAt.Equal(f.now()) {
		t.Errorf("tokens: %+v", tokens)
	}
	g, err := f.Access(t.Context(), tokens.Access)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(scope.Of(scope.API), g.Scopes); diff != "" || g.UserID != f.user.ID || g.Application != f.client.ClientID {
		t.Errorf("grant %+v; scopes (-want +got):\n%s", g, diff)
	}
}

// Every fault of a code exchange has its error, and consumes nothing: the right
// request goes through afterwards.
func TestCodeExchangeErrors(t *testing.T) {
	tests := []struct {
		name   string
		change func(*fixture, *oauth.TokenRequest)
		want   oauth.Code
	}{
		{"no grant_type", func(_ *fixture, r *oauth.TokenRequest) { r.GrantType = "" }, oauth.InvalidRequest},
		{"device grant", func(_ *fixture, r *oauth.TokenRequest) {
			r.GrantType = "urn:ietf:params:oauth:grant-type:device_code"
		}, oauth.UnsupportedGrantType},
		{"client credentials grant", func(_ *fixture, r *oauth.TokenRequest) { r.GrantType = "client_credentials" }, oauth.UnsupportedGrantType},
		{"no code", func(_ *fixture, r *oauth.TokenRequest) { r.Code = secret.Text{} }, oauth.InvalidRequest},
		{"no redirect_uri", func(_ *fixture, r *oauth.TokenRequest) { r.RedirectURI = "" }, oauth.InvalidRequest},
		{"no redirect_uri and a bad client", func(_ *fixture, r *oauth.TokenRequest) {
			r.RedirectURI, r.Client.Secret = "", secret.NewText("wrong")
		}, oauth.InvalidRequest},
		{"no verifier for a challenge", func(_ *fixture, r *oauth.TokenRequest) { r.CodeVerifier = "" }, oauth.InvalidRequest},
		{"malformed verifier", func(_ *fixture, r *oauth.TokenRequest) { r.CodeVerifier = "short" }, oauth.InvalidRequest},
		{"overlong verifier", func(_ *fixture, r *oauth.TokenRequest) { r.CodeVerifier = strings.Repeat("a", 129) }, oauth.InvalidRequest},
		{"no client", func(_ *fixture, r *oauth.TokenRequest) { r.Client = oauth.Credentials{} }, oauth.InvalidClient},
		{"unknown client", func(_ *fixture, r *oauth.TokenRequest) { r.Client.ClientID = "nobody" }, oauth.InvalidClient},
		{"wrong secret", func(_ *fixture, r *oauth.TokenRequest) { r.Client.Secret = secret.NewText("wrong") }, oauth.InvalidClient},
		{"bad code and bad client", func(_ *fixture, r *oauth.TokenRequest) {
			r.Code, r.Client.Secret = secret.NewText("x"), secret.NewText("wrong")
		}, oauth.InvalidClient},
		{"made-up code", func(_ *fixture, r *oauth.TokenRequest) { r.Code = secret.NewText("x") }, oauth.InvalidGrant},
		{"another client's code", func(f *fixture, r *oauth.TokenRequest) {
			r.Client = oauth.Credentials{ClientID: f.public.ClientID}
		}, oauth.InvalidGrant},
		{"another redirect_uri", func(_ *fixture, r *oauth.TokenRequest) { r.RedirectURI += "?" }, oauth.InvalidGrant},
		{"wrong verifier", func(_ *fixture, r *oauth.TokenRequest) { r.CodeVerifier = strings.Repeat("a", 43) }, oauth.InvalidGrant},
		{"wrong verifier in place of the secret", func(_ *fixture, r *oauth.TokenRequest) {
			r.Client.Secret, r.CodeVerifier = secret.Text{}, strings.Repeat("a", 43)
		}, oauth.InvalidGrant},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, oauth.Settings{})
			good := f.exchangeRequest(t)
			bad := good
			test.change(f, &bad)
			f.wantRefused(t, bad, test.want)
			f.mustToken(t, good)
		})
	}
}

func TestVerifierInPlaceOfTheSecret(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	req := f.exchangeRequest(t)
	req.Client.Secret = secret.Text{}
	tokens := f.mustToken(t, req)

	refresh := f.refreshRequest(tokens.Refresh)
	refresh.Client.Secret = secret.Text{}
	f.wantRefused(t, refresh, oauth.InvalidClient)
	refresh.CodeVerifier = verifier
	f.mustToken(t, refresh)
}

func TestClientThatRequiresItsSecret(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	client, text := f.register(t, oauth.Registration{Confidential: true, RequireSecret: true})
	authorize := f.authorizeRequest()
	authorize.ClientID = client.ClientID
	req := oauth.TokenRequest{
		GrantType: "authorization_code", Client: oauth.Credentials{ClientID: client.ClientID}, RedirectURI: redirectURI,
		CodeVerifier: verifier, Code: f.approve(t, client, authorize),
	}
	f.wantRefused(t, req, oauth.InvalidClient)
	req.Client.Secret = text
	f.mustToken(t, req)
}

// A verifier without a challenge tells of one that somebody took away on the
// way (RFC 9700 section 4.8); without either, the secret is needed.
func TestVerifierWithoutAChallengeIsRefused(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	authorize := f.authorizeRequest()
	authorize.CodeChallenge, authorize.CodeChallengeMethod = "", ""
	req := f.exchangeRequest(t)
	req.Code = f.approve(t, f.client, authorize)

	f.wantRefused(t, req, oauth.InvalidGrant) // a verifier that answers nothing
	req.CodeVerifier = ""
	noSecret := req
	noSecret.Client.Secret = secret.Text{}
	f.wantRefused(t, noSecret, oauth.InvalidClient)
	f.mustToken(t, req)
}

// publicExchange is a good exchange of the public client.
func (f *fixture) publicExchange(t *testing.T) oauth.TokenRequest {
	t.Helper()
	authorize := f.authorizeRequest()
	authorize.ClientID = f.public.ClientID
	return oauth.TokenRequest{
		GrantType: "authorization_code", Client: oauth.Credentials{ClientID: f.public.ClientID}, RedirectURI: redirectURI,
		CodeVerifier: verifier, Code: f.approve(t, f.public, authorize),
	}
}

func TestPublicClientExchangesAndRefreshesByItsNameAlone(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	req := f.publicExchange(t)
	tokens := f.mustToken(t, req)
	f.mustToken(t, oauth.TokenRequest{GrantType: "refresh_token", RefreshToken: tokens.Refresh, Client: req.Client})
}

// RFC 6749 sections 4.1.3 and 6: a client without credentials says its name with a code,
// and need not with a refresh token, which names its grant.
func TestPublicClientMustSayItsNameOnce(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	req := f.publicExchange(t)
	nameless := req
	nameless.Client = oauth.Credentials{}
	f.wantRefused(t, nameless, oauth.InvalidClient)
	tokens := f.mustToken(t, req)
	refresh := oauth.TokenRequest{GrantType: "refresh_token", RefreshToken: tokens.Refresh}
	wrong := refresh
	wrong.Client.Secret = secret.NewText("wrong")
	f.wantRefused(t, wrong, oauth.InvalidGrant)
	next := f.mustToken(t, refresh)

	f.advance(time.Minute)
	f.wantRefused(t, refresh, oauth.InvalidGrant) // was used before, which ends the grant
	refresh.RefreshToken = next.Refresh
	f.wantRefused(t, refresh, oauth.InvalidGrant)
}

func TestPublicClientThatSendsASecretMustSendTheRightOne(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	req := f.publicExchange(t)
	wrong := secret.NewText("wrong")
	refused := req
	refused.Client.Secret = wrong
	f.wantRefused(t, refused, oauth.InvalidClient)
	tokens := f.mustToken(t, req)
	refused = oauth.TokenRequest{GrantType: "refresh_token", RefreshToken: tokens.Refresh, Client: refused.Client}
	f.wantRefused(t, refused, oauth.InvalidClient)
}

// RFC 7636 section 4.1: 43 to 128 unreserved characters.
func TestVerifierHas43To128UnreservedCharacters(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	tests := map[string]oauth.Code{
		strings.Repeat("a", 42): oauth.InvalidRequest, strings.Repeat("a", 43): "", strings.Repeat("a", 128): "",
		strings.Repeat("a", 129): oauth.InvalidRequest, strings.Repeat("-._~", 11): "",
		strings.Repeat("a", 42) + "+": oauth.InvalidRequest, strings.Repeat("a", 42) + "=": oauth.InvalidRequest,
		strings.Repeat("a", 43) + "\n": oauth.InvalidRequest, strings.Repeat("ä", 43): oauth.InvalidRequest,
	}
	for text, want := range tests {
		authorize := f.authorizeRequest()
		authorize.CodeChallenge = string(oauth.ChallengeOf(text))
		req := f.exchangeRequest(t)
		req.Code, req.CodeVerifier = f.approve(t, f.client, authorize), text
		if want == "" {
			f.mustToken(t, req)
		} else {
			f.wantRefused(t, req, want)
		}
	}
}

func TestCodeExpires(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	req := f.exchangeRequest(t)
	f.advance(oauth.CodeLifetime)
	f.wantRefused(t, req, oauth.InvalidGrant)

	req = f.exchangeRequest(t)
	f.advance(oauth.CodeLifetime - time.Second)
	f.mustToken(t, req)
}

func TestReplayedCodeRevokesWhatItGave(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	req := f.exchangeRequest(t)
	tokens := f.mustToken(t, req)
	tokens = f.mustToken(t, f.refreshRequest(tokens.Refresh))

	stranger := req
	stranger.Client.Secret = secret.NewText("wrong")
	f.wantRefused(t, stranger, oauth.InvalidClient)
	f.wantAlive(t, tokens, true) // who is not the client revokes nothing

	f.wantRefused(t, req, oauth.InvalidGrant)
	f.wantAlive(t, tokens, false)
	f.wantRefused(t, f.refreshRequest(tokens.Refresh), oauth.InvalidGrant)
}

func TestConcurrentRedemptionsHaveOneWinner(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	req := f.exchangeRequest(t)
	var won atomic.Int32
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			_, err := f.Token(t.Context(), req)
			if err == nil {
				won.Add(1)
			} else if codeOf(err) != oauth.InvalidGrant {
				t.Errorf("a loser got %v, want invalid_grant", err)
			}
		})
	}
	callers.Wait()
	if got := won.Load(); got != 1 {
		t.Errorf("%d of 16 callers redeemed the code, want 1", got)
	}
}

func TestBlockedUserGetsNothing(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	exchange, tokens := f.exchangeRequest(t), f.tokens(t)
	f.block(t, user.Blocked)
	f.wantRefused(t, exchange, oauth.InvalidGrant)
	f.wantRefused(t, f.refreshRequest(tokens.Refresh), oauth.InvalidGrant)
	f.wantRefused(t, oauth.TokenRequest{GrantType: "password", Username: "ada", Password: secret.NewText(password)}, oauth.InvalidGrant)

	f.block(t, user.Active)
	f.mustToken(t, f.refreshRequest(tokens.Refresh))
}

func TestDeletedClientEndsItsGrants(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	tokens := f.tokens(t)
	if err := f.store.DeleteClient(t.Context(), f.client); err != nil {
		t.Fatal(err)
	}
	f.wantRefused(t, f.refreshRequest(tokens.Refresh), oauth.InvalidClient)
}

func TestRenewedSecretWorksAtOnceAndTheOldNoMore(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	tokens := f.tokens(t)
	_, text, err := f.RenewSecret(t.Context(), audit.Setup, f.client)
	if err != nil {
		t.Fatal(err)
	}
	f.wantRefused(t, f.refreshRequest(tokens.Refresh), oauth.InvalidClient)
	f.clientSecret = text
	f.mustToken(t, f.refreshRequest(tokens.Refresh))
}
