package oauth_test

import (
	"context"
	"errors"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
)

const (
	issuer      = "https://gatehouse.example"
	redirectURI = "https://app.example/callback"
	password    = "correct horse"
)

// fixture is an authorization server over a real store, with a clock that the
// test moves, one user, and a confidential and a public client.
type fixture struct {
	*oauth.Server
	store        storage.Store
	users        *user.Rules
	looked       atomic.Int32 // how many passwords were looked at
	busy         bool         // too many others are
	clock        atomic.Pointer[time.Time]
	user         user.User
	client       oauth.Client
	clientSecret secret.Text
	public       oauth.Client
}

func newFixture(t *testing.T, settings oauth.Settings) *fixture {
	t.Helper()
	return newFixtureOver(t, sqlitetest.Open(t), settings)
}

func newFixtureOver(t *testing.T, store storage.Store, settings oauth.Settings) *fixture {
	t.Helper()
	f := &fixture{}
	f.at(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	f.store = store
	trail := audit.NewTrail(store, f.now)
	f.users = user.NewRules(store, trail, secret.Passwords{Time: 1, Memory: 64}, f.now)
	settings.Issuer = issuer
	identities := oidc.New(store, project.NewRules(store, nil, nil, nil, f.now), keys(t), issuer, f.now)
	attempts := throttle.NewRules(store, keys(t), throttle.DefaultLimit, f.now)
	f.Server = oauth.NewServer(store, f, attempts, trail, keys(t), settings, f.now).WithIdentities(identities)
	var err error
	f.user, err = f.users.Create(t.Context(), audit.Setup, user.Registration{
		Username: "ada", Name: "Ada", Email: "ada@example.com", Password: secret.NewText(password),
	})
	if err != nil {
		t.Fatal(err)
	}
	f.client, f.clientSecret = f.register(t, oauth.Registration{Confidential: true, PasswordGrant: true})
	f.public, _ = f.register(t, oauth.Registration{PasswordGrant: true})
	return f
}

// The fixture's users are those of the rules.
func (f *fixture) User(ctx context.Context, id int64) (user.User, error) {
	return f.users.User(ctx, id)
}

func (f *fixture) UserByLogin(ctx context.Context, login string) (user.User, error) {
	return f.users.UserByLogin(ctx, login)
}

func (f *fixture) VerifyPassword(ctx context.Context, u user.User, password secret.Text) (bool, error) {
	f.looked.Add(1)
	if f.busy {
		return false, secret.ErrBusy
	}
	return f.users.VerifyPassword(ctx, u, password)
}

func keys(t *testing.T) secret.Keys {
	t.Helper()
	keys, err := secret.NewKeys(make([]byte, secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func (f *fixture) now() time.Time          { return *f.clock.Load() }
func (f *fixture) at(now time.Time)        { f.clock.Store(&now) }
func (f *fixture) advance(d time.Duration) { f.at(f.now().Add(d)) }
func (f *fixture) credentials() oauth.Credentials {
	return oauth.Credentials{ClientID: f.client.ClientID, Secret: f.clientSecret}
}

// register adds a client with the fields that the test does not care about.
func (f *fixture) register(t *testing.T, r oauth.Registration) (oauth.Client, secret.Text) {
	t.Helper()
	r.Name, r.RedirectURIs = "App", redirectURI
	if r.Scopes == nil {
		r.Scopes = scope.Of(scope.API, scope.ReadUser, scope.OpenID)
	}
	c, text, err := f.Register(t.Context(), audit.Setup, f.user.ID, r)
	if err != nil {
		t.Fatal(err)
	}
	return c, text
}

// authorizeRequest is a good request of the confidential client.
func (f *fixture) authorizeRequest() oauth.AuthorizeRequest {
	return oauth.AuthorizeRequest{
		ClientID: f.client.ClientID, RedirectURI: redirectURI, ResponseType: "code", State: "xyz",
		CodeChallenge: challenge, CodeChallengeMethod: "S256",
	}
}

// approve lets the user approve the request and returns the code.
func (f *fixture) approve(t *testing.T, c oauth.Client, req oauth.AuthorizeRequest) secret.Text {
	t.Helper()
	a, err := f.Check(c, req)
	if err != nil {
		t.Fatalf("the request was refused: %v", err)
	}
	redirect, err := f.Approve(t.Context(), f.user, a)
	if err != nil {
		t.Fatal(err)
	}
	return secret.NewText(redirect.Params.Get("code"))
}

// exchangeRequest is a good request for a fresh code of the confidential
// client, by secret and verifier.
func (f *fixture) exchangeRequest(t *testing.T) oauth.TokenRequest {
	t.Helper()
	return oauth.TokenRequest{
		GrantType: "authorization_code", Client: f.credentials(), RedirectURI: redirectURI, CodeVerifier: verifier,
		Code: f.approve(t, f.client, f.authorizeRequest()),
	}
}

// refreshRequest is a good request with the refresh token.
func (f *fixture) refreshRequest(token secret.Text) oauth.TokenRequest {
	return oauth.TokenRequest{GrantType: "refresh_token", Client: f.credentials(), RefreshToken: token}
}

// tokens returns a fresh pair of the confidential client.
func (f *fixture) tokens(t *testing.T) oauth.Tokens {
	t.Helper()
	return f.mustToken(t, f.exchangeRequest(t))
}

func (f *fixture) mustToken(t *testing.T, req oauth.TokenRequest) oauth.Tokens {
	t.Helper()
	tokens, err := f.Token(t.Context(), req)
	if err != nil {
		t.Fatalf("%s: %v", req.GrantType, err)
	}
	return tokens
}

// wantRefused checks that the request gets the error code.
func (f *fixture) wantRefused(t *testing.T, req oauth.TokenRequest, want oauth.Code) {
	t.Helper()
	tokens, err := f.Token(t.Context(), req)
	if err == nil {
		t.Fatalf("%s was granted (expires in %s), want %s", req.GrantType, tokens.ExpiresIn, want)
	}
	if got := codeOf(err); got != want {
		t.Errorf("%s was refused with %v, want %s", req.GrantType, err, want)
	}
}

// wantAlive checks whether the access token is good.
func (f *fixture) wantAlive(t *testing.T, tokens oauth.Tokens, want bool) {
	t.Helper()
	if _, err := f.Access(t.Context(), tokens.Access); (err == nil) != want {
		t.Errorf("the access token is good: %t (%v), want %t", err == nil, err, want)
	}
}

func codeOf(err error) oauth.Code {
	var known *oauth.Error
	if errors.As(err, &known) {
		return known.Code
	}
	return ""
}

func (f *fixture) block(t *testing.T, state user.State) {
	t.Helper()
	if _, err := f.users.Update(t.Context(), audit.Setup, f.user.ID, user.Change{State: &state}); err != nil {
		t.Fatal(err)
	}
}

func paramsOf(t *testing.T, err error) url.Values {
	t.Helper()
	var redirect *oauth.RedirectError
	if !errors.As(err, &redirect) {
		t.Fatalf("error %v is not for the redirect URI", err)
	}
	return redirect.Redirect.Params
}
