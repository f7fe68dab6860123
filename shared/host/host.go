// Package host tells hosts on the public network from internal ones, so that nobody
// has a service call its own network. It resolves no names: where one leads to has to
// be checked when connecting.
package host

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// PossiblePort reports whether the URL has no port, or one that exists.
func PossiblePort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && port > 0
}

// domain matches a name with at least two labels. The last one is not a number,
// because that would make it an IPv4 address such as 127.1 or 0x7f.0.0.0x1.
var domain = regexp.MustCompile(`^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?\.?$`)

// ownDomains are domains for names of the local network (RFC 6761, RFC 6762 with its
// appendix G, RFC 8375, ICANN's reservation, and what routers and resolvers add).
var ownDomains = []string{
	".localhost", ".local", ".internal", ".home.arpa", ".intranet", ".private", ".corp", ".home", ".lan", ".localdomain",
}

// Public reports whether a name, or an address of IPv4 or IPv6, is not recognizable as
// internal.
func Public(host string) bool {
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
// (RFC 6890, RFC 4380, RFC 3056).
var specialPurpose = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("168.63.129.16/32"),                              // a cloud's platform, to its machines only
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2002::/16"), // have IPv4 addresses of any kind in them
	// For documentation (RFC 5737, RFC 3849, RFC 9637).
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("3fff::/20"),
	// Given up (RFC 7526, RFC 3701).
	netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("3ffe::/16"),
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
