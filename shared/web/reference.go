package web

import (
	"net/http"
	"net/url"
	"strings"

	"gatehouse/shared/route"
)

// References lets an address name a project or group by a path with plain or encoded
// slashes: after each prefix ("/api/v4/projects/") it makes the path one segment, so
// that a pattern with {id} matches both. API Gateway decodes encoded slashes. Nothing is
// called "-", so addresses that go on with "-/" are left as they are.
func References(next http.Handler, prefixes ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, prefix := range prefixes {
			if rest, ok := strings.CutPrefix(r.URL.EscapedPath(), prefix); ok && rest != "" && !strings.HasPrefix(rest, "-/") {
				r = withReference(r, prefix, rest)
				break
			}
		}
		next.ServeHTTP(w, r)
	})
}

func withReference(r *http.Request, prefix, rest string) *http.Request {
	split := route.SplitReference
	if strings.HasSuffix(prefix, "/groups/") {
		split = route.SplitGroup
	}
	reference, rest := split(strings.TrimSuffix(rest, "/"))
	decoded, err := url.PathUnescape(reference)
	if err != nil {
		return r // not reached: the URL was parsed with this escaping
	}
	escaped := prefix + url.PathEscape(decoded)
	if rest != "" {
		escaped += "/" + rest
	}
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return r
	}
	r = r.Clone(r.Context())
	r.URL.Path, r.URL.RawPath = path, escaped
	return r
}
