package oauthapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/oauth/oauthapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"
)

const (
	redirectURI = "https://app.example/callback"
	formType    = "application/x-www-form-urlencoded"
)

// fixture is the group's handler with a user and a confidential client.
type fixture struct {
	*apptest.App
	handler      http.Handler
	user         user.User
	client       oauth.Client
	clientSecret string
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	return newFixtureOver(t, apptest.New(t))
}

func newFixtureOver(t testing.TB, a *apptest.App) *fixture {
	t.Helper()
	f := &fixture{App: a}
	f.handler = oauthapi.New(f.App.App)
	f.user = f.User("ada")
	client, text, err := f.OAuth.Register(t.Context(), audit.Setup, f.user.ID, oauth.Registration{
		Name: "App", RedirectURIs: redirectURI, Scopes: scope.Of(scope.API, scope.ReadUser), Confidential: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	f.client, f.clientSecret = client, text.Reveal()
	return f
}

// send sends a request whose headers come in pairs.
func (f *fixture) send(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", formType)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	return w
}

// exchange is the good form for a fresh code.
func (f *fixture) exchange(t *testing.T) url.Values {
	t.Helper()
	a, err := f.OAuth.Check(f.client, oauth.AuthorizeRequest{
		ClientID: f.client.ClientID, RedirectURI: redirectURI, ResponseType: "code", Scope: "api read_user",
	})
	if err != nil {
		t.Fatal(err)
	}
	redirect, err := f.OAuth.Approve(t.Context(), f.user, a)
	if err != nil {
		t.Fatal(err)
	}
	return url.Values{
		"grant_type": {"authorization_code"}, "code": {redirect.Params.Get("code")}, "redirect_uri": {redirectURI},
		"client_id": {f.client.ClientID}, "client_secret": {f.clientSecret},
	}
}

func decode(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatalf("status %d, body %q: %v", w.Code, w.Body, err)
	}
	return body
}

func (f *fixture) tokens(t *testing.T) map[string]any {
	t.Helper()
	w := f.send("POST", "/oauth/token", f.exchange(t).Encode())
	if w.Code != http.StatusOK {
		t.Fatalf("exchange: %d %s", w.Code, w.Body)
	}
	return decode(t, w)
}

func TestTokenResponse(t *testing.T) {
	f := newFixture(t)
	w := f.send("POST", "/oauth/token", f.exchange(t).Encode())
	body := decode(t, w)
	for _, name := range []string{"access_token", "refresh_token"} {
		if token, _ := body[name].(string); len(token) < 40 {
			t.Errorf("%s is %q", name, token)
		}
		delete(body, name)
	}
	want := map[string]any{
		"token_type": "bearer", "expires_in": 7200.0, "scope": "api read_user", "created_at": float64(f.Now().Unix()),
	}
	if diff := cmp.Diff(want, body); diff != "" || w.Code != http.StatusOK {
		t.Errorf("status %d, body (-want +got):\n%s", w.Code, diff)
	}
	wantHeaders(t, w, map[string]string{
		"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store", "Pragma": "no-cache", "WWW-Authenticate": "",
	})
}

func wantHeaders(t *testing.T, w *httptest.ResponseRecorder, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for name := range want {
		got[name] = w.Header().Get(name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestPasswordResponseHasNoRefreshToken(t *testing.T) {
	f := newFixture(t)
	w := f.send("POST", "/oauth/token", url.Values{"grant_type": {"password"}, "username": {"ada"}, "password": {apptest.Password}}.Encode())
	body := decode(t, w)
	delete(body, "access_token")
	want := map[string]any{"token_type": "bearer", "expires_in": 7200.0, "scope": "api", "created_at": float64(f.Now().Unix())}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// A page on another site that lets its visitors' browsers guess throttles itself
// and nobody else.
func TestGuessesFromOtherSitesThrottleNobodyHere(t *testing.T) {
	f := newFixture(t)
	grant := func(password string, headers ...string) int {
		form := url.Values{"grant_type": {"password"}, "username": {"ada"}, "password": {password}}
		return f.send("POST", "/oauth/token", form.Encode(), headers...).Code
	}
	for range 11 {
		grant("wrong", "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example")
	}
	if got := grant(apptest.Password, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"); got != http.StatusBadRequest {
		t.Errorf("the other site guesses on: %d, want 400", got)
	}
	if got := grant(apptest.Password); got != http.StatusOK {
		t.Errorf("the right password from here: %d, want 200", got)
	}
}

// How a client may say who it is, and what it may not do.
func TestClientAuthentication(t *testing.T) {
	f := newFixture(t)
	basic := func(id, password string) string {
		r := httptest.NewRequest("GET", "/", nil)
		r.SetBasicAuth(id, password)
		return r.Header.Get("Authorization")
	}
	good := basic(f.client.ClientID, f.clientSecret)
	tests := []struct {
		name          string
		drop          []string
		set           url.Values
		authorization string
		status        int
		code          string
	}{
		{name: "in the body", status: 200},
		{name: "Basic", drop: []string{"client_id", "client_secret"}, authorization: good, status: 200},
		{name: "Basic with the id in the body too", drop: []string{"client_secret"}, authorization: good, status: 200},
		{name: "encoded Basic", drop: []string{"client_id", "client_secret"}, authorization: basic(f.client.ClientID, strings.Replace(f.clientSecret, "-", "%2D", 1)), status: 200},
		{name: "empty Basic", authorization: "Basic Og==", status: 200},
		{name: "malformed Basic", authorization: "Basic %%%", status: 200},
		{name: "wrong Basic", drop: []string{"client_id", "client_secret"}, authorization: basic(f.client.ClientID, "x"), status: 401, code: "invalid_client"},
		{name: "no client", drop: []string{"client_id", "client_secret"}, status: 401, code: "invalid_client"},
		{name: "two ways", authorization: good, status: 400, code: "invalid_request"},
		{name: "two names", drop: []string{"client_secret"}, set: url.Values{"client_id": {"other"}}, authorization: good, status: 400, code: "invalid_request"},
		{name: "repeated", set: url.Values{"client_id": {f.client.ClientID, f.client.ClientID}}, status: 400, code: "invalid_request"},
		{name: "empty secret", set: url.Values{"client_secret": {""}}, status: 401, code: "invalid_client"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			form := f.exchange(t)
			for _, name := range test.drop {
				form.Del(name)
			}
			for name, values := range test.set {
				form[name] = values
			}
			w := f.send("POST", "/oauth/token", form.Encode(), "Authorization", test.authorization)
			if code, _ := decode(t, w)["error"].(string); w.Code != test.status || code != test.code {
				t.Errorf("status %d %q, want %d %q", w.Code, code, test.status, test.code)
			}
		})
	}
}

// The password grant takes requests without a client, but none with a client that cannot
// be told.
func TestPasswordGrantRefusesAForeignAuthorization(t *testing.T) {
	f := newFixture(t)
	client := url.Values{"client_id": {f.client.ClientID}, "client_secret": {f.clientSecret}}.Encode()
	tests := []struct {
		name, authorization, form string
		code                      any
	}{
		{"no header", "", "", nil},
		{"empty Basic", "Basic Og==", "", nil},
		{"no base64", "Basic !!!", "", "invalid_client"},
		{"no colon", "Basic YWRh", "", "invalid_client"},
		{"Basic alone", "Basic", "", "invalid_client"},
		{"Bearer", "Bearer x", "", "invalid_client"},
		{"Digest", `Digest username="ada"`, "", "invalid_client"},
		{"Bearer beside a client in the body", "Bearer x", "&" + client, "unauthorized_client"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			form := "grant_type=password&username=ada&password=" + url.QueryEscape(apptest.Password)
			w := f.send("POST", "/oauth/token", form+test.form, "Authorization", test.authorization)
			if code := decode(t, w)["error"]; code != test.code || (w.Code == 200) != (code == nil) {
				t.Errorf("status %d, error %v, want %v", w.Code, code, test.code)
			}
		})
	}
}

func TestTokenErrorResponse(t *testing.T) {
	f := newFixture(t)
	tests := []struct {
		name, body, contentType string
		status                  int
		code                    string
	}{
		{"nothing", "", formType, 400, "invalid_request"},
		{"malformed form", "grant_type=%zz", formType, 400, "invalid_request"},
		{"malformed JSON", `{"grant_type":`, "application/json", 400, "invalid_request"},
		{"a name twice", `{"grant_type":"password","username":"a","username":"b","password":"c"}`, "application/json", 400, "invalid_request"},
		{"a number for a text", `{"grant_type":1}`, "application/json", 400, "invalid_request"},
		{"too large", "grant_type=" + strings.Repeat("a", 1<<20), formType, 400, "invalid_request"},
		{"unknown grant", "grant_type=x", formType, 400, "unsupported_grant_type"},
		{"bad code", "grant_type=code&code=x", "text/plain", 400, "unsupported_grant_type"},
		{"unknown client", "grant_type=authorization_code&code=x&redirect_uri=y&client_id=z", formType, 401, "invalid_client"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := f.send("POST", "/oauth/token", test.body, "Content-Type", test.contentType)
			body := decode(t, w)
			if w.Code != test.status || body["error"] != test.code || body["error_description"] == "" || body["state"] != nil {
				t.Errorf("status %d, body %v, want %d %s", w.Code, body, test.status, test.code)
			}
			challenge := w.Header().Get("WWW-Authenticate")
			if !strings.HasPrefix(challenge, `Bearer realm="Gatehouse", error="`+test.code+`"`) {
				t.Errorf("WWW-Authenticate: %s", challenge)
			}
			wantHeaders(t, w, map[string]string{"Cache-Control": "no-store"})
		})
	}
}

func TestRejectedBasicIsChallengedWithBasic(t *testing.T) {
	f := newFixture(t)
	w := f.send("POST", "/oauth/token", "grant_type=password&username=ada&password=x", "Authorization", "Basic eDp5")
	if got := w.Header().Values("WWW-Authenticate"); w.Code != 401 || len(got) != 2 || got[1] != `Basic realm="Gatehouse"` {
		t.Errorf("status %d, WWW-Authenticate %q", w.Code, got)
	}
}

func TestParametersInTheQueryDoNotCount(t *testing.T) {
	f := newFixture(t)
	form := f.exchange(t)
	if w := f.send("POST", "/oauth/token?"+form.Encode(), ""); w.Code != http.StatusBadRequest {
		t.Errorf("parameters in the query: status %d, want 400", w.Code)
	}
	if w := f.send("POST", "/oauth/token", form.Encode()); w.Code != http.StatusOK {
		t.Errorf("the same in the body afterwards: status %d %s", w.Code, w.Body)
	}
}

func TestJSONBody(t *testing.T) {
	f := newFixture(t)
	flat := map[string]string{}
	for name, values := range f.exchange(t) {
		flat[name] = values[0]
	}
	body, err := json.Marshal(flat)
	if err != nil {
		t.Fatal(err)
	}
	if w := f.send("POST", "/oauth/token", string(body), "Content-Type", "application/json; charset=utf-8"); w.Code != http.StatusOK {
		t.Errorf("JSON body: %d %s", w.Code, w.Body)
	}
}

func TestTokenInfo(t *testing.T) {
	f := newFixture(t)
	access := f.tokens(t)["access_token"].(string)
	f.Pass(90 * time.Second)
	want := map[string]any{
		"resource_owner_id": float64(f.user.ID), "application": map[string]any{"uid": f.client.ClientID},
		"scope": []any{"api", "read_user"}, "scopes": []any{"api", "read_user"},
		"expires_in": 7110.0, "expires_in_seconds": 7110.0, "created_at": float64(f.Now().Add(-90 * time.Second).Unix()),
	}
	tests := map[string][]string{
		"/oauth/token/info":                                         {"Authorization", "Bearer " + access},
		"/oauth/token/info?":                                        {"Authorization", "bearer " + access},
		"/oauth/token/info?access_token=" + access:                  {"Authorization", "Bearer other"},
		"/oauth/token/info?bearer_token=" + access:                  nil,
		"/oauth/token/info?access_token=&bearer_token=x":            {"Authorization", "Bearer " + access},
		"/oauth/token/info?access_token=%20&bearer_token=" + access: nil,
	}
	for target, headers := range tests {
		w := f.send("GET", target, "", headers...)
		if diff := cmp.Diff(want, decode(t, w)); w.Code != http.StatusOK || diff != "" {
			t.Errorf("%s: status %d, body (-want +got):\n%s", target, w.Code, diff)
		}
	}
}

func TestTokenInfoOfAPersonalAccessToken(t *testing.T) {
	f := newFixture(t)
	text := secret.New("", 16)
	if _, err := f.Tokens.Adopt(t.Context(), f.user.ID, "script", scope.Of(scope.API), text); err != nil {
		t.Fatal(err)
	}
	w := f.send("GET", "/oauth/token/info", "", "Authorization", "Bearer "+text.Reveal())
	want := map[string]any{
		"resource_owner_id": float64(f.user.ID), "application": map[string]any{"uid": nil}, "scope": []any{"api"}, "scopes": []any{"api"},
		"expires_in": nil, "expires_in_seconds": nil, "created_at": float64(f.Now().Unix()),
	}
	if diff := cmp.Diff(want, decode(t, w)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// Whatever is wrong with a token, the answer is the same.
func TestTokenInfoOfNoGoodToken(t *testing.T) {
	tests := map[string]func(*fixture, string) string{
		"none":      func(*fixture, string) string { return "" },
		"made up":   func(*fixture, string) string { return "x" },
		"expired":   func(f *fixture, token string) string { f.Pass(7200 * time.Second); return token },
		"revoked":   func(f *fixture, token string) string { f.revoke(token); return token },
		"blocked":   func(f *fixture, token string) string { f.Block(f.user); return token },
		"no client": func(f *fixture, token string) string { f.deleteClient(); return token },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			token := spoil(f, f.tokens(t)["access_token"].(string))
			w := f.send("GET", "/oauth/token/info", "", "Authorization", "Bearer "+token)
			body := decode(t, w)
			if w.Code != 401 || body["error"] != "invalid_token" || body["state"] != "unauthorized" {
				t.Errorf("status %d, body %v", w.Code, body)
			}
			if !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), `Bearer realm="Gatehouse", error="invalid_token"`) {
				t.Errorf("WWW-Authenticate: %s", w.Header().Get("WWW-Authenticate"))
			}
		})
	}
}

func (f *fixture) revoke(token string) *httptest.ResponseRecorder {
	return f.send("POST", "/oauth/revoke", url.Values{
		"token": {token}, "client_id": {f.client.ClientID}, "client_secret": {f.clientSecret},
	}.Encode())
}

func (f *fixture) deleteClient() {
	if err := f.Store.DeleteClient(httptest.NewRequest("GET", "/", nil).Context(), f.client); err != nil {
		panic(err)
	}
}

func TestRevoke(t *testing.T) {
	f := newFixture(t)
	for _, token := range []string{f.tokens(t)["access_token"].(string), "unknown", ""} {
		if w := f.revoke(token); w.Code != http.StatusOK || w.Body.String() != "{}" {
			t.Errorf("revoke: %d %s, want 200 {}", w.Code, w.Body)
		}
	}
	f.clientSecret = "wrong"
	w := f.revoke("unknown")
	if body := decode(t, w); w.Code != http.StatusForbidden || body["error"] != "unauthorized_client" {
		t.Errorf("revoke by a wrong client: %d %v, want 403 unauthorized_client", w.Code, body)
	}
}

// pinged is a store that answers as it is told, and tells for how long it may be silent.
type pinged struct {
	storage.Store
	err     error
	patient time.Duration
}

func (p *pinged) Ping(ctx context.Context) error {
	end, _ := ctx.Deadline()
	p.patient = time.Until(end)
	return p.err
}

func TestHealthAndReadiness(t *testing.T) {
	store := &pinged{Store: sqlitetest.Open(t)}
	f := newFixtureOver(t, apptest.Over(t, store))
	gone := errors.New("the store is down")
	tests := []struct {
		path   string
		err    error
		status int
		body   string
		retry  string
	}{
		{"/-/health", nil, 200, `{"status":"ok"}`, ""},
		{"/-/health", gone, 200, `{"status":"ok"}`, ""},
		{"/-/ready", nil, 200, `{"status":"ok","store":"ok"}`, ""},
		{"/-/ready", gone, 503, `{"status":"unavailable","store":"unavailable"}`, "5"},
	}
	for _, test := range tests {
		store.err, store.patient = test.err, 0
		w := f.send("GET", test.path, "")
		if w.Code != test.status || w.Body.String() != test.body || w.Header().Get("Retry-After") != test.retry {
			t.Errorf("%s with %v: %d %s %v, want %d %s", test.path, test.err, w.Code, w.Body, w.Header(), test.status, test.body)
		}
		if asked, want := store.patient != 0, test.path == "/-/ready"; asked != want || store.patient > time.Second {
			t.Errorf("%s asked the store: %t, and would wait %s", test.path, asked, store.patient)
		}
	}
}

func TestClientsAreToldToComeBackWhenTimeIsUp(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	r, w := httptest.NewRequestWithContext(ctx, "GET", "/oauth/token/info", nil), httptest.NewRecorder()
	r.Header.Set("Authorization", "Bearer 0123")
	f.handler.ServeHTTP(w, r)
	if body := decode(t, w); w.Code != http.StatusServiceUnavailable || body["error"] != "temporarily_unavailable" || w.Header().Get("Retry-After") == "" {
		t.Errorf("token info in no time: %d %v %v, want 503 temporarily_unavailable with Retry-After", w.Code, body, w.Header())
	}
}

func TestWhatIsNotThere(t *testing.T) {
	f := newFixture(t)
	tests := map[string]int{
		"GET /oauth/token":       http.StatusMethodNotAllowed,
		"POST /oauth/token/info": http.StatusMethodNotAllowed,
		"GET /oauth/nothing":     http.StatusNotFound,
		"POST /oauth/device":     http.StatusNotFound,
	}
	for request, want := range tests {
		method, target, _ := strings.Cut(request, " ")
		if w := f.send(method, target, ""); w.Code != want {
			t.Errorf("%s: %d, want %d", request, w.Code, want)
		}
	}
}

func FuzzForm(f *testing.F) {
	f.Add("grant_type=refresh_token&refresh_token=x&client_id=y", formType, "Basic eDp5")
	f.Add(`{"grant_type":"password"}`, "application/json", "")
	fx := newFixture(f)
	f.Fuzz(func(t *testing.T, body, contentType, authorization string) {
		w := fx.send("POST", "/oauth/token", body, "Content-Type", contentType, "Authorization", authorization)
		if w.Code != 400 && w.Code != 401 {
			t.Errorf("status %d for %q as %q by %q", w.Code, body, contentType, authorization)
		}
	})
}
