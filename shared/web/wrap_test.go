package web_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/throttle"
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
			web.Wrap("", outcome).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", target, nil))
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

// Whoever is to come back is told when, whatever answered.
func TestEveryAnswerToComeBackForSaysWhen(t *testing.T) {
	answer := func(status int, wait string) web.Handler {
		return func(w http.ResponseWriter, _ *http.Request) error {
			if wait != "" {
				w.Header().Set("Retry-After", wait)
			}
			return web.JSON(w, status, "")
		}
	}
	tests := []struct {
		name    string
		handler web.Handler
		want    string
	}{
		{"not available", answer(503, ""), "5"},
		{"not available for so long", answer(503, "40"), "40"},
		{"too many", answer(429, ""), "60"},
		{"too many for so long", answer(429, "600"), "600"},
		{"an error that is unavailable", func(http.ResponseWriter, *http.Request) error { return fault.New(fault.Unavailable, "") }, "5"},
		{"an error that knows when", func(http.ResponseWriter, *http.Request) error { return &throttle.Refused{Wait: time.Hour} }, "3600"},
		{"served", answer(200, ""), ""},
		{"failed", answer(500, ""), ""},
	}
	for _, test := range tests {
		w := httptest.NewRecorder()
		web.Wrap("", test.handler).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if got := w.Header().Get("Retry-After"); got != test.want {
			t.Errorf("%s: Retry-After is %q, want %q", test.name, got, test.want)
		}
	}
}
