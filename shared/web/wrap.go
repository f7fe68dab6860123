package web

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/secret"
)

// Wrap gives every request of a group an X-Request-Id, its source for the audit
// trail, a line in the log, and an answer even when the handler panics. The log line
// has the path but not the query string, which may contain a token.
func Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := requestID(r)
		w.Header().Set("X-Request-Id", id)
		w.Header().Set("Vary", "Origin")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		recorder := &recorder{ResponseWriter: w}
		defer func() {
			if p := recover(); p != nil {
				slog.ErrorContext(r.Context(), "request panicked", "request_id", id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				recorder.fail()
			}
			logRequest(r.Context(), r, id, recorder.status(), time.Since(start))
		}()
		next.ServeHTTP(recorder, r.WithContext(audit.WithSource(r.Context(), source(r, id))))
	})
}

// source returns where the request came from.
func source(r *http.Request, id string) audit.Source {
	return audit.Source{Browser: audit.Browser{UserAgent: r.UserAgent(), Address: ClientAddress(r).String()}, RequestID: id}
}

// ClientAddress returns the address that the request came from according to the
// connection or the gateway, or the zero Addr. It ignores headers such as
// X-Forwarded-For, which every client can set.
func ClientAddress(r *http.Request) netip.Addr {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return from.Addr()
}

func logRequest(ctx context.Context, r *http.Request, id string, status int, took time.Duration) {
	// After an escaped '?' comes a query that a client escaped by mistake.
	path, _, _ := strings.Cut(r.URL.Path, "?")
	slog.LogAttrs(ctx, slog.LevelInfo, "request served",
		slog.String("request_id", id), slog.String("method", r.Method), slog.String("path", path),
		slog.Int("status", status), slog.Duration("took", took))
}

var acceptableID = regexp.MustCompile(`^[A-Za-z0-9_=+/-]{1,64}$`)

// requestID returns the id that a proxy gave the request, or a new one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); acceptableID.MatchString(id) {
		return id
	}
	return hex.EncodeToString(secret.Random(16))
}

// recorder remembers the status of the answer.
type recorder struct {
	http.ResponseWriter
	written int
}

func (r *recorder) WriteHeader(status int) {
	if r.written == 0 {
		r.written = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.written == 0 {
		r.written = http.StatusOK
	}
	return r.ResponseWriter.Write(b)
}

func (r *recorder) status() int { return max(r.written, http.StatusOK) }

// fail answers 500 if nothing was answered yet.
func (r *recorder) fail() {
	if r.written == 0 {
		r.Header().Del("Set-Cookie")
		JSON(r, http.StatusInternalServerError, message(http.StatusInternalServerError, ""))
	}
}
