package dynamodb_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// patient stands in for DynamoDB. Each request takes so long by the clock, and is answered
// or not.
type patient struct {
	answer func() (*http.Response, error)
	takes  time.Duration
	clock  *atomic.Int64
	asked  int
}

func (p *patient) Do(*http.Request) (*http.Response, error) {
	p.asked++
	p.clock.Add(int64(p.takes))
	return p.answer()
}

func served() (*http.Response, error) { return response(http.StatusOK, "{}"), nil }
func broken() (*http.Response, error) { return response(http.StatusInternalServerError, "{}"), nil }

// silent answers as the SDK's client does.
func silent() (*http.Response, error) {
	return &http.Response{Header: http.Header{}, Body: http.NoBody}, errors.New("no answer")
}

func refused() (*http.Response, error) {
	return response(http.StatusBadRequest, `{"__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}`), nil
}

// newPatient returns a store on a stand-in, and a clock that stands still between requests.
func newPatient() (*dynamodb.Store, *patient) {
	p := &patient{answer: served, clock: &atomic.Int64{}}
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", Endpoint: "http://dynamodb.invalid", Prefix: "test", HTTPClient: p,
		Credentials: dynamodbtest.Getenv(os.Getenv).Credentials(),
		Now:         func() time.Time { return time.Unix(0, p.clock.Load()) },
	}), p
}

// While DynamoDB is known to be gone, calls fail at once. One in five seconds asks.
func TestStoreThatIsGoneIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func() (*http.Response, error){"silent": silent, "broken": broken} {
		s, p := newPatient()
		ping := func(want int) {
			t.Helper()
			asked := p.asked
			if err := s.Ping(t.Context()); !fault.Is(err, fault.Unavailable) {
				t.Errorf("%s: Ping = %v, want it not available", name, err)
			}
			if got := p.asked - asked; got != want {
				t.Errorf("%s: %d requests, want %d", name, got, want)
			}
		}
		p.answer, p.takes = answer, time.Second
		ping(3) // three seconds without an answer
		ping(0)
		p.clock.Add(int64(5*time.Second) - 1)
		ping(0)
		p.clock.Add(1)
		ping(1)
		ping(0)
	}
}

// What answers is not gone, however often it refuses, and one answer ends the count.
func TestStoreThatAnswersIsNotGone(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answers []func() (*http.Response, error)
		takes   time.Duration
		asked   int // by a call that is made once more
	}{
		"refusals":                {[]func() (*http.Response, error){refused, refused, refused, refused}, time.Minute, 1},
		"an answer in between":    {[]func() (*http.Response, error){silent, silent, served, silent, silent, served}, time.Minute, 1},
		"silence for a moment":    {[]func() (*http.Response, error){silent, silent, silent, silent, served}, 700 * time.Millisecond, 1},
		"back at the first probe": {[]func() (*http.Response, error){silent, silent, silent, served}, time.Second, 1},
	}
	for name, test := range tests {
		s, p := newPatient()
		p.takes = test.takes
		p.answer = func() (*http.Response, error) { return test.answers[min(p.asked, len(test.answers))-1]() }
		for p.asked < len(test.answers) {
			_ = s.Ping(t.Context())
			p.clock.Add(int64(5 * time.Second))
		}
		p.answer = served
		asked := p.asked
		if err := s.Ping(t.Context()); err != nil || p.asked-asked != test.asked {
			t.Errorf("%s: Ping = %v after %d requests, want none after %d", name, err, p.asked-asked, test.asked)
		}
	}
}

// A caller who went away tells nothing about the store.
func TestCallersWhoLeaveAreNoSilence(t *testing.T) {
	t.Parallel()
	s, p := newPatient()
	p.takes = time.Minute
	for range 5 {
		ctx, leave := context.WithCancel(t.Context())
		p.answer = func() (*http.Response, error) { leave(); return nil, ctx.Err() }
		if err := s.Ping(ctx); !errors.Is(err, context.Canceled) || fault.Is(err, fault.Unavailable) {
			t.Errorf("Ping = %v, want that it was canceled", err)
		}
	}
	p.answer = served
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping = %v, want an answer", err)
	}
}

// givenUp is a failure that is not tried again.
type givenUp struct{}

func (givenUp) Error() string        { return "no answer" }
func (givenUp) RetryableError() bool { return false }

// What went unanswered long ago says nothing of now: a function may have stood still since,
// and lost its connections.
func TestOldSilenceIsForgotten(t *testing.T) {
	t.Parallel()
	for pause, want := range map[time.Duration]int{30 * time.Second: 0, 30*time.Second + 1: 1} {
		s, p := newPatient()
		p.answer = func() (*http.Response, error) {
			return &http.Response{Header: http.Header{}, Body: http.NoBody}, givenUp{}
		}
		_, _ = s.Ping(t.Context()), s.Ping(t.Context())
		p.clock.Add(int64(pause))
		_ = s.Ping(t.Context())
		asked := p.asked
		p.answer = served
		if _ = s.Ping(t.Context()); asked != 3 || p.asked-asked != want {
			t.Errorf("after %s: %d requests, and then %d, want 3 and %d", pause, asked, p.asked-asked, want)
		}
	}
}
