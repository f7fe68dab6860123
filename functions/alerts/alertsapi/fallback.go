package alertsapi

import (
	_ "embed"
	"net/http"

	"gatehouse/shared/web"
)

// notFoundPage is what package site renders for a 404. It is a finished page,
// because parsing templates would make this function start more slowly.
//
//go:embed not_found.html
var notFoundPage []byte

// fallback serves an address that is none of an integration's.
func (a *api) fallback(w http.ResponseWriter, r *http.Request) {
	switch {
	case web.RedirectSlash(w, r):
	case web.PrefersPage(r):
		a.showNotFound(w)
	default:
		web.Refuse(w, r, http.StatusNotFound)
	}
}

func (a *api) showNotFound(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "+
		"form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	w.Write(notFoundPage)
}
