package accountapi_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

func openID(r *oauth.Registration) { r.Scopes = scope.Of(scope.OpenID, scope.ReadUser) }

// identify returns a request with the scope openid, with the pairs besides.
func identify(c oauth.Client, pairs ...string) url.Values {
	return request(c, append([]string{"scope", "openid", "nonce", "a nonce"}, pairs...)...)
}

// grantOf redeems the code of an answer and returns the grant.
func grantOf(t *testing.T, a *apptest.App, c oauth.Client, answer url.Values) oauth.Grant {
	t.Helper()
	tokens, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{
		GrantType: "authorization_code", Client: oauth.Credentials{ClientID: c.ClientID},
		Code: secret.NewText(answer.Get("code")), RedirectURI: redirectURI, CodeVerifier: verifier,
	})
	if err != nil {
		t.Fatalf("the answer %v: %v", answer, err)
	}
	g, err := a.OAuth.Access(t.Context(), tokens.Access)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// signInAt fills in the sign-in form of the page at this address.
func (b *browser) signInAt(address string, u user.User) answer {
	b.t.Helper()
	fields := b.get(address).want(200).fields("/users/sign_in")
	fields.Set("login", u.Username)
	fields.Set("password", apptest.Password)
	return b.post("/users/sign_in", fields).want(303)
}

func (a answer) wantError(code string) {
	a.t.Helper()
	params := a.toClient(redirectURI)
	if params.Get("error") != code || params.Get("state") != "a state & more=1" || params.Get("iss") != apptest.BaseURL || params.Has("code") {
		a.t.Errorf("%s told the client %v, want %s with state and issuer", a.call, params, code)
	}
}

func TestPromptNoneShowsNoPage(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, openID)
	silently := func(pairs ...string) string { return authorize(identify(client, append(pairs, "prompt", "none")...)) }

	stranger := newBrowser(t, a.App)
	stranger.get(silently()).wantError("login_required")
	stranger.get(authorize(identify(client, "prompt", " none "))).wantError("login_required")
	stranger.get(silently("response_type", "token")).wantError("unsupported_response_type")
	stranger.get(silently("redirect_uri", "https://evil.example/")).want(400, "invalid_redirect_uri")
	stranger.get(silently("client_id", strings.Repeat("0", 64))).want(401, "invalid_client")

	b := signedIn(t, a, ada)
	b.get(silently()).wantError("consent_required")
	b.post("/oauth/authorize", decide(b.get(authorize(identify(client))).want(200), "approve")).want(302)
	b.get(silently()).wantError("consent_required") // the code was not redeemed
	answer := b.post("/oauth/authorize", decide(b.get(authorize(identify(client))).want(200), "approve")).toClient(redirectURI)
	grantOf(t, a, client, answer)
	g := grantOf(t, a, client, b.get(silently()).want(302).toClient(redirectURI))
	if g.OIDCNonce != "a nonce" || !g.AuthenticatedAt.Equal(a.Now()) {
		t.Errorf("the grant has the nonce %q and the sign-in %v, want those of the request", g.OIDCNonce, g.AuthenticatedAt)
	}

	a.Pass(time.Hour)
	b.get(silently("max_age", "3599")).wantError("login_required")
	b.get(silently("max_age", "3600")).want(302).toClient(redirectURI)
	a.Block(ada)
	b.get(silently()).wantError("interaction_required")
}

// Without the scope openid the parameters of OpenID Connect mean nothing.
func TestPromptNeedsTheScopeOpenID(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, openID)
	silent := authorize(request(client, "prompt", "none"))
	newBrowser(t, a.App).get(silent).wantRedirect("/users/sign_in?" + url.Values{"return_to": {silent}}.Encode())
	b := signedIn(t, a, ada)
	a.Pass(time.Hour)
	b.get(authorize(request(client, "prompt", "login", "max_age", "1"))).want(200, "Read your profile")
}

// Whoever is signed in signs in once more, and once is enough.
func TestFreshSignInIsAskedForOnce(t *testing.T) {
	for name, pairs := range map[string][]string{
		"prompt login":             {"prompt", "login"},
		"prompt login and consent": {"prompt", "login consent"},
		"prompt select_account":    {"prompt", "select_account"},
		"max_age":                  {"max_age", "60"},
		"max_age zero":             {"max_age", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			ada := a.User("ada")
			client := register(t, a, ada, openID)
			b := signedIn(t, a, ada)
			a.Pass(time.Hour)

			page := b.get(authorize(identify(client, pairs...))).want(302).location()
			if !strings.HasPrefix(page, "/users/sign_in?again=1&") {
				t.Fatalf("sent to %q, want the sign-in page", page)
			}
			back := b.get(page).want(200, "to continue to", "Weather station").fields("/users/sign_in").Get("return_to")
			if again := b.get(back).want(302).location(); !strings.HasPrefix(again, "/users/sign_in?again=1&") {
				t.Errorf("without a sign-in the way back leads to %q", again)
			}
			a.Pass(time.Minute)
			consent := b.get(b.signInAt(page, ada).location()).want(200, "Sign you in")
			a.Pass(time.Minute)
			g := grantOf(t, a, client, b.post("/oauth/authorize", decide(consent, "approve")).toClient(redirectURI))
			if want := a.Now().Add(-time.Minute); !g.AuthenticatedAt.Equal(want) || g.OIDCNonce != "a nonce" {
				t.Errorf("the grant tells the sign-in %v and the nonce %q, want %v", g.AuthenticatedAt, g.OIDCNonce, want)
			}
		})
	}
}

func TestSignInFromNowhereIsFresh(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, openID)
	b := newBrowser(t, a.App)
	page := b.get(authorize(identify(client, "prompt", "login", "max_age", "0"))).want(302).location()
	if strings.Contains(page, "again") {
		t.Errorf("sent to %q", page)
	}
	a.Pass(time.Second)
	b.get(b.signInAt(page, ada).location()).want(200, "Sign you in")
}

// A form that lay open for too long asks for the sign-in again, and then for
// the decision.
func TestFreshSignInHoldsAtTheDecision(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, openID)
	b := newBrowser(t, a.App)
	page := b.get(authorize(identify(client, "prompt", "login"))).want(302).location()
	consent := b.get(b.signInAt(page, ada).location()).want(200)
	a.Pass(10 * time.Minute)
	page = b.post("/oauth/authorize", decide(consent, "approve")).want(303).location()
	consent = b.get(b.signInAt(page, ada).location()).want(200, "Sign you in")
	grantOf(t, a, client, b.post("/oauth/authorize", decide(consent, "approve")).toClient(redirectURI))
}

func TestPromptConsentAsksAgain(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, openID, trusted)
	b := signedIn(t, a, ada)
	b.get(authorize(identify(client))).want(302).toClient(redirectURI)
	consent := b.get(authorize(identify(client, "prompt", "consent"))).want(200, "Sign you in")
	grantOf(t, a, client, b.post("/oauth/authorize", decide(consent, "approve")).toClient(redirectURI))
	b.post("/oauth/authorize", decide(consent, "deny")).wantError("access_denied")
}

func TestRequestObjectsAreRefused(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, openID)
	b := signedIn(t, a, ada)
	b.get(authorize(identify(client, "request", "e30.e30."))).wantError("request_not_supported")
	b.get(authorize(identify(client, "request_uri", "https://client.example/r"))).wantError("request_uri_not_supported")
}
