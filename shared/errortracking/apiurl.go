package errortracking

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"gatehouse/shared/host"
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
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || !host.PossiblePort(u):
		return nil, "must be an http or https URL"
	case u.User != nil:
		return nil, "must not contain credentials"
	case !host.Public(u.Hostname()):
		return nil, "must have a public host"
	}
	return u, ""
}
