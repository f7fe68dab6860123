// Package outgoing posts the messages of webhooks to receivers on the public network, and
// gets pages from there.
package outgoing

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"gatehouse/shared/host"
	"gatehouse/shared/webhook"
)

// Limits of an exchange with a receiver.
const (
	DefaultLimit = 10 * time.Second // for all of it
	maxHeader    = 16 << 10
	maxAnswer    = 4 << 10
)

// Options of a Client. The zero value is right but for tests and instances whose webhooks
// may go to their own network.
type Options struct {
	Private  bool          // private, loopback and link-local addresses are allowed
	Limit    time.Duration // zero: DefaultLimit
	Resolver *net.Resolver // nil: that of the system
	Roots    *x509.CertPool
}

// Client is a webhook.Sender and an sns.Getter.
type Client struct {
	any, public http.Client // for the addresses that are allowed, and for public ones alone
	limit       time.Duration
}

// New returns a Client. It asks no proxy of the environment, follows no redirect and keeps
// no connection: a Lambda function that was frozen would find it dead.
func New(o Options) *Client {
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	private := o.Private
	o.Private = false
	c := &Client{limit: o.Limit, public: o.client()}
	o.Private = private
	c.any = o.client()
	return c
}

func (o Options) client() http.Client {
	dialer := &net.Dialer{Resolver: o.Resolver}
	if !o.Private {
		dialer.Control = onlyPublic
	}
	return http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12},
			DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
		},
	}
}

// onlyPublic refuses to connect to an address that is not public. It sees the address
// that the name led to, whatever the name led to before.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !host.Public(to.Addr().String()) {
		return webhook.ErrRefused
	}
	return nil
}

// Post sends the request once. The errors are those of webhook.Sender.
func (c *Client) Post(ctx context.Context, r webhook.Request) (webhook.Answer, error) {
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return webhook.Answer{}, webhook.ErrRefused // the URL, which is not for the log
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	client := &c.any
	if r.Public {
		client = &c.public
	}
	answer, err := client.Do(request)
	if err != nil {
		return webhook.Answer{}, reason(ctx, err)
	}
	defer answer.Body.Close()
	// The receiver may take it for an error of its own if nobody reads its answer.
	io.CopyN(io.Discard, answer.Body, maxAnswer)
	return webhook.Answer{Status: answer.StatusCode, RetryAfter: answer.Header.Get("Retry-After")}, nil
}

// errLong is about a page that is longer than its reader takes.
var errLong = &webhook.Unanswered{Reason: "the answer is too long"}

// Get gets a page from where webhooks may go. The errors are those of Post, and errLong.
func (c *Client) Get(ctx context.Context, url string, most int64) (status int, page []byte, err error) {
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, webhook.ErrRefused
	}
	answer, err := c.any.Do(request)
	if err != nil {
		return 0, nil, reason(ctx, err)
	}
	defer answer.Body.Close()
	page, err = io.ReadAll(io.LimitReader(answer.Body, most+1))
	switch {
	case err != nil:
		return 0, nil, reason(ctx, err)
	case int64(len(page)) > most:
		return 0, nil, errLong
	}
	return answer.StatusCode, page, nil
}

// reason says why there is no answer. It names no address: errors of the network have
// those that a name leads to, and those of resolvers.
func reason(ctx context.Context, err error) error {
	var (
		unknown     *net.DNSError
		certificate *tls.CertificateVerificationError
		timeout     net.Error
		what        string
	)
	switch {
	case errors.Is(err, webhook.ErrRefused):
		return webhook.ErrRefused
	case ctx.Err() != nil: // the caller's
		return ctx.Err()
	case errors.As(err, &unknown) && unknown.IsNotFound:
		what = "the receiver's name is not known"
	case errors.As(err, &unknown):
		what = "the receiver's name could not be resolved"
	case errors.As(err, &certificate):
		what = "the receiver's certificate is not valid"
	case errors.As(err, &timeout) && timeout.Timeout():
		what = "the receiver did not answer in time"
	case errors.Is(err, syscall.ECONNREFUSED):
		what = "the receiver refuses connections"
	default:
		what = "the connection to the receiver broke"
	}
	return &webhook.Unanswered{Reason: what}
}
