package webhook

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/record"
)

// Message is what a webhook gets.
type Message struct {
	ID   string // the same in each attempt, by which the receiver knows it again
	Type string // such as "alert.opened"
	At   time.Time
	Text string // for people: chat tools show it
	Data any    // encoded as JSON
}

// body is a message on the wire.
type body struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	Text      string `json:"text"`
	Data      any    `json:"data"`
}

// Request is one HTTP request: a POST.
type Request struct {
	URL    string
	Header map[string]string
	Body   []byte
	Public bool // it must go to a public address, whatever the instance allows
}

// Answer is what the receiver answers.
type Answer struct {
	Status     int
	RetryAfter string // the header
}

// Sender posts requests to receivers.
type Sender interface {
	// Post sends the request once, follows no redirect and returns the answer. The
	// error is ErrRefused if the address is one that webhooks must not go to, a
	// *Unanswered if the receiver gave no answer, and any other if the context ended.
	Post(ctx context.Context, r Request) (Answer, error)
}

// Unanswered says why there is no answer, in words for people, without the address.
type Unanswered struct{ Reason string }

func (u *Unanswered) Error() string { return u.Reason }

// The reasons why a message is not delivered and never will be.
var (
	ErrNotFound = fault.New(fault.NotFound, "webhook not found")
	ErrInactive = fault.New(fault.Conflict, "the webhook is not active")
	ErrGone     = fault.New(fault.Unprocessable, "the receiver answered 410 Gone, so the webhook is switched off")
	ErrRefused  = fault.New(fault.Unprocessable, "the address is not one that webhooks may go to")
	ErrLost     = fault.New(fault.Unprocessable, "the webhook's secret was encrypted under an instance key that is gone: rotate the secret")
)

// Later means that a message was not delivered, but may be at another attempt.
type Later struct {
	Reason string
	after  time.Duration
}

func (l *Later) Error() string { return l.Reason }

// RetryAfter returns how long the receiver asked to be left alone; zero: it did not.
func (l *Later) RetryAfter() time.Duration { return l.after }

// Is makes it a fault of the receiver.
func (l *Later) Is(target error) bool { return target == fault.Unprocessable }

// id matches what can be an id of a message: no full stop, because those separate the
// parts of what is signed.
var id = regexp.MustCompile(`^[!-\-/-~]{1,255}$`)

// request returns the signed request with the message.
func (m Message) request(to string, keys [][]byte, now time.Time) (Request, error) {
	if !id.MatchString(m.ID) {
		return Request{}, fmt.Errorf("%q cannot be the id of a webhook's message", m.ID)
	}
	encoded, err := record.Encode(body{m.Type, m.At.UTC().Format("2006-01-02T15:04:05.000Z07:00"), m.Text, m.Data})
	if err != nil {
		return Request{}, fmt.Errorf("encode a webhook's message: %w", err)
	}
	timestamp := strconv.FormatInt(now.Unix(), 10)
	return Request{URL: to, Header: map[string]string{
		"Content-Type": "application/json", "User-Agent": "Gatehouse",
		"webhook-id": m.ID, "webhook-timestamp": timestamp, "webhook-signature": signature(keys, m.ID, timestamp, encoded),
	}, Body: encoded}, nil
}

// longestWait bounds what receivers can ask for with Retry-After.
const longestWait = time.Hour

// dates are the forms of dates in HTTP (RFC 9110 section 5.6.7).
var dates = []string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC}

// wait returns how long the header Retry-After asks to wait, seconds or a date; zero if it
// says nothing.
func wait(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseUint(header, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(longestWait/time.Second))) * time.Second
	}
	for _, form := range dates {
		if at, err := time.Parse(form, header); err == nil {
			return min(max(at.Sub(now), 0), longestWait)
		}
	}
	return 0
}

// verdict returns nil if the answer means that the message is delivered.
func (a Answer) verdict(now time.Time) error {
	switch {
	case a.Status >= 200 && a.Status < 300:
		return nil
	case a.Status == 410:
		return ErrGone
	case a.Status >= 300 && a.Status < 400:
		return &Later{fmt.Sprintf("the receiver answered %d, a redirect, and redirects are not followed", a.Status), wait(a.RetryAfter, now)}
	}
	return &Later{fmt.Sprintf("the receiver answered %d", a.Status), wait(a.RetryAfter, now)}
}
