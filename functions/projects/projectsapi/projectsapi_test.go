package projectsapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
)

const projects = "/api/v4/projects"

type object = map[string]any

func TestWhoMayCall(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	top := a.Group("acme", project.Group{}, a.User("ada"), project.Private)
	team := a.Group("team", top, a.User("ben"), project.Private)
	callers := a.Callers(top.Place())
	member, newcomer := a.User("member"), a.User("newcomer")
	members := projects + "/{id}/members"
	memberPath := fmt.Sprintf("%s/%d", members, member.ID)
	calls := []apptest.Access{
		{Method: "GET", Path: projects + "/{id}", Needs: project.Guest, Status: 200},
		{Method: "HEAD", Path: projects + "/{id}", Needs: project.Guest, Status: 200},
		{Method: "PUT", Path: projects + "/{id}", Params: object{"name": "New"}, Needs: project.Maintainer, Status: 200},
		{Method: "PUT", Path: projects + "/{id}", Params: object{"name": []int{}}, Needs: project.Maintainer, Status: 400},
		{Method: "DELETE", Path: projects + "/{id}", Needs: project.Owner, Status: 204},
		{Method: "GET", Path: members, Needs: project.Guest, Status: 200},
		{Method: "GET", Path: members + "/all", Needs: project.Guest, Status: 200},
		{Method: "GET", Path: memberPath, Needs: project.Guest, Status: 200},
		{Method: "GET", Path: strings.Replace(memberPath, "/members/", "/members/all/", 1), Needs: project.Guest, Status: 200},
		{Method: "POST", Path: members, Params: object{"user_id": newcomer.ID, "access_level": 20}, Needs: project.Maintainer, Status: 201},
		{Method: "POST", Path: members, Needs: project.Maintainer, Status: 400},
		{Method: "PUT", Path: memberPath, Params: object{"access_level": 20}, Needs: project.Maintainer, Status: 200},
		{Method: "DELETE", Path: memberPath, Needs: project.Maintainer, Status: 204},
	}
	made := 0
	apptest.CheckAccess(t, h, callers, calls, func() []string {
		made++
		p := a.Project(fmt.Sprintf("web-%d", made), team, project.Private)
		a.Member(p.Place(), member, project.Guest)
		return apptest.Forms(p.ID, p.FullPath)
	})
}

func TestProjectBody(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("Ada")
	g := a.Group("acme", project.Group{}, ada, project.Public)
	p := a.Project("web", g, project.Internal)

	answer := apptest.Call(t, projectsapi.New(a.App), "GET", projects+"/acme%2Fweb", a.Token(ada), nil)
	answer.Want(t, 200, object{
		"id": float64(p.ID), "name": "The project web", "path": "web", "path_with_namespace": "acme/web",
		"namespace": object{"id": float64(g.ID), "name": g.Name, "path": "acme", "kind": "group", "full_path": "acme"},
		"web_url":   fmt.Sprintf("%s/console/%d", a.BaseURL, p.ID), "http_url_to_repo": nil,
		"permissions": object{"project_access": nil, "group_access": object{"access_level": 50.0, "notification_level": 3.0}},
		"visibility":  "internal", "created_at": p.CreatedAt.Format("2006-01-02T15:04:05.000Z"),
		restricted: false, overrideRole: "developer",
		"import_url": nil, "mirror": false, "mirror_branch_regex": nil, "mirror_trigger_builds": false, "only_mirror_protected_branches": nil,
	})
	if got := answer.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type is %q, want application/json to the letter", got)
	}
	if answer.Header.Get("X-Request-Id") == "" || answer.Header.Get("Vary") != "Origin" {
		t.Errorf("headers are %v, want X-Request-Id and Vary", answer.Header)
	}
}

func TestCreateProject(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	ada, ben := a.User("ada"), a.User("ben")
	g := a.Group("acme", project.Group{}, ada, project.Internal)
	token := a.Token(ada)
	tests := []struct {
		params object
		want   object
	}{
		{object{"name": "Web Shop!"}, object{"name": "Web Shop!", "path_with_namespace": "ada/web-shop", "visibility": "private"}},
		{object{"path": "Pay"}, object{"name": "Pay", "path_with_namespace": "ada/Pay", "visibility": "private"}},
		{object{"name": "A", "path": "b", "visibility": "public"}, object{"name": "A", "path_with_namespace": "ada/b", "visibility": "public"}},
		{object{"name": "C", "namespace_id": g.ID, "visibility": "internal"}, object{"name": "C", "path_with_namespace": "acme/c", "visibility": "internal"}},
		{object{"name": "D", "namespace_id": ada.NamespaceID}, object{"name": "D", "path_with_namespace": "ada/d", "visibility": "private"}},
	}
	for _, test := range tests {
		answer := apptest.Call(t, h, "POST", projects, token, test.params)
		answer.Want(t, 201, nil)
		got := answer.Object(t)
		for field, want := range test.want {
			if got[field] != want {
				t.Errorf("POST %v gave %s %v, want %v", test.params, field, got[field], want)
			}
		}
	}
	form := httptest.NewRequest("POST", projects, strings.NewReader("name=By+form"))
	form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	form.Header.Set("PRIVATE-TOKEN", token)
	apptest.Send(t, h, form).Want(t, 201, nil)

	a.Member(g.Place(), ben, project.Maintainer)
	apptest.Call(t, h, "POST", projects, a.Token(ben), object{"name": "By Ben", "namespace_id": g.ID}).Want(t, 201, nil)
}

func TestCreateProjectRefusals(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	ada, ben, root := a.User("ada"), a.User("ben"), a.Admin("root")
	g := a.Group("acme", project.Group{}, ada, project.Private)
	public := a.Group("open", project.Group{}, ada, project.Public)
	dana := a.User("dana")
	a.Member(g.Place(), dana, project.Developer)
	a.Project("taken", g, project.Private)
	adas, bens, danas := a.Token(ada), a.Token(ben), a.Token(dana)
	tests := []struct {
		name, token string
		params      object
		status      int
		want        object
	}{
		{"nothing", adas, object{}, 400, object{"error": "name, path are missing, at least one parameter must be provided"}},
		{"a bad id", adas, object{"name": "x", "namespace_id": "acme"}, 400, object{"error": "namespace_id is invalid"}},
		{"an unknown namespace", adas, object{"name": "x", "namespace_id": 9999}, 404, object{"message": "404 Namespace Not Found"}},
		{"a hidden group", bens, object{"name": "x", "namespace_id": g.ID}, 404, object{"message": "404 Namespace Not Found"}},
		{"another user's namespace", bens, object{"name": "x", "namespace_id": ada.NamespaceID}, 404, object{"message": "404 Namespace Not Found"}},
		{"a group one only sees", bens, object{"name": "x", "namespace_id": public.ID}, 403, object{"message": "403 Forbidden"}},
		{"a group as developer", danas, object{"name": "x", "namespace_id": g.ID}, 403, object{"message": "403 Forbidden"}},
		{"a taken path", adas, object{"name": "x", "path": "Taken", "namespace_id": g.ID}, 400, object{"message": object{"path": []any{"has already been taken"}}}},
		{"a wide visibility", adas, object{"name": "x", "visibility": "public", "namespace_id": g.ID}, 400,
			object{"message": object{"visibility": []any{"is wider than that of the group it is in (private)"}}}},
		{"an unknown visibility", adas, object{"name": "x", "visibility": "secret"}, 400, object{"message": object{"visibility": []any{"is not included in the list"}}}},
		{"a reserved path", adas, object{"name": "Members"}, 400, object{"message": object{"path": []any{"is a reserved name"}}}},
		{"a name without a path", adas, object{"name": "世界"}, 400, object{"message": object{"path": []any{"can't be blank"}}}},
		{"digits", adas, object{"name": "x", "path": "42"}, 400, object{"message": object{"path": []any{"must not be all digits"}}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			apptest.Call(t, h, "POST", projects, test.token, test.params).Want(t, test.status, test.want)
		})
	}
	apptest.Call(t, h, "POST", projects, a.Token(root), object{"name": "x", "namespace_id": ada.NamespaceID}).Want(t, 201, nil)
}

func TestChangeProject(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	ada := a.User("ada")
	g := a.Group("acme", project.Group{}, ada, project.Internal)
	a.Project("web", g, project.Private)
	token, path := a.Token(ada), projects+"/acme%2Fweb"

	got := apptest.Call(t, h, "PUT", path, token, object{"name": "Shop", "path": "web", "visibility": "internal"}).Object(t)
	if got["name"] != "Shop" || got["visibility"] != "internal" {
		t.Errorf("PUT gave %v, want the new name and visibility", got)
	}
	apptest.Call(t, h, "GET", path, token, nil).Want(t, 200, got)
	apptest.Call(t, h, "PUT", path, token, object{}).Want(t, 200, got)
	apptest.Call(t, h, "PUT", path, token, object{"path": "shop"}).WantMessage(t, 400, object{"path": []any{"cannot be changed"}})
	apptest.Call(t, h, "PUT", path, token, object{"name": " "}).WantMessage(t, 400, object{"name": []any{"can't be blank"}})
	apptest.Call(t, h, "PUT", path, token, object{"visibility": "public"}).
		WantMessage(t, 400, object{"visibility": []any{"is wider than that of the group it is in (internal)"}})
	apptest.Call(t, h, "GET", path, token, nil).Want(t, 200, got)
}

func TestDeletedProjectIsGone(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	ada := a.User("ada")
	a.Project("web", a.Namespace(ada), project.Public)
	token := a.Token(ada)
	apptest.Call(t, h, "DELETE", projects+"/ada%2Fweb", token, nil).Want(t, 204, nil)
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		apptest.Call(t, h, method, projects+"/ada%2Fweb", token, nil).WantMessage(t, 404, "404 Project Not Found")
	}
	apptest.Call(t, h, "POST", projects, token, object{"path": "web"}).Want(t, 201, nil)
}

func TestListProjects(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	ada, ben, gwen, root := a.User("ada"), a.User("ben"), a.User("gwen"), a.Admin("root")
	top := a.Group("acme", project.Group{}, ada, project.Public)
	team := a.Group("team", top, ada, project.Public)
	a.Project("own", a.Namespace(ben), project.Private)
	a.Project("inside", team, project.Private)
	shared := a.Project("shared", top, project.Private)
	a.Project("internal", team, project.Internal)
	a.Member(shared.Place(), gwen, project.Guest)
	a.MemberUntil(team.Place(), gwen, project.Owner, a.Now().Truncate(24*time.Hour))
	tests := map[string][]any{
		a.Token(ada):  {"acme/team/internal", "acme/shared", "acme/team/inside"},
		a.Token(ben):  {"acme/team/internal", "ben/own"},
		a.Token(gwen): {"acme/team/internal", "acme/shared"},
		a.Token(root): {"acme/team/internal", "acme/shared", "acme/team/inside", "ben/own"},
	}
	for token, want := range tests {
		answer := apptest.Call(t, h, "GET", projects, token, nil)
		if diff := cmp.Diff(want, answer.Each(t, "path_with_namespace")); diff != "" {
			t.Errorf("list differs (-want +got):\n%s", diff)
		}
		if got := answer.Header.Get("X-Total"); got != fmt.Sprint(len(want)) {
			t.Errorf("X-Total is %s, want %d", got, len(want))
		}
	}
	for query, want := range map[string]map[string][]any{
		"membership=true":                 {a.Token(ada): {"acme/team/internal", "acme/shared", "acme/team/inside"}, a.Token(ben): {"ben/own"}, a.Token(gwen): {"acme/shared"}, a.Token(root): {}},
		"membership=false":                {a.Token(ben): {"acme/team/internal", "ben/own"}},
		"owned=true":                      {a.Token(ben): {"ben/own"}, a.Token(gwen): {}},
		"min_access_level=5":              {a.Token(gwen): {"acme/shared"}},
		"min_access_level=20":             {a.Token(gwen): {}, a.Token(ben): {"ben/own"}},
		"membership=1&search=team":        {a.Token(ada): {"acme/team/internal", "acme/team/inside"}},
		"archived=true":                   {a.Token(ada): {}},
		"archived=false&membership=true":  {a.Token(gwen): {"acme/shared"}},
		"min_access_level=10&owned=false": {a.Token(gwen): {"acme/shared"}},
	} {
		for token, want := range want {
			answer := apptest.Call(t, h, "GET", projects+"?"+query, token, nil)
			if diff := cmp.Diff(want, append([]any{}, answer.Each(t, "path_with_namespace")...)); diff != "" {
				t.Errorf("%s: the list differs (-want +got):\n%s", query, diff)
			}
		}
	}
	for query, want := range map[string]string{
		"min_access_level=7": "min_access_level does not have a valid value", "min_access_level=x": "min_access_level is invalid",
		"owned=maybe": "owned is invalid", "membership=2": "membership is invalid", "archived=x": "archived is invalid",
	} {
		apptest.Call(t, h, "GET", projects+"?"+query, a.Token(ada), nil).WantError(t, 400, want)
	}
	second := apptest.Call(t, h, "GET", projects+"/?per_page=2&page=2", a.Token(ada), nil)
	if diff := cmp.Diff([]any{"acme/team/inside"}, second.Each(t, "path_with_namespace")); diff != "" {
		t.Errorf("second page differs (-want +got):\n%s", diff)
	}
	wantLink := fmt.Sprintf(`<%[1]s?page=1&per_page=2>; rel="prev", <%[1]s?page=1&per_page=2>; rel="first", <%[1]s?page=2&per_page=2>; rel="last"`,
		apptest.BaseURL+projects)
	if got := second.Header.Get("Link"); got != wantLink {
		t.Errorf("Link is %s, want %s", got, wantLink)
	}
	apptest.Call(t, h, "GET", projects+"?page=x", a.Token(ada), nil).WantError(t, 400, "page is invalid")
}

func TestSearchProjects(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	ada := a.User("ada")
	acme, other := a.Group("acme", project.Group{}, ada, project.Private), a.Group("other", project.Group{}, a.User("ben"), project.Private)
	for _, path := range []string{"shop", "mail", "shopping"} {
		a.Project(path, acme, project.Private)
	}
	a.Project("shop", other, project.Private)
	for query, want := range map[string][]any{
		"search=SHOP": {"acme/shopping", "acme/shop"}, "search=project+mail": {"acme/mail"}, "search=acme%2Fm": {"acme/mail"},
		"search=other": {}, "search=": {"acme/shopping", "acme/mail", "acme/shop"}, "search=shop&per_page=1&page=2": {"acme/shop"},
	} {
		answer := apptest.Call(t, h, "GET", projects+"?"+query, a.Token(ada), nil)
		if diff := cmp.Diff(want, answer.Each(t, "path_with_namespace")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
		if counted := answer.Header.Get("X-Total") != ""; counted != (query == "search=") {
			t.Errorf("%s is counted: %t", query, counted)
		}
	}
	const next = "cursor=0.3&page=2&per_page=1&search=shop"
	if got := apptest.Call(t, h, "GET", projects+"?search=shop&per_page=1", a.Token(ada), nil).Header.Get("Link"); !strings.Contains(got, next+">; rel=\"next\"") {
		t.Errorf("Link is %s, want %s", got, next)
	}
	for _, bad := range []string{"search=%ff", "search=a&search=b"} {
		apptest.Call(t, h, "GET", projects+"?"+bad, a.Token(ada), nil).WantError(t, 400, "search is invalid")
	}
}

func TestVisibleProjectsOpenToEverybodyWithAToken(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	ada := a.User("ada")
	stranger := a.Token(a.User("stranger"))
	for _, v := range []project.Visibility{project.Internal, project.Public} {
		p := a.Project(string(v), a.Namespace(ada), v)
		path := fmt.Sprintf("%s/%d", projects, p.ID)
		apptest.Call(t, h, "GET", path, stranger, nil).Want(t, 200, nil)
		apptest.Call(t, h, "GET", path+"/members", stranger, nil).Want(t, 200, []any{})
		apptest.Call(t, h, "PUT", path, stranger, object{"name": "Mine"}).WantMessage(t, 403, "403 Forbidden")
		apptest.Call(t, h, "DELETE", path, stranger, nil).WantMessage(t, 403, "403 Forbidden")
		apptest.Call(t, h, "GET", path, "", nil).WantMessage(t, 401, "401 Unauthorized")
	}
}

func TestRoutesThatAreNot(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	apptest.Call(t, h, "PATCH", projects, "", nil).WantMessage(t, 405, "405 Method Not Allowed")
	apptest.Call(t, h, "DELETE", projects+"/5/members", "", nil).WantMessage(t, 405, "405 Method Not Allowed")
	apptest.Call(t, h, "GET", projects+"/5/members/7/more", "", nil).WantError(t, 404, "404 Not Found")
	apptest.Call(t, h, "GET", projects+"//members", "", nil).WantError(t, 404, "404 Not Found")
}

// The gateway decodes the slashes in a project's path before the function sees
// them; nothing else about an answer may differ.
func TestSameAnswersThroughTheGateway(t *testing.T) {
	a := apptest.New(t)
	direct := projectsapi.New(a.App)
	ada := a.User("ada")
	team := a.Group("team", a.Group("acme", project.Group{}, ada, project.Private), ada, project.Private)
	p := a.Project("web", team, project.Private)
	token, readOnly := a.Token(ada), a.Token(ada, scope.ReadAPI)
	through := apptest.ThroughGateway(direct)
	calls := []struct {
		method, path, token string
		params              any
	}{
		{"GET", "/{id}", token, nil},
		{"HEAD", "/{id}", token, nil},
		{"GET", "/{id}/", token, nil},
		{"GET", "/{id}", "", nil},
		{"GET", "/{id}", "unheard", nil},
		{"GET", "/{id}?private_token=x", token, nil},
		{"PUT", "/{id}", readOnly, object{"name": "x"}},
		{"PUT", "/{id}", token, object{"name": "Ünï", "visibility": "private"}},
		{"PUT", "/{id}", token, object{"visibility": "wide"}},
		{"GET", "/{id}/members", token, nil},
		{"GET", "/{id}/members/all?per_page=1", token, nil},
		{"GET", "/{id}/members/999", token, nil},
		{"PATCH", "/{id}/members", token, nil},
		{"GET", "/acme%2Fnothing", token, nil},
		{"GET", "?page=0", token, nil},
	}
	for _, call := range calls {
		for _, form := range apptest.Forms(p.ID, p.FullPath) {
			target := projects + strings.ReplaceAll(call.path, "{id}", form)
			want := apptest.Call(t, direct, call.method, target, call.token, call.params)
			got := apptest.Call(t, through, call.method, target, call.token, call.params)
			if call.method == http.MethodHead {
				want.Body, got.Body = nil, nil
			}
			if got.Status != want.Status || !cmp.Equal(want.Body, got.Body) {
				t.Errorf("%s %s through the gateway answered %d %v, want %d %v", call.method, target, got.Status, got.Body, want.Status, want.Body)
			}
			for _, name := range []string{"Content-Type", "WWW-Authenticate", "Allow", "Vary", "X-Total", "X-Per-Page"} {
				if got.Header.Get(name) != want.Header.Get(name) {
					t.Errorf("%s %s through the gateway has %s %q, want %q", call.method, target, name, got.Header.Get(name), want.Header.Get(name))
				}
			}
		}
	}
}
