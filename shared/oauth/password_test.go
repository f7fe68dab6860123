package oauth_test

import (
	"testing"

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

// The right password is refused as the wrong one is: nothing tells whether it
// was looked at.
func TestPasswordGrantRefusesUsersWithTwoFactors(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	f.user.TwoFactorEnabled = true
	if err := f.store.UpdateUser(t.Context(), f.user, 0); err != nil {
		t.Fatal(err)
	}
	f.wantRefused(t, passwordRequest(), oauth.InvalidGrant)
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
