package audit

import (
	"net/netip"
	"strings"
)

// Browser is where a request came from: it is shown to the user, and nothing is
// decided by it. A stranger can forge all but the address.
type Browser struct {
	UserAgent string // of RFC 9110 section 10.1.5, cleaned
	Address   string // an IP address, or empty
}

// maxUserAgent is the longest User-Agent that is kept, in bytes.
const maxUserAgent = 255

// Cleaned returns the browser shortened and without characters that are not
// printable ASCII.
func (b Browser) Cleaned() Browser {
	printable := strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return -1
		}
		return c
	}, b.UserAgent)
	address, err := netip.ParseAddr(b.Address)
	if err != nil {
		return Browser{UserAgent: printable[:min(len(printable), maxUserAgent)]}
	}
	return Browser{printable[:min(len(printable), maxUserAgent)], address.Unmap().WithZone("").String()}
}

// words maps marks in a User-Agent to names. The first mark that is found counts,
// because browsers claim to be their predecessors too.
type words []struct{ mark, name string }

func (all words) in(userAgent string) string {
	for _, w := range all {
		if strings.Contains(userAgent, w.mark) {
			return w.name
		}
	}
	return ""
}

var (
	browsers = words{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Opera", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Vivaldi/", "Vivaldi"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"},
		{"Chromium/", "Chromium"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"},
	}
	systems = words{
		{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"CrOS", "ChromeOS"}, {"Windows", "Windows"},
		{"Mac OS X", "macOS"}, {"Macintosh", "macOS"}, {"Linux", "Linux"}, {"X11", "Unix"},
	}
)

// String names the browser and its system as far as they are known: "Firefox on
// Linux".
func (b Browser) String() string {
	browser, system := browsers.in(b.UserAgent), systems.in(b.UserAgent)
	switch {
	case browser == "" && system == "":
		return "Unknown browser"
	case browser == "":
		return "Unknown browser on " + system
	case system == "":
		return browser
	default:
		return browser + " on " + system
	}
}
