package gateway_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/gateway"
)

var _ lambda.Handler = (*gateway.Handler)(nil)

// getEvent is an event for GET /users/sign_in, as the gateway sends it.
func getEvent() events.APIGatewayV2HTTPRequest {
	e := events.APIGatewayV2HTTPRequest{
		Version:  "2.0",
		RouteKey: "ANY /users/{proxy+}",
		RawPath:  "/users/sign_in",
		Headers:  map[string]string{"host": "gatehouse.example.com", "accept": "text/html"},
	}
	e.RequestContext.DomainName = "abc123.execute-api.eu-west-1.amazonaws.com"
	e.RequestContext.HTTP = events.APIGatewayV2HTTPRequestContextHTTPDescription{
		Method: "GET", Path: e.RawPath, Protocol: "HTTP/1.1", SourceIP: "203.0.113.7",
	}
	return e
}

// invoke lets the handler answer the event.
func invoke(t *testing.T, handler http.HandlerFunc, e events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
	t.Helper()
	payload, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	out, err := gateway.New(handler).Invoke(t.Context(), payload)
	if err != nil {
		t.Fatalf("Invoke: %v", err)
	}
	var answer events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("answer %s: %v", out, err)
	}
	return answer
}

// arrive returns the request that the handler sees for the event.
func arrive(t *testing.T, e events.APIGatewayV2HTTPRequest) *http.Request {
	t.Helper()
	var seen *http.Request
	answer := invoke(t, func(_ http.ResponseWriter, r *http.Request) { seen = r }, e)
	if seen == nil {
		t.Fatalf("the handler was not called, the answer is %d", answer.StatusCode)
	}
	return seen
}

func TestPathArrivesAsTheGatewayDecodedIt(t *testing.T) {
	tests := []struct{ rawPath, uri string }{
		{"/", "/?q=1"},
		{"/api/v4/projects/acme/web/members", "/api/v4/projects/acme/web/members?q=1"},
		{"/api/v4/projects/50% off", "/api/v4/projects/50%25%20off?q=1"},
		{"/api/v4/user?access_token=stolen", "/api/v4/user%3Faccess_token=stolen?q=1"},
		{"/a%2Fb", "/a%252Fb?q=1"},
		{"/a#b", "/a%23b?q=1"},
		{"//evil.example/x", "//evil.example/x?q=1"},
		{"/a/../b", "/a/../b?q=1"},
		{"/Zoë", "/Zo%C3%AB?q=1"},
	}
	for _, tt := range tests {
		e := getEvent()
		e.RawPath, e.RawQueryString = tt.rawPath, "q=1"
		r := arrive(t, e)
		if r.URL.Path != tt.rawPath || r.RequestURI != tt.uri || r.URL.RawQuery != "q=1" {
			t.Errorf("rawPath %q arrived as path %q, query %q, request URI %q; want path and query unchanged and URI %q",
				tt.rawPath, r.URL.Path, r.URL.RawQuery, r.RequestURI, tt.uri)
		}
		if r.URL.Query().Has("access_token") {
			t.Errorf("rawPath %q smuggled a parameter into the query", tt.rawPath)
		}
	}
}

func TestEmptyPathIsTheRoot(t *testing.T) {
	e := getEvent()
	e.RawPath = ""
	if got := arrive(t, e).URL.Path; got != "/" {
		t.Errorf("path = %q, want /", got)
	}
}

func TestQueryArrivesUnchanged(t *testing.T) {
	e := getEvent()
	e.RawQueryString = "scope=api+read_user&state=a%2Bb&x=%zz&flag"
	if got := arrive(t, e).URL.RawQuery; got != e.RawQueryString {
		t.Errorf("query = %q, want %q", got, e.RawQueryString)
	}
}

func TestHeadersKeepTheirCommas(t *testing.T) {
	e := getEvent()
	e.Headers = map[string]string{
		"host":           "gatehouse.example.com",
		"accept":         "text/html,application/json;q=0.9",
		"private-token":  "a,b",
		"authorization":  "Bearer x",
		"x-forwarded-to": "one, two",
	}
	want := http.Header{
		"Accept":         {"text/html,application/json;q=0.9"},
		"Private-Token":  {"a,b"},
		"Authorization":  {"Bearer x"},
		"X-Forwarded-To": {"one, two"},
	}
	if diff := cmp.Diff(want, arrive(t, e).Header); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestHostIsTheRequestsHost(t *testing.T) {
	e := getEvent()
	r := arrive(t, e)
	if r.Host != "gatehouse.example.com" || r.Header["Host"] != nil {
		t.Errorf("Host = %q with header %q, want gatehouse.example.com and no header", r.Host, r.Header["Host"])
	}
	delete(e.Headers, "host")
	if got := arrive(t, e).Host; got != e.RequestContext.DomainName {
		t.Errorf("Host without a header = %q, want %q", got, e.RequestContext.DomainName)
	}
}

func TestCrossOriginProtectionKnowsItsOwnOrigin(t *testing.T) {
	e := getEvent()
	e.RequestContext.HTTP.Method = "POST"
	e.Headers["origin"] = "https://gatehouse.example.com"
	protect := http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if got := invoke(t, protect.ServeHTTP, e).StatusCode; got != http.StatusOK {
		t.Errorf("status of a form post from our own page = %d, want 200", got)
	}
}

func TestCookiesAreOneLine(t *testing.T) {
	e := getEvent()
	e.Cookies = []string{"gatehouse_session=abc", "theme=dark"}
	r := arrive(t, e)
	if diff := cmp.Diff([]string{"gatehouse_session=abc; theme=dark"}, r.Header["Cookie"]); diff != "" {
		t.Errorf("Cookie lines (-want +got):\n%s", diff)
	}
	if c, err := r.Cookie("theme"); err != nil || c.Value != "dark" {
		t.Errorf("Cookie(theme) = %v, %v, want dark", c, err)
	}
}

func TestRemoteAddressHasAPort(t *testing.T) {
	for ip, want := range map[string]string{"203.0.113.7": "203.0.113.7:0", "2001:db8::1": "[2001:db8::1]:0"} {
		e := getEvent()
		e.RequestContext.HTTP.SourceIP = ip
		if got := arrive(t, e).RemoteAddr; got != want {
			t.Errorf("RemoteAddr = %q, want %q", got, want)
		}
	}
}

func TestMethodArrivesAsSent(t *testing.T) {
	for _, method := range []string{"GET", "DELETE", "PROPFIND", "get"} {
		e := getEvent()
		e.RequestContext.HTTP.Method = method
		if got := arrive(t, e).Method; got != method {
			t.Errorf("method = %q, want %q", got, method)
		}
	}
}

func TestBodyArrivesWhole(t *testing.T) {
	form := "grant_type=authorization_code&code=a%2Bb"
	tests := map[string]struct {
		body    string
		encoded bool
		want    string
	}{
		"text":          {`{"name":"Zoë"}`, false, `{"name":"Zoë"}`},
		"base64":        {base64.StdEncoding.EncodeToString([]byte(form)), true, form},
		"base64 binary": {"AP8B", true, "\x00\xff\x01"},
		"none":          {"", false, ""},
		"none, encoded": {"", true, ""},
	}
	for name, tt := range tests {
		e := getEvent()
		e.RequestContext.HTTP.Method = "POST"
		e.Body, e.IsBase64Encoded = tt.body, tt.encoded
		r := arrive(t, e)
		got, err := io.ReadAll(r.Body)
		if err != nil || string(got) != tt.want || r.ContentLength != int64(len(tt.want)) {
			t.Errorf("%s: body = %q (length %d, error %v), want %q", name, got, r.ContentLength, err, tt.want)
		}
	}
}

func TestBadEventsAreRefusedWithoutLoggingTheAddress(t *testing.T) {
	tests := map[string]func(*events.APIGatewayV2HTTPRequest){
		"bad base64":           func(e *events.APIGatewayV2HTTPRequest) { e.Body, e.IsBase64Encoded = "***", true },
		"control in the path":  func(e *events.APIGatewayV2HTTPRequest) { e.RawPath += "\n" },
		"delete in the path":   func(e *events.APIGatewayV2HTTPRequest) { e.RawPath += "\x7f" },
		"control in the query": func(e *events.APIGatewayV2HTTPRequest) { e.RawQueryString += "\x00" },
		"empty method":         func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.HTTP.Method = "" },
		"bad method":           func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.HTTP.Method = "GE T" },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			logged := captureLog(t)
			e := getEvent()
			e.RawPath, e.RawQueryString = "/hidden-path", "access_token=hidden-token"
			spoil(&e)
			answer := invoke(t, func(http.ResponseWriter, *http.Request) { t.Error("the handler was called") }, e)
			if answer.StatusCode != http.StatusBadRequest || answer.Body != `{"message":"400 Bad request"}` {
				t.Errorf("answer = %d %s, want 400", answer.StatusCode, answer.Body)
			}
			for _, header := range []string{"X-Request-Id", "X-Content-Type-Options", "Vary", "Content-Type"} {
				if answer.Headers[header] == "" {
					t.Errorf("the answer has no %s: %v", header, answer.Headers)
				}
			}
			if strings.Contains(logged.String(), "hidden") {
				t.Errorf("the log holds the address: %s", logged)
			}
		})
	}
}

// captureLog collects what is logged until the test ends.
func captureLog(t *testing.T) *bytes.Buffer {
	t.Helper()
	var logged bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil))) // also takes over package log
	t.Cleanup(func() { slog.SetDefault(before) })
	return &logged
}

func TestInvokeRefusesWhatIsNoEvent(t *testing.T) {
	for _, payload := range []string{"", "x", `"text"`, `{"rawPath":`} {
		if out, err := gateway.New(http.NotFoundHandler()).Invoke(t.Context(), []byte(payload)); err == nil {
			t.Errorf("Invoke(%q) = %s, want an error", payload, out)
		}
	}
}

func TestAnswers(t *testing.T) {
	tests := map[string]struct {
		handler http.HandlerFunc
		want    events.APIGatewayV2HTTPResponse
	}{
		"nothing written is 200": {
			func(http.ResponseWriter, *http.Request) {},
			events.APIGatewayV2HTTPResponse{StatusCode: 200, Headers: map[string]string{}, Cookies: []string{}},
		},
		"the first status counts": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusEarlyHints)
				w.WriteHeader(http.StatusForbidden)
				w.WriteHeader(http.StatusOK)
			},
			events.APIGatewayV2HTTPResponse{StatusCode: 403, Headers: map[string]string{}, Cookies: []string{}},
		},
		"a body fixes the status": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				io.WriteString(w, "<p>Zoë & co</p>")
				w.WriteHeader(http.StatusTeapot)
			},
			events.APIGatewayV2HTTPResponse{StatusCode: 200, Headers: map[string]string{"Content-Type": "text/html; charset=utf-8"},
				Body: "<p>Zoë & co</p>", Cookies: []string{}},
		},
		"204 has no body": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusNoContent)
				io.WriteString(w, "dropped")
			},
			events.APIGatewayV2HTTPResponse{StatusCode: 204, Headers: map[string]string{}, Cookies: []string{}},
		},
		"304 has no body": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Etag", `"a"`)
				w.WriteHeader(http.StatusNotModified)
				io.WriteString(w, "dropped")
			},
			events.APIGatewayV2HTTPResponse{StatusCode: 304, Headers: map[string]string{"Etag": `"a"`}, Cookies: []string{}},
		},
		"cookies leave apart": {
			func(w http.ResponseWriter, _ *http.Request) {
				http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
				http.SetCookie(w, &http.Cookie{Name: "b", Value: "2"})
				w.Header().Add("Vary", "Origin")
				w.Header().Add("Vary", "Cookie")
			},
			events.APIGatewayV2HTTPResponse{StatusCode: 200, Headers: map[string]string{"Vary": "Origin,Cookie"}, Cookies: []string{"a=1", "b=2"}},
		},
		"binary is base64": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "image/x-icon")
				w.Write([]byte{0, 255, 1})
			},
			events.APIGatewayV2HTTPResponse{StatusCode: 200, Headers: map[string]string{"Content-Type": "image/x-icon"},
				Body: "AP8B", IsBase64Encoded: true, Cookies: []string{}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, invoke(t, tt.handler, getEvent())); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPanicOfTheHandlerIs500(t *testing.T) {
	logged := captureLog(t)
	answer := invoke(t, func(http.ResponseWriter, *http.Request) { panic("out of luck") }, getEvent())
	if answer.StatusCode != http.StatusInternalServerError || strings.Contains(answer.Body, "luck") {
		t.Errorf("answer = %d %s, want 500 without the cause", answer.StatusCode, answer.Body)
	}
	if !strings.Contains(logged.String(), "out of luck") {
		t.Errorf("the log does not name the cause: %s", logged)
	}
}

func TestContextReachesTheHandler(t *testing.T) {
	type key struct{}
	var got any
	h := gateway.New(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Context().Value(key{}) }))
	payload, _ := json.Marshal(getEvent())
	if _, err := h.Invoke(contextWith(t, key{}, "yes"), payload); err != nil || got != "yes" {
		t.Errorf("the handler's context holds %v (error %v), want yes", got, err)
	}
}

// Answers of concurrent calls must not share memory (aws-lambda-go#639).
func TestConcurrentCallsGetTheirOwnAnswers(t *testing.T) {
	h := gateway.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	var callers sync.WaitGroup
	for caller := range 16 {
		callers.Go(func() {
			for call := range 200 {
				want := strings.Repeat(fmt.Sprintf("%d/%d ", caller, call), 1+call%50)
				if got := echo(t, h, want); got != want {
					t.Errorf("caller %d got %.40q, want %.40q", caller, got, want)
				}
			}
		})
	}
	callers.Wait()
}
