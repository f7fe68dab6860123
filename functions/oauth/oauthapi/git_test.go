package oauthapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/functions/oauth/oauthapi"
	"gatehouse/shared/accesstoken"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/gateway"
	"gatehouse/shared/gateway/localgateway"
	"gatehouse/shared/project"
	"gatehouse/shared/route"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

const (
	fetchRefs = "/info/refs?service=git-upload-pack"
	pushRefs  = "/info/refs?service=git-receive-pack"
)

// frontEnd asks Gatehouse about Git requests as nginx does.
type frontEnd struct {
	*apptest.App
	handler http.Handler
}

func newFrontEnd(t *testing.T) *frontEnd {
	t.Helper()
	a := apptest.New(t)
	return &frontEnd{a, oauthapi.New(a.App)}
}

// ask asks about an address for somebody with this token.
func (f *frontEnd) ask(address, token string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/git/authorize", nil)
	r.Header.Set("X-Original-URI", address)
	if token != "" {
		r.SetBasicAuth("oauth2", token)
	}
	return f.send(r)
}

func (f *frontEnd) send(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	return w
}

// Who may fetch and push follows from role and visibility.
func TestGitByRoleAndVisibility(t *testing.T) {
	f := newFrontEnd(t)
	ada := f.User("ada")
	top := f.Group("acme", project.Group{}, ada, project.Public)
	type may struct{ fetch, push int }
	roles := []struct {
		role                      project.Role
		private, internal, public may
	}{
		{project.NoRole, may{404, 404}, may{200, 403}, may{200, 403}},
		{project.Guest, may{403, 403}, may{200, 403}, may{200, 403}},
		{project.Planner, may{403, 403}, may{200, 403}, may{200, 403}},
		{project.Reporter, may{200, 403}, may{200, 403}, may{200, 403}},
		{project.Developer, may{200, 200}, may{200, 200}, may{200, 200}},
		{project.Maintainer, may{200, 200}, may{200, 200}, may{200, 200}},
		{project.Owner, may{200, 200}, may{200, 200}, may{200, 200}},
	}
	members := map[project.Role]user.User{}
	for i, r := range roles {
		members[r.role] = f.User("member" + strconv.Itoa(i))
	}
	for _, v := range []project.Visibility{project.Private, project.Internal, project.Public} {
		p := f.Project(string(v), top, v)
		for _, r := range roles {
			u := members[r.role]
			if r.role != project.NoRole {
				f.Member(p.Place(), u, r.role)
			}
			want := map[project.Visibility]may{project.Private: r.private, project.Internal: r.internal, project.Public: r.public}[v]
			for name, token := range map[string]string{"personal": f.Token(u, scope.WriteRepository), "OAuth": f.OAuthToken(u, scope.WriteRepository)} {
				got := may{f.ask("/acme/"+string(v)+".git"+fetchRefs, token).Code, f.ask("/acme/"+string(v)+".git"+pushRefs, token).Code}
				if got != want {
					t.Errorf("role %d with a %s token in a %s project: %v, want %v", r.role, name, v, got, want)
				}
			}
		}
	}
}

func TestGitByScope(t *testing.T) {
	f := newFrontEnd(t)
	boss := f.Admin("boss")
	f.Project("web", f.Namespace(boss), project.Private)
	tests := []struct {
		scopes      scope.Set
		fetch, push int
	}{
		{scope.Of(scope.ReadRepository), 200, 403},
		{scope.Of(scope.WriteRepository), 200, 200},
		{scope.Of(scope.ReadRepository, scope.API), 200, 403},
		{scope.Of(scope.API), 403, 403},
		{scope.Of(scope.ReadAPI, scope.ReadUser, scope.Sudo), 403, 403},
	}
	for _, test := range tests {
		token := f.Token(boss, test.scopes...)
		for address, want := range map[string]int{
			fetchRefs: test.fetch, "/git-upload-pack": test.fetch, pushRefs: test.push, "/git-receive-pack": test.push,
		} {
			if w := f.ask("/boss/web.git"+address, token); w.Code != want {
				t.Errorf("%s with the scopes %s: %d, want %d", address, test.scopes, w.Code, want)
			}
		}
	}
	for _, address := range []string{"/boss/web" + pushRefs, "/boss/none" + pushRefs} {
		w := f.ask(address, f.Token(boss, scope.ReadRepository))
		if got := w.Body.String(); w.Code != 403 || got != "the token needs one of the scopes write_repository\n" {
			t.Errorf("%s: %d %q: a scope that is too small is told before anything about the project", address, w.Code, got)
		}
	}
}

func TestGitCredentials(t *testing.T) {
	f := newFrontEnd(t)
	ada := f.User("ada")
	f.Project("web", f.Namespace(ada), project.Private)
	f.Project("open", f.Namespace(ada), project.Public)
	_, late, err := f.Tokens.Create(t.Context(), audit.Setup, accesstoken.Request{
		UserID: ada.ID, Name: "short", Scopes: scope.Of(scope.ReadRepository), ExpiresAt: f.Now().Truncate(24*time.Hour).AddDate(0, 0, 1),
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := f.OAuthToken(ada, scope.ReadRepository)
	f.Pass(25 * time.Hour)
	token, oauthToken := f.Token(ada, scope.ReadRepository), f.OAuthToken(ada, scope.ReadRepository)
	blocked := f.User("blocked")
	blockeds := f.Token(blocked, scope.ReadRepository)
	f.Block(blocked)
	basic := func(name, password string) http.Header {
		r := httptest.NewRequest("GET", "/", nil)
		r.SetBasicAuth(name, password)
		return r.Header
	}
	tests := []struct {
		name   string
		header http.Header
		want   int
	}{
		{"personal access token", basic("oauth2", token), 200},
		{"personal access token by the user's name", basic("ada", token), 200},
		{"OAuth access token", basic("oauth2", oauthToken), 200},
		{"none", nil, 401},
		{"no user name", basic("", token), 401},
		{"no password", basic("oauth2", ""), 401},
		{"token as the user name", basic(token, ""), 401},
		{"the user's password", basic("ada", apptest.Password), 401},
		{"unknown token", basic("oauth2", "gtpat-unheard"), 401},
		{"expired token", basic("oauth2", late.Reveal()), 401},
		{"expired OAuth token", basic("oauth2", ended), 401},
		{"revoked token", basic("oauth2", f.RevokedToken(ada)), 401},
		{"blocked user", basic("oauth2", blockeds), 403},
		{"Bearer", http.Header{"Authorization": {"Bearer " + token}}, 401},
		{"PRIVATE-TOKEN", http.Header{"Private-Token": {token}}, 401},
		{"malformed Basic", http.Header{"Authorization": {"Basic %%%"}}, 401},
		{"two", http.Header{"Authorization": append(basic("oauth2", token)["Authorization"], "Basic eDp5")}, 401},
	}
	for _, test := range tests {
		for _, path := range []string{"/ada/web", "/ada/open"} {
			r := httptest.NewRequest("GET", "/git/authorize", nil)
			if test.header != nil {
				r.Header = test.header.Clone()
			}
			r.Header.Set("X-Original-URI", path+".git"+fetchRefs)
			w := f.send(r)
			challenge := ""
			if test.want == 401 {
				challenge = `Basic realm="Gatehouse"`
			}
			if w.Code != test.want {
				t.Errorf("%s, %s: %d %s, want %d", test.name, path, w.Code, w.Body, test.want)
			}
			wantHeaders(t, w, map[string]string{"WWW-Authenticate": challenge, "Cache-Control": "no-store"})
		}
	}
}

// Nobody acts as another user through Git, whatever a client sends along.
func TestGitKnowsNoSudo(t *testing.T) {
	f := newFrontEnd(t)
	boss, ada := f.Admin("boss"), f.User("ada")
	f.Project("web", f.Namespace(ada), project.Private)
	r := httptest.NewRequest("GET", "/git/authorize?sudo=ada", nil)
	r.SetBasicAuth("oauth2", f.Token(boss, scope.ReadRepository, scope.Sudo))
	r.Header.Set("Sudo", "ada")
	r.Header.Set("X-Original-URI", "/ada/web.git"+fetchRefs)
	if w := f.send(r); w.Code != 200 || w.Header().Get("X-Gatehouse-User") != "boss" {
		t.Errorf("%d as %q, want boss", w.Code, w.Header().Get("X-Gatehouse-User"))
	}
}

func TestGitAnswerTellsTheFrontEnd(t *testing.T) {
	f := newFrontEnd(t)
	ada := f.User("Ada")
	team := f.Group("Team", f.Group("Acme", project.Group{}, ada, project.Private), ada, project.Private)
	p := f.Project("Web", team, project.Private)
	token := f.Token(ada, scope.WriteRepository)
	for address, permission := range map[string]string{
		"/Acme/Team/Web.git" + fetchRefs: "fetch", "/acme/TEAM/web/git-upload-pack": "fetch",
		"/ACME/team/web" + pushRefs: "push", "/acme/team/web.git/git-receive-pack": "push",
	} {
		w := f.ask(address, token)
		if w.Code != 200 || w.Body.Len() > 0 {
			t.Errorf("%s: %d %s", address, w.Code, w.Body)
		}
		wantHeaders(t, w, map[string]string{
			"X-Gatehouse-User": "Ada", "X-Gatehouse-Project": "Acme/Team/Web", "X-Gatehouse-Project-Id": strconv.FormatInt(p.ID, 10),
			"X-Gatehouse-Permission": permission, "Cache-Control": "no-store",
		})
	}
}

// A refusal says no more than that, in text that Git shows.
func TestGitRefusals(t *testing.T) {
	f := newFrontEnd(t)
	ada := f.User("ada")
	f.Project("web", f.Namespace(ada), project.Private)
	f.Project("open", f.Namespace(ada), project.Internal)
	stranger := f.Token(f.User("stranger"), scope.WriteRepository)
	tests := []struct {
		address, token string
		status         int
		body           string
	}{
		{"/ada/web" + fetchRefs, "", 401, "401 Unauthorized\n"},
		{"/ada/none" + fetchRefs, "", 401, "401 Unauthorized\n"},
		{"/ada/web" + fetchRefs, stranger, 404, "Project not found\n"},
		{"/ada/none" + fetchRefs, stranger, 404, "Project not found\n"},
		{"/ada/open" + pushRefs, stranger, 403, "Forbidden\n"},
		{"/1/2" + fetchRefs, stranger, 404, "This is no address of Git's smart HTTP protocol.\n"},
		{"/ada/web/info/lfs/objects/batch", "", 404, "This is no address of Git's smart HTTP protocol.\n"},
	}
	for _, test := range tests {
		w := f.ask(test.address, test.token)
		if w.Code != test.status || w.Body.String() != test.body {
			t.Errorf("%s: %d %q, want %d %q", test.address, w.Code, w.Body, test.status, test.body)
		}
		wantHeaders(t, w, map[string]string{"Content-Type": "text/plain; charset=utf-8", "X-Gatehouse-User": "", "X-Gatehouse-Project": ""})
	}
	f.Store.Close()
	if w := f.ask("/ada/web"+fetchRefs, stranger); w.Code != 500 || w.Body.String() != "The request could not be served; try again.\n" {
		t.Errorf("without a store: %d %q", w.Code, w.Body)
	}
}

// Every front end has its own way of saying what it asks about. A client's own
// headers reach Gatehouse through it as well, so that two that differ are
// refused. The same holds behind the gateway, which decodes the path.
func TestWhatTheFrontEndAsksAbout(t *testing.T) {
	f := newFrontEnd(t)
	ada := f.User("ada")
	f.Project("web", f.Namespace(ada), project.Private)
	f.Project("other", f.Namespace(ada), project.Private)
	token := f.Token(ada, scope.ReadRepository)
	const web, other, push = "/ada/web.git" + fetchRefs, "/ada/other.git" + fetchRefs, "/ada/web.git" + pushRefs
	const nginx, traefik, nginxMethod, traefikMethod = "X-Original-URI", "X-Forwarded-Uri", "X-Original-Method", "X-Forwarded-Method"
	tests := []struct {
		name, method, target string
		header               map[string]string
		want                 int
	}{
		{"nginx", "GET", "", map[string]string{nginx: web, nginxMethod: "GET"}, 200},
		{"nginx, pack", "GET", "", map[string]string{nginx: "/ada/web.git/git-upload-pack", nginxMethod: "POST"}, 200},
		{"nginx without the method", "GET", "", map[string]string{nginx: "/ada/web.git/git-upload-pack"}, 200},
		{"Traefik", "GET", "", map[string]string{traefik: web, traefikMethod: "GET"}, 200},
		{"Envoy", "GET", web, nil, 200},
		{"Envoy, pack", "POST", "/ada/web.git/git-upload-pack", nil, 200},
		{"Envoy, an escaped slash", "GET", strings.Replace(web, "/ada/", "/ada%2F", 1), nil, 404},
		{"Envoy, an escaped letter", "GET", strings.Replace(web, "/ada/", "/%61da/", 1), nil, 404},
		{"both the same", "GET", "", map[string]string{nginx: web, traefik: web, nginxMethod: "GET", traefikMethod: "GET"}, 200},
		{"one empty", "GET", "", map[string]string{nginx: "", traefik: web}, 200},
		{"path and headers the same", "GET", web, map[string]string{nginx: web, traefik: web}, 200},
		{"path with the method in a header", "GET", "/ada/web.git/git-upload-pack", map[string]string{nginxMethod: "POST"}, 200},

		{"nothing", "GET", "", nil, 400},
		{"empty", "GET", "", map[string]string{nginx: "", traefik: ""}, 400},
		{"method alone", "GET", "", map[string]string{nginxMethod: "GET"}, 400},
		{"in the query", "GET", "?uri=" + url.QueryEscape(web), nil, 400},
		{"two projects", "GET", "", map[string]string{nginx: web, traefik: other}, 400},
		{"two operations", "GET", "", map[string]string{nginx: web, traefik: push}, 400},
		{"two letter cases", "GET", "", map[string]string{nginx: web, traefik: "/Ada/web.git" + fetchRefs}, 400},
		{"two methods", "GET", "", map[string]string{nginx: web, nginxMethod: "GET", traefikMethod: "POST"}, 400},
		{"path and header", "GET", web, map[string]string{nginx: other}, 400},
		{"path and the other header", "GET", push, map[string]string{traefik: web}, 400},
		{"root and header", "GET", "/", map[string]string{nginx: web}, 400},

		{"wrong method", "GET", "", map[string]string{nginx: web, nginxMethod: "POST"}, 404},
		{"wrong method of the path", "GET", "/ada/web.git/git-upload-pack", nil, 404},
		{"root", "GET", "/", nil, 404},
		{"two in one", "GET", "", map[string]string{nginx: web + "," + web}, 404},
		{"whole address", "GET", "", map[string]string{nginx: "https://git.example" + web}, 404},
		{"push without its scope", "GET", push, nil, 403},
		{"escaped question mark", "GET", "/ada/web.git/info/refs%3Fservice=git-upload-pack", nil, 404},
		{"escaped twice", "GET", "/ada%252Fweb.git" + fetchRefs, nil, 404},
		{"dot segments", "GET", "/ada/x/%2e%2e/web.git" + fetchRefs, nil, 404},
		{"empty segment", "GET", "/ada%2F%2Fweb.git" + fetchRefs, nil, 404},
	}
	doors := map[string]http.Handler{
		"": f.handler, "behind the gateway: ": localgateway.New(map[string]localgateway.Invoker{"oauth": gateway.New(f.handler)}, oauthRoutes()),
	}
	for door, handler := range doors {
		for _, test := range tests {
			r := httptest.NewRequest(test.method, "/git/authorize"+test.target, nil)
			r.SetBasicAuth("oauth2", token)
			for name, value := range test.header {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != test.want {
				t.Errorf("%s%s: %d %s, want %d", door, test.name, w.Code, w.Body, test.want)
			}
			if got := w.Header().Get("X-Gatehouse-Project"); got != "" && got != "ada/web" {
				t.Errorf("%s%s: let through to %s", door, test.name, got)
			}
		}
	}
}

// oauthRoutes are the routes to this group.
func oauthRoutes() []route.Route {
	var routes []route.Route
	for _, r := range route.Table {
		if r.Function == "oauth" {
			routes = append(routes, r)
		}
	}
	return routes
}

func TestGitHeadersThatComeTwice(t *testing.T) {
	f := newFrontEnd(t)
	ada := f.User("ada")
	f.Project("web", f.Namespace(ada), project.Private)
	for _, second := range []string{"/ada/web.git" + pushRefs, "/ada/other.git" + fetchRefs} {
		r := httptest.NewRequest("GET", "/git/authorize", nil)
		r.SetBasicAuth("oauth2", f.Token(ada, scope.WriteRepository))
		r.Header["X-Original-Uri"] = []string{"/ada/web.git" + fetchRefs, second}
		if w := f.send(r); w.Code != http.StatusBadRequest {
			t.Errorf("two of the same header: %d, want 400", w.Code)
		}
	}
}
