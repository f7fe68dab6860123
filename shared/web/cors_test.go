package web_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/web"
)

// access returns the Access-Control headers of an answer, without that prefix.
func access(w *httptest.ResponseRecorder) map[string]string {
	got := map[string]string{}
	for _, name := range []string{"Allow-Origin", "Allow-Methods", "Allow-Headers", "Allow-Credentials", "Expose-Headers", "Max-Age"} {
		if value := w.Header().Get("Access-Control-" + name); value != "" {
			got[name] = value
		}
	}
	return got
}

// share sends a request to one handler behind the policies.
func share(t *testing.T, method, target string, headers map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	captureLog(t)
	mux := web.NewMux()
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a token") })
	mux.HandleFunc("POST /closed", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "not for pages") })
	mux.Handle("GET /api/v4/broken", web.Handler(func(http.ResponseWriter, *http.Request) error { return errors.New("disk full") }))
	mux.Handle("GET /api/v4/panics", web.Handler(func(http.ResponseWriter, *http.Request) error { panic("out of tokens") }))
	cors := web.CORS{
		"/token": {Methods: []string{"POST", "OPTIONS"}, RequestHeaders: []string{"Authorization"}},
		"/keys":  {Methods: []string{"GET", "HEAD"}},
		"/api/":  web.RESTCORS["/api/"],
	}
	r := httptest.NewRequest(method, target, nil)
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	web.Wrap("", cors.Wrap(mux)).ServeHTTP(w, r)
	if got := w.Header().Get("Vary"); got != "Origin" {
		t.Errorf("%s %s answered Vary %q, want Origin", method, target, got)
	}
	return w
}

func TestPreflight(t *testing.T) {
	type answer = map[string]string
	token := func(headers string) answer {
		a := answer{"Allow-Origin": "*", "Allow-Methods": "POST, OPTIONS"}
		if headers != "" {
			a["Allow-Headers"] = headers
		}
		return a
	}
	keys := answer{"Allow-Origin": "*", "Allow-Methods": "GET, HEAD"}
	rest := answer{
		"Allow-Origin": "*", "Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
		"Allow-Headers": "private-token, x-requested-with, x-anything",
	}
	tests := []struct {
		name, target, method, headers string
		want                          answer
	}{
		{"no headers", "/token", "POST", "", token("")},
		{"the allowed header", "/token", "POST", "authorization", token("authorization")},
		{"in any letter case", "/token", "POST", "Authorization", token("Authorization")},
		{"safelisted headers", "/token", "POST", "accept,content-type,authorization", token("accept,content-type,authorization")},
		{"an empty name", "/token", "POST", "authorization, ,", token("authorization, ,")},
		{"X-Requested-With", "/token", "POST", "x-requested-with", answer{}},
		{"one of several", "/token", "POST", "authorization, x-requested-with", answer{}},
		{"X-CSRF-Token", "/token", "POST", "X-CSRF-Token", answer{}},
		{"part of a name", "/token", "POST", "author", answer{}},
		{"the star is a name", "/token", "POST", "*", answer{}},
		{"another method", "/token", "PUT", "authorization", answer{}},
		{"a method in small letters", "/token", "post", "", answer{}},
		{"no header at all", "/keys", "GET", "", keys},
		{"none is allowed", "/keys", "GET", "authorization", answer{}},
		{"any header", "/api/v4/user", "DELETE", "private-token, x-requested-with, x-anything", rest},
		{"a path that is not there", "/api/v4/nothing", "PATCH", "private-token, x-requested-with, x-anything", rest},
		{"a path without a policy", "/closed", "POST", "authorization", answer{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			headers := map[string]string{"Origin": "https://app.example", "Access-Control-Request-Method": test.method}
			if test.headers != "" {
				headers["Access-Control-Request-Headers"] = test.headers
			}
			w := share(t, "OPTIONS", test.target, headers)
			if w.Code != http.StatusOK || w.Body.Len() != 0 {
				t.Errorf("answered %d %q, want 200 and nothing", w.Code, w.Body)
			}
			if diff := cmp.Diff(test.want, access(w)); diff != "" {
				t.Errorf("Access-Control headers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnswersToOtherOrigins(t *testing.T) {
	type answer = map[string]string
	token := answer{"Allow-Origin": "*", "Allow-Methods": "POST, OPTIONS"}
	rest := answer{
		"Allow-Origin": "*", "Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
		"Expose-Headers": "Deprecation, ETag, Link, X-Next-Page, X-Page, X-Per-Page, X-Prev-Page, X-Request-Id, X-Searched-Until, X-Status-Counts, X-Total, X-Total-Pages",
	}
	tests := []struct {
		method, target, origin string
		status                 int
		want                   answer
	}{
		{"POST", "/token", "https://app.example", 200, token},
		{"POST", "/token", "null", 200, token},
		{"POST", "/token", "", 200, answer{}},
		{"GET", "/token", "https://app.example", 405, token},
		{"OPTIONS", "/token", "https://app.example", 200, token}, // asked by a program, not by a browser
		{"OPTIONS", "/token", "", 200, answer{}},
		{"POST", "/token/", "https://app.example", 404, answer{}},
		{"POST", "/closed", "https://app.example", 200, answer{}},
		{"GET", "/api/v4/broken", "https://app.example", 500, rest},
		{"GET", "/api/v4/panics", "https://app.example", 500, rest},
		{"GET", "/api/v4/nothing", "https://app.example", 404, rest},
		{"GET", "/api", "https://app.example", 404, answer{}},
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.target+" from "+test.origin, func(t *testing.T) {
			w := share(t, test.method, test.target, map[string]string{"Origin": test.origin})
			if w.Code != test.status {
				t.Errorf("answered %d, want %d", w.Code, test.status)
			}
			if diff := cmp.Diff(test.want, access(w)); diff != "" {
				t.Errorf("Access-Control headers (-want +got):\n%s", diff)
			}
		})
	}
}
