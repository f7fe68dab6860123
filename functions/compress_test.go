package functions_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Pages, lists and assets are compressed on their way through a function and the gateway,
// but neither a page with a secret nor one that another site had a browser open.
func TestWhatIsCompressed(t *testing.T) {
	s := startServer(t)
	browser := s.signIn(t)
	const form = "name=nightly&scopes[]=api&redirect_uri=https://a.example/"
	tests := map[string]struct {
		method, path, form, site string
		has                      string
		zipped                   bool
	}{
		"a page":                     {"GET", "/user_settings/applications/new", "", "same-origin", "Redirect URI", true},
		"a page from another site":   {"GET", "/user_settings/applications/new", "", "cross-site", "Redirect URI", false},
		"a page from who knows":      {"GET", "/user_settings/applications/new", "", "", "Redirect URI", false},
		"a page with a secret":       {"POST", "/user_settings/applications", form, "same-origin", "Copy the secret now", false},
		"what every page needs":      {"GET", "/assets/style.css", "", "same-origin", "{", true},
		"the interface":              {"GET", "/api/v4/openapi.json", "", "cross-site", "openapi", false},
		"a short answer":             {"GET", "/-/health", "", "same-origin", "ok", false},
		"the interface, on our page": {"GET", "/api/v4/openapi.json", "", "same-origin", "openapi", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := s.request(t, test.method, test.path, "application/x-www-form-urlencoded", test.form)
			r.Header.Set("Accept-Encoding", "gzip")
			r.Header.Set("Sec-Fetch-Site", test.site)
			answer, err := browser.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			wire, err := io.ReadAll(answer.Body)
			if err != nil || answer.Header.Get("Content-Length") != strconv.Itoa(len(wire)) {
				t.Fatalf("%d bytes of %s: %v", len(wire), answer.Header.Get("Content-Length"), err)
			}
			if zipped := answer.Header.Get("Content-Encoding") == "gzip"; zipped != test.zipped {
				t.Fatalf("compressed: %t, want %t: %d %v", zipped, test.zipped, answer.StatusCode, answer.Header)
			}
			if text := plain(t, answer, wire); !strings.Contains(text, test.has) {
				t.Errorf("%s is not in %s", test.has, text)
			}
		})
	}
}

// plain returns the text of an answer.
func plain(t *testing.T, answer *http.Response, wire []byte) string {
	t.Helper()
	if answer.Header.Get("Content-Encoding") == "" {
		return string(wire)
	}
	zipped, err := gzip.NewReader(strings.NewReader(string(wire)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(zipped)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
