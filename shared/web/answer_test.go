package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/throttle"
	"gatehouse/shared/web"
)

func TestEveryCallGivesTheSameStatus(t *testing.T) {
	err := errors.Join(fault.New(fault.Conflict, "changed"), fault.New(fault.NotFound, "gone"))
	for range 1000 {
		if got := web.Status(err); got != http.StatusNotFound {
			t.Fatalf("Status(conflict and not found) = %d, want 404", got)
		}
	}
}

func TestErrorShapes(t *testing.T) {
	gone := fault.New(fault.NotFound, "for the log")
	tests := []struct {
		err    error
		status int
		body   string
	}{
		{fault.New(fault.Invalid, "the reason"), 400, `{"message":"400 Bad request - the reason"}`},
		{fault.Field("path", "is a reserved name"), 400, `{"message":{"path":["is a reserved name"]}}`},
		{web.BadParameters("a is missing, b is invalid"), 400, `{"error":"a is missing, b is invalid"}`},
		{fault.New(fault.Unauthorized, ""), 401, `{"message":"401 Unauthorized"}`},
		{fault.New(fault.Forbidden, ""), 403, `{"message":"403 Forbidden"}`},
		{fault.New(fault.Forbidden, "the reason"), 403, `{"message":"403 Forbidden - the reason"}`},
		{gone, 404, `{"message":"404 Not Found"}`},
		{web.NotFound("Project", gone), 404, `{"message":"404 Project Not Found"}`},
		{web.NotFound("Project", fmt.Errorf("read: %w", gone)), 404, `{"message":"404 Project Not Found"}`},
		{web.NotFound("Group", web.NotFound("Project", gone)), 404, `{"message":"404 Group Not Found"}`},
		{web.NotFound("Project", fault.New(fault.Conflict, "changed")), 409, `{"message":"409 Conflict - changed"}`},
		{fault.New(fault.TooLarge, ""), 413, `{"message":"413 Request Entity Too Large"}`},
		{fault.New(fault.Unsupported, ""), 415, `{"message":"415 Unsupported Media Type"}`},
		{fault.New(fault.Unprocessable, "the reason"), 422, `{"message":"422 Unprocessable Entity - the reason"}`},
		{&throttle.Refused{Wait: time.Minute}, 429, `{"message":"429 Too Many Requests"}`},
		{fault.New(fault.Unavailable, ""), 503, `{"message":"503 Service Unavailable"}`},
		{errors.Join(fault.New(fault.Conflict, "changed"), gone), 404, `{"message":"404 Not Found"}`},
		{fmt.Errorf("read: %w", context.DeadlineExceeded), 503, `{"message":"503 Service Unavailable"}`},
		{errors.Join(context.DeadlineExceeded, gone), 404, `{"message":"404 Not Found"}`},
		{errors.New("disk full at /var"), 500, `{"message":"500 Internal Server Error"}`},
	}
	for _, test := range tests {
		w := httptest.NewRecorder()
		web.Handler(func(http.ResponseWriter, *http.Request) error { return test.err }).
			ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Code != test.status || w.Body.String() != test.body {
			t.Errorf("%v answered %d %s, want %d %s", test.err, w.Code, w.Body, test.status, test.body)
		}
		if got := w.Header().Get("Content-Type"); got != "application/json" {
			t.Errorf("%v answered Content-Type %q, want application/json", test.err, got)
		}
	}
	if err := web.NotFound("Project", nil); err != nil {
		t.Errorf("NotFound(nil) = %v, want nil", err)
	}
}

func TestRetryAfterIsInWholeSeconds(t *testing.T) {
	tests := map[time.Duration]string{10 * time.Minute: "600", 1500 * time.Millisecond: "2", time.Microsecond: "1"}
	for wait, want := range tests {
		w := httptest.NewRecorder()
		web.Error(w, httptest.NewRequest("GET", "/", nil), fmt.Errorf("try: %w", &throttle.Refused{Wait: wait}))
		if got := w.Header().Get("Retry-After"); got != want {
			t.Errorf("Retry-After for %s is %q, want %q", wait, got, want)
		}
	}
}

// Why something is not available is for the log, and a refusal that says all is not.
func TestCausesAreLogged(t *testing.T) {
	down := fault.New(fault.Unavailable, "send it again")
	for logged, errs := range map[bool][]error{
		true:  {errors.New("disk full"), fmt.Errorf("%w: %w", down, errors.New("disk full")), context.DeadlineExceeded},
		false: {down, fault.New(fault.Unavailable, ""), fault.New(fault.Conflict, "changed")},
	} {
		for _, err := range errs {
			log := captureLog(t)
			web.Error(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), err)
			if (log.Len() > 0) != logged {
				t.Errorf("%v logs %q, want it logged: %t", err, log, logged)
			}
		}
	}
}

func TestTimesOnTheWire(t *testing.T) {
	zone := time.FixedZone("", 3600)
	at := time.Date(2016, 1, 25, 0, 39, 48, 66e6, zone)
	tests := []struct {
		value any
		want  string
	}{
		{web.Time(at), `"2016-01-24T23:39:48.066Z"`},
		{web.Date(at), `"2016-01-24"`},
		{web.Time{}, `null`},
		{web.Date{}, `null`},
	}
	for _, test := range tests {
		if got, err := json.Marshal(test.value); err != nil || string(got) != test.want {
			t.Errorf("%T of %v = %s, %v, want %s", test.value, at, got, err, test.want)
		}
	}
}

func captureLog(t *testing.T) *bytes.Buffer {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

func TestAroundEveryRequest(t *testing.T) {
	log := captureLog(t)
	h := web.Wrap("", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { web.Deleted(w, "Thing", nil) }))
	r := httptest.NewRequest("GET", "/things?access_token=opensesame", nil)
	r.Header.Set("X-Request-Id", "from-the-proxy")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)

	if w.Code != http.StatusNoContent || w.Header().Get("X-Request-Id") != "from-the-proxy" || w.Header().Get("Vary") != "Origin" {
		t.Errorf("answered %d %v, want 204 with X-Request-Id and Vary", w.Code, w.Header())
	}
	line := log.String()
	if strings.Count(line, "\n") != 1 || !strings.Contains(line, `"path":"/things"`) || !strings.Contains(line, `"status":204`) {
		t.Errorf("log holds %q, want one line with path and status", line)
	}
	if strings.Contains(line, "opensesame") {
		t.Errorf("log holds the query string: %q", line)
	}
}

// Every answer says that no cache may keep it, unless it says otherwise, and over https
// that browsers stay there.
func TestAroundEveryAnswer(t *testing.T) {
	captureLog(t)
	status := func(status int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	}
	tests := map[string]struct {
		base    string
		handler http.Handler
		cache   string
		hsts    string
	}{
		"204":              {"https://gatehouse.example", status(204), "no-store", "max-age=31536000"},
		"204 over http":    {"http://gatehouse.example", status(204), "no-store", ""},
		"404 as text":      {"https://gatehouse.example", http.NotFoundHandler(), "no-store", "max-age=31536000"},
		"200 with nothing": {"https://gatehouse.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(nil) }), "no-store", "max-age=31536000"},
		"a document":       {"https://gatehouse.example", web.NewDocument([]byte("{}")), "public, max-age=300", "max-age=31536000"},
		"a panic": {"https://gatehouse.example", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }),
			"no-store", "max-age=31536000"},
	}
	for name, test := range tests {
		w := httptest.NewRecorder()
		web.Wrap(test.base, test.handler).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if cache, hsts := w.Header().Get("Cache-Control"), w.Header().Get("Strict-Transport-Security"); cache != test.cache || hsts != test.hsts {
			t.Errorf("%s: Cache-Control %q and Strict-Transport-Security %q, want %q and %q", name, cache, hsts, test.cache, test.hsts)
		}
	}
}

func TestAroundMakesUpRequestIDs(t *testing.T) {
	captureLog(t)
	h := web.Wrap("", http.NotFoundHandler())
	seen := map[string]bool{}
	for _, given := range []string{"", "", "has a space", strings.Repeat("x", 65)} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("X-Request-Id", given)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		id := w.Header().Get("X-Request-Id")
		if len(id) != 32 || seen[id] {
			t.Errorf("X-Request-Id for %q is %q, want a new one", given, id)
		}
		seen[id] = true
	}
}

func TestAroundAnswersPanics(t *testing.T) {
	captureLog(t)
	h := web.Wrap("", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "session=half-made")
		panic("out of tokens")
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if want := `{"message":"500 Internal Server Error"}`; w.Code != 500 || w.Body.String() != want || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("a panic answered %d %s %v, want 500 %s and no cookie", w.Code, w.Body, w.Header(), want)
	}
}

func TestPathID(t *testing.T) {
	tests := map[string]int64{
		"5": 5, "9223372036854775807": 9223372036854775807,
		"0": 0, "-5": 0, "x": 0, "5x": 0, "": 0, "9223372036854775808": 0,
	}
	for segment, want := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.SetPathValue("id", segment)
		got, err := web.PathID(r, "id")
		if got != want || (want == 0) != errors.Is(err, fault.NotFound) {
			t.Errorf("PathID of %q = %d, %v, want %d", segment, got, err, want)
		}
	}
}

// What a client reads is the same either way, but six times as long with escapes.
func TestJSONEscapesNoHTML(t *testing.T) {
	w := httptest.NewRecorder()
	err := web.JSON(w, http.StatusOK, map[string]any{"text": "<a&b>", "raw": json.RawMessage(`{"c":"<&>"}`)})
	if want := `{"raw":{"c":"<&>"},"text":"<a&b>"}`; err != nil || w.Body.String() != want {
		t.Errorf("JSON = %q, %v, want %q", w.Body, err, want)
	}
}

func TestFits(t *testing.T) {
	const limit = 6<<20 - 64<<10
	tests := []struct {
		name string
		body string
		want bool
	}{
		{"nothing", "", true},
		{"half of it in quotes", strings.Repeat(`"`, limit/4-10), true},
		{"more in quotes", strings.Repeat(`"`, limit/4), false},
		{"all in letters", strings.Repeat("a", limit-10), true},
		{"more letters", strings.Repeat("a", limit), false},
		{"ampersands", strings.Repeat("&", limit-10), true},
		{"control characters", strings.Repeat("\x01", limit/7), false},
	}
	for _, test := range tests {
		if got := web.Fits(test.body); got != test.want {
			t.Errorf("Fits(%s) = %t, want %t", test.name, got, test.want)
		}
	}
}
