package oauth_test

import (
	"errors"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
)

func passwordRequest() oauth.TokenRequest {
	return oauth.TokenRequest{GrantType: "password", Username: "ada", Password: secret.NewText(password)}
}

func TestPasswordGrant(t *testing.T) {
	tests := []struct {
		name   string
		change func(*fixture, *oauth.TokenRequest)
		want   scope.Set
	}{
		{"by user name", func(*fixture, *oauth.TokenRequest) {}, scope.Of(scope.API)},
		{"by e-mail address", func(_ *fixture, r *oauth.TokenRequest) { r.Username = "Ada@Example.com" }, scope.Of(scope.API)},
		{"with a client", func(f *fixture, r *oauth.TokenRequest) { r.Client = f.credentials() }, scope.Of(scope.API)},
		{"with a public client", func(f *fixture, r *oauth.TokenRequest) { r.Client.ClientID = f.public.ClientID }, scope.Of(scope.API)},
		{"with a scope", func(_ *fixture, r *oauth.TokenRequest) { r.Scope = "read_user openid" }, scope.Of(scope.ReadUser, scope.OpenID)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, oauth.Settings{PasswordGrant: true})
			req := passwordRequest()
			test.change(f, &req)
			tokens := f.mustToken(t, req)
			if diff := cmp.Diff(test.want, tokens.Scopes); diff != "" {
				t.Errorf("scopes (-want +got):\n%s", diff)
			}
			if !tokens.Refresh.Empty() {
				t.Error("the password grant gave a refresh token")
			}
			f.wantAlive(t, tokens, true)
		})
	}
}

func TestPasswordGrantErrors(t *testing.T) {
	tests := []struct {
		name   string
		change func(*fixture, *oauth.TokenRequest)
		want   oauth.Code
	}{
		{"no username", func(_ *fixture, r *oauth.TokenRequest) { r.Username = "" }, oauth.InvalidRequest},
		{"no password", func(_ *fixture, r *oauth.TokenRequest) { r.Password = secret.Text{} }, oauth.InvalidRequest},
		{"unknown user", func(_ *fixture, r *oauth.TokenRequest) { r.Username = "nobody" }, oauth.InvalidGrant},
		{"wrong password", func(_ *fixture, r *oauth.TokenRequest) { r.Password = secret.NewText("wrong") }, oauth.InvalidGrant},
		{"unknown client", func(_ *fixture, r *oauth.TokenRequest) { r.Client.ClientID = "x" }, oauth.InvalidClient},
		{"wrong secret", func(f *fixture, r *oauth.TokenRequest) {
			r.Client = oauth.Credentials{ClientID: f.client.ClientID, Secret: secret.NewText("wrong")}
		}, oauth.InvalidClient},
		{"confidential client without its secret", func(f *fixture, r *oauth.TokenRequest) { r.Client.ClientID = f.client.ClientID }, oauth.InvalidClient},
		{"scope not on offer", func(_ *fixture, r *oauth.TokenRequest) { r.Scope = "sudo" }, oauth.InvalidScope},
		{"scope beyond the client's", func(f *fixture, r *oauth.TokenRequest) {
			r.Client, r.Scope = f.credentials(), "profile"
		}, oauth.InvalidScope},
	}
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			req := passwordRequest()
			test.change(f, &req)
			f.wantRefused(t, req, test.want)
		})
	}
}

func TestPasswordGrantSwitchedOff(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	f.wantRefused(t, passwordRequest(), oauth.UnsupportedGrantType)
}

func TestPasswordGrantSwitchedOffForTheClient(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	client, text := f.register(t, oauth.Registration{Confidential: true})
	req := passwordRequest()
	req.Client = oauth.Credentials{ClientID: client.ClientID, Secret: text}
	f.wantRefused(t, req, oauth.UnauthorizedClient)
}

// A verifier stands in for the secret where it answers the grant's challenge,
// and nowhere else.
func TestPasswordGrantTakesNoVerifierForTheSecret(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	req := passwordRequest()
	req.Client.ClientID, req.RefreshToken, req.CodeVerifier = f.client.ClientID, f.tokens(t).Refresh, verifier
	f.wantRefused(t, req, oauth.InvalidClient)
}

// The right password is refused as a wrong one is. It costs the same, and counts the same
// at the sign-in, so that nothing tells who has two factors.
func TestPasswordGrantRefusesUsersWithTwoFactors(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	f.setTwoFactor(t, true)
	f.repeat(t, 11, right(), oauth.InvalidGrant)
	if got := f.looked.Load(); got != 10 {
		t.Errorf("%d passwords were looked at, want 10", got)
	}
	f.setTwoFactor(t, false)
	f.wantRefused(t, right(), oauth.InvalidGrant)
}

func (f *fixture) setTwoFactor(t *testing.T, enabled bool) {
	t.Helper()
	u, err := f.store.User(t.Context(), f.user.ID)
	if err != nil {
		t.Fatal(err)
	}
	u.TwoFactorEnabled = enabled
	if err := f.store.UpdateUser(t.Context(), u, 0); err != nil {
		t.Fatal(err)
	}
}

func TestClientWithoutDefaultScopeGetsATokenWithNone(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	client, text := f.register(t, oauth.Registration{Confidential: true, PasswordGrant: true, Scopes: scope.Of(scope.ReadUser)})
	req := passwordRequest()
	req.Client = oauth.Credentials{ClientID: client.ClientID, Secret: text}
	if tokens := f.mustToken(t, req); len(tokens.Scopes) != 0 {
		t.Errorf("scopes %v, want none", tokens.Scopes)
	}
}

// wrong is a password request that fails.
func wrong(username string) oauth.TokenRequest {
	req := passwordRequest()
	req.Username, req.Password, req.Address = username, secret.NewText("wrong"), home
	return req
}

// right is one of the same user that does not.
func right() oauth.TokenRequest {
	req := passwordRequest()
	req.Address = home
	return req
}

var home = netip.MustParseAddr("203.0.113.7")

// repeat sends the request so many times, each of which is refused.
func (f *fixture) repeat(t *testing.T, times int, req oauth.TokenRequest, want oauth.Code) {
	t.Helper()
	for range times {
		f.wantRefused(t, req, want)
	}
}

func TestPasswordGrantThrottlesAnAddressAtAnAccount(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	f.repeat(t, 10, wrong("Ada"), oauth.InvalidGrant)
	f.wantRefused(t, right(), oauth.InvalidGrant)

	elsewhere := right()
	elsewhere.Address = netip.MustParseAddr("198.51.100.1")
	f.mustToken(t, elsewhere)
	f.wantRefused(t, right(), oauth.InvalidGrant)

	f.advance(10 * time.Minute)
	f.mustToken(t, right())
}

func TestPasswordGrantForgetsFailuresAtASuccess(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	for range 3 {
		f.repeat(t, 9, wrong("ada"), oauth.InvalidGrant)
		f.mustToken(t, right())
	}
}

// Throttled or not, with an account or without: the answer is the same.
func TestPasswordGrantTellsNothingOfAnAccount(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	_, want := f.Token(t.Context(), wrong("ada"))
	for _, name := range []string{"ada", "nobody"} {
		for range 12 {
			if _, got := f.Token(t.Context(), wrong(name)); got == nil || got.Error() != want.Error() {
				t.Errorf("refused as %s with %v, want %v", name, got, want)
			}
		}
	}
}

func TestOfAHundredWrongPasswordsAtOnceTenAreLookedAt(t *testing.T) {
	for _, name := range []string{"ada", "nobody"} {
		f := newFixture(t, oauth.Settings{PasswordGrant: true})
		var callers sync.WaitGroup
		for range 100 {
			callers.Go(func() { f.wantRefused(t, wrong(name), oauth.InvalidGrant) })
		}
		callers.Wait()
		if got := f.looked.Load(); got != 10 {
			t.Errorf("%d of 100 passwords for %s were looked at, want 10", got, name)
		}
	}
}

// What never comes to the password is no failure, and no way to look at one.
func TestPasswordGrantCountsOnlyPasswordsThatAreLookedAt(t *testing.T) {
	tests := []struct {
		name   string
		change func(*oauth.TokenRequest)
		want   oauth.Code
	}{
		{"unknown client", func(r *oauth.TokenRequest) { r.Client.ClientID = "x" }, oauth.InvalidClient},
		{"scope not on offer", func(r *oauth.TokenRequest) { r.Scope = "sudo" }, oauth.InvalidScope},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, oauth.Settings{PasswordGrant: true})
			f.repeat(t, 9, wrong("ada"), oauth.InvalidGrant)
			req := right()
			test.change(&req)
			f.repeat(t, 11, req, test.want)
			f.repeat(t, 1, wrong("ada"), oauth.InvalidGrant)
			f.wantRefused(t, right(), oauth.InvalidGrant)
			if got := f.looked.Load(); got != 10 {
				t.Errorf("%d passwords were looked at, want 10", got)
			}
		})
	}
}

// A password that nobody had the time to look at is no failure.
func TestPasswordGrantCountsNoPasswordWhileBusy(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	f.busy = true
	for range 20 {
		if _, err := f.Token(t.Context(), right()); !errors.Is(err, secret.ErrBusy) {
			t.Fatalf("Token = %v, want ErrBusy", err)
		}
	}
	f.busy = false
	f.mustToken(t, right())
}
