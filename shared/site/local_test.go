package site_test

import (
	"net/url"
	"strings"
	"testing"

	"gatehouse/shared/site"
)

func TestLocalPath(t *testing.T) {
	tests := map[string]string{
		"/user_settings/applications":                "/user_settings/applications",
		"/oauth/authorize?client_id=a&state=b%20%2F": "/oauth/authorize?client_id=a&state=b%20%2F",
		"/":                           "/",
		"":                            "/",
		"user_settings":               "/",
		"//evil.example":              "/",
		"///evil.example":             "/",
		`/\evil.example`:              "/",
		`\\evil.example`:              "/",
		"/\t/evil.example":            "/",
		"/\n/evil.example":            "/",
		"\t//evil.example":            "/",
		" //evil.example":             "/",
		"https://evil.example":        "/",
		"https:evil.example":          "/",
		"javascript:alert(1)":         "/",
		"?return_to=//evil.example":   "/",
		"/%":                          "/",
		"/a\r\nSet-Cookie: x=y":       "/",
		"/a\x00b":                     "/",
		"/\u2028//evil.example":       "/",
		"@evil.example":               "/",
		"/@evil.example":              "/@evil.example",
		"/redirect?to=//evil.example": "/redirect?to=//evil.example",
	}
	for in, want := range tests {
		if got := site.LocalPath(in); got != want {
			t.Errorf("LocalPath(%q) = %q, want %q", in, got, want)
		}
	}
}

// A browser resolves what LocalPath lets through against the page it is on.
func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{"/a?b=c#d", "//evil.example", `/\evil.example`, "/\t/evil", "https://evil.example", "/.//evil.example"} {
		f.Add(seed)
	}
	page, err := url.Parse("https://gatehouse.example/users/sign_in")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, address string) {
		local := site.LocalPath(address)
		target, err := page.Parse(asBrowser(local))
		if err != nil {
			t.Fatalf("LocalPath(%q) = %q, which is no address: %v", address, local, err)
		}
		if target.Scheme != "https" || target.Host != "gatehouse.example" || target.User != nil {
			t.Errorf("LocalPath(%q) leads to %s", address, target)
		}
	})
}

// asBrowser does to an address what the URL standard has browsers do first.
func asBrowser(address string) string {
	address = strings.TrimFunc(address, func(r rune) bool { return r <= ' ' })
	return strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(address)
}

func TestFormTarget(t *testing.T) {
	tests := map[string]string{
		"https://app.example/cb?x=1":    "https:",
		"http://127.0.0.1:8080/cb":      "http:",
		"com.example.app:/cb":           "com.example.app:",
		"https://a;script-src.example/": "https:",
		"":                              "'none'",
	}
	for in, want := range tests {
		if got := site.FormTarget(in); got != want {
			t.Errorf("FormTarget(%q) = %q, want %q", in, got, want)
		}
	}
}
