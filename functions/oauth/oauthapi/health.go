package oauthapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"gatehouse/shared/web"
)

// health reports that the service runs. It reads nothing.
func health(w http.ResponseWriter, _ *http.Request) error {
	return web.JSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readyLimit is for how long the store may be silent, and askAgain when to ask again.
const (
	readyLimit = time.Second
	askAgain   = "5" // seconds
)

// ready reports whether the store answers.
func (a *api) ready(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), readyLimit)
	defer cancel()
	if err := a.Ping(ctx); err != nil {
		slog.WarnContext(ctx, "store not ready", "error", err)
		w.Header().Set("Retry-After", askAgain)
		return web.JSON(w, http.StatusServiceUnavailable, map[string]string{"status": "unavailable", "store": "unavailable"})
	}
	return web.JSON(w, http.StatusOK, map[string]string{"status": "ok", "store": "ok"})
}
