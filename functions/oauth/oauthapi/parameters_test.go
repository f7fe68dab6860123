package oauthapi_test

import (
	"maps"
	"net/http/httptest"
	"net/url"
	"regexp"
	"testing"
)

// endpoint is one that takes parameters in a form, with a good form for it.
type endpoint struct {
	target string
	form   func(t *testing.T, f *fixture) url.Values
}

var endpoints = map[string]endpoint{
	"code exchange": {"/oauth/token", func(t *testing.T, f *fixture) url.Values { return f.exchange(t) }},
	"refresh": {"/oauth/token", func(t *testing.T, f *fixture) url.Values {
		return f.about("refresh_token", f.tokens(t)["refresh_token"], "grant_type", "refresh_token")
	}},
	"revocation": {"/oauth/revoke", func(t *testing.T, f *fixture) url.Values {
		return f.about("token", f.tokens(t)["access_token"])
	}},
	"introspection": {"/oauth/introspect", func(t *testing.T, f *fixture) url.Values {
		return f.about("token", f.tokens(t)["access_token"])
	}},
}

// about is the form of the client about a token.
func (f *fixture) about(name string, token any, pairs ...string) url.Values {
	form := url.Values{"client_id": {f.client.ClientID}, "client_secret": {f.clientSecret}, name: {token.(string)}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

// sendChanged sends every endpoint its good form with the changes.
func sendChanged(t *testing.T, changes url.Values, check func(t *testing.T, w *httptest.ResponseRecorder)) {
	t.Helper()
	for name, endpoint := range endpoints {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			form := endpoint.form(t, f)
			maps.Copy(form, changes)
			check(t, f.send("POST", endpoint.target, form.Encode()))
		})
	}
}

func wantStatus(status int) func(*testing.T, *httptest.ResponseRecorder) {
	return func(t *testing.T, w *httptest.ResponseRecorder) {
		t.Helper()
		if w.Code != status {
			t.Errorf("status %d %s, want %d", w.Code, w.Body, status)
		}
	}
}

// RFC 6749 section 3.2, RFC 7009 section 2.1, RFC 7662 section 2.1.
func TestUnknownParametersAreIgnored(t *testing.T) {
	sendChanged(t, url.Values{"resource": {"a"}, "audience": {"b", "c"}}, wantStatus(200))
}

// RFC 6749 section 3.2.
func TestParametersWithoutAValueCountAsOmitted(t *testing.T) {
	sendChanged(t, url.Values{"scope": {""}, "code_verifier": {""}, "username": {""}, "token_type_hint": {""}}, wantStatus(200))
}

// RFC 6749 section 3.2.
func TestParametersComeOnce(t *testing.T) {
	for _, name := range []string{"client_id", "scope", "code_verifier", "token_type_hint"} {
		t.Run(name, func(t *testing.T) {
			sendChanged(t, url.Values{name: {"x", "x"}}, func(t *testing.T, w *httptest.ResponseRecorder) {
				if body := decode(t, w); w.Code != 400 || body["error"] != "invalid_request" {
					t.Errorf("status %d %v, want 400 invalid_request", w.Code, body)
				}
			})
		})
	}
}

// RFC 7009 section 2.1 and RFC 7662 section 2.1: a hint only says where to
// look first.
func TestTokenTypeHintChangesNothing(t *testing.T) {
	for _, kind := range []string{"access_token", "refresh_token"} {
		for _, hint := range []string{"access_token", "refresh_token", "saml2"} {
			t.Run(kind+" as "+hint, func(t *testing.T) {
				f := newFixture(t)
				form := f.about("token", f.tokens(t)[kind], "token_type_hint", hint).Encode()
				active := func() any { return decode(t, f.send("POST", "/oauth/introspect", form))["active"] }
				if got := active(); got != true {
					t.Errorf("before the revocation active is %v, want true", got)
				}
				wantStatus(200)(t, f.send("POST", "/oauth/revoke", form))
				if got := active(); got != false {
					t.Errorf("after the revocation active is %v, want false", got)
				}
			})
		}
	}
}

// RFC 7009 section 2 and RFC 7662 section 2.1.
func TestTokensAreRevokedAndIntrospectedByPOSTAlone(t *testing.T) {
	f := newFixture(t)
	query := f.about("token", f.tokens(t)["access_token"]).Encode()
	for _, path := range []string{"/oauth/revoke", "/oauth/introspect", "/oauth/token"} {
		wantStatus(405)(t, f.send("GET", path+"?"+query, ""))
	}
}

// RFC 7009 section 2.2: revoking twice is no error.
func TestRevokedTokenIsRevokedAgain(t *testing.T) {
	f := newFixture(t)
	token := f.tokens(t)["access_token"].(string)
	for range 2 {
		wantStatus(200)(t, f.revoke(token))
	}
}

// descriptionForm are the characters of RFC 6749 section 5.2 and RFC 6750
// section 3, whatever a request holds.
var descriptionForm = regexp.MustCompile(`^[\x20-\x21\x23-\x5B\x5D-\x7E]+$`)

func TestErrorDescriptionsHaveTheCharactersOfTheRFC(t *testing.T) {
	f := newFixture(t)
	const hostile = "\"\\\r\nX: ü\x7f"
	for _, name := range []string{
		"grant_type", "client_id", "client_secret", "code", "redirect_uri", "code_verifier", "scope", "refresh_token", "token",
	} {
		for _, target := range []string{"/oauth/token", "/oauth/revoke", "/oauth/introspect"} {
			for _, values := range [][]string{{hostile}, {"x", hostile}} {
				form := f.exchange(t)
				form[name] = values
				w := f.send("POST", target, form.Encode())
				if w.Code == 200 {
					continue // an unknown token is no error
				}
				if text, _ := decode(t, w)["error_description"].(string); !descriptionForm.MatchString(text) {
					t.Errorf("%s with a hostile %s: error_description %q", target, name, text)
				}
				if challenge := w.Header().Get("WWW-Authenticate"); !regexp.MustCompile(`^[\x20-\x7E]+$`).MatchString(challenge) {
					t.Errorf("%s with a hostile %s: WWW-Authenticate %q", target, name, challenge)
				}
			}
		}
	}
}
