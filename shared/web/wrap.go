package web

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/secret"
)

// Wrap puts around a group's handler what every request gets: an
// X-Request-Id, where it came from, for the audit trail, one line in the log,
// and an answer even when the handler panics. The log line holds the path and
// never the query string, in which a token may be.
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

// source tells where the request came from.
func source(r *http.Request, id string) audit.Source {
	return audit.Source{Browser: audit.Browser{UserAgent: r.UserAgent(), Address: ClientAddress(r).String()}, RequestID: id}
}

func logRequest(ctx context.Context, r *http.Request, id string, status int, took time.Duration) {
	// What follows an escaped '?' is a query that somebody escaped too much.
	path, _, _ := strings.Cut(r.URL.Path, "?")
	slog.LogAttrs(ctx, slog.LevelInfo, "request served",
		slog.String("request_id", id), slog.String("method", r.Method), slog.String("path", path),
		slog.Int("status", status), slog.Duration("took", took))
}

var acceptableID = regexp.MustCompile(`^[A-Za-z0-9_=+/-]{1,64}$`)

// requestID takes over the id that a proxy in front gave the request.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); acceptableID.MatchString(id) {
		return id
	}
	return hex.EncodeToString(secret.Random(16))
}

// recorder notes the status on its way out.
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
