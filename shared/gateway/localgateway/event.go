package localgateway

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// event is a request in payload format 2.0.
type event struct {
	Version         string            `json:"version"`
	RouteKey        string            `json:"routeKey"`
	RawPath         string            `json:"rawPath"`
	RawQueryString  string            `json:"rawQueryString"`
	Cookies         []string          `json:"cookies,omitempty"`
	Headers         map[string]string `json:"headers"`
	RequestContext  requestContext    `json:"requestContext"`
	Body            string            `json:"body,omitempty"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
}

type requestContext struct {
	AccountID    string      `json:"accountId"`
	APIID        string      `json:"apiId"`
	DomainName   string      `json:"domainName"`
	DomainPrefix string      `json:"domainPrefix"`
	HTTP         requestHTTP `json:"http"`
	RequestID    string      `json:"requestId"`
	RouteKey     string      `json:"routeKey"`
	Stage        string      `json:"stage"`
	Time         string      `json:"time"`
	TimeEpoch    int64       `json:"timeEpoch"`
}

type requestHTTP struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Protocol  string `json:"protocol"`
	SourceIP  string `json:"sourceIp"`
	UserAgent string `json:"userAgent"`
}

// newEvent returns the event of a request that matched the route with this key.
func newEvent(r *http.Request, routeKey string, body []byte) *event {
	e := &event{
		Version:        "2.0",
		RouteKey:       routeKey,
		RawPath:        rawPath(r),
		RawQueryString: r.URL.RawQuery,
		Cookies:        cookies(r.Header),
		RequestContext: newRequestContext(r, routeKey),
	}
	e.Headers = headers(r, e.RequestContext.HTTP.SourceIP)
	e.setBody(r.Header.Get("Content-Type"), body)
	return e
}

// rawPath returns the path as API Gateway does: decoded, so that an escaped slash becomes a
// plain one. Only behind letter it stays as it was sent: what asks there wants to know
// whether an address is to the letter that of a Git repository. API Gateway cannot tell, so
// functions/oauth/git.md has Envoy refuse such addresses.
func rawPath(r *http.Request) string {
	if strings.HasPrefix(r.URL.Path, letter) {
		return r.URL.EscapedPath()
	}
	return r.URL.Path
}

const letter = "/git/authorize/"

func (e *event) setBody(contentType string, body []byte) {
	switch {
	case len(body) == 0:
	case isText(contentType) && utf8.Valid(body):
		e.Body = string(body)
	default:
		e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
}

// marshal does not escape '<' and '>'.
func (e *event) marshal() ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(e.Body) + 2048)
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(e)
	return out.Bytes(), err
}

func newRequestContext(r *http.Request, routeKey string) requestContext {
	now := time.Now().UTC()
	domain := hostname(r.Host)
	prefix, _, _ := strings.Cut(domain, ".")
	return requestContext{
		AccountID: "000000000000", APIID: "local", Stage: "$default", RouteKey: routeKey,
		DomainName: domain, DomainPrefix: prefix,
		HTTP: requestHTTP{
			Method: r.Method, Path: r.URL.Path, Protocol: r.Proto,
			SourceIP: hostname(r.RemoteAddr), UserAgent: r.UserAgent(),
		},
		RequestID: nextRequestID(),
		Time:      now.Format("02/Jan/2006:15:04:05 -0700"),
		TimeEpoch: now.UnixMilli(),
	}
}

var (
	firstRequest = strconv.FormatInt(time.Now().UnixNano(), 36) + "-"
	requests     atomic.Int64
)

// nextRequestID returns an id that is unique in this process.
func nextRequestID() string { return firstRequest + strconv.FormatInt(requests.Add(1), 36) }

// headers returns the headers that the gateway passes on: in lower case, with
// repeated ones joined by commas, without cookies, and with its own X-Forwarded
// ones.
func headers(r *http.Request, sourceIP string) map[string]string {
	out := make(map[string]string, len(r.Header)+4)
	for name, values := range r.Header {
		if name != "Cookie" {
			out[strings.ToLower(name)] = strings.Join(values, ",")
		}
	}
	out["host"] = r.Host
	out["x-forwarded-for"] = forwardedFor(r.Header, sourceIP)
	out["x-forwarded-proto"] = "http"
	if r.TLS != nil {
		out["x-forwarded-proto"] = "https"
	}
	return out
}

func forwardedFor(header http.Header, sourceIP string) string {
	if before := header["X-Forwarded-For"]; len(before) > 0 {
		return strings.Join(before, ", ") + ", " + sourceIP
	}
	return sourceIP
}

// cookies returns each cookie of the request as "name=value".
func cookies(header http.Header) []string {
	var out []string
	for _, line := range header["Cookie"] {
		for cookie := range strings.SplitSeq(line, ";") {
			if cookie = strings.TrimSpace(cookie); cookie != "" {
				out = append(out, cookie)
			}
		}
	}
	return out
}

// isText reports whether the gateway passes a body of this type as text.
func isText(contentType string) bool {
	mediaType, _, _ := strings.Cut(contentType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	switch mediaType {
	case "application/json", "application/javascript", "application/xml":
		return true
	}
	return strings.HasPrefix(mediaType, "text/") ||
		strings.HasSuffix(mediaType, "+json") || strings.HasSuffix(mediaType, "+xml")
}

// hostname returns an address without its port.
func hostname(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}
