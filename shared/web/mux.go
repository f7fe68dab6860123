package web

import (
	"net/http"
	"path"
	"slices"
	"strings"
)

// Mux routes the requests of one group of endpoints. Unlike http.ServeMux it
// answers an unknown path and a method that a path does not have in the
// group's own shape, and OPTIONS with the methods that a path has.
type Mux struct {
	http.ServeMux
	// Refuse answers with 404 or 405 where no route fits.
	Refuse func(w http.ResponseWriter, r *http.Request, status int)

	patterns []string
}

// NewMux returns a Mux that refuses in the REST API's shapes.
func NewMux() *Mux { return &Mux{Refuse: Refuse} }

// Handle adds a route.
func (m *Mux) Handle(pattern string, handler http.Handler) {
	m.patterns = append(m.patterns, pattern)
	m.ServeMux.Handle(pattern, handler)
}

// HandleFunc adds a route.
func (m *Mux) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	m.Handle(pattern, http.HandlerFunc(handler))
}

// Patterns lists the routes' patterns, in the order in which they were added.
func (m *Mux) Patterns() []string { return slices.Clone(m.patterns) }

// ServeHTTP serves the request by the route that fits.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler, pattern := m.Handler(r)
	switch {
	case !canonical(r.URL.EscapedPath()):
		m.Refuse(w, r, http.StatusNotFound)
		return
	case pattern != "":
		m.ServeMux.ServeHTTP(w, r)
		return
	}
	verdict := verdict{header: http.Header{}}
	handler.ServeHTTP(&verdict, r)
	if verdict.status != http.StatusMethodNotAllowed {
		m.Refuse(w, r, http.StatusNotFound)
		return
	}
	w.Header().Set("Allow", verdict.header.Get("Allow")+", OPTIONS")
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusOK)
		return
	}
	m.Refuse(w, r, verdict.status)
}

// canonical reports whether no segment of the path is empty, "." or "..".
// http.ServeMux redirects such a path to another one; here nothing has it.
func canonical(p string) bool {
	clean := path.Clean(p)
	return p == clean || p == clean+"/"
}

// verdict catches what http.ServeMux answers when no route fits.
type verdict struct {
	header http.Header
	status int
}

func (v *verdict) Header() http.Header         { return v.header }
func (v *verdict) WriteHeader(status int)      { v.status = status }
func (v *verdict) Write(b []byte) (int, error) { return len(b), nil }

// Refuse answers in the REST API's shapes that no route fits: 404, or 405.
func Refuse(w http.ResponseWriter, _ *http.Request, status int) {
	if status == http.StatusNotFound {
		JSON(w, status, map[string]string{"error": "404 Not Found"})
		return
	}
	JSON(w, status, message(status, ""))
}

// WithoutTrailingSlash lets a path match with one slash too many at its end.
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
