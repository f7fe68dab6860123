package mirror

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// inURL matches the credentials of a URL in a text.
var inURL = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/\s'"<>]*@`)

// redact masks credentials in what the platform says of a pull: those of any URL, and
// the mirror's own wherever they are.
func redact(text string, own ...Credentials) string {
	var forms []string
	for _, c := range own {
		forms = append(forms, c.forms()...)
	}
	// One can be a part of another, of which nothing may be left.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	for _, form := range forms {
		text = strings.ReplaceAll(text, form, stars)
	}
	return inURL.ReplaceAllString(text, "${1}"+stars+"@")
}

// shortestToken is the length from which on the name of a user may be a token. Shorter
// ones, such as git, are words that occur in texts.
const shortestToken = 8

// forms returns the ways in which tools write what is secret of the credentials.
func (c Credentials) forms() (all []string) {
	user, password := c.User.Reveal(), c.Password.Reveal()
	if !c.empty() {
		basic := user + ":" + password // RFC 7617
		all = append(all, base64.StdEncoding.EncodeToString([]byte(basic)), base64.URLEncoding.EncodeToString([]byte(basic)))
	}
	secrets := []string{password}
	if password == "" || len(user) >= shortestToken {
		secrets = append(secrets, user)
	}
	for _, text := range secrets {
		if text != "" {
			all = append(all, url.PathEscape(text), url.QueryEscape(text), url.User(text).String(), text)
		}
	}
	return all
}
