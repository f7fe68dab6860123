package functions_test

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

// The tests of this file hold what the basic and the config profile of OpenID providers
// demand, check by check: see functions/oauth/README.md.

// relyingParty is an application that signs people in by a library, and one of these people
// with a browser.
type relyingParty struct {
	*apptest.App
	t        *testing.T
	gateway  http.Handler
	user     user.User
	browser  *apptest.Browser
	ctx      context.Context // has the library send its requests to the gateway
	provider *oidc.Provider
	config   oauth2.Config
}

func newRelyingParty(t *testing.T) *relyingParty {
	t.Helper()
	a := apptest.New(t)
	rp := &relyingParty{App: a, t: t, gateway: functions.Gateway(a.App), user: a.User("ada")}
	rp.browser = apptest.NewBrowser(t, rp.gateway)
	rp.ctx = oidc.ClientContext(t.Context(), &http.Client{Transport: rp})
	var err error
	if rp.provider, err = oidc.NewProvider(rp.ctx, apptest.BaseURL); err != nil {
		t.Fatal(err)
	}
	rp.config = rp.register()
	return rp
}

// anew returns the same application and person with a new browser, for a part of the test.
func (rp *relyingParty) anew(t *testing.T) *relyingParty {
	part := *rp
	part.t, part.browser = t, apptest.NewBrowser(t, rp.gateway)
	return &part
}

const openIDCallback = "https://app.example/callback"

// register registers one more application.
func (rp *relyingParty) register() oauth2.Config {
	rp.t.Helper()
	client, text, err := rp.OAuth.Register(rp.t.Context(), audit.Setup, rp.user.ID, oauth.Registration{
		Name: "App", RedirectURIs: openIDCallback, Confidential: true, Scopes: scope.Of(scope.OpenID, scope.Profile, scope.Email),
	})
	if err != nil {
		rp.t.Fatal(err)
	}
	endpoint := rp.provider.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	return oauth2.Config{ClientID: client.ClientID, ClientSecret: text.Reveal(), RedirectURL: openIDCallback, Endpoint: endpoint}
}

// RoundTrip passes a request of the library to the gateway.
func (rp *relyingParty) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody // as servers have it
	}
	w := httptest.NewRecorder()
	rp.gateway.ServeHTTP(w, r)
	return w.Result(), nil
}

const openIDNonce, openIDState = "a nonce", "a state"

// request returns the parameters of an authorization request, with the pairs instead of
// those of the same name. One that is empty is left out.
func (rp *relyingParty) request(pairs ...string) url.Values {
	values := values("client_id", rp.config.ClientID, "redirect_uri", openIDCallback, "response_type", "code",
		"scope", "openid", "nonce", openIDNonce, "state", openIDState)
	maps.Copy(values, apptest.Form(pairs...))
	maps.DeleteFunc(values, func(_ string, all []string) bool { return all[0] == "" })
	return values
}

// ask opens the address of the authorization request.
func (rp *relyingParty) ask(pairs ...string) apptest.Page {
	rp.t.Helper()
	return rp.browser.Get("/oauth/authorize?" + rp.request(pairs...).Encode())
}

// follow does what a person does from this page on, until the browser is sent back to the
// application. It returns the answer and how often the person signed in.
func (rp *relyingParty) follow(page apptest.Page) (answer url.Values, signIns int) {
	rp.t.Helper()
	for range 9 {
		switch location, body := page.Location(), page.Body.String(); {
		case strings.HasPrefix(location, openIDCallback):
			return page.ToClient(openIDCallback), signIns
		case location != "":
			page = rp.browser.Get(location)
		case strings.Contains(body, `action="/users/sign_in"`):
			fields := page.Fields("/users/sign_in")
			maps.Copy(fields, values("login", rp.user.Username, "password", apptest.Password))
			page = rp.browser.Post("/users/sign_in", fields)
			signIns++
		default:
			fields := page.Fields("/oauth/authorize")
			fields.Set("decision", "approve")
			page = rp.browser.Post("/oauth/authorize", fields)
		}
	}
	rp.t.Fatalf("%s is a page too many", page.Call)
	return nil, 0
}

// identified is what the application knows of a person.
type identified struct {
	token    *oauth2.Token
	raw      string // the id_token as it came
	verified *oidc.IDToken
	claims   map[string]any // of the id_token
}

// redeem exchanges the code of an answer and checks everything that any id_token must have.
func (rp *relyingParty) redeem(answer url.Values, options ...oauth2.AuthCodeOption) identified {
	rp.t.Helper()
	if answer.Get("state") != openIDState || answer.Get("iss") != apptest.BaseURL || answer.Get("code") == "" {
		rp.t.Fatalf("the answer is %v, want a code with the state and the issuer", answer)
	}
	token, err := rp.config.Exchange(rp.ctx, answer.Get("code"), options...)
	if err != nil {
		rp.t.Fatal(err)
	}
	return rp.verify(token)
}

func (rp *relyingParty) verify(token *oauth2.Token) identified {
	rp.t.Helper()
	s := identified{token: token}
	s.raw, _ = token.Extra("id_token").(string)
	verifier := rp.provider.VerifierContext(rp.ctx, &oidc.Config{ClientID: rp.config.ClientID, Now: rp.Now})
	var err error
	if s.verified, err = verifier.Verify(rp.ctx, s.raw); err == nil {
		err = errors.Join(s.verified.VerifyAccessToken(token.AccessToken), s.verified.Claims(&s.claims))
	}
	switch {
	case err != nil:
		rp.t.Fatalf("the id_token %q: %v", s.raw, err)
	case s.verified.Subject == "" || !s.verified.Expiry.After(rp.Now()) || s.verified.IssuedAt.After(rp.Now()):
		rp.t.Errorf("the id_token says %v", s.claims)
	case !strings.EqualFold(token.TokenType, "bearer") || token.ExpiresIn <= 0:
		rp.t.Errorf("the access token is a %q for %d seconds", token.TokenType, token.ExpiresIn)
	}
	return s
}

// signIn signs the person in with these parameters.
func (rp *relyingParty) signIn(pairs ...string) identified {
	rp.t.Helper()
	answer, _ := rp.follow(rp.ask(pairs...))
	return rp.redeem(answer)
}

// userInfo asks who signed in, and returns the claims if it is told.
func (rp *relyingParty) userInfo(s identified) (claims map[string]any, err error) {
	told, err := rp.provider.UserInfo(rp.ctx, oauth2.StaticTokenSource(s.token))
	if err == nil {
		err = told.Claims(&claims)
	}
	return claims, err
}

// wantUserInfo checks that userinfo tells of the same person.
func (rp *relyingParty) wantUserInfo(s identified) map[string]any {
	rp.t.Helper()
	claims, err := rp.userInfo(s)
	if err != nil || claims["sub"] != s.verified.Subject {
		rp.t.Errorf("userinfo tells %v, %v, want the sub %s", claims, err, s.verified.Subject)
	}
	return claims
}

// What a request may say besides, and what is told then.
func TestOpenIDSignIn(t *testing.T) {
	tests := []struct {
		name     string
		pairs    []string
		userInfo []string // names of claims
	}{
		{name: "by a code"},
		{name: "without a nonce", pairs: []string{"nonce", ""}},
		{name: "with the scope profile", pairs: []string{"scope", "openid profile"}, userInfo: []string{"name", "nickname", "preferred_username", "profile"}},
		{name: "with the scope email", pairs: []string{"scope", "openid email"}, userInfo: []string{"email", "email_verified"}},
		{name: "with all scopes", pairs: []string{"scope", "openid profile email"}, userInfo: []string{"name", "profile", "email", "email_verified"}},
		{name: "with the scopes in another order", pairs: []string{"scope", "email profile openid"}, userInfo: []string{"name", "email"}},
		{name: "on a page of its own", pairs: []string{"display", "page"}},
		{name: "in a window of its own", pairs: []string{"display", "popup"}},
		{name: "with a parameter that nobody knows", pairs: []string{"extra", "foobar"}},
		{name: "with a name to sign in with", pairs: []string{"login_hint", "ben@example.com"}},
		{name: "with languages of the pages", pairs: []string{"ui_locales", "se fr-CA"}},
		{name: "with languages of the claims", pairs: []string{"claims_locales", "se fr-CA"}},
		{name: "with kinds of authentication", pairs: []string{"acr_values", "1 2"}},
		{name: "with an essential claim", pairs: []string{"claims", `{"userinfo":{"name":{"essential":true}}}`}, userInfo: []string{"name"}},
	}
	all := newRelyingParty(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rp := all.anew(t)
			s := rp.signIn(test.pairs...)
			if want := rp.request(test.pairs...).Get("nonce"); s.verified.Nonce != want {
				t.Errorf("the nonce is %q, want %q", s.verified.Nonce, want)
			}
			claims := rp.wantUserInfo(s)
			for _, name := range test.userInfo {
				if claims[name] == nil {
					t.Errorf("userinfo does not tell %s: %v", name, claims)
				}
			}
			asked := slices.Contains(strings.Fields(rp.request(test.pairs...).Get("scope")), "profile")
			if told := s.claims["name"] != nil && s.claims["preferred_username"] != nil; told != asked {
				t.Errorf("the id_token tells the name: %t, and the scope profile was asked for: %t", told, asked)
			}
		})
	}
}

// A code challenge, the secret in the body and a request by POST do no harm.
func TestOpenIDSignInInAnotherWay(t *testing.T) {
	all := newRelyingParty(t)
	for name, signIn := range map[string]func(*relyingParty) identified{
		"with a code challenge": func(rp *relyingParty) identified {
			verifier := oauth2.GenerateVerifier()
			challenge := oauth2.S256ChallengeFromVerifier(verifier)
			answer, _ := rp.follow(rp.ask("code_challenge", challenge, "code_challenge_method", "S256"))
			return rp.redeem(answer, oauth2.VerifierOption(verifier))
		},
		"with the secret in the body": func(rp *relyingParty) identified {
			rp.config.Endpoint.AuthStyle = oauth2.AuthStyleInParams
			return rp.signIn()
		},
		"by a form of another site": func(rp *relyingParty) identified {
			form := apptest.NewBrowser(rp.t, rp.gateway) // browsers send no cookies with it
			form.Header.Set("Sec-Fetch-Site", "cross-site")
			answer, _ := rp.follow(form.Post("/oauth/authorize", rp.request()))
			return rp.redeem(answer)
		},
	} {
		t.Run(name, func(t *testing.T) {
			rp := all.anew(t)
			rp.wantUserInfo(signIn(rp))
		})
	}
}

// Somebody who signed in two minutes ago comes again.
func TestOpenIDSecondSignIn(t *testing.T) {
	tests := []struct {
		name    string
		pairs   []string
		hint    bool // with the first id_token
		signIns int
	}{
		{name: "asked to sign in again", pairs: []string{"prompt", "login"}, signIns: 1},
		{name: "without any page", pairs: []string{"prompt", "none"}},
		{name: "signed in a second ago at most", pairs: []string{"max_age", "1"}, signIns: 1},
		{name: "signed in 10,000 seconds ago at most", pairs: []string{"max_age", "10000"}},
		{name: "without any page, as the first id_token says", pairs: []string{"prompt", "none"}, hint: true},
	}
	all := newRelyingParty(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rp := all.anew(t)
			first := rp.signIn()
			rp.Pass(2 * time.Minute)
			if test.hint {
				test.pairs = append(test.pairs, "id_token_hint", first.raw)
			}
			answer, signIns := rp.follow(rp.ask(test.pairs...))
			second := rp.redeem(answer)
			if signIns != test.signIns || second.verified.Subject != first.verified.Subject {
				t.Errorf("%q signed in %d times, want %q %d times", second.verified.Subject, signIns, first.verified.Subject, test.signIns)
			}
			was, is := first.claims["auth_time"].(float64), second.claims["auth_time"].(float64)
			if want := was + 120*float64(test.signIns); is != want {
				t.Errorf("auth_time is %.0f after %.0f, want %.0f", is, was, want)
			}
		})
	}
}

// What goes back to the application as an error, with the state and without a code.
func TestOpenIDRequestRefused(t *testing.T) {
	const object = "eyJhbGciOiJub25lIn0.eyJzY29wZSI6Im9wZW5pZCJ9."
	rp := newRelyingParty(t)
	silent := rp.ask("prompt", "none").ToClient(openIDCallback)
	wantRefused(t, "a silent request while nobody is signed in", silent, "login_required")
	rp.signIn()
	for _, test := range []struct {
		name  string
		pairs []string
		want  string
	}{
		{"without a response_type", []string{"response_type", ""}, "invalid_request"},
		{"with an unsigned request object", []string{"request", object}, "request_not_supported"},
		{"with an unsigned request object elsewhere", []string{"request_uri", "https://app.example/request"}, "request_uri_not_supported"},
		{"with the scope address", []string{"scope", "openid address"}, "invalid_scope"},
		{"with the scope phone", []string{"scope", "openid phone"}, "invalid_scope"},
	} {
		wantRefused(t, "a request "+test.name, rp.ask(test.pairs...).ToClient(openIDCallback), test.want)
	}
}

func wantRefused(t *testing.T, name string, answer url.Values, want string) {
	t.Helper()
	allowed := []string{"error", "error_description", "iss", "state"}
	if got := slices.Sorted(maps.Keys(answer)); !slices.Equal(got, allowed) {
		t.Errorf("%s is answered by %v, want %v", name, got, allowed)
	}
	if answer.Get("error") != want || answer.Get("state") != openIDState || answer.Get("iss") != apptest.BaseURL {
		t.Errorf("%s is answered by %v, want %s", name, answer, want)
	}
	unprintable := func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }
	if text := answer.Get("error_description"); strings.ContainsFunc(text, unprintable) {
		t.Errorf("%s is described with characters that may not be there: %q", name, text)
	}
}

// An address that the application did not register gets nothing, not even with a request
// object that names the registered one.
func TestOpenIDSendsNobodyToAnUnregisteredAddress(t *testing.T) {
	const object = "eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL2FwcC5leGFtcGxlL2NhbGxiYWNrIn0."
	rp := newRelyingParty(t)
	rp.signIn()
	for _, request := range []string{"", object} {
		page := rp.ask("redirect_uri", openIDCallback+"/other", "request", request)
		page.Want(http.StatusBadRequest, "redirect_uri")
		if page.Location() != "" {
			t.Errorf("with the request object %q the browser is sent to %q", request, page.Location())
		}
	}
}

// The published keys have distinct names and no private half, and one of them signed.
func TestOpenIDSignature(t *testing.T) {
	rp := newRelyingParty(t)
	s := rp.signIn()
	signed, err := jose.ParseSignedCompact(s.raw, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	if keys := rp.keys().Key(signed.Signatures[0].Header.KeyID); len(keys) != 1 {
		t.Errorf("%d published keys have the kid of the id_token, want 1", len(keys))
	}
}

func (rp *relyingParty) keys() *jose.JSONWebKeySet {
	rp.t.Helper()
	keys := &jose.JSONWebKeySet{}
	if err := json.Unmarshal(rp.read("/oauth/discovery/keys"), keys); err != nil || len(keys.Keys) == 0 {
		rp.t.Fatalf("the published keys: %v, %v", keys, err)
	}
	return keys
}

// read reads a JSON document that everybody may read.
func (rp *relyingParty) read(path string) []byte {
	rp.t.Helper()
	page := apptest.NewBrowser(rp.t, rp.gateway).Get(path).Want(http.StatusOK)
	if got := page.Header().Get("Content-Type"); got != "application/json" {
		rp.t.Errorf("%s is of the type %q", path, got)
	}
	return page.Body.Bytes()
}

func TestOpenIDKeysArePublic(t *testing.T) {
	rp := newRelyingParty(t)
	names := map[string]bool{}
	for _, key := range rp.keys().Keys {
		public, ok := key.Key.(*rsa.PublicKey)
		if !ok || !key.Valid() || public.Size() < 256 || key.Use != "sig" || key.KeyID == "" || names[key.KeyID] {
			t.Errorf("the key %q is a %T for %q", key.KeyID, key.Key, key.Use)
		}
		names[key.KeyID] = true
	}
}

// A token may come in the header of either method, or in a form.
func TestOpenIDUserInfo(t *testing.T) {
	rp := newRelyingParty(t)
	s := rp.signIn()
	bearer := "Bearer " + s.token.AccessToken
	form := values("access_token", s.token.AccessToken).Encode()
	for _, test := range []struct{ name, method, authorization, form string }{
		{"read with the header", "GET", bearer, ""},
		{"posted with the header", "POST", bearer, ""},
		{"posted with a form", "POST", "", form},
	} {
		r, err := http.NewRequest(test.method, apptest.BaseURL+"/oauth/userinfo", strings.NewReader(test.form))
		if err != nil {
			t.Fatal(err)
		}
		if test.authorization != "" {
			r.Header.Set("Authorization", test.authorization)
		} else {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		answer, _ := rp.RoundTrip(r)
		var claims struct{ Sub, Name string }
		body, _ := io.ReadAll(answer.Body)
		if err := json.Unmarshal(body, &claims); err != nil || claims.Sub != s.verified.Subject || claims.Name == "" ||
			!strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") {
			t.Errorf("userinfo %s is %d %s of %q", test.name, answer.StatusCode, body, answer.Header.Get("Content-Type"))
		}
	}
}

// A code that comes again, at once or after half a minute, is refused, and what it gave the
// first time is good no longer.
func TestOpenIDCodeWorksOnce(t *testing.T) {
	rp := newRelyingParty(t)
	for _, wait := range []time.Duration{0, 30 * time.Second} {
		answer, _ := rp.follow(rp.ask())
		s := rp.redeem(answer)
		rp.wantUserInfo(s)
		rp.Pass(wait)
		_, err := rp.config.Exchange(rp.ctx, answer.Get("code"))
		wantTokenError(t, err, "invalid_grant")
		if claims, err := rp.userInfo(s); err == nil {
			t.Errorf("%s after the first time the access token still tells %v", wait, claims)
		}
	}
}

func wantTokenError(t *testing.T, err error, code string) {
	t.Helper()
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) || refused.ErrorCode != code || refused.Response.StatusCode != http.StatusBadRequest ||
		!strings.HasPrefix(refused.Response.Header.Get("Content-Type"), "application/json") {
		t.Errorf("the token endpoint answers %v, want 400 %s", err, code)
	}
}

// A refresh tells of the same sign-in anew, and works for the same application only.
func TestOpenIDRefresh(t *testing.T) {
	rp := newRelyingParty(t)
	first := rp.signIn()
	rp.Pass(time.Second)
	token, err := refreshBy(rp, rp.config, first.token)
	if err != nil {
		t.Fatal(err)
	}
	second := rp.verify(token)
	rp.wantUserInfo(second)
	if token.AccessToken == first.token.AccessToken || !second.verified.IssuedAt.After(first.verified.IssuedAt) {
		t.Error("a refresh gives the same tokens")
	}
	for _, name := range []string{"iss", "sub", "aud", "auth_time"} {
		if second.claims[name] != first.claims[name] {
			t.Errorf("after a refresh %s is %v, want %v", name, second.claims[name], first.claims[name])
		}
	}
	_, err = refreshBy(rp, rp.register(), token)
	wantTokenError(t, err, "invalid_grant")
	if token, err = refreshBy(rp, rp.config, token); err != nil || strings.ContainsFunc(token.RefreshToken, notVisible) {
		t.Errorf("after a stranger's try the application gets %v, %v", token, err)
	}
}

func notVisible(r rune) bool { return r < ' ' || r > '~' }

func refreshBy(rp *relyingParty, c oauth2.Config, t *oauth2.Token) (*oauth2.Token, error) {
	return c.TokenSource(rp.ctx, &oauth2.Token{RefreshToken: t.RefreshToken}).Token()
}

// What the metadata must say of a provider with fixed applications.
func TestOpenIDMetadata(t *testing.T) {
	rp := newRelyingParty(t)
	body := rp.read("/.well-known/openid-configuration")
	var all map[string]any
	var m struct {
		Issuer        string
		Scopes        []string `json:"scopes_supported"`
		ResponseTypes []string `json:"response_types_supported"`
		GrantTypes    []string `json:"grant_types_supported"`
		Subjects      []string `json:"subject_types_supported"`
		Algorithms    []string `json:"id_token_signing_alg_values_supported"`
		Claims        []string `json:"claims_supported"`
		Challenges    []string `json:"code_challenge_methods_supported"`
		Authenticates []string `json:"token_endpoint_auth_methods_supported"`
		RequestURI    *bool    `json:"request_uri_parameter_supported"`
	}
	if err := errors.Join(json.Unmarshal(body, &all), json.Unmarshal(body, &m)); err != nil {
		t.Fatal(err)
	}
	if m.Issuer != apptest.BaseURL || m.RequestURI == nil || *m.RequestURI {
		t.Errorf("the issuer is %q, and of request_uri the metadata say %v", m.Issuer, m.RequestURI)
	}
	for _, test := range []struct {
		name string
		got  []string
		want []string
	}{
		{"scopes", m.Scopes, []string{"openid", "profile", "email"}},
		{"response types", m.ResponseTypes, []string{"code"}},
		{"grant types", m.GrantTypes, []string{"authorization_code", "refresh_token"}},
		{"kinds of subjects", m.Subjects, []string{"public"}},
		{"algorithms", m.Algorithms, []string{"RS256"}},
		{"claims", m.Claims, []string{"sub", "name", "email"}},
		{"code challenges", m.Challenges, []string{"S256"}},
		{"ways to authenticate", m.Authenticates, []string{"client_secret_basic", "client_secret_post"}},
	} {
		for _, want := range test.want {
			if !slices.Contains(test.got, want) {
				t.Errorf("the %s are %v, without %s", test.name, test.got, want)
			}
		}
	}
	if slices.Contains(m.Algorithms, "none") || slices.ContainsFunc(m.Scopes, func(s string) bool { return strings.ContainsAny(s, "\"\\ ") }) {
		t.Errorf("the algorithms are %v, the scopes %q", m.Algorithms, m.Scopes)
	}
	wantHTTPS(t, all)
}

// wantHTTPS checks the addresses in the metadata.
func wantHTTPS(t *testing.T, metadata map[string]any) {
	t.Helper()
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"} {
		if metadata[name] == nil {
			t.Errorf("the metadata lack %s", name)
		}
	}
	for name, value := range metadata {
		text, _ := value.(string)
		u, err := url.Parse(text)
		address := strings.HasSuffix(name, "_endpoint") || strings.HasSuffix(name, "_uri") || name == "issuer"
		if address && (err != nil || u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "") {
			t.Errorf("%s is %v", name, value)
		}
	}
}
