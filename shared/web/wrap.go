package web

import (
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
	"gatehouse/shared/telemetry"
)

// Wrap gives every request of a group an X-Request-Id, its source for the audit
// trail, a line in the log, and an answer even when the handler panics. The log line
// has the route, or the path if there is none, but never the query string, which may
// contain a token, nor a path that may.
//
// No cache keeps an answer that says nothing about caches. If clients reach the group at
// a base over https, each answer has browsers stay with https.
func Wrap(base string, next http.Handler) http.Handler {
	https := strings.HasPrefix(base, "https:")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		r, noted := noting(r)
		id := requestID(r, noted.Gateway)
		w.Header().Set("X-Request-Id", id)
		w.Header().Set("Vary", "Origin")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if https {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		}
		recorder := &recorder{ResponseWriter: w}
		defer func() {
			if p := recover(); p != nil {
				slog.ErrorContext(r.Context(), "request panicked", "request_id", id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				recorder.fail()
			}
			took := time.Since(start)
			logRequest(r, noted, id, recorder.status(), took)
			measure(recorder.status(), took)
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

// noting returns the request with a context in which its route and caller are noted.
// The gateway's event brings one that has the ids.
func noting(r *http.Request) (*http.Request, *telemetry.Request) {
	if noted := telemetry.RequestOf(r.Context()); noted != nil {
		return r, noted
	}
	ctx, noted := telemetry.WithRequest(r.Context(), telemetry.IDs{})
	return r.WithContext(ctx), noted
}

func logRequest(r *http.Request, noted *telemetry.Request, id string, status int, took time.Duration) {
	ctx, attrs := r.Context(), make([]slog.Attr, 0, 12)
	attrs = append(attrs, slog.String("method", r.Method))
	if route := noted.Route(); route != "" {
		attrs = append(attrs, slog.String("route", route))
	}
	if noted.Route() == "" || slog.Default().Enabled(ctx, slog.LevelDebug) && !noted.PathIsSecret() {
		// After an escaped '?' comes a query that a client escaped by mistake.
		path, _, _ := strings.Cut(r.URL.Path, "?")
		attrs = append(attrs, slog.String("path", path))
	}
	attrs = append(attrs, slog.Int("status", status), slog.Float64("ms", milliseconds(took)))
	attrs = append(append(attrs, noted.Attrs()...), slog.String("request_id", id))
	if noted.Gateway != "" && noted.Gateway != id {
		attrs = append(attrs, slog.String("gateway_id", noted.Gateway))
	}
	if noted.Lambda != "" {
		attrs = append(attrs, slog.String("lambda_id", noted.Lambda))
	}
	slog.LogAttrs(ctx, levelOf(r, status), "request served", attrs...)
}

// levelOf returns the level of the line about a request. What every page needs would have
// more lines than pages, and tells nothing that they do not.
func levelOf(r *http.Request, status int) slog.Level {
	if strings.HasPrefix(r.URL.Path, "/assets/") && status < http.StatusBadRequest {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// measure counts the answer.
func measure(status int, took time.Duration) {
	telemetry.AddTime(telemetry.Latency, took)
	switch status / 100 {
	case 4:
		telemetry.Add(telemetry.ClientErrors, 1)
	case 5:
		telemetry.Add(telemetry.ServerErrors, 1)
	}
}

// milliseconds is exact to ten microseconds.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}

var acceptableID = regexp.MustCompile(`^[A-Za-z0-9_=+/-]{1,64}$`)

// requestID returns the id that a proxy gave the request, or that of the gateway, or a
// new one.
func requestID(r *http.Request, gateway string) string {
	for _, id := range []string{r.Header.Get("X-Request-Id"), gateway} {
		if acceptableID.MatchString(id) {
			return id
		}
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
		r.retryLater(status)
		r.keepOut()
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.written == 0 {
		r.written = http.StatusOK
		r.keepOut()
	}
	return r.ResponseWriter.Write(b)
}

// soon and later are how many seconds clients wait before they send again what was not
// served, and what was refused as too much, if the answer knows nothing better.
const soon, later = "5", "60"

// retryLater sees to it that an answer to be asked for again says when.
func (r *recorder) retryLater(status int) {
	if status != http.StatusServiceUnavailable && status != http.StatusTooManyRequests || r.Header().Get("Retry-After") != "" {
		return
	}
	wait := soon
	if status == http.StatusTooManyRequests {
		wait = later
	}
	r.Header().Set("Retry-After", wait)
}

// keepOut keeps the answer out of caches unless it says otherwise.
func (r *recorder) keepOut() {
	if r.Header().Get("Cache-Control") == "" {
		r.Header().Set("Cache-Control", "no-store")
	}
}

func (r *recorder) status() int { return max(r.written, http.StatusOK) }

// fail answers 500 if nothing was answered yet.
func (r *recorder) fail() {
	if r.written == 0 {
		r.Header().Del("Set-Cookie")
		JSON(r, http.StatusInternalServerError, message(http.StatusInternalServerError))
	}
}
