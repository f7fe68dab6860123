// Package telemetry keeps what operators want to know of the service besides its
// answers: who made a request, by what route, and numbers for graphs and alarms.
package telemetry

import (
	"context"
	"log/slog"
	"sync"
)

// Caller is who made a request. It holds no secrets.
type Caller struct {
	UserID  int64
	SudoBy  int64  // the administrator who acts as that user
	Proof   string // what showed it: ByOAuth, ByToken, BySession
	TokenID int64  // of a personal access token
	// ApplicationID is the number of the application that the user gave access to.
	ApplicationID int64
	// Project and Endpoint are the address of an integration.
	Project, Endpoint string
}

// What can show who makes a request.
const (
	ByOAuth   = "oauth"
	ByToken   = "personal"
	BySession = "session"
)

// IDs are the names of one request elsewhere.
type IDs struct {
	Gateway string // API Gateway's, in its access log
	Lambda  string // of the invocation, in lines of Lambda
}

// Request collects what the log says of a request.
type Request struct {
	IDs
	mu     sync.Mutex
	route  string
	secret bool // the path
	caller Caller
}

type requestKey struct{}

// WithRequest returns a context in which the request is noted.
func WithRequest(ctx context.Context, ids IDs) (context.Context, *Request) {
	r := &Request{IDs: ids}
	return context.WithValue(ctx, requestKey{}, r), r
}

// RequestOf returns the request of a context, or nil.
func RequestOf(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// NoteRoute notes the pattern that the request's path fits.
func NoteRoute(ctx context.Context, pattern string) {
	if r := RequestOf(ctx); r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.route = pattern
	}
}

// NoteSecretPath notes that the path of the request, which fits the pattern, may hold a
// secret: no line has it.
func NoteSecretPath(ctx context.Context, pattern string) {
	if r := RequestOf(ctx); r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.route, r.secret = pattern, true
	}
}

// NoteCaller notes who made the request.
func NoteCaller(ctx context.Context, c Caller) {
	if r := RequestOf(ctx); r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.caller = c
	}
}

// Route returns the pattern that was noted, or "".
func (r *Request) Route() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.route
}

// PathIsSecret reports whether the path may hold a secret.
func (r *Request) PathIsSecret() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.secret
}

// Attrs returns the caller for a line in the log, without what is not known.
func (r *Request) Attrs() (attrs []slog.Attr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	number := func(name string, value int64) {
		if value != 0 {
			attrs = append(attrs, slog.Int64(name, value))
		}
	}
	text := func(name, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(name, value))
		}
	}
	c := r.caller
	number("user_id", c.UserID)
	number("sudo_by", c.SudoBy)
	text("proof", c.Proof)
	number("token_id", c.TokenID)
	number("application_id", c.ApplicationID)
	text("project", c.Project)
	text("endpoint", c.Endpoint)
	return attrs
}
