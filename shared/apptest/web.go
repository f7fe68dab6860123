package apptest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/shared/app"
	"gatehouse/shared/gateway"
	"gatehouse/shared/gateway/localgateway"
	"gatehouse/shared/project"
	"gatehouse/shared/route"
)

// Web is an App with the private project acme/web, and a maintainer who makes calls.
type Web struct {
	*App
	H          http.Handler
	P          project.Project
	Maintainer string // a token
}

// NewWeb returns an App with only that project, for the endpoints of a group.
func NewWeb(t *testing.T, endpoints func(*app.App) http.Handler) Web {
	t.Helper()
	a := New(t)
	ada, ben := a.User("ada"), a.User("ben")
	p := a.Project("web", a.Group("acme", project.Group{}, ada, project.Private), project.Private)
	a.Member(p.Place(), ben, project.Maintainer)
	return Web{a, endpoints(a.App), p, a.Token(ben)}
}

// Call makes a call as the maintainer.
func (s Web) Call(t *testing.T, method, target string, params any) Answer {
	t.Helper()
	return Call(t, s.H, method, target, s.Maintainer, params)
}

// Send sends a body of some type as the maintainer.
func (s Web) Send(t *testing.T, method, target, contentType, body string) Answer {
	t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("PRIVATE-TOKEN", s.Maintainer)
	r.Header.Set("Content-Type", contentType)
	return Send(t, s.H, r)
}

// ThroughGateway returns a local gateway that passes the requests for every route to
// the handler as API Gateway does.
func ThroughGateway(h http.Handler) http.Handler {
	functions := map[string]localgateway.Invoker{}
	for _, r := range route.Table {
		functions[r.Function] = gateway.New(h)
	}
	return localgateway.New(functions, route.Table)
}
