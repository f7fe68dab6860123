package oauth_test

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
)

// openIDRequest is a good request with the scope openid.
func (f *fixture) openIDRequest() oauth.AuthorizeRequest {
	req := f.authorizeRequest()
	req.Scope, req.Nonce = "openid", "a nonce"
	return req
}

func TestOpenIDParameters(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	tests := []struct {
		name   string
		change func(*oauth.AuthorizeRequest)
		want   oauth.Code
	}{
		{"prompt login and consent", func(r *oauth.AuthorizeRequest) { r.Prompt = "login consent" }, ""},
		{"prompt select_account", func(r *oauth.AuthorizeRequest) { r.Prompt = "select_account" }, ""},
		{"prompt unknown", func(r *oauth.AuthorizeRequest) { r.Prompt = "create" }, oauth.InvalidRequest},
		{"prompt none and login", func(r *oauth.AuthorizeRequest) { r.Prompt = "none login" }, oauth.InvalidRequest},
		{"max_age zero", func(r *oauth.AuthorizeRequest) { r.MaxAge = "0" }, ""},
		{"max_age negative", func(r *oauth.AuthorizeRequest) { r.MaxAge = "-1" }, oauth.InvalidRequest},
		{"max_age no number", func(r *oauth.AuthorizeRequest) { r.MaxAge = "an hour" }, oauth.InvalidRequest},
		{"nonce of 1024 bytes", func(r *oauth.AuthorizeRequest) { r.Nonce = strings.Repeat("x", 1024) }, ""},
		{"nonce of 1025 bytes", func(r *oauth.AuthorizeRequest) { r.Nonce = strings.Repeat("x", 1025) }, oauth.InvalidRequest},
		{"id_token_hint", func(r *oauth.AuthorizeRequest) { r.IDTokenHint = idToken(issuer, `"1"`) }, ""},
		{"id_token_hint of another issuer", func(r *oauth.AuthorizeRequest) { r.IDTokenHint = idToken("https://other.example", `"1"`) }, oauth.InvalidRequest},
		{"id_token_hint without a user", func(r *oauth.AuthorizeRequest) { r.IDTokenHint = idToken(issuer, `""`) }, oauth.InvalidRequest},
		{"id_token_hint with a number", func(r *oauth.AuthorizeRequest) { r.IDTokenHint = idToken(issuer, `1`) }, oauth.InvalidRequest},
		{"id_token_hint of two parts", func(r *oauth.AuthorizeRequest) { r.IDTokenHint = "e30.e30" }, oauth.InvalidRequest},
		{"id_token_hint that is no base64", func(r *oauth.AuthorizeRequest) { r.IDTokenHint = "e30.%%%.x" }, oauth.InvalidRequest},
		{"id_token_hint with a broken header", func(r *oauth.AuthorizeRequest) { r.IDTokenHint = "x" + idToken(issuer, `"1"`) }, oauth.InvalidRequest},
		{"request object", func(r *oauth.AuthorizeRequest) { r.Request = "e30." }, oauth.RequestNotSupported},
		{"request_uri", func(r *oauth.AuthorizeRequest) { r.RequestURI = "urn:x" }, oauth.RequestURINotSupported},
	}
	for _, test := range tests {
		req := f.openIDRequest()
		test.change(&req)
		_, err := f.Check(f.client, req)
		if got := codeOf(err); got != test.want || (err == nil) != (test.want == "") {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		req.Scope = "api"
		if _, err := f.Check(f.client, req); err != nil {
			t.Errorf("%s without the scope openid: %v, want it ignored", test.name, err)
		}
	}
}

// RFC 9207: applications that do not ask for openid may refuse the parameter iss.
func TestResponsesToOpenIDRequestsNameTheIssuer(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	for scopes, want := range map[string]string{"openid": issuer, "api": ""} {
		good := f.authorizeRequest()
		good.Scope = scopes
		a, err := f.Check(f.client, good)
		if err != nil {
			t.Fatal(err)
		}
		granted, err := f.Approve(t.Context(), f.user, a)
		if err != nil {
			t.Fatal(err)
		}
		bad := good
		bad.ResponseType = "token"
		_, refused := f.Check(f.client, bad)
		for name, got := range map[string]string{
			"the code": granted.Params.Get("iss"), "the denial": a.Deny().Params.Get("iss"), "an error": paramsOf(t, refused).Get("iss"),
		} {
			if got != want {
				t.Errorf("scope %s: beside %s iss is %q, want %q", scopes, name, got, want)
			}
		}
	}
}

// What a request wants of the sign-in, and how long ago that was.
func TestSignedIn(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	const good, again, told = "good", "again", "told"
	tests := []struct {
		name           string
		prompt, maxAge string
		sent           time.Duration // since the request was sent to sign in; zero: it was not
		ago            time.Duration
		want           string
	}{
		{"any sign-in", "", "", 0, 30 * 24 * time.Hour, good},
		{"login", "login", "", 0, time.Second, again},
		{"an account to be selected", "select_account", "", 0, time.Second, again},
		{"consent", "consent", "", 0, time.Hour, good},
		{"young enough", "", "3600", 0, time.Hour, good},
		{"too old", "", "3600", 0, time.Hour + time.Microsecond, again},
		{"max_age zero", "", "0", 0, time.Microsecond, again},
		{"silently young enough", "none", "60", 0, time.Minute, good},
		{"silently too old", "none", "60", 0, 2 * time.Minute, told},
		{"fresh", "login", "", time.Minute, 30 * time.Second, good},
		{"fresh, at the very instant", "", "0", time.Minute, time.Minute, good},
		{"fresh for a client that wants it fresher than the way back takes", "", "1", time.Minute, 30 * time.Second, good},
		{"from before", "login", "", time.Minute, time.Minute + time.Microsecond, again},
		{"fresh, but long ago", "login", "", time.Hour, 10 * time.Minute, again},
		{"from before, but young enough", "", "3600", time.Minute, 2 * time.Minute, good},
	}
	for _, test := range tests {
		req := f.openIDRequest()
		req.Prompt, req.MaxAge = test.prompt, test.maxAge
		if test.sent > 0 {
			f.advance(-test.sent)
			req, _ = f.RequireFreshSignIn(req)
			f.advance(test.sent)
		}
		a, err := f.Check(f.client, req)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.SignedIn(a, f.user.ID, f.now().Add(-test.ago))
		got := map[bool]string{true: good, false: told}[err == nil]
		if errors.Is(err, oauth.ErrSignInAgain) {
			got = again
		}
		if got != test.want || got == told && codeOf(err) != oauth.LoginRequired {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// idToken returns an id_token with these claims, of which sub is JSON.
func idToken(iss, sub string) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"RS256"}`)) + "." + part([]byte(`{"iss":"`+iss+`","sub":`+sub+`}`)) + ".c2lnbmF0dXJl"
}

// OpenID Connect Core section 3.1.2.2: a hint that names another user refuses the request,
// whether pages may be shown or not.
func TestHintNamesTheUserWhoIsExpected(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	own := strconv.Quote(strconv.FormatInt(f.user.ID, 10))
	for _, prompt := range []string{"", "none"} {
		for sub, want := range map[string]oauth.Code{own: "", `"4711"`: oauth.LoginRequired, `"ada"`: oauth.LoginRequired} {
			req := f.openIDRequest()
			req.Prompt, req.IDTokenHint = prompt, idToken(issuer, sub)
			a, err := f.Check(f.client, req)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = f.SignedIn(a, f.user.ID, f.now()); codeOf(err) != want || (err == nil) != (want == "") {
				t.Errorf("prompt %q, a hint at %s: %v, want %q", prompt, sub, err, want)
			}
		}
	}
}

func TestAnySignInServesARequestWithoutOpenID(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	a, err := f.Check(f.client, f.authorizeRequest())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.SignedIn(a, f.user.ID, f.now().Add(-30*24*time.Hour)); err != nil {
		t.Errorf("a sign-in a month ago: %v, want no error", err)
	}
}

func TestAgainAsksForAFreshSignInOnce(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	tests := []struct {
		scope, prompt, maxAge string
		changed               bool
	}{
		{"openid", "login", "", true},
		{"openid", "consent login", "", true},
		{"openid", "select_account", "", true},
		{"openid", "", "60", true},
		{"openid", "consent", "", false},
		{"openid", "", "", false},
		{"api", "login", "60", false},
	}
	for _, test := range tests {
		req := f.openIDRequest()
		req.Scope, req.Prompt, req.MaxAge = test.scope, test.prompt, test.maxAge
		later, changed := f.RequireFreshSignIn(req)
		if changed != test.changed || later.Prompt != test.prompt || (later.SignedInSince != "") != test.changed {
			t.Errorf("%+v: prompt %q since %q, changed %t", test, later.Prompt, later.SignedInSince, changed)
			continue
		}
		a, err := f.Check(f.client, later)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.SignedIn(a, f.user.ID, f.now()); err != nil {
			t.Errorf("%+v: after the sign-in %v, want it to suffice", test, err)
		}
	}
}

func TestConsentIsAskedForWhenTheRequestWantsThat(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	trusted := f.client
	trusted.Trusted = true
	req := f.openIDRequest()
	for prompt, want := range map[string]bool{"": true, "none": true, "consent": false} {
		req.Prompt = prompt
		a, err := f.Check(trusted, req)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.Consented(t.Context(), f.user.ID, a); got != want || err != nil {
			t.Errorf("prompt %q: consented %t, %v, want %t", prompt, got, err, want)
		}
	}
}

func TestIDTokenComesWithTheScope(t *testing.T) {
	f := newFixture(t, oauth.Settings{RefreshRetry: 10 * time.Second, PasswordGrant: true})
	client, secretText := f.register(t, oauth.Registration{Confidential: true, Scopes: scope.Of(scope.OpenID, scope.API), PasswordGrant: true})
	credentials := oauth.Credentials{ClientID: client.ClientID, Secret: secretText}
	exchange := func(scopes string) oauth.Tokens {
		req := f.authorizeRequest()
		req.ClientID, req.Scope = client.ClientID, scopes
		return f.mustToken(t, oauth.TokenRequest{
			GrantType: "authorization_code", Client: credentials, RedirectURI: redirectURI, CodeVerifier: verifier,
			Code: f.approve(t, client, req),
		})
	}
	refresh := func(tokens oauth.Tokens, scopes string) oauth.Tokens {
		return f.mustToken(t, oauth.TokenRequest{
			GrantType: "refresh_token", Client: credentials, RefreshToken: tokens.Refresh, Scope: scopes,
		})
	}
	first := exchange("openid api")
	second := refresh(first, "")
	retried := refresh(first, "")
	narrowed := refresh(second, "api")
	byPassword := f.mustToken(t, oauth.TokenRequest{
		GrantType: "password", Client: credentials, Username: f.user.Username, Password: secret.NewText(password), Scope: "openid",
	})
	for _, test := range []struct {
		name   string
		tokens oauth.Tokens
		want   bool
	}{
		{"code", first, true}, {"refresh", second, true}, {"refresh again", retried, true},
		{"refresh without openid", narrowed, false}, {"code without openid", exchange("api"), false},
		{"password grant", byPassword, false},
	} {
		if got := !test.tokens.ID.Empty(); got != test.want {
			t.Errorf("%s: an id_token came: %t, want %t", test.name, got, test.want)
		}
	}
	if retried.Access != second.Access {
		t.Error("the retry gave another pair")
	}
}
