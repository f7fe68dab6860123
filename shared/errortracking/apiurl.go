package errortracking

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// APIURL is the address of a project in an external tracker's API:
// <scheme>://<host>/api/0/projects/<organization>/<project>/.
type APIURL string

// apiPath matches the path of an APIURL.
var apiPath = regexp.MustCompile(`^/api/0/projects/([a-zA-Z0-9_-]+)/([a-zA-Z0-9_-]+)/?$`)

// ParseAPIURL parses an address, or returns a complaint about it. An empty text is
// no address.
func ParseAPIURL(text string) (address APIURL, complaint string) {
	if text == "" {
		return "", ""
	}
	u, complaint := parsePublicURL(text)
	switch {
	case complaint != "":
		return "", complaint
	case !apiPath.MatchString(u.EscapedPath()) || strings.ContainsAny(text, "?#"):
		return "", "must end in /api/0/projects/<organization>/<project>/"
	}
	return APIURL(text), ""
}

// parts returns the address without its path, and the names in the path.
func (a APIURL) parts() (site, organization, project string) {
	u, err := url.Parse(string(a))
	if err != nil {
		return "", "", ""
	}
	names := apiPath.FindStringSubmatch(u.EscapedPath())
	if names == nil {
		return "", "", ""
	}
	return u.Scheme + "://" + u.Host, names[1], names[2]
}

// trackerURL returns the address for people: the one without the API's prefix.
func (a APIURL) trackerURL() string {
	site, organization, project := a.parts()
	if site == "" {
		return ""
	}
	return site + "/" + organization + "/" + project
}

// projectName derives a name from the path: "Web Shop" from "web-shop".
func (a APIURL) projectName() string {
	_, _, project := a.parts()
	words := strings.FieldsFunc(project, func(r rune) bool { return r == '-' || r == '_' })
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, " ")
}

// maxURL is the longest address, in characters.
const maxURL = 255

// parsePublicURL parses a URL, or returns a complaint about it: it must be http or
// https, without credentials, and its host must not be recognizable as internal.
// Where a host name resolves to has to be checked when connecting.
func parsePublicURL(text string) (u *url.URL, complaint string) {
	if utf8.RuneCountInString(text) > maxURL {
		return nil, "is too long (maximum is 255 characters)"
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || !possiblePort(u):
		return nil, "must be an http or https URL"
	case u.User != nil:
		return nil, "must not contain credentials"
	case !publicHost(u.Hostname()):
		return nil, "must have a public host"
	}
	return u, ""
}

func possiblePort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && port > 0
}

// domain matches a name with at least two labels. The last one is not a number,
// because that would make it an IPv4 address such as 127.1 or 0x7f.0.0.0x1.
var domain = regexp.MustCompile(`^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?\.?$`)

// ownDomains are domains for names of the local network (RFC 6761, RFC 6762,
// RFC 8375 and ICANN's reservation).
var ownDomains = []string{".localhost", ".local", ".internal", ".home.arpa"}

func publicHost(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return publicAddress(address)
	}
	name := strings.ToLower(host)
	for _, own := range ownDomains {
		if strings.HasSuffix(strings.TrimSuffix(name, "."), own) {
			return false
		}
	}
	return domain.MatchString(name)
}

// handedOut contains all public addresses of IPv6 (RFC 4291 section 2.4). Others
// are internal, or contain an IPv4 address of any kind.
var handedOut = netip.MustParsePrefix("2000::/3")

// specialPurpose are blocks of non-public addresses that netip takes for public
// (RFC 6890, RFC 4380, RFC 3056). The last two contain IPv4 addresses of any kind.
var specialPurpose = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2002::/16"),
}

func publicAddress(a netip.Addr) bool {
	if a = a.Unmap(); a.Is6() && !handedOut.Contains(a.WithZone("")) {
		return false
	}
	for _, block := range specialPurpose {
		if block.Contains(a) {
			return false
		}
	}
	return a.IsGlobalUnicast() && !a.IsPrivate() && a.Zone() == ""
}
