package oauth_test

import (
	"testing"

	"gatehouse/shared/oauth"
)

func TestCheckRedirectURI(t *testing.T) {
	tests := []struct {
		uri  string
		want string
	}{
		{"https://app.example/callback", ""},
		{"https://app.example/callback?tenant=5", ""},
		{"http://app.example/callback", ""},
		{"http://127.0.0.1:8080/", ""},
		{"com.example.app:/callback", ""},
		{"com.example.app://callback", ""},
		{"http://", "must be a valid URI."},
		{"https:///path", "must be a valid URI."},
		{"https://app.example/%zz", "must be a valid URI."},
		{"https://user:password@app.example/", "must be a valid URI."},
		{"https://app.example/\x00", "must be a valid URI."},
		{"https://bücher.example/", "must be a valid URI."},
		{"https://app.example;script-src/", "must be a valid URI."},
		{"https://app.example,x/", "must be a valid URI."},
		{"https://app.example/\"", "must be a valid URI."},
		{"https://app.example/<x>", "must be a valid URI."},
		{"callback", "must be an absolute URI."},
		{"/callback", "must be an absolute URI."},
		{"localhost:8080", "must specify a scheme."},
		{"//app.example/callback", "must specify a scheme."},
		{"urn:ietf:wg:oauth:2.0:oob", "must specify a scheme."},
		{"https://app.example/#fragment", "cannot contain a fragment."},
		{"https://app.example/#", "cannot contain a fragment."},
		{"javascript:alert(1)", "is forbidden by the server."},
		{"JavaScript:alert(1)", "is forbidden by the server."},
		{"data:text/html,x", "is forbidden by the server."},
		{"vbscript:x", "is forbidden by the server."},
	}
	for _, test := range tests {
		if got := oauth.CheckRedirectURI(test.uri, false); got != test.want {
			t.Errorf("CheckRedirectURI(%q) = %q, want %q", test.uri, got, test.want)
		}
	}
}

func TestPlainHTTPRedirectsOnAnHTTPSInstance(t *testing.T) {
	tests := map[string]bool{
		"https://app.example/":      true,
		"http://app.example/":       false,
		"http://127.0.0.1:9000/":    true,
		"http://[::1]/":             true,
		"http://localhost/":         true,
		"http://localhost.example/": false,
		"com.example.app:/callback": true,
	}
	for uri, want := range tests {
		if got := oauth.CheckRedirectURI(uri, true) == ""; got != want {
			t.Errorf("%q is accepted: %t, want %t", uri, got, want)
		}
	}
}

func TestAllowsRedirect(t *testing.T) {
	c := oauth.Client{RedirectURIs: []string{
		"https://app.example/callback", "http://127.0.0.1/callback", "http://[::1]:1/", "http://localhost:8080/",
	}}
	tests := map[string]bool{
		"https://app.example/callback":              true,
		"https://app.example/callback?x=1":          false,
		"https://app.example/callback/":             false,
		"https://app.example/callback/../callback":  false,
		"https://APP.example/callback":              false,
		"https://app.example:443/callback":          false,
		"https://app.example.evil.example/callback": false,
		"http://127.0.0.1:49152/callback":           true,
		"http://127.0.0.1:49152/other":              false,
		"http://127.0.0.2:49152/callback":           false,
		"http://evil@127.0.0.1:80/callback":         false,
		"http://127.0.0.1:1@evil.example/callback":  false,
		"http://[::1]:55/":                          true,
		"http://localhost:8080/":                    true,
		"http://localhost:8081/":                    false,
		"":                                          false,
	}
	for uri, want := range tests {
		if got := c.AllowsRedirect(uri); got != want {
			t.Errorf("AllowsRedirect(%q) = %t, want %t", uri, got, want)
		}
	}
}

func TestLocationKeepsTheRedirectURIsQuery(t *testing.T) {
	params := map[string][]string{"code": {"c"}, "state": {"a b&c"}}
	tests := []struct {
		uri  string
		mode oauth.ResponseMode
		want string
	}{
		{"https://a.example/cb", oauth.QueryMode, "https://a.example/cb?code=c&state=a+b%26c"},
		{"https://a.example/cb?x=1", oauth.QueryMode, "https://a.example/cb?x=1&code=c&state=a+b%26c"},
		{"https://a.example/cb?", oauth.QueryMode, "https://a.example/cb?code=c&state=a+b%26c"},
		{"https://a.example/cb?x=1", oauth.FragmentMode, "https://a.example/cb?x=1#code=c&state=a+b%26c"},
		{"app.example:/cb", oauth.QueryMode, "app.example:/cb?code=c&state=a+b%26c"},
	}
	for _, test := range tests {
		if got := (oauth.Redirect{URI: test.uri, Mode: test.mode, Params: params}).Location(); got != test.want {
			t.Errorf("location of %q by %s = %q, want %q", test.uri, test.mode, got, test.want)
		}
	}
}

func FuzzCheckRedirectURI(f *testing.F) {
	for _, uri := range []string{"https://a.example/cb", "http://127.0.0.1:1/x", "x:/y", "javascript:alert(1)", "http://[::1]:9/%2F"} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		if oauth.CheckRedirectURI(uri, true) != "" {
			return
		}
		if !(oauth.Client{RedirectURIs: []string{uri}}).AllowsRedirect(uri) {
			t.Errorf("%q may be registered but never matches itself", uri)
		}
		for _, r := range uri {
			if r <= ' ' || r > '~' {
				t.Errorf("%q may be registered but holds %q, which no Location header may", uri, r)
			}
		}
	})
}
