package gateway_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"gatehouse/shared/gateway"
	"gatehouse/shared/web"
)

// long is worth to be compressed.
var long = strings.Repeat(`{"title":"a text that repeats"},`, 100)

// body returns the answer's body as the client reads it.
func body(t *testing.T, answer events.APIGatewayV2HTTPResponse) string {
	t.Helper()
	content := []byte(answer.Body)
	if answer.IsBase64Encoded {
		var err error
		if content, err = base64.StdEncoding.DecodeString(answer.Body); err != nil {
			t.Fatal(err)
		}
	}
	if answer.Headers["Content-Encoding"] == "" {
		return string(content)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatalf("the body is not in gzip: %v", err)
	}
	text, err := io.ReadAll(zipped)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAnswersAreCompressed(t *testing.T) {
	type headers map[string]string
	tests := map[string]struct {
		request headers
		status  int
		answer  headers
		body    string
		zipped  bool
		vary    string
	}{
		"JSON":                        {answer: headers{"Content-Type": "application/json"}, body: long, zipped: true, vary: "Accept-Encoding"},
		"with a charset":              {answer: headers{"Content-Type": "application/json; charset=utf-8"}, body: long, zipped: true, vary: "Accept-Encoding"},
		"a page":                      {answer: headers{"Content-Type": "text/html; charset=utf-8"}, body: long, zipped: true, vary: "Accept-Encoding"},
		"a calendar":                  {answer: headers{"Content-Type": "text/calendar; charset=utf-8"}, body: long, zipped: true, vary: "Accept-Encoding"},
		"an error":                    {status: 422, answer: headers{"Content-Type": "application/json"}, body: long, zipped: true, vary: "Accept-Encoding"},
		"a type that was not said":    {body: "<html>" + long, zipped: true, vary: "Accept-Encoding"},
		"what varies already":         {answer: headers{"Content-Type": "text/css", "Vary": "Origin"}, body: long, zipped: true, vary: "Origin,Accept-Encoding"},
		"a length that was said":      {answer: headers{"Content-Type": "text/css", "Content-Length": "3200"}, body: long, zipped: true, vary: "Accept-Encoding"},
		"a short answer":              {answer: headers{"Content-Type": "application/json"}, body: long[:1399]},
		"the shortest":                {answer: headers{"Content-Type": "application/json"}, body: long[:1400], zipped: true, vary: "Accept-Encoding"},
		"a client that takes none":    {request: headers{"accept-encoding": "br"}, answer: headers{"Content-Type": "application/json"}, body: long, vary: "Accept-Encoding"},
		"a picture":                   {answer: headers{"Content-Type": "image/png"}, body: long},
		"what is compressed already":  {answer: headers{"Content-Type": "text/css", "Content-Encoding": "br"}, body: long},
		"what shows a secret":         {answer: headers{"Content-Type": "text/html", "Cache-Control": "no-store, no-transform"}, body: long},
		"a part":                      {status: 206, answer: headers{"Content-Type": "text/html", "Content-Range": "bytes 0-9/99"}, body: long},
		"nothing":                     {status: 204},
		"a browser on our page":       {request: headers{"cookie": "a=b", "sec-fetch-site": "same-origin"}, answer: headers{"Content-Type": "text/html"}, body: long, zipped: true, vary: "Accept-Encoding"},
		"a browser by its address":    {request: headers{"cookie": "a=b", "sec-fetch-site": "none"}, answer: headers{"Content-Type": "text/html"}, body: long, zipped: true, vary: "Accept-Encoding"},
		"a browser on another site":   {request: headers{"cookie": "a=b", "sec-fetch-site": "cross-site"}, answer: headers{"Content-Type": "text/html"}, body: long, vary: "Accept-Encoding"},
		"a browser on a neighbour":    {request: headers{"cookie": "a=b", "sec-fetch-site": "same-site"}, answer: headers{"Content-Type": "text/html"}, body: long, vary: "Accept-Encoding"},
		"a browser that says nothing": {request: headers{"cookie": "a=b"}, answer: headers{"Content-Type": "text/html"}, body: long, vary: "Accept-Encoding"},
		"a browser with a password":   {request: headers{"authorization": "Basic YTpi"}, answer: headers{"Content-Type": "application/json"}, body: long, vary: "Accept-Encoding"},
		"another site, not signed in": {request: headers{"sec-fetch-site": "cross-site"}, answer: headers{"Content-Type": "application/json"}, body: long, zipped: true, vary: "Accept-Encoding"},
		"a client with a token":       {request: headers{"authorization": "Bearer a"}, answer: headers{"Content-Type": "application/json"}, body: long, zipped: true, vary: "Accept-Encoding"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, method := range []string{"GET", "HEAD"} { // the gateway leaves out the body
				e := getEvent()
				e.RequestContext.HTTP.Method, e.Cookies = method, nil
				e.Headers = headers{"accept-encoding": "gzip, br"}
				for name, value := range test.request {
					if e.Headers[name] = value; name == "cookie" {
						delete(e.Headers, name)
						e.Cookies = []string{value}
					}
				}
				answer := invoke(t, func(w http.ResponseWriter, _ *http.Request) {
					for name, value := range test.answer {
						w.Header().Set(name, value)
					}
					w.WriteHeader(max(test.status, 200))
					for part := range strings.SplitAfterSeq(test.body, "}") {
						io.WriteString(w, part)
					}
				}, e)
				if zipped := answer.Headers["Content-Encoding"] == "gzip"; zipped != test.zipped || answer.IsBase64Encoded != test.zipped {
					t.Fatalf("compressed %t, in base64 %t, want %t", zipped, answer.IsBase64Encoded, test.zipped)
				}
				if test.zipped && (len(answer.Body) > len(test.body) || answer.Headers["Content-Length"] != "") {
					t.Errorf("%d bytes became %d, of length %q", len(test.body), len(answer.Body), answer.Headers["Content-Length"])
				}
				if got := answer.Headers["Vary"]; got != test.vary {
					t.Errorf("Vary is %q, want %q", got, test.vary)
				}
				if answer.Headers["Content-Encoding"] != "br" && body(t, answer) != test.body {
					t.Errorf("the body is %q, want %q", body(t, answer), test.body)
				}
			}
		})
	}
}

// The two forms of a document are the same in meaning only, which a weak tag says.
func TestTagsOfCompressedAnswers(t *testing.T) {
	document := web.NewPrivateDocument([]byte(long), "text/calendar")
	tags := map[string]string{}
	for _, accepted := range []string{"gzip", "identity"} {
		e := getEvent()
		e.Cookies, e.Headers = nil, map[string]string{"accept-encoding": accepted}
		tags[accepted] = invoke(t, document.ServeHTTP, e).Headers["Etag"]
	}
	if tags["gzip"] != "W/"+tags["identity"] {
		t.Fatalf("tags are %q", tags)
	}
	for _, known := range tags {
		for accepted, want := range tags {
			e := getEvent()
			e.Cookies, e.Headers = nil, map[string]string{"accept-encoding": accepted, "if-none-match": `"other", ` + known}
			answer := invoke(t, document.ServeHTTP, e)
			if answer.StatusCode != 304 || answer.Headers["Etag"] != want || answer.Headers["Vary"] != "Accept-Encoding" || answer.Headers["Content-Encoding"] != "" || answer.Body != "" {
				t.Errorf("%s with %s: %d %v %q, want 304 with %s and without a body", accepted, known, answer.StatusCode, answer.Headers, answer.Body, want)
			}
		}
	}
}

func BenchmarkCompress(b *testing.B) {
	for name, size := range map[string]int{"2KiB": 2 << 10, "20KiB": 20 << 10, "200KiB": 200 << 10} {
		text := strings.Builder{}
		for i := 0; text.Len() < size; i++ {
			text.WriteString(`{"id":` + strings.Repeat(string(rune('0'+i%10)), 1+i%7) + `,"title":"disk ` + string(rune('a'+i%26)) + ` is full","status":"triggered"},`)
		}
		for _, accepted := range []string{"identity", "gzip"} {
			b.Run(name+"/"+accepted, func(b *testing.B) {
				h := gateway.New(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					io.WriteString(w, text.String())
				}))
				e := getEvent()
				e.Headers["accept-encoding"] = accepted
				payload, err := json.Marshal(e)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					out, err := h.Invoke(b.Context(), payload)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(len(out)), "bytes")
				}
			})
		}
	}
}
