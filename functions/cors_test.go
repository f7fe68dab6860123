package functions_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const (
	foreign  = "https://page.example"
	anything = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
)

// Pages on other origins may use each path, through the gateway, with these methods
// only.
func TestPathsOpenToOtherOrigins(t *testing.T) {
	s := startServer(t)
	tests := []struct {
		path, method, headers string
		methods               string
	}{
		{"/oauth/token", "POST", "authorization,content-type", "POST, OPTIONS"},
		{"/oauth/token", "POST", "x-requested-with", ""},
		{"/oauth/token", "POST", "authorization,x-requested-with", ""},
		{"/oauth/revoke", "POST", "authorization", "POST, OPTIONS"},
		{"/oauth/revoke", "POST", "x-csrf-token", ""},
		{"/oauth/token/info", "GET", "authorization", "GET, HEAD, OPTIONS"},
		{"/oauth/token/info", "GET", "authorization,gatehouse-api-preview", "GET, HEAD, OPTIONS"},
		{"/oauth/token/info", "GET", "x-requested-with", ""},
		{"/oauth/token/info", "POST", "authorization", ""},
		{"/oauth/userinfo", "GET", "authorization", "GET, HEAD, POST, OPTIONS"},
		{"/oauth/userinfo", "POST", "authorization", "GET, HEAD, POST, OPTIONS"},
		{"/oauth/userinfo", "GET", "x-requested-with", ""},
		{"/oauth/introspect", "POST", "authorization", ""},
		{"/oauth/authorize", "GET", "", ""},
		{"/oauth/authorize", "POST", "content-type", ""},
		{"/users/sign_in", "POST", "", ""},
		{"/-/health", "GET", "", ""},
		{"/api/v4", "GET", "authorization", anything},
		{"/api/v4/user", "GET", "private-token,x-requested-with", anything},
		{"/api/v4/applications/1", "DELETE", "authorization", anything},
		{"/api/v4/projects", "POST", "content-type,sudo", anything},
		{"/api/v4/projects/acme%2Fweb", "PUT", "authorization", anything},
		{"/api/v4/projects/acme/web/members/1", "PUT", "authorization", anything},
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.path+" with "+test.headers, func(t *testing.T) {
			resp, body := s.fromPage(t, "OPTIONS", test.path, "Access-Control-Request-Method", test.method, "Access-Control-Request-Headers", test.headers)
			if resp.StatusCode != http.StatusOK || body != "" {
				t.Errorf("answered %d %q, want 200 and nothing", resp.StatusCode, body)
			}
			allowed := map[bool]string{true: test.headers}[test.methods != ""]
			wantAccess(t, resp, test.methods, allowed)
		})
	}
}

// Pages on other origins can read answers of every kind, but cannot send cookies.
func TestAnswersReachOtherOrigins(t *testing.T) {
	s := startServer(t)
	tests := []struct {
		method, target string
		status         int
		methods        string
	}{
		{"POST", "/oauth/token", 400, "POST, OPTIONS"},
		{"GET", "/oauth/token", 405, "POST, OPTIONS"},
		{"OPTIONS", "/oauth/token", 200, "POST, OPTIONS"},
		{"POST", "/oauth/revoke", 403, "POST, OPTIONS"},
		{"GET", "/oauth/token/info", 401, "GET, HEAD, OPTIONS"},
		{"HEAD", "/oauth/token/info", 401, "GET, HEAD, OPTIONS"},
		{"POST", "/oauth/introspect", 400, ""},
		{"OPTIONS", "/oauth/introspect", 200, ""},
		{"GET", "/oauth/authorize", 302, ""},
		{"GET", "/-/health", 200, ""},
		{"GET", "/api/v4/user", 401, anything},
		{"GET", "/api/v4/nothing", 404, anything},
		{"POST", "/api/v4/user", 405, anything},
		{"GET", "/api/v4/projects/acme%2Fweb", 401, anything},
		{"GET", "/api/v4/user?private_token=" + url.QueryEscape(s.root.Token.Reveal()), 200, anything},
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.target, func(t *testing.T) {
			resp, _ := s.fromPage(t, test.method, test.target)
			if resp.StatusCode != test.status || !strings.Contains(resp.Header.Get("Vary"), "Origin") {
				t.Errorf("answered %d, Vary %q, want %d and Origin", resp.StatusCode, resp.Header.Get("Vary"), test.status)
			}
			wantAccess(t, resp, test.methods, "")
			if exposed := resp.Header.Get("Access-Control-Expose-Headers"); strings.Contains(exposed, "X-Total-Pages") != (test.methods == anything) {
				t.Errorf("Access-Control-Expose-Headers: %q", exposed)
			}
		})
	}
}

// Programs ask for the methods as well, without an origin.
func TestEveryPathTellsItsMethods(t *testing.T) {
	s := startServer(t)
	tests := map[string]string{
		"/oauth/token":                   "POST, OPTIONS",
		"/oauth/introspect":              "POST, OPTIONS",
		"/oauth/token/info":              "GET, HEAD, OPTIONS",
		"/api/v4/user":                   "GET, HEAD, PUT, OPTIONS",
		"/api/v4/projects":               "GET, HEAD, POST, OPTIONS",
		"/api/v4/projects/acme%2Fweb":    "DELETE, GET, HEAD, PUT, OPTIONS",
		"/api/v4/projects/acme/web":      "DELETE, GET, HEAD, PUT, OPTIONS",
		"/api/v4/groups/acme/members/12": "DELETE, GET, HEAD, PUT, OPTIONS",
	}
	for path, want := range tests {
		req, err := http.NewRequest("OPTIONS", s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("Allow"); resp.StatusCode != http.StatusOK || got != want {
			t.Errorf("OPTIONS %s: %d, Allow %q, want 200 and %q", path, resp.StatusCode, got, want)
		}
		wantAccess(t, resp, "", "")
	}
}

// fromPage sends a request from a page on another origin, with headers in pairs.
func (s *server) fromPage(t *testing.T, method, target string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", foreign)
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func wantAccess(t *testing.T, resp *http.Response, methods, headers string) {
	t.Helper()
	origin := map[bool]string{true: "*"}[methods != ""]
	for name, want := range map[string]string{"Origin": origin, "Methods": methods, "Headers": headers, "Credentials": ""} {
		if got := resp.Header.Get("Access-Control-Allow-" + name); got != want {
			t.Errorf("Access-Control-Allow-%s: %q, want %q", name, got, want)
		}
	}
}
