package site

import (
	"net/url"
	"strings"
)

// LocalPath returns the address if it lies on this site, and else "/". What
// browsers read as another host does not: "//host", "/\host", and the same
// with control characters, which they drop, in between.
func LocalPath(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil, u.IsAbs(), u.Host != "", u.User != nil, u.Opaque != "",
		!strings.HasPrefix(address, "/"), strings.HasPrefix(address, "//"),
		strings.ContainsFunc(address, suspect):
		return "/"
	}
	return address
}

// suspect reports whether a character has no business in an address that a
// browser wrote: it would have been percent-encoded.
func suspect(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }
