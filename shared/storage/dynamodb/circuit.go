package dynamodb

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// DynamoDB is taken for gone after as many requests in a row without an answer as
// goneAfter, the first of them sent at least goneFor ago. From then on one request in each
// probeEvery finds out whether it is back, and the others fail at once. Requests further
// apart than rowBreak are not in a row: a function may have stood still between them, and
// lost its connections.
const (
	goneAfter  = 3
	goneFor    = 3 * time.Second
	probeEvery = 5 * time.Second
	rowBreak   = 30 * time.Second
)

// circuit is an HTTP client that sends nothing while DynamoDB is gone.
type circuit struct {
	next sdk.HTTPClient
	now  func() time.Time

	mu       sync.Mutex
	silent   int       // requests without an answer since the last answer
	since    time.Time // when the first of them was sent
	last     time.Time // when the last of them was given up
	probesAt time.Time // when the next request may go; zero: any time
}

// gone is the error of a request that was not sent. The SDK does not try again.
type gone struct{}

func (gone) Error() string        { return "DynamoDB does not answer, and was not asked" }
func (gone) RetryableError() bool { return false }

// Do sends the request, unless DynamoDB is gone.
func (c *circuit) Do(r *http.Request) (*http.Response, error) {
	sent := c.now()
	if !c.admits(sent) {
		return nil, gone{}
	}
	answer, err := c.next.Do(r)
	switch {
	case err == nil && answer.StatusCode < http.StatusInternalServerError:
		c.heard()
	case !errors.Is(r.Context().Err(), context.Canceled): // then nobody waited for the answer
		c.missed(sent, c.now())
	}
	return answer, err
}

func (c *circuit) admits(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.probesAt.IsZero() {
		return true
	}
	if now.Before(c.probesAt) {
		return false
	}
	c.probesAt = now.Add(probeEvery)
	return true
}

func (c *circuit) heard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.silent, c.probesAt = 0, time.Time{}
}

func (c *circuit) missed(sent, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.silent == 0 || sent.Sub(c.last) > rowBreak {
		c.silent, c.since = 0, sent
	}
	c.silent, c.last = c.silent+1, now
	if c.silent >= goneAfter && now.Sub(c.since) >= goneFor {
		c.probesAt = now.Add(probeEvery)
	}
}
