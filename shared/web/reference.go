package web

import (
	"net/http"
	"net/url"
	"strings"

	"gatehouse/shared/route"
)

// References lets the path of a project or group stand in an address with its
// slashes as they are or encoded: behind each prefix ("/api/v4/projects/") the
// reference becomes one segment again, so that a pattern with {id} matches
// both. API Gateway decodes encoded slashes on their way in.
func References(next http.Handler, prefixes ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, prefix := range prefixes {
			if rest, ok := strings.CutPrefix(r.URL.EscapedPath(), prefix); ok && rest != "" {
				r = withReference(r, prefix, rest)
				break
			}
		}
		next.ServeHTTP(w, r)
	})
}

func withReference(r *http.Request, prefix, rest string) *http.Request {
	reference, rest := route.SplitReference(strings.TrimSuffix(rest, "/"))
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
