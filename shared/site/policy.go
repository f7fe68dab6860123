package site

import (
	"net/http"
	"net/url"
	"strings"
)

// setHeaders sets the security headers that every answer of a site has; a
// page's own Content-Security-Policy replaces this one.
func setHeaders(h http.Header, https bool) {
	if https {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	h.Set("Content-Security-Policy", policy())
	// A redirect URI, state or code must not travel to another site in a
	// Referer. Within the site it may: "no-referrer" would also make browsers
	// send "Origin: null" with our own forms, which look foreign then.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
}

// policy returns a Content-Security-Policy in which forms may lead to the site
// itself and to these targets.
func policy(targets ...string) string {
	return "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
		"form-action " + strings.Join(append([]string{"'self'"}, targets...), " ") +
		"; frame-ancestors 'none'; base-uri 'none'"
}

// FormTarget returns the source expression (Content Security Policy Level 3,
// section 2.3.1) that lets a form lead to the address. It is the scheme alone:
// browsers hold every redirect that follows a form against it, and a client's
// callback may well send the person on to another host of its own.
func FormTarget(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return "'none'"
	}
	return u.Scheme + ":"
}
