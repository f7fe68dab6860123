package localgateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/gateway/localgateway"
	"gatehouse/shared/route"
)

// patternExample returns an address that matches the pattern.
func patternExample(pattern string) string {
	if pattern == route.Default {
		return "/acme/web/alerts/notify.json"
	}
	return strings.NewReplacer("{proxy+}", "some/thing", "{id}", "5").Replace(pattern)
}

// invokerFunc is a function made of a func.
type invokerFunc func(ctx context.Context, payload []byte) ([]byte, error)

func (f invokerFunc) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	return f(ctx, payload)
}

// serve lets one function answer everything.
func serve(f invokerFunc) http.Handler {
	table := []route.Route{{Pattern: "/{proxy+}", Function: "only"}}
	return localgateway.New(map[string]localgateway.Invoker{"only": f}, table)
}

// eventOf returns the event that the gateway makes of a request.
func eventOf(t *testing.T, r *http.Request) events.APIGatewayV2HTTPRequest {
	t.Helper()
	var e events.APIGatewayV2HTTPRequest
	w := httptest.NewRecorder()
	serve(func(_ context.Context, payload []byte) ([]byte, error) {
		return []byte(`{"statusCode":204}`), json.Unmarshal(payload, &e)
	}).ServeHTTP(w, r)
	if w.Code != http.StatusNoContent {
		t.Fatalf("the gateway answered %d %s", w.Code, w.Body)
	}
	return e
}

// quiet drops what is logged until the test ends.
func quiet(t *testing.T) {
	t.Helper()
	before := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { slog.SetDefault(before) })
}

func TestEvent(t *testing.T) {
	r := httptest.NewRequest("PATCH", "http://gatehouse.example.com:3000/api/v4/projects/acme%2Fweb?a=b%2Fc&a=d", strings.NewReader(`{"name":"Zoë <1>"}`))
	r.Header = http.Header{
		"Content-Type":    {"application/json; charset=utf-8"},
		"Cookie":          {"a=1; b=2", "c=3"},
		"Accept":          {"text/html", "application/json"},
		"Private-Token":   {"x"},
		"User-Agent":      {"agent/1"},
		"X-Forwarded-For": {"198.51.100.1"},
	}
	r.RemoteAddr = "203.0.113.7:4711"
	want := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "ANY /{proxy+}",
		RawPath: "/api/v4/projects/acme/web", RawQueryString: "a=b%2Fc&a=d",
		Cookies: []string{"a=1", "b=2", "c=3"},
		Headers: map[string]string{
			"content-type": "application/json; charset=utf-8", "accept": "text/html,application/json", "private-token": "x",
			"user-agent": "agent/1", "host": "gatehouse.example.com:3000",
			"x-forwarded-for": "198.51.100.1, 203.0.113.7", "x-forwarded-proto": "http",
		},
		Body: `{"name":"Zoë <1>"}`,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: "ANY /{proxy+}", AccountID: "000000000000", Stage: "$default", APIID: "local",
			DomainName: "gatehouse.example.com", DomainPrefix: "gatehouse",
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: "PATCH", Path: "/api/v4/projects/acme/web", Protocol: "HTTP/1.1", SourceIP: "203.0.113.7", UserAgent: "agent/1",
			},
		},
	}
	got := eventOf(t, r)
	varying := cmpopts.IgnoreFields(events.APIGatewayV2HTTPRequestContext{}, "RequestID", "Time", "TimeEpoch")
	if diff := cmp.Diff(want, got, varying); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
	at, err := time.Parse("02/Jan/2006:15:04:05 -0700", got.RequestContext.Time)
	if err != nil || time.Since(at) > time.Minute || at.Unix() != got.RequestContext.TimeEpoch/1000 {
		t.Errorf("time = %q, epoch %d, want now", got.RequestContext.Time, got.RequestContext.TimeEpoch)
	}
	if again := eventOf(t, httptest.NewRequest("GET", "/x", nil)); again.RequestContext.RequestID == got.RequestContext.RequestID {
		t.Errorf("two requests share the id %q", got.RequestContext.RequestID)
	}
}

func TestWhichBodiesAreText(t *testing.T) {
	tests := []struct {
		contentType, body string
		encoded           bool
	}{
		{"text/plain", "x", false},
		{"Text/Html; charset=utf-8", "x", false},
		{"application/json", "{}", false},
		{"application/javascript", "x", false},
		{"application/xml", "x", false},
		{"application/problem+json", "{}", false},
		{"image/svg+xml", "x", false},
		{"application/x-www-form-urlencoded", "a=b", true},
		{"multipart/form-data; boundary=x", "--x", true},
		{"application/octet-stream", "x", true},
		{"", "x", true},
		{"text/plain", "\xff", true},
		{"application/octet-stream", "", false},
	}
	for _, tt := range tests {
		r := httptest.NewRequest("POST", "/x", strings.NewReader(tt.body))
		r.Header.Set("Content-Type", tt.contentType)
		if e := eventOf(t, r); e.IsBase64Encoded != tt.encoded {
			t.Errorf("%q body %q: isBase64Encoded = %v, want %v", tt.contentType, tt.body, e.IsBase64Encoded, tt.encoded)
		}
	}
}

func TestAnswerIsWrittenBack(t *testing.T) {
	w := httptest.NewRecorder()
	serve(func(context.Context, []byte) ([]byte, error) {
		return []byte(`{"statusCode":201,"headers":{"Content-Type":"image/x-icon","Vary":"Origin,Cookie"},
			"cookies":["a=1; Path=/","b=2"],"body":"AP8B","isBase64Encoded":true}`), nil
	}).ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	want := http.Header{"Content-Length": {"3"}, "Content-Type": {"image/x-icon"}, "Vary": {"Origin,Cookie"}, "Set-Cookie": {"a=1; Path=/", "b=2"}}
	if diff := cmp.Diff(want, w.Header()); w.Code != http.StatusCreated || w.Body.String() != "\x00\xff\x01" || diff != "" {
		t.Errorf("answer = %d %q, headers (-want +got):\n%s", w.Code, w.Body, diff)
	}
}

func TestFunctionsThatMisbehave(t *testing.T) {
	quiet(t)
	tests := map[string]struct {
		out    string
		err    error
		status int
		body   string
	}{
		"an error":              {"", errors.New("secret cause"), 500, `{"message":"Internal Server Error"}`},
		"no JSON":               {"hello", nil, 500, `{"message":"Internal Server Error"}`},
		"nothing":               {"", nil, 500, `{"message":"Internal Server Error"}`},
		"bad base64":            {`{"statusCode":200,"isBase64Encoded":true,"body":"*"}`, nil, 500, `{"message":"Internal Server Error"}`},
		"an impossible status":  {`{"statusCode":42}`, nil, 500, `{"message":"Internal Server Error"}`},
		"more than Lambda lets": {`"` + strings.Repeat("x", 6<<20) + `"`, nil, 500, `{"message":"Internal Server Error"}`},
		"JSON without a status": {`{"hello":"world"}`, nil, 200, `{"hello":"world"}`},
	}
	for name, tt := range tests {
		w := httptest.NewRecorder()
		serve(func(context.Context, []byte) ([]byte, error) { return []byte(tt.out), tt.err }).
			ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
		if w.Code != tt.status || w.Body.String() != tt.body {
			t.Errorf("%s: answer = %d %s, want %d %s", name, w.Code, w.Body, tt.status, tt.body)
		}
	}
}

func TestLimits(t *testing.T) {
	post := func(header, body int) *http.Request {
		r := httptest.NewRequest("POST", "/x", strings.NewReader(strings.Repeat("x", body)))
		r.Header.Set("X-Filler", strings.Repeat("x", header))
		r.Header.Set("Content-Type", "text/plain")
		return r
	}
	tests := map[string]struct {
		request *http.Request
		status  int
	}{
		"large but fine":    {post(9_000, 5<<20), 204},
		"headers too large": {post(10_240, 0), 431},
		"address too long":  {httptest.NewRequest("GET", "/x?"+strings.Repeat("x", 10_240), nil), 431},
		"beyond Lambda":     {post(0, 6<<20), 413},
		"beyond gateway":    {post(0, 10<<20+1), 413},
	}
	for name, tt := range tests {
		w := httptest.NewRecorder()
		serve(func(context.Context, []byte) ([]byte, error) { return []byte(`{"statusCode":204}`), nil }).ServeHTTP(w, tt.request)
		if w.Code != tt.status {
			t.Errorf("%s: status = %d, want %d", name, w.Code, tt.status)
		}
	}
}

func TestFunctionOutlivesItsCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	serve(func(ctx context.Context, _ []byte) ([]byte, error) {
		if _, limited := ctx.Deadline(); !limited {
			t.Error("the function has no deadline")
		}
		return []byte(`{"statusCode":204}`), ctx.Err()
	}).ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/x", nil))
	if w.Code != http.StatusNoContent {
		t.Errorf("status = %d, want 204 although the caller has gone", w.Code)
	}
}

func TestBodyThatBreaksOff(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/x", io.MultiReader(strings.NewReader("x"), brokenReader{}))
	serve(func(context.Context, []byte) ([]byte, error) {
		t.Error("the function was called")
		return nil, nil
	}).ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest {
		t.Errorf("status = %d, want 400", w.Code)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
