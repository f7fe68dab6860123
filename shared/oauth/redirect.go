package oauth

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// CheckRedirectURI returns the complaint about a redirect URI to be registered
// (RFC 6749 section 3.1.2), or "". If the service itself uses https, plain http
// is for loopback hosts only.
func CheckRedirectURI(uri string, https bool) string {
	u, err := url.Parse(uri)
	switch {
	case err != nil, len(uri) > maxRedirect, !uriForm.MatchString(uri):
		return "must be a valid URI."
	case u.Scheme == "" && u.Host == "":
		return "must be an absolute URI."
	case forbiddenScheme(u.Scheme):
		return "is forbidden by the server."
	case u.Scheme == "" || u.Opaque != "" || u.Scheme == "localhost":
		return "must specify a scheme."
	case strings.Contains(uri, "#"):
		return "cannot contain a fragment."
	case isWeb(u) && u.Hostname() == "", u.User != nil, !hostForm.MatchString(u.Host):
		return "must be a valid URI."
	case https && u.Scheme == "http" && !isLoopback(u.Hostname()):
		return "must use https, except for loopback addresses."
	}
	return ""
}

var (
	// uriForm holds the characters of RFC 3986 and no others.
	uriForm = regexp.MustCompile(`^[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]*$`)
	// hostForm is narrower than RFC 3986, because the host also stands in the
	// consent page's Content-Security-Policy, where ";" and "," have a meaning.
	hostForm = regexp.MustCompile(`^([A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(:[0-9]*)?$`)
)

func isWeb(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

// forbiddenScheme reports whether a browser runs such addresses instead of
// visiting them.
func forbiddenScheme(scheme string) bool {
	switch strings.ToLower(scheme) {
	case "data", "vbscript", "javascript", "blob", "file", "about":
		return true
	}
	return false
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// AllowsRedirect reports whether uri is one of the client's redirect URIs,
// character by character (RFC 9700 section 2.1), except that a loopback IP
// address may have any port (RFC 8252 section 7.3).
func (c Client) AllowsRedirect(uri string) bool {
	return slices.ContainsFunc(c.RedirectURIs, func(registered string) bool {
		return uri == registered || sameButForPort(uri, registered)
	})
}

func sameButForPort(a, b string) bool {
	restA, ok := withoutLoopbackPort(a)
	if !ok {
		return false
	}
	restB, ok := withoutLoopbackPort(b)
	return ok && restA == restB
}

// withoutLoopbackPort removes the port from an http URI with a loopback IP
// address.
func withoutLoopbackPort(uri string) (string, bool) {
	rest, ok := strings.CutPrefix(uri, "http://")
	if !ok {
		return "", false
	}
	u, err := url.Parse(uri)
	if err != nil || u.User != nil || strings.Contains(uri, "#") {
		return "", false
	}
	ip := net.ParseIP(u.Hostname())
	if ip == nil || !ip.IsLoopback() {
		return "", false
	}
	return u.Hostname() + rest[len(u.Host):], true
}
