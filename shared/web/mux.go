package web

import (
	"net/http"
	"strings"
)

// Mux routes the requests of one group of endpoints. Unlike http.ServeMux it
// answers an unknown path and a method that a path does not have in the
// group's own shape.
type Mux struct {
	http.ServeMux
	// Refuse answers with 404 or 405 where no route fits.
	Refuse func(w http.ResponseWriter, r *http.Request, status int)
}

// NewMux returns a Mux that refuses in the REST API's shapes.
func NewMux() *Mux { return &Mux{Refuse: refuse} }

// ServeHTTP serves the request by the route that fits.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler, pattern := m.Handler(r)
	if pattern != "" {
		m.ServeMux.ServeHTTP(w, r)
		return
	}
	verdict := verdict{header: http.Header{}, status: http.StatusNotFound}
	handler.ServeHTTP(&verdict, r)
	if allow := verdict.header.Get("Allow"); allow != "" {
		w.Header().Set("Allow", allow)
	}
	m.Refuse(w, r, verdict.status)
}

// verdict catches what http.ServeMux answers when no route fits.
type verdict struct {
	header http.Header
	status int
}

func (v *verdict) Header() http.Header         { return v.header }
func (v *verdict) WriteHeader(status int)      { v.status = status }
func (v *verdict) Write(b []byte) (int, error) { return len(b), nil }

func refuse(w http.ResponseWriter, _ *http.Request, status int) {
	if status == http.StatusNotFound {
		JSON(w, status, map[string]string{"error": "404 Not Found"})
		return
	}
	JSON(w, status, message(status, ""))
}

// WithoutTrailingSlash lets a path match with one slash too many at its end.
func WithoutTrailingSlash(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := r.URL.EscapedPath(); len(path) > 1 && strings.HasSuffix(path, "/") {
			r = r.Clone(r.Context())
			r.URL.Path = strings.TrimSuffix(r.URL.Path, "/")
			r.URL.RawPath = strings.TrimSuffix(r.URL.RawPath, "/")
		}
		next.ServeHTTP(w, r)
	})
}
