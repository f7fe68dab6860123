package web

import (
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"gatehouse/shared/route"
	"gatehouse/shared/telemetry"
)

// Mux routes the requests of one group of endpoints. Unlike http.ServeMux it
// answers OPTIONS with the methods of the path, redirects like RedirectSlash,
// and answers any other unknown path or method by Refuse.
type Mux struct {
	http.ServeMux
	// Refuse answers 404 or 405 where no route fits.
	Refuse func(w http.ResponseWriter, r *http.Request, status int)

	patterns []string
	// paths finds the path of a pattern that fits an address best, whatever the
	// method, and methods are those that the path has. A path without any has all.
	paths   http.ServeMux
	methods map[string][]string

	deprecations *deprecations // nil: the routes tell nothing of them
}

// NewMux returns a Mux that refuses in the REST API's shapes.
func NewMux() *Mux { return &Mux{Refuse: Refuse, methods: map[string][]string{}} }

// Handle adds a route.
func (m *Mux) Handle(pattern string, handler http.Handler) {
	m.patterns = append(m.patterns, pattern)
	method, path, found := strings.Cut(pattern, " ")
	if !found {
		method, path = "", pattern
	}
	m.ServeMux.Handle(pattern, noted(path, m.watched(pattern, handler)))
	if _, known := m.methods[path]; !known {
		m.paths.Handle(path, http.NotFoundHandler())
	}
	m.methods[path] = append(m.methods[path], methodsOf(method)...)
}

// noted notes the route for the log.
func noted(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		telemetry.NoteRoute(r.Context(), route)
		next.ServeHTTP(w, r)
	})
}

// methodsOf lists the methods that a route with a method serves. A GET also serves
// HEAD.
func methodsOf(method string) []string {
	switch method {
	case "":
		return nil
	case http.MethodGet:
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{method}
}

// HandleFunc adds a route.
func (m *Mux) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	m.Handle(pattern, http.HandlerFunc(handler))
}

// Patterns lists the routes' patterns, in the order in which they were added.
func (m *Mux) Patterns() []string { return slices.Clone(m.patterns) }

// ServeHTTP serves the request by the route that fits. An address has the methods
// of the path that fits it best: /members/all has none of /members/{user_id}.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, path := m.paths.Handler(r)
	methods := m.methods[path]
	switch {
	case !canonical(r.URL.EscapedPath()):
		m.Refuse(w, r, http.StatusNotFound)
	case path == "":
		if !RedirectSlash(w, r) {
			m.Refuse(w, r, http.StatusNotFound)
		}
	case len(methods) == 0 || slices.Contains(methods, r.Method):
		m.ServeMux.ServeHTTP(w, r)
	default:
		m.otherMethod(w, r, methods)
	}
}

// otherMethod answers a method that the address does not have.
func (m *Mux) otherMethod(w http.ResponseWriter, r *http.Request, methods []string) {
	w.Header().Set("Allow", strings.Join(slices.Sorted(slices.Values(methods)), ", ")+", OPTIONS")
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusOK)
		return
	}
	m.Refuse(w, r, http.StatusMethodNotAllowed)
}

// canonical reports whether no segment of the path is empty, "." or "..".
// http.ServeMux would redirect such a path; here it is unknown.
func canonical(p string) bool {
	clean := path.Clean(p)
	return p == clean || p == clean+"/"
}

// Refuse answers 404 or 405 in the REST API's shapes.
func Refuse(w http.ResponseWriter, _ *http.Request, status int) {
	if status == http.StatusNotFound {
		JSON(w, status, map[string]string{"error": "404 Not Found"})
		return
	}
	JSON(w, status, message(status))
}

// RedirectSlash redirects /console/ to /console, and so for every route of the
// gateway, and reports whether it did. Such a request may reach another function
// than the route's: API Gateway takes no route keys that end in a slash, and
// {proxy+} needs at least one more segment.
func RedirectSlash(w http.ResponseWriter, r *http.Request) bool {
	path, query, _ := strings.Cut(r.RequestURI, "?")
	path, found := strings.CutSuffix(path, "/")
	if !found || !slices.ContainsFunc(route.Table, func(known route.Route) bool { return known.Pattern == path }) {
		return false
	}
	if query != "" {
		path += "?" + query
	}
	w.Header().Set("Location", path)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusPermanentRedirect) // keeps the method and the body
	return true
}

// PrefersPage reports whether the client would rather have a page than JSON, as
// browsers do (RFC 9110 section 12.5.1).
func PrefersPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		quality(r, "text/html") > quality(r, "application/json")
}

// PrefersJSON reports whether the client would rather have JSON than a page.
func PrefersJSON(r *http.Request) bool {
	return quality(r, "application/json") > quality(r, "text/html")
}

// quality returns the weight of a media type in the Accept header, or 0 when it
// is not named there.
func quality(r *http.Request, mediaType string) float64 {
	for accepted := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		name, parameters, err := mime.ParseMediaType(accepted)
		if err != nil || name != mediaType {
			continue
		}
		if q, err := strconv.ParseFloat(parameters["q"], 64); err == nil {
			return q
		}
		return 1
	}
	return 0
}

// WithoutTrailingSlash serves a path that ends in a slash like the path without
// it.
func WithoutTrailingSlash(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if escaped := r.URL.EscapedPath(); len(escaped) > 1 && strings.HasSuffix(escaped, "/") {
			r = r.Clone(r.Context())
			r.URL.Path = strings.TrimSuffix(r.URL.Path, "/")
			r.URL.RawPath = strings.TrimSuffix(r.URL.RawPath, "/")
		}
		next.ServeHTTP(w, r)
	})
}
