package functions_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"gatehouse/shared/boot"
)

// log is where the test's log lines go.
type log struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(b)
}

// Nothing that opens an account is in the log of a whole flow, be it right or
// wrong, in a header, a body or an address.
func TestNoSecretIsLogged(t *testing.T) {
	lines := &log{}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(before) })

	s := startServer(t)
	browser := s.signIn(t)
	code := s.code(t, browser)
	first := s.exchange(t, code)
	second := s.refresh(t, first.Refresh)
	s.info(t, second.Access)
	s.visit(t, browser, "/oauth/token/info?access_token="+second.Access)
	s.visit(t, browser, "/api/v4/user?access_token="+second.Access)
	s.visit(t, browser, "/api/v4/user?private_token="+s.root.Token.Reveal())
	s.visit(t, browser, "/api/v4/user?access_token=%zz"+second.Access)
	s.visit(t, browser, "/api/v4/user%3Faccess_token="+second.Access)
	s.visit(t, browser, "/oauth/token/info?x=1;bearer_token="+second.Access)
	s.visit(t, browser, "/oauth/authorize?access_token="+second.Access)
	s.visit(t, browser, "/nowhere?access_token="+second.Access)
	s.visit(t, browser, "/users/sign_in%0A?access_token="+second.Access)
	s.visit(t, browser, "/users/sign_in?return_to=/oauth/authorize%3Fstate%3Dthe-state")
	s.fail(t, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {first.Refresh}})
	s.fail(t, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}})
	s.fail(t, url.Values{"grant_type": {"password"}, "username": {boot.RootName}, "password": {"a wrong password"}})
	s.post(t, "/oauth/introspect", url.Values{"token": {second.Refresh}})
	s.revoke(t, second.Access)

	lines.mu.Lock()
	defer lines.mu.Unlock()
	text := lines.String()
	if !strings.Contains(text, "path=/oauth/token") {
		t.Fatalf("the log does not show the flow:\n%s", text)
	}
	cookies, _ := url.Parse(s.URL)
	secrets := []string{
		s.root.Password.Reveal(), s.root.Token.Reveal(), s.clientSecret.Reveal(), code,
		first.Access, first.Refresh, second.Access, second.Refresh, "a wrong password", "the-state",
	}
	for _, cookie := range browser.Jar.Cookies(cookies) {
		secrets = append(secrets, cookie.Value)
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds %q:\n%s", secret, text)
		}
	}
}

// visit opens an address, whatever comes of it.
func (s *server) visit(t *testing.T, browser *http.Client, target string) {
	t.Helper()
	resp, err := browser.Get(s.URL + target)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

// fail sends a token request that must be refused.
func (s *server) fail(t *testing.T, form url.Values) {
	t.Helper()
	form.Set("client_id", s.client.ClientID)
	form.Set("client_secret", s.clientSecret.Reveal())
	resp, err := http.PostForm(s.URL+"/oauth/token", form)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		t.Errorf("%v was granted", form["grant_type"])
	}
}
