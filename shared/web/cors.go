package web

import (
	"net/http"
	"slices"
	"strings"
)

// CORSPolicy is what pages on other origins may do with a path (Fetch standard,
// "CORS protocol"). It holds for every origin, and never with the browser's cookies:
// callers send a token or the credentials of a client.
type CORSPolicy struct {
	// Methods are the advertised ones, including OPTIONS.
	Methods []string
	// RequestHeaders may be sent besides the safelisted ones; "*" means any.
	RequestHeaders []string
	// ResponseHeaders can be read besides the safelisted ones.
	ResponseHeaders []string
}

// CORS has the policy of each path that other origins may use. A path that
// ends in a slash stands for every path below it.
type CORS map[string]CORSPolicy

// RESTCORS opens the whole REST API.
var RESTCORS = CORS{"/api/": {
	Methods:        []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"},
	RequestHeaders: []string{"*"},
	ResponseHeaders: []string{
		"Deprecation", "ETag", "Link", "X-Next-Page", "X-Page", "X-Per-Page", "X-Prev-Page", "X-Request-Id", "X-Searched-Until",
		"X-Status-Counts", "X-Total", "X-Total-Pages",
	},
}}

// Wrap answers the preflight requests for these paths, and lets other origins read
// every answer of next, including errors.
func (c CORS) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		policy, ok := c.policy(r.URL.Path)
		switch {
		case !ok, r.Header.Get("Origin") == "":
			next.ServeHTTP(w, r)
		case isPreflight(r):
			policy.answerPreflight(w, r)
		default:
			policy.share(w.Header())
			next.ServeHTTP(w, r)
		}
	})
}

func (c CORS) policy(path string) (CORSPolicy, bool) {
	if policy, ok := c[path]; ok {
		return policy, true
	}
	for prefix, policy := range c {
		if strings.HasSuffix(prefix, "/") && strings.HasPrefix(path, prefix) {
			return policy, true
		}
	}
	return CORSPolicy{}, false
}

func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// answerPreflight allows everything that the browser asks for, or nothing.
func (p CORSPolicy) answerPreflight(w http.ResponseWriter, r *http.Request) {
	headers := strings.Join(r.Header.Values("Access-Control-Request-Headers"), ", ")
	if slices.Contains(p.Methods, r.Header.Get("Access-Control-Request-Method")) && p.allowsHeaders(headers) {
		p.allow(w.Header())
		if headers != "" {
			w.Header().Set("Access-Control-Allow-Headers", headers)
		}
	}
	w.WriteHeader(http.StatusOK)
}

// safelisted are the request headers that browsers send without asking if their
// values are simple, and ask for otherwise.
var safelisted = []string{"accept", "accept-language", "content-language", "content-type", "range"}

func (p CORSPolicy) allowsHeaders(list string) bool {
	if slices.Contains(p.RequestHeaders, "*") {
		return true
	}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		same := func(allowed string) bool { return strings.EqualFold(name, allowed) }
		if name != "" && !slices.ContainsFunc(safelisted, same) && !slices.ContainsFunc(p.RequestHeaders, same) {
			return false
		}
	}
	return true
}

// share lets the page read the answer.
func (p CORSPolicy) share(h http.Header) {
	p.allow(h)
	if len(p.ResponseHeaders) > 0 {
		h.Set("Access-Control-Expose-Headers", strings.Join(p.ResponseHeaders, ", "))
	}
}

func (p CORSPolicy) allow(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", strings.Join(p.Methods, ", "))
}
