package oauthapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// introspect sends the form of a request with the client's credentials.
func (f *fixture) introspect(token string) *httptest.ResponseRecorder {
	return f.send("POST", "/oauth/introspect", url.Values{
		"token": {token}, "client_id": {f.client.ClientID}, "client_secret": {f.clientSecret},
	}.Encode())
}

func TestIntrospectionResponse(t *testing.T) {
	f := newFixture(t)
	pair := f.tokens(t)
	issued := float64(f.Now().Unix())
	active := func(lifetime float64) map[string]any {
		return map[string]any{
			"active": true, "scope": "api read_user", "client_id": f.client.ClientID, "token_type": "bearer",
			"exp": issued + lifetime, "iat": issued,
			"sub": strconv.FormatInt(f.user.ID, 10), "username": f.user.Username,
		}
	}
	tests := []struct {
		name, token string
		want        map[string]any
	}{
		{"access token", pair["access_token"].(string), active(7200)},
		{"refresh token", pair["refresh_token"].(string), active(180 * 24 * 3600)},
		{"unknown token", "x", map[string]any{"active": false}},
		{"no token", "", map[string]any{"active": false}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := f.introspect(test.token)
			if diff := cmp.Diff(test.want, decode(t, w)); w.Code != http.StatusOK || diff != "" {
				t.Errorf("status %d, body (-want +got):\n%s", w.Code, diff)
			}
			wantHeaders(t, w, map[string]string{
				"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store", "WWW-Authenticate": "",
			})
		})
	}
}

// A token that token information refuses is inactive.
func TestIntrospectionOfNoGoodToken(t *testing.T) {
	tests := map[string]func(*fixture, string){
		"expired": func(f *fixture, _ string) { f.Pass(2 * time.Hour) },
		"revoked": func(f *fixture, token string) { f.revoke(token) },
		"blocked": func(f *fixture, _ string) { f.Block(f.user) },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			token := f.tokens(t)["access_token"].(string)
			spoil(f, token)
			if w := f.introspect(token); w.Code != http.StatusOK || w.Body.String() != `{"active":false}` {
				t.Errorf("introspect: %d %s, want 200 and inactive alone", w.Code, w.Body)
			}
		})
	}
}

func TestIntrospectionErrors(t *testing.T) {
	f := newFixture(t)
	first, second := f.tokens(t)["access_token"].(string), f.tokens(t)["access_token"].(string)
	client := url.Values{"client_id": {f.client.ClientID}, "client_secret": {f.clientSecret}}.Encode()
	tests := []struct {
		name, form, authorization string
		status                    int
		code                      string
	}{
		{"another bearer", "", "Bearer " + second, 200, ""},
		{"client in the body", "&" + client, "", 200, ""},
		{"empty Basic and client in the body", "&" + client, "Basic Og==", 200, ""},
		{"no credentials", "", "", 400, "invalid_request"},
		{"empty bearer", "", "Bearer ", 400, "invalid_request"},
		{"client and bearer", "&" + client, "Bearer " + second, 400, "invalid_request"},
		{"two tokens", "&token=x&" + client, "", 400, "invalid_request"},
		{"wrong client", "&client_id=x&client_secret=y", "", 401, "invalid_client"},
		{"wrong Basic", "", "Basic eDp5", 401, "invalid_client"},
		{"its own bearer", "", "Bearer " + first, 401, "invalid_token"},
		{"unknown bearer", "", "Bearer x", 401, "invalid_token"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := f.send("POST", "/oauth/introspect", "token="+first+test.form, "Authorization", test.authorization)
			body := decode(t, w)
			if code, _ := body["error"].(string); w.Code != test.status || code != test.code {
				t.Errorf("status %d, body %v, want %d %q", w.Code, body, test.status, test.code)
			}
			if challenged := strings.Contains(w.Header().Get("WWW-Authenticate"), `error="`+test.code+`"`); challenged != (test.code != "") {
				t.Errorf("WWW-Authenticate: %s", w.Header().Get("WWW-Authenticate"))
			}
		})
	}
}

// Neither the device grant (RFC 8628) has its endpoints, nor the token endpoint
// these grants.
func TestDeviceAndClientCredentialsGrantsAreUnsupported(t *testing.T) {
	f := newFixture(t)
	client := url.Values{"client_id": {f.client.ClientID}, "client_secret": {f.clientSecret}}.Encode()
	for _, grantType := range []string{"urn:ietf:params:oauth:grant-type:device_code", "client_credentials"} {
		w := f.send("POST", "/oauth/token", "device_code=x&scope=api&grant_type="+grantType+"&"+client)
		if body := decode(t, w); w.Code != http.StatusBadRequest || body["error"] != "unsupported_grant_type" {
			t.Errorf("%s: %d %v, want 400 unsupported_grant_type", grantType, w.Code, body)
		}
	}
	for _, target := range []string{"/oauth/authorize_device", "/oauth/device", "/oauth/device_authorization"} {
		if w := f.send("POST", target, "scope=api&"+client); w.Code != http.StatusNotFound {
			t.Errorf("POST %s: %d, want 404", target, w.Code)
		}
	}
}
