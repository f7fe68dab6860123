package mirror

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"gatehouse/shared/host"
)

// schemes are those that Git pulls over.
var schemes = []string{"http", "https", "ssh", "git"}

// maxURL is the longest URL, with or without its credentials, in bytes.
const maxURL = 2048

// parseURL splits the URL of a repository into the URL without credentials and these,
// or returns a complaint. Names are not resolved: whoever pulls checks where they lead.
func parseURL(text string) (bare string, c Credentials, complaint string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || !slices.Contains(schemes, u.Scheme) || u.Hostname() == "" || !host.PossiblePort(u),
		strings.ContainsFunc(text, unicode.IsSpace), strings.Contains(text, `\`):
		return "", Credentials{}, "must be an http, https, ssh or git URL"
	case strings.ContainsAny(text, "?#"): // could hold a token, which would not be masked
		return "", Credentials{}, "must have neither a query nor a fragment"
	case strings.Count(authority(text), "@") > 1: // Git would take another host from it
		return "", Credentials{}, "must have credentials with percent-encoding"
	case !host.Public(u.Hostname()):
		return "", Credentials{}, "must have a public host"
	}
	c = credentialsOf(u.User)
	u.User = nil
	if bare = u.String(); len(text) > maxURL || len(bare) > maxURL { // escaping may add some
		return "", Credentials{}, "is too long (maximum is 2048 bytes)"
	}
	return bare, c, ""
}

// authority returns the part of a URL that has the credentials and the host.
func authority(text string) string {
	_, rest, _ := strings.Cut(text, "://")
	found, _, _ := strings.Cut(rest, "/")
	return found
}
