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
func signInAt(b *apptest.Browser, address string, u user.User) apptest.Page {
	b.T.Helper()
	fields := b.Get(address).Want(200).Fields("/users/sign_in")
	fields.Set("login", u.Username)
	fields.Set("password", apptest.Password)
	return b.Post("/users/sign_in", fields).Want(303)
}

func wantError(p apptest.Page, code string) {
	p.T.Helper()
	params := p.ToClient(redirectURI)
	if params.Get("error") != code || params.Get("state") != "a state & more=1" || params.Get("iss") != apptest.BaseURL || params.Has("code") {
		p.T.Errorf("%s told the client %v, want %s with state and issuer", p.Call, params, code)
	}
}

func TestPromptNoneShowsNoPage(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, openID)
	silently := func(pairs ...string) string { return authorize(identify(client, append(pairs, "prompt", "none")...)) }

	stranger := newBrowser(t, a.App)
	wantError(stranger.Get(silently()), "login_required")
	wantError(stranger.Get(authorize(identify(client, "prompt", " none "))), "login_required")
	wantError(stranger.Get(silently("response_type", "token")), "unsupported_response_type")
	stranger.Get(silently("redirect_uri", "https://evil.example/")).Want(400, "invalid_redirect_uri")
	stranger.Get(silently("client_id", strings.Repeat("0", 64))).Want(401, "invalid_client")

	b := signedIn(t, a, ada)
	wantError(b.Get(silently()), "consent_required")
	b.Post("/oauth/authorize", decide(b.Get(authorize(identify(client))).Want(200), "approve")).Want(302)
	wantError(b.Get(silently()), "consent_required") // the code was not redeemed
	answer := b.Post("/oauth/authorize", decide(b.Get(authorize(identify(client))).Want(200), "approve")).ToClient(redirectURI)
	grantOf(t, a, client, answer)
	g := grantOf(t, a, client, b.Get(silently()).Want(302).ToClient(redirectURI))
	if g.OIDCNonce != "a nonce" || !g.AuthenticatedAt.Equal(a.Now()) {
		t.Errorf("the grant has the nonce %q and the sign-in %v, want those of the request", g.OIDCNonce, g.AuthenticatedAt)
	}

	a.Pass(time.Hour)
	wantError(b.Get(silently("max_age", "3599")), "login_required")
	b.Get(silently("max_age", "3600")).Want(302).ToClient(redirectURI)
	a.Block(ada)
	wantError(b.Get(silently()), "interaction_required")
}

// Without the scope openid the parameters of OpenID Connect mean nothing.
func TestPromptNeedsTheScopeOpenID(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, openID)
	silent := authorize(request(client, "prompt", "none"))
	newBrowser(t, a.App).Get(silent).WantRedirect("/users/sign_in?" + url.Values{"return_to": {silent}}.Encode())
	b := signedIn(t, a, ada)
	a.Pass(time.Hour)
	b.Get(authorize(request(client, "prompt", "login", "max_age", "1"))).Want(200, "Read your profile")
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

			page := b.Get(authorize(identify(client, pairs...))).Want(302).Location()
			if !strings.HasPrefix(page, "/users/sign_in?again=1&") {
				t.Fatalf("sent to %q, want the sign-in page", page)
			}
			back := b.Get(page).Want(200, "to continue to", "Weather station").Fields("/users/sign_in").Get("return_to")
			if again := b.Get(back).Want(302).Location(); !strings.HasPrefix(again, "/users/sign_in?again=1&") {
				t.Errorf("without a sign-in the way back leads to %q", again)
			}
			a.Pass(time.Minute)
			consent := b.Get(signInAt(b, page, ada).Location()).Want(200, "Sign you in")
			a.Pass(time.Minute)
			g := grantOf(t, a, client, b.Post("/oauth/authorize", decide(consent, "approve")).ToClient(redirectURI))
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
	page := b.Get(authorize(identify(client, "prompt", "login", "max_age", "0"))).Want(302).Location()
	if strings.Contains(page, "again") {
		t.Errorf("sent to %q", page)
	}
	a.Pass(time.Second)
	b.Get(signInAt(b, page, ada).Location()).Want(200, "Sign you in")
}

// A form that lay open for too long asks for the sign-in again, and then for
// the decision.
func TestFreshSignInHoldsAtTheDecision(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, openID)
	b := newBrowser(t, a.App)
	page := b.Get(authorize(identify(client, "prompt", "login"))).Want(302).Location()
	consent := b.Get(signInAt(b, page, ada).Location()).Want(200)
	a.Pass(10 * time.Minute)
	page = b.Post("/oauth/authorize", decide(consent, "approve")).Want(303).Location()
	consent = b.Get(signInAt(b, page, ada).Location()).Want(200, "Sign you in")
	grantOf(t, a, client, b.Post("/oauth/authorize", decide(consent, "approve")).ToClient(redirectURI))
}

func TestPromptConsentAsksAgain(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, openID, trusted)
	b := signedIn(t, a, ada)
	b.Get(authorize(identify(client))).Want(302).ToClient(redirectURI)
	consent := b.Get(authorize(identify(client, "prompt", "consent"))).Want(200, "Sign you in")
	grantOf(t, a, client, b.Post("/oauth/authorize", decide(consent, "approve")).ToClient(redirectURI))
	wantError(b.Post("/oauth/authorize", decide(consent, "deny")), "access_denied")
}

func TestRequestObjectsAreRefused(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, openID)
	b := signedIn(t, a, ada)
	wantError(b.Get(authorize(identify(client, "request", "e30.e30."))), "request_not_supported")
	wantError(b.Get(authorize(identify(client, "request_uri", "https://client.example/r"))), "request_uri_not_supported")
}
