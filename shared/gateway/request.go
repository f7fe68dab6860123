package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/awslabs/aws-lambda-go-api-proxy/core"

	"gatehouse/shared/telemetry"
)

// event has the fields of payload format 2.0 that a request needs. Decoding all
// fields would take twice as long.
type event struct {
	RawPath         string            `json:"rawPath"`
	RawQueryString  string            `json:"rawQueryString"`
	Cookies         []string          `json:"cookies"`
	Headers         map[string]string `json:"headers"`
	Body            string            `json:"body"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
	RequestContext  struct {
		DomainName string `json:"domainName"`
		RequestID  string `json:"requestId"`
		HTTP       struct {
			Method   string `json:"method"`
			SourceIP string `json:"sourceIp"`
		} `json:"http"`
	} `json:"requestContext"`
}

var (
	errMethod = errors.New("the method is not a token")
	errPath   = errors.New("the path or the query holds a control character")
	errBody   = errors.New("the body is not base64")
)

// request returns the request that the event describes.
func (e *event) request(ctx context.Context) (*http.Request, error) {
	switch {
	case !isToken(e.RequestContext.HTTP.Method):
		return nil, errMethod
	case hasControl(e.RawPath), hasControl(e.RawQueryString):
		return nil, errPath
	}
	r, err := e.body()
	if err != nil {
		return nil, errBody
	}
	r = r.WithContext(e.noting(ctx))
	r.Method = e.RequestContext.HTTP.Method
	r.URL = e.url()
	r.RequestURI = r.URL.RequestURI()
	r.Header, r.Host = e.header()
	r.RemoteAddr = net.JoinHostPort(e.RequestContext.HTTP.SourceIP, "0") // the event has no port
	return r, nil
}

// unreadable returns a request in place of one that an event does not describe. It
// has no address, which could get into the log with a token in its query.
func (e *event) unreadable(ctx context.Context, reason error) *http.Request {
	slog.WarnContext(ctx, "event refused", "reason", reason.Error())
	r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}, RequestURI: "/"}
	r.Header, r.Host = e.header()
	r.RemoteAddr = net.JoinHostPort(e.RequestContext.HTTP.SourceIP, "0")
	return r.WithContext(e.noting(ctx))
}

// noting returns a context in which the log's line about the request is collected.
func (e *event) noting(ctx context.Context) context.Context {
	ids := telemetry.IDs{Gateway: e.RequestContext.RequestID}
	if invocation, ok := lambdacontext.FromContext(ctx); ok {
		ids.Lambda = invocation.AwsRequestID
	}
	ctx, _ = telemetry.WithRequest(ctx, ids)
	return ctx
}

// body returns a request that has only the event's body.
func (e *event) body() (*http.Request, error) {
	bare := events.APIGatewayV2HTTPRequest{RawPath: "/", Body: e.Body, IsBase64Encoded: e.IsBase64Encoded}
	bare.RequestContext.HTTP.Method = http.MethodPost
	var accessor core.RequestAccessorV2
	return accessor.EventToRequest(bare)
}

// url returns the address. The gateway has decoded the path, so it becomes
// URL.Path as it is; a '?' or '%' in it is part of the path.
func (e *event) url() *url.URL {
	path := e.RawPath
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return &url.URL{Path: path, RawQuery: e.RawQueryString}
}

// header returns the headers as net/http does: with canonical names, one Cookie
// line, and without Host, which it returns separately.
func (e *event) header() (header http.Header, host string) {
	header, host = make(http.Header, len(e.Headers)+1), e.RequestContext.DomainName
	values := make([]string, 0, len(e.Headers)+1) // one allocation for all the one-element slices
	set := func(name, value string) {
		values = append(values, value)
		header[name] = values[len(values)-1 : len(values) : len(values)]
	}
	for name, value := range e.Headers {
		if name = http.CanonicalHeaderKey(name); name == "Host" {
			host = value
		} else {
			set(name, value)
		}
	}
	if len(e.Cookies) > 0 {
		set("Cookie", strings.Join(e.Cookies, "; "))
	}
	return header, host
}

// isToken reports whether s is a token (RFC 9110 section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

func hasControl(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return true
		}
	}
	return false
}
