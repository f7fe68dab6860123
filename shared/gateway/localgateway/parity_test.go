package localgateway_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/gateway"
	"gatehouse/shared/gateway/localgateway"
	"gatehouse/shared/route"
)

// seen is what a handler sees of a request.
type seen struct {
	Method, Path, EscapedPath, RequestURI string
	Query                                 url.Values
	Header                                map[string]string
	Cookies                               []string
	Body                                  string
	ContentLength                         int64
	Host                                  string
}

// recorder is a handler that remembers the last request.
type recorder struct {
	t    *testing.T
	last seen
}

// transport lists the headers that depend on how a request arrived.
var transport = []string{"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Amzn-Trace-Id", "Content-Length"}

func (rec *recorder) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		rec.t.Error(err)
	}
	rec.last = seen{
		Method: r.Method, Path: r.URL.Path, EscapedPath: r.URL.EscapedPath(), RequestURI: r.RequestURI,
		Query: r.URL.Query(), Header: map[string]string{},
		Body: string(body), ContentLength: r.ContentLength, Host: r.Host,
	}
	for name, values := range r.Header {
		if !slices.Contains(transport, name) {
			rec.last.Header[name] = strings.Join(values, ",")
		}
	}
	for _, c := range r.Cookies() {
		rec.last.Cookies = append(rec.last.Cookies, c.String())
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err != nil || net.ParseIP(host) == nil {
		rec.t.Errorf("RemoteAddr = %q, want an IP address and a port", r.RemoteAddr)
	}
}

// throughHTTP returns what a handler of net/http sees of the request.
func throughHTTP(t *testing.T, c request) seen {
	t.Helper()
	rec := &recorder{t: t}
	server := httptest.NewServer(rec)
	defer server.Close()
	c.send(t, server.URL)
	return rec.last
}

// throughGateway returns what a function behind the local gateway sees of it.
func throughGateway(t *testing.T, c request) seen {
	t.Helper()
	rec := &recorder{t: t}
	functions := map[string]localgateway.Invoker{}
	for _, r := range route.Table {
		functions[r.Function] = gateway.New(rec)
	}
	server := httptest.NewServer(localgateway.New(functions, route.Table))
	defer server.Close()
	c.send(t, server.URL)
	return rec.last
}

// throughEvent returns what a function sees of a recorded event.
func throughEvent(t *testing.T, name string) seen {
	t.Helper()
	payload, err := os.ReadFile("../../../events/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	rec := &recorder{t: t}
	if _, err := gateway.New(rec).Invoke(t.Context(), payload); err != nil {
		t.Fatal(err)
	}
	return rec.last
}

// request is a request as a client sends it.
type request struct {
	method, target string
	header         http.Header
	body           string
}

const host = "a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com"

func (c request) send(t *testing.T, server string) {
	t.Helper()
	r, err := http.NewRequest(c.method, server+c.target, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = c.header.Clone()
	r.Host = host
	connections := &http.Transport{DisableCompression: true}
	defer connections.CloseIdleConnections()
	client := &http.Client{Transport: connections}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s %s = %d", c.method, c.target, answer.StatusCode)
	}
}

const (
	curl    = "curl/8.5.0"
	browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
)

// recorded are the requests that events/ holds as the gateway passed them on.
var recorded = map[string]request{
	"health":               {"GET", "/-/health", http.Header{"User-Agent": {curl}, "Accept": {"*/*"}}, ""},
	"openid-configuration": {"GET", "/.well-known/openid-configuration", http.Header{"User-Agent": {curl}, "Accept": {"application/json"}}, ""},
	"token-info": {"GET", "/oauth/token/info", http.Header{
		"User-Agent": {curl}, "Accept": {"application/json"}, "Authorization": {"Bearer example-access-token"},
	}, ""},
	"token": {"POST", "/oauth/token", http.Header{
		"User-Agent": {curl}, "Accept": {"*/*"}, "Content-Type": {"application/x-www-form-urlencoded"},
	}, "grant_type=authorization_code&client_id=example-application&client_secret=example-secret" +
		"&code=example-code&redirect_uri=https%3A%2F%2Fclient.example.com%2Fcallback"},
	"project": {"GET", "/api/v4/projects/acme/web", http.Header{
		"User-Agent": {curl}, "Accept": {"*/*"}, "Private-Token": {"example-personal-access-token"},
	}, ""},
	"switch-error-tracking": {"PUT", "/api/v4/projects/42/error_tracking/settings", http.Header{
		"User-Agent": {curl}, "Accept": {"*/*"}, "Content-Type": {"application/json"}, "Private-Token": {"example-personal-access-token"},
	}, `{"active":true,"integrated":true}`},
	"create-integration": {"POST", "/api/v4/projects/42/monitor/integrations", http.Header{
		"User-Agent": {curl}, "Accept": {"*/*"}, "Content-Type": {"application/json"}, "Private-Token": {"example-personal-access-token"},
	}, `{"name":"Uptime check","type":"http","active":true}`},
	"sign-in": {"GET", "/users/sign_in?return_to=%2Fuser_settings%2Fapplications", http.Header{
		"User-Agent": {browser}, "Accept": {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
		"Accept-Language": {"en-GB,en;q=0.9"}, "Sec-Fetch-Site": {"none"}, "Cookie": {"theme=dark; gatehouse_session=example-session"},
	}, ""},
	"project-settings": {"GET", "/console/acme/web/settings", http.Header{
		"User-Agent": {browser}, "Accept": {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
		"Accept-Language": {"en-GB,en;q=0.9"}, "Sec-Fetch-Site": {"none"}, "Cookie": {"gatehouse_session=example-session"},
	}, ""},
	"alert": {"POST", "/acme/web/alerts/notify.json", http.Header{
		"User-Agent": {curl}, "Accept": {"*/*"}, "Content-Type": {"application/json"}, "Authorization": {"Bearer example-authorization-key"},
	}, `{"title":"Disk full","severity":"high","hosts":["db-1"],"fingerprint":"disk:db-1"}`},
	"create-application": {"POST", "/api/v4/applications", http.Header{
		"User-Agent": {curl}, "Accept": {"*/*"}, "Content-Type": {"application/json"}, "Private-Token": {"example-personal-access-token"},
	}, `{"name":"Example","redirect_uri":"https://client.example.com/callback","scopes":"api read_user","confidential":true}`},
}

func TestRecordedEventsAreWhatTheGatewayMakes(t *testing.T) {
	for name, c := range recorded {
		t.Run(name, func(t *testing.T) {
			want := throughHTTP(t, c)
			if diff := cmp.Diff(want, throughGateway(t, c)); diff != "" {
				t.Errorf("through the local gateway (-plain HTTP +gateway):\n%s", diff)
			}
			if diff := cmp.Diff(want, throughEvent(t, name)); diff != "" {
				t.Errorf("events/%s.json (-plain HTTP +event):\n%s", name, diff)
			}
		})
	}
}

func TestEveryRecordedEventIsTested(t *testing.T) {
	files, err := filepath.Glob("../../../events/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no events: %v", err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		if name == "messages" { // of a stream
			continue
		}
		if recorded[name].method == "" {
			t.Errorf("%s has no request to compare with", f)
		}
	}
}

func TestPlainHTTPAndTheGatewayAgree(t *testing.T) {
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	tests := map[string]request{
		"bare prefix":       {"GET", "/oauth", http.Header{}, ""},
		"root":              {"GET", "/?a", http.Header{}, ""},
		"head":              {"HEAD", "/-/health", http.Header{}, ""},
		"preflight":         {"OPTIONS", "/oauth/token", http.Header{"Origin": {"https://spa.example.com"}, "Access-Control-Request-Method": {"POST"}}, ""},
		"odd query":         {"GET", "/oauth/token/info?a=%zz&b=%2B+x&a=2&&c", http.Header{}, ""},
		"percent in path":   {"GET", "/users/50%25", http.Header{}, ""},
		"question in path":  {"GET", "/users/a%3Faccess_token=x?b=c", http.Header{}, ""},
		"space and umlaut":  {"GET", "/users/Zo%C3%AB%20Z", http.Header{}, ""},
		"double slash":      {"GET", "/users//x", http.Header{}, ""},
		"dot segments":      {"GET", "/users/../admin", http.Header{}, ""},
		"repeated header":   {"GET", "/oauth/token/info", http.Header{"Accept": {"text/html", "a, b"}, "X-Thing": {"1", "2"}}, ""},
		"two cookies":       {"GET", "/users/sign_in", http.Header{"Cookie": {`a=1; b="2,3"; c`}}, ""},
		"form":              {"POST", "/oauth/token", form, "a=b%2Bc&d=%C3%AB"},
		"empty form":        {"POST", "/oauth/token", form, ""},
		"binary":            {"PUT", "/api/v4/projects/5", http.Header{"Content-Type": {"application/octet-stream"}}, "\x00\xff\xfe"},
		"latin-1 text":      {"POST", "/api/v4/projects", http.Header{"Content-Type": {"text/plain"}}, "Zo\xeb"},
		"JSON with escapes": {"POST", "/api/v4/projects", http.Header{"Content-Type": {"application/json"}}, `{"a":"\u0000<&>` + "\u2028" + `"}`},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(throughHTTP(t, c), throughGateway(t, c)); diff != "" {
				t.Errorf("%s %s (-plain HTTP +gateway):\n%s", c.method, c.target, diff)
			}
		})
	}
}

func TestOnlyTheGatewayDecodesSlashes(t *testing.T) {
	c := request{"GET", "/api/v4/projects/acme%2Fweb/members", http.Header{}, ""}
	plain, behind := throughHTTP(t, c), throughGateway(t, c)
	if plain.Path != behind.Path {
		t.Errorf("paths %q and %q differ", plain.Path, behind.Path)
	}
	if plain.EscapedPath != "/api/v4/projects/acme%2Fweb/members" || behind.EscapedPath != "/api/v4/projects/acme/web/members" {
		t.Errorf("escaped paths = %q over HTTP and %q through the gateway, want the slash escaped and decoded",
			plain.EscapedPath, behind.EscapedPath)
	}
}
