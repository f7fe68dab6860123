package functions_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/functions"
	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/boot"
	"gatehouse/shared/integration"
	"gatehouse/shared/mail"
	"gatehouse/shared/oauth"
	"gatehouse/shared/outbox"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

const callback = "http://127.0.0.1:9/callback"

// server is the whole of Gatehouse behind its local gateway on loopback, with
// the first administrator, and a trusted application that asks for no consent.
type server struct {
	*httptest.Server
	app          *app.App
	messages     outbox.Store // without the rights of a function
	keys         secret.Keys
	root         boot.Root
	client       oauth.Client
	clientSecret secret.Text
	ahead        atomic.Int64 // how far its clock is ahead of the real one
	began        time.Time    // what its clock showed at first; zero: the real time
	stopped      time.Time    // what its clock shows while it stands still; zero: it goes on
	lines        log          // what it logs, once that is captured
	counter      *steps       // of its round trips to DynamoDB; nil elsewhere
	features     integration.Features
	preview      bool // calls of the REST API ask for the preview of v5
}

func (s *server) now() time.Time {
	if !s.stopped.IsZero() {
		return s.stopped
	}
	if !s.began.IsZero() {
		return s.began.Add(time.Duration(s.ahead.Load()))
	}
	return time.Now().Add(time.Duration(s.ahead.Load()))
}

// pass lets time go by.
func (s *server) pass(d time.Duration) { s.ahead.Add(int64(d)) }

func startServer(t testing.TB) *server {
	t.Helper()
	return serverOver(t, sqlitetest.Open(t), integration.AllFeatures)
}

func serverOver(t testing.TB, store storage.Store, f integration.Features) *server {
	t.Helper()
	s := &server{features: f}
	s.begin(t, store)
	s.serve(t, functions.Gateway(s.app))
	return s
}

// begin makes what the server has from the first.
func (s *server) begin(t testing.TB, store storage.Store) {
	t.Helper()
	s.messages = store
	var err error
	if s.keys, err = boot.KeyFile(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	s.app = s.newApp(store)
	if s.root, _, err = boot.FirstStart(t.Context(), s.app, boot.Env{}); err != nil {
		t.Fatal(err)
	}
	s.client, s.clientSecret, err = s.app.OAuth.Register(t.Context(), audit.Setup, 0, oauth.Registration{
		Name: "App", RedirectURIs: callback, Scopes: scope.Of(scope.API, scope.OpenID), Confidential: true, ByAdmin: true, Trusted: true, PasswordGrant: true,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// serve answers requests with the handler.
func (s *server) serve(t testing.TB, h http.Handler) {
	s.Server = httptest.NewServer(described(t, h))
	t.Cleanup(s.Server.Close)
}

func (s *server) newApp(store storage.Store) *app.App {
	return app.New(store, app.Config{
		BaseURL: "http://localhost:3000", Keys: s.keys, Passwords: secret.Passwords{Time: 1, Memory: 64}, Attempts: throttle.DefaultLimit,
		OAuth: oauth.Settings{PasswordGrant: true}, Features: s.features, Mails: mail.BySMTP, Now: s.now,
		Webhooks: webhook.Delivery{Sender: &apptest.Receiver{Answers: orGone}},
	})
}

// orGone is what the receivers of webhooks answer.
func orGone(r webhook.Request) (webhook.Answer, error) {
	if strings.HasSuffix(r.URL, "/gone") {
		return webhook.Answer{Status: 410}, nil
	}
	return webhook.Answer{Status: 200}, nil
}

// administrator returns the first administrator.
func (s *server) administrator(t testing.TB) user.User {
	t.Helper()
	root, err := s.app.Users.UserByLogin(t.Context(), boot.RootName)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// project adds the administrator's project root/web.
func (s *server) project(t testing.TB) project.Project {
	t.Helper()
	namespace, err := s.app.Projects.Group(t.Context(), s.administrator(t).NamespaceID)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.app.Projects.CreateProject(t.Context(), audit.ByUser(s.administrator(t).ID), project.ProjectDraft("Web", "web", project.Private), namespace)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newBrowser returns a browser that keeps cookies and follows no redirect.
func newBrowser(t testing.TB) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// signIn returns a browser in which the administrator is signed in.
func (s *server) signIn(t testing.TB) *http.Client {
	t.Helper()
	browser := newBrowser(t)
	s.signInWith(t, browser)
	return browser
}

// signInWith sends the administrator's password.
func (s *server) signInWith(t testing.TB, browser *http.Client) {
	t.Helper()
	s.form(t, browser, "/users/sign_in", values("login", boot.RootName, "password", s.root.Password.Reveal()), http.StatusSeeOther)
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

// passwordGrant sends the application's token request with the administrator's
// password.
func (s *server) passwordGrant(t testing.TB) tokens {
	return s.token(t, values("grant_type", "password", "username", boot.RootName, "password", s.root.Password.Reveal()))
}

// fail sends a token request that must be refused.
func (s *server) fail(t testing.TB, form url.Values) {
	t.Helper()
	if body := s.send(t, http.DefaultClient, s.asApplication(t, "/oauth/token", form), 0); !bytes.Contains(body, []byte(`"error"`)) {
		t.Errorf("%v was granted", form["grant_type"])
	}
}

// post sends a form with the application's credentials and expects 200.
func (s *server) post(t testing.TB, path string, form url.Values) []byte {
	return s.send(t, http.DefaultClient, s.asApplication(t, path, form), http.StatusOK)
}

func (s *server) asApplication(t testing.TB, path string, form url.Values) *http.Request {
	form.Set("client_id", s.client.ClientID)
	form.Set("client_secret", s.clientSecret.Reveal())
	return s.request(t, "POST", path, "application/x-www-form-urlencoded", form.Encode())
}

// info asks what a token is good for and expects 200.
func (s *server) info(t testing.TB, token string) { s.get(t, "/oauth/token/info", token) }

// get reads an address with a token and expects 200.
func (s *server) get(t testing.TB, path, token string) {
	r := s.request(t, "GET", path, "", "")
	r.Header.Set("Authorization", "Bearer "+token)
	s.send(t, http.DefaultClient, r, http.StatusOK)
}

// call calls the REST API with a token and a JSON body, if there is one.
func (s *server) call(t testing.TB, method, path, token, body string, want int) []byte {
	t.Helper()
	r := s.request(t, method, "/api/v4"+path, "application/json", body)
	r.Header.Set("Authorization", "Bearer "+token)
	if s.preview {
		r.Header.Set("Gatehouse-Api-Preview", "v5")
	}
	return s.send(t, http.DefaultClient, r, want)
}

// introspect asks about a token as the bearer of another and expects 200.
func (s *server) introspect(t testing.TB, bearer, token string) {
	t.Helper()
	r := s.request(t, "POST", "/oauth/introspect", "application/x-www-form-urlencoded", values("token", token).Encode())
	r.Header.Set("Authorization", "Bearer "+bearer)
	s.send(t, http.DefaultClient, r, http.StatusOK)
}

// ask asks as a Git front end whether a fetch may pass, and expects 200.
func (s *server) ask(t testing.TB, fullPath, token string) {
	t.Helper()
	r := s.request(t, "GET", "/git/authorize", "", "")
	r.Header.Set("X-Original-URI", "/"+fullPath+".git/info/refs?service=git-upload-pack")
	r.SetBasicAuth("oauth2", token)
	s.send(t, http.DefaultClient, r, http.StatusOK)
}

// notify sends a payload to an integration and expects 200.
func (s *server) notify(t testing.TB, path, key, payload string) {
	t.Helper()
	r := s.request(t, "POST", path, "application/json", payload)
	r.Header.Set("Authorization", "Bearer "+key)
	s.send(t, http.DefaultClient, r, http.StatusOK)
}

// form has the browser send a form and expects the status.
func (s *server) form(t testing.TB, browser *http.Client, path string, form url.Values, want int) (page string) {
	t.Helper()
	return string(s.send(t, browser, s.request(t, "POST", path, "application/x-www-form-urlencoded", form.Encode()), want))
}

// see opens a page.
func (s *server) see(t testing.TB, browser *http.Client, path string) {
	t.Helper()
	s.send(t, browser, s.request(t, "GET", path, "", ""), http.StatusOK)
}

// visit opens an address, whatever comes of it.
func (s *server) visit(t testing.TB, browser *http.Client, target string) {
	t.Helper()
	s.send(t, browser, s.request(t, "GET", target, "", ""), 0)
}

func (s *server) request(t testing.TB, method, path, contentType, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return r
}

// send sends a request and returns the body of the answer, which must have the
// status, if one is given.
func (s *server) send(t testing.TB, by *http.Client, r *http.Request, want int) []byte {
	t.Helper()
	answer, err := by.Do(r)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || want != 0 && answer.StatusCode != want {
		t.Errorf("%s %s: status %d %s, %v, want %d", r.Method, r.URL.Path, answer.StatusCode, body, err, want)
	}
	return body
}

// values returns the fields of a form from names and values in turn.
func values(pairs ...string) url.Values { return apptest.Form(pairs...) }

// trail returns everybody's audit entries of the test, the newest first.
func (s *server) trail(t *testing.T) []audit.Entry {
	t.Helper()
	page, err := s.app.Trail.Entries(t.Context(), audit.Filter{Everybody: true, From: time.Now().AddDate(0, 0, -1), Size: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return page.Entries
}

// log holds log lines in JSON.
type log struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

// capture takes every line that is logged until the test ends.
func (l *log) capture(t *testing.T) {
	t.Helper()
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(before) })
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.Write(b)
}

func (l *log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.String()
}

// events returns the names in the log's lines about the trail.
func (l *log) events(t *testing.T) (names []audit.Name) {
	t.Helper()
	for line := range strings.Lines(l.text()) {
		var read struct {
			Message string     `json:"msg"`
			Event   audit.Name `json:"event"`
		}
		if err := json.Unmarshal([]byte(line), &read); err != nil {
			t.Fatal(err)
		}
		if read.Message == "audit" {
			names = append(names, read.Event)
		}
	}
	return names
}
