package accountapi_test

import (
	"net/url"
	"testing"

	"gatehouse/functions/account/accountapi"
	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

func newBrowser(t *testing.T, a *app.App) *apptest.Browser {
	t.Helper()
	return apptest.NewBrowser(t, accountapi.New(a))
}

// signedIn returns a browser in which the user signed in.
func signedIn(t *testing.T, a *apptest.App, u user.User) *apptest.Browser {
	t.Helper()
	b := newBrowser(t, a.App)
	b.Post("/users/sign_in", apptest.Form("login", u.Username, "password", apptest.Password)).WantRedirect("/")
	return b
}

const redirectURI = "https://client.example/callback"

// register adds a confidential client of the owner.
func register(t *testing.T, a *apptest.App, owner user.User, change ...func(*oauth.Registration)) oauth.Client {
	t.Helper()
	r := oauth.Registration{
		Name: "Weather station", RedirectURIs: redirectURI, Confidential: true,
		Scopes: scope.Of(scope.API, scope.ReadUser),
	}
	for _, c := range change {
		c(&r)
	}
	client, _, err := a.OAuth.Register(t.Context(), audit.Setup, owner.ID, r)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func public(r *oauth.Registration)  { r.Confidential = false }
func trusted(r *oauth.Registration) { r.ByAdmin, r.Trusted = true, true }

const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

// request returns a good authorization request of the client, with the pairs
// in place of or besides its own parameters; an empty value leaves one out.
func request(c oauth.Client, pairs ...string) url.Values {
	values := apptest.Form("client_id", c.ClientID, "redirect_uri", redirectURI, "response_type", "code",
		"scope", "read_user", "state", "a state & more=1",
		"code_challenge", string(oauth.ChallengeOf(verifier)), "code_challenge_method", "S256")
	for name, all := range apptest.Form(pairs...) {
		if values[name] = all; all[0] == "" {
			delete(values, name)
		}
	}
	return values
}

func authorize(values url.Values) string { return "/oauth/authorize?" + values.Encode() }
