package web_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/shared/web"
)

// A token in an address is in no log line, whatever comes of the request.
func TestQueryStringTokensAreNotLogged(t *testing.T) {
	outcomes := map[string]web.Handler{
		"answered": func(w http.ResponseWriter, _ *http.Request) error { return web.Deleted(w, "Thing", nil) },
		"failed":   func(http.ResponseWriter, *http.Request) error { return errors.New("disk full") },
		"panicked": func(http.ResponseWriter, *http.Request) error { panic("out of tokens") },
	}
	for name, outcome := range outcomes {
		for _, target := range []string{
			"/things?access_token=opensesame", "/things?page=1&private_token=opensesame", "/things?access_token=opensesame;x=%zz",
			"/things%3Faccess_token=opensesame", "/things%3faccess_token=opensesame?page=1",
		} {
			log := captureLog(t)
			web.Wrap(outcome).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", target, nil))
			if line := log.String(); !strings.Contains(line, `"path":"/things"`) || strings.Contains(line, "opensesame") {
				t.Errorf("GET %s that %s logs %q, want the path alone", target, name, line)
			}
		}
	}
}

func TestClientAddress(t *testing.T) {
	tests := map[string]string{
		"203.0.113.7:4711":   "203.0.113.7",
		"[2001:db8::7]:0":    "2001:db8::7",
		"[fe80::7%eth0]:443": "fe80::7%eth0",
		"203.0.113.7":        "invalid IP",
		":0":                 "invalid IP",
		"":                   "invalid IP",
	}
	for remote, want := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = remote
		r.Header.Set("X-Forwarded-For", "198.51.100.1")
		r.Header.Set("Forwarded", "for=198.51.100.1")
		r.Header.Set("X-Real-IP", "198.51.100.1")
		if got := web.ClientAddress(r).String(); got != want {
			t.Errorf("ClientAddress of %q = %s, want %s", remote, got, want)
		}
	}
}
