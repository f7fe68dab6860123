package site

import (
	"net/http"
	"net/url"
	"strings"
)

// setHeaders sets the security headers of every answer. A page replaces the
// Content-Security-Policy by its own.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy())
	// A redirect URI, state or code must not reach another site in a Referer.
	// "no-referrer" would be too much: browsers would send "Origin: null" with
	// our own forms, as with those of another site.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Permissions-Policy", permissions)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
}

// permissions denies pages what none of them uses.
const permissions = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"

// policy returns a Content-Security-Policy in which forms may lead to the site
// itself and to these targets.
func policy(targets ...string) string {
	return "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
		"form-action " + strings.Join(append([]string{"'self'"}, targets...), " ") +
		"; frame-ancestors 'none'; base-uri 'none'"
}

// FormTarget returns the source expression (Content Security Policy Level 3,
// section 2.3.1) that lets a form lead to the address. It is only the scheme:
// browsers apply it to every redirect after the form, and a client's callback may
// redirect to another host.
func FormTarget(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return "'none'"
	}
	return u.Scheme + ":"
}
