package web

import "net/http"

// REST is a group of endpoints of the REST API, with what they all have around
// them.
type REST struct {
	http.Handler
	// Patterns are those of the group's routes.
	Patterns []string
}

// NewREST returns the group with these routes. Behind each of the prefixes an
// address names a project or group, as References reads it.
func NewREST(mux *Mux, prefixes ...string) REST {
	return REST{Wrap(RESTCORS.Wrap(WithoutTrailingSlash(References(mux, prefixes...)))), mux.Patterns()}
}
