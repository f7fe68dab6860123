package web

import (
	"net/http"
	"net/netip"
)

// ClientAddress returns where the request came from, as the connection or the
// gateway tells; the zero Addr where neither does. Headers such as
// X-Forwarded-For do not count: anybody can write them.
func ClientAddress(r *http.Request) netip.Addr {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return from.Addr()
}
