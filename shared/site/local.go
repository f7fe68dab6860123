package site

import (
	"net/url"
	"strings"
)

// LocalPath returns the address if it is on this site, and "/" otherwise. Browsers
// read "//host" and "/\host" as another host, also with control characters in
// between, which they drop.
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

// suspect reports whether a browser would have percent-encoded the character.
func suspect(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }
