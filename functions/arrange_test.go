package functions_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/functions"
	"gatehouse/shared/app"
	"gatehouse/shared/boot"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/throttle"
)

const callback = "http://127.0.0.1:9/callback"

// server is the whole of Gatehouse behind its local gateway on loopback, with
// the first administrator, and a trusted application that asks for no consent.
type server struct {
	*httptest.Server
	app          *app.App
	keys         secret.Keys
	root         boot.Root
	client       oauth.Client
	clientSecret secret.Text
	ahead        atomic.Int64 // how far its clock is ahead of the real one
}

func (s *server) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

// pass lets time go by.
func (s *server) pass(d time.Duration) { s.ahead.Add(int64(d)) }

func startServer(t testing.TB) *server {
	t.Helper()
	return serverOver(t, sqlitetest.Open(t))
}

func serverOver(t testing.TB, store storage.Store) *server {
	t.Helper()
	s := &server{}
	var err error
	if s.keys, err = boot.KeyFile(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	s.app = s.newApp(store)
	if s.root, _, err = boot.FirstStart(t.Context(), s.app, boot.Env{}); err != nil {
		t.Fatal(err)
	}
	s.client, s.clientSecret, err = s.app.OAuth.Register(t.Context(), 0, oauth.Registration{
		Name: "App", RedirectURIs: callback, Scopes: scope.Of(scope.API, scope.OpenID), Confidential: true, Trusted: true, PasswordGrant: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Server = httptest.NewServer(described(t, functions.Gateway(s.app)))
	t.Cleanup(s.Server.Close)
	return s
}

func (s *server) newApp(store storage.Store) *app.App {
	return app.New(store, app.Config{
		BaseURL: "http://127.0.0.1:3000", Keys: s.keys, Passwords: secret.Passwords{Time: 1, Memory: 64}, Attempts: throttle.DefaultLimit,
		OAuth: oauth.Settings{PasswordGrant: true}, Features: integration.AllFeatures, Now: s.now,
	})
}

// signIn returns a browser in which the administrator is signed in.
func (s *server) signIn(t testing.TB) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	s.form(t, browser, "/users/sign_in", url.Values{"login": {boot.RootName}, "password": {s.root.Password.Reveal()}}, http.StatusSeeOther)
	return browser
}

// code has the browser authorize the application, for the scopes if there are
// any.
func (s *server) code(t testing.TB, browser *http.Client, scopes ...string) string {
	t.Helper()
	query := url.Values{
		"client_id": {s.client.ClientID}, "redirect_uri": {callback}, "response_type": {"code"}, "scope": {strings.Join(scopes, " ")},
	}
	resp, err := browser.Get(s.URL + "/oauth/authorize?" + query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	location, err := resp.Location()
	if err != nil || location.Query().Get("code") == "" {
		t.Fatalf("authorize: status %d, sent to %v", resp.StatusCode, location)
	}
	return location.Query().Get("code")
}

type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// token sends the application's token request.
func (s *server) token(t testing.TB, form url.Values) tokens {
	var got tokens
	body := s.post(t, "/oauth/token", form)
	if err := json.Unmarshal(body, &got); err != nil || got.Access == "" {
		t.Errorf("token request: %s, %v", body, err)
	}
	return got
}

func (s *server) exchange(t testing.TB, code string) tokens {
	return s.token(t, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}})
}

func (s *server) refresh(t testing.TB, token string) tokens {
	return s.token(t, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}})
}

func (s *server) revoke(t testing.TB, token string) {
	s.post(t, "/oauth/revoke", url.Values{"token": {token}})
}

// post sends a form with the application's credentials and expects 200.
func (s *server) post(t testing.TB, path string, form url.Values) []byte {
	form.Set("client_id", s.client.ClientID)
	form.Set("client_secret", s.clientSecret.Reveal())
	req, err := http.NewRequest(http.MethodPost, s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Error(err)
		return nil
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.do(t, req)
}

// info asks what a token is good for and expects 200.
func (s *server) info(t testing.TB, token string) { s.get(t, "/oauth/token/info", token) }

// get reads an address with a token and expects 200.
func (s *server) get(t testing.TB, path, token string) {
	req, err := http.NewRequest(http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+token)
	s.do(t, req)
}

// form has the browser send a form and expects the status.
func (s *server) form(t testing.TB, browser *http.Client, path string, form url.Values, want int) (page string) {
	t.Helper()
	resp, err := browser.PostForm(s.URL+path, form)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		t.Fatalf("POST %s: status %d, %v, want %d", path, resp.StatusCode, err, want)
	}
	return string(body)
}

func (s *server) do(t testing.TB, req *http.Request) []byte {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%s %s: status %d %s, %v", req.Method, req.URL.Path, resp.StatusCode, body, err)
	}
	return body
}
