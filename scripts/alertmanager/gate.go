package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
)

// gate is a proxy in front of Gatehouse that can refuse requests.
type gate struct {
	*httptest.Server
	refuse  atomic.Int64 // how many of the next requests about the project to refuse
	project atomic.Value // string
	refused atomic.Int64
}

func newGate(gatehouse string) (*gate, error) {
	target, err := url.Parse(gatehouse)
	if err != nil {
		return nil, err
	}
	g := &gate{}
	g.project.Store("")
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		project := g.project.Load().(string)
		if project != "" && strings.Contains(r.URL.Path, project) && g.refuse.Add(-1) >= 0 {
			g.refused.Add(1)
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	return g, nil
}

// refuseNext answers the next request about the project with 503.
func (g *gate) refuseNext(project string) {
	g.refused.Store(0)
	g.refuse.Store(1)
	g.project.Store(project)
}

// wantRefused checks that one request was refused since then.
func (g *gate) wantRefused() error {
	if n := g.refused.Load(); n != 1 {
		return fmt.Errorf("%d requests were refused, want 1", n)
	}
	return nil
}
