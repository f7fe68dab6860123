package platformapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
)

const groups = api + "/groups"

func TestWhoMayCallAboutAGroup(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	top := a.Group("acme", project.Group{}, a.User("ada"), project.Private)
	ben := a.User("ben")
	callers := a.Callers(top.Place())
	member, newcomer := a.User("member"), a.User("newcomer")
	members := groups + "/{id}/members"
	memberPath := fmt.Sprintf("%s/%d", members, member.ID)
	calls := []apptest.Access{
		{Method: "GET", Path: groups + "/{id}", Needs: project.Guest, Status: 200},
		{Method: "PUT", Path: groups + "/{id}", Params: object{"name": "New"}, Needs: project.Owner, Status: 200},
		{Method: "DELETE", Path: groups + "/{id}", Needs: project.Owner, Status: 204},
		{Method: "GET", Path: members, Needs: project.Guest, Status: 200},
		{Method: "GET", Path: members + "/all", Needs: project.Guest, Status: 200},
		{Method: "GET", Path: memberPath, Needs: project.Guest, Status: 200},
		{Method: "GET", Path: members + fmt.Sprintf("/all/%d", member.ID), Needs: project.Guest, Status: 200},
		{Method: "GET", Path: groups + "/{id}/projects", Needs: project.Guest, Status: 200},
		{Method: "GET", Path: groups + "/{id}/subgroups", Needs: project.Guest, Status: 200},
		{Method: "POST", Path: members, Params: object{"user_id": newcomer.ID, "access_level": 20}, Needs: project.Owner, Status: 201},
		{Method: "PUT", Path: memberPath, Params: object{"access_level": 20}, Needs: project.Owner, Status: 200},
		{Method: "DELETE", Path: memberPath, Needs: project.Owner, Status: 204},
	}
	made := 0
	apptest.CheckAccess(t, h, callers, calls, func() []string {
		made++
		g := a.Group(fmt.Sprintf("team-%d", made), top, ben, project.Private)
		a.Member(g.Place(), member, project.Guest)
		return apptest.Forms(g.ID, g.FullPath)
	})
}

func TestCreateGroup(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, ben := a.User("ada"), a.User("ben")
	token := a.Token(ada)
	made := apptest.Call(t, h, "POST", groups, token, object{"name": "Acme Corp", "path": "Acme"})
	want := object{
		"id": float64(made.ID(t)), "name": "Acme Corp", "path": "Acme", "full_path": "Acme", "parent_id": nil, "visibility": "private",
		level: 2.0, protection: factory,
	}
	made.Want(t, 201, want)
	apptest.Call(t, h, "GET", groups+"/acme", token, nil).Want(t, 200, want)
	below := apptest.Call(t, h, "POST", groups, token, object{"name": "Team", "path": "team", "parent_id": made.ID(t), "visibility": "private"})
	below.Want(t, 201, object{
		"id": float64(below.ID(t)), "name": "Team", "path": "team", "full_path": "Acme/team", "parent_id": float64(made.ID(t)), "visibility": "private",
		level: 2.0, protection: factory,
	})
	a.Member(project.Place{Kind: project.InGroup, ID: below.ID(t)}, ben, project.Owner)
	apptest.Call(t, h, "POST", groups, a.Token(ben), object{"name": "x", "path": "deep", "parent_id": below.ID(t)}).Want(t, 201, nil)
}

// Clients that hand out access by groups ask for those in which a person has a role.
func TestListGroupsByRole(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, ben, root := a.User("ada"), a.User("ben"), a.Admin("root")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	a.Group("team", acme, ada, project.Private)
	open := a.Group("open", project.Group{}, ada, project.Internal)
	a.Member(acme.Place(), ben, project.Developer)
	a.MemberUntil(open.Place(), ben, project.Owner, a.Now().Truncate(24*time.Hour))
	adas, bens, roots := a.Token(ada), a.Token(ben), a.Token(root)
	all := []any{"open", "acme/team", "acme"}
	for _, test := range []struct {
		token, query string
		want         []any
	}{
		{bens, "", all},
		{bens, "all_available=true", all},
		{bens, "all_available=false", []any{"acme/team", "acme"}},
		{bens, "min_access_level=10", []any{"acme/team", "acme"}},
		{bens, "min_access_level=30", []any{"acme/team", "acme"}},
		{bens, "min_access_level=40", []any{}},
		{bens, "owned=true", []any{}},
		{adas, "owned=true", all},
		{adas, "owned=true&per_page=1&page=2", []any{"acme/team"}},
		{roots, "", all},
		{roots, "all_available=false", []any{}},
		{roots, "owned=true", []any{}},
	} {
		answer := apptest.Call(t, h, "GET", groups+"?"+test.query, test.token, nil)
		if diff := cmp.Diff(test.want, append([]any{}, answer.Each(t, "full_path")...)); diff != "" {
			t.Errorf("%s: the list differs (-want +got):\n%s", test.query, diff)
		}
	}
	apptest.Call(t, h, "GET", groups+"?min_access_level=60", bens, nil).WantError(t, 400, "min_access_level does not have a valid value")
}

func TestCreateGroupRefusals(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, ben, mia := a.User("ada"), a.User("ben"), a.User("mia")
	private := a.Group("acme", project.Group{}, ada, project.Private)
	public := a.Group("open", project.Group{}, ada, project.Public)
	a.Member(private.Place(), mia, project.Maintainer)
	adas, bens := a.Token(ada), a.Token(ben)
	good := object{"name": "x", "path": "x"}
	field := func(name, complaint string) object { return object{"message": object{name: []any{complaint}}} }
	tests := []struct {
		name, token string
		changes     object
		status      int
		want        object
	}{
		{"nothing", adas, object{"name": "-", "path": "-"}, 400, object{"error": "name is missing, path is missing"}},
		{"a bad id", adas, object{"parent_id": "acme"}, 400, object{"error": "parent_id is invalid"}},
		{"an unknown parent", adas, object{"parent_id": 9999}, 404, object{"message": "404 Group Not Found"}},
		{"a hidden parent", bens, object{"parent_id": private.ID}, 404, object{"message": "404 Group Not Found"}},
		{"a parent one only sees", bens, object{"parent_id": public.ID}, 403, object{"message": "403 Forbidden"}},
		{"a parent as maintainer", a.Token(mia), object{"parent_id": private.ID}, 403, object{"message": "403 Forbidden"}},
		{"another user's namespace", bens, object{"parent_id": ada.NamespaceID}, 404, object{"message": "404 Group Not Found"}},
		{"the own namespace", adas, object{"parent_id": ada.NamespaceID}, 400, field("parent_id", "is a user's namespace, which holds projects only")},
		{"a reserved path", adas, object{"path": "API"}, 400, field("path", "is a reserved name")},
		{"a user's name", adas, object{"path": "Ben"}, 400, field("path", "has already been taken")},
		{"a group's path", adas, object{"path": "ACME"}, 400, field("path", "has already been taken")},
		{"a wide visibility", adas, object{"parent_id": private.ID, "visibility": "internal"}, 400,
			field("visibility", "is wider than that of the group it is in (private)")},
		{"a blank name", adas, object{"name": ""}, 400, field("name", "can't be blank")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			apptest.Call(t, h, "POST", groups, test.token, with(good, test.changes)).Want(t, test.status, test.want)
		})
	}
}

func TestChangeGroup(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada := a.User("ada")
	a.Group("team", a.Group("acme", project.Group{}, ada, project.Internal), ada, project.Private)
	token, path := a.Token(ada), groups+"/acme%2Fteam"
	got := apptest.Call(t, h, "PUT", path, token, object{"name": "The team", "path": "team", "visibility": "internal"}).Object(t)
	if got["name"] != "The team" || got["visibility"] != "internal" {
		t.Errorf("PUT gave %v, want the new name and visibility", got)
	}
	apptest.Call(t, h, "PUT", path, token, object{"path": "gang"}).WantMessage(t, 400, object{"path": []any{"cannot be changed"}})
	apptest.Call(t, h, "PUT", path, token, object{"visibility": "public"}).
		WantMessage(t, 400, object{"visibility": []any{"is wider than that of the group it is in (internal)"}})
	apptest.Call(t, h, "GET", path, token, nil).Want(t, 200, got)
}

func TestGroupsStayAsWideAsWhatIsInThem(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada := a.User("ada")
	g := a.Group("acme", project.Group{}, ada, project.Public)
	a.Project("web", a.Group("team", g, ada, project.Public), project.Public)
	apptest.Call(t, h, "PUT", groups+"/acme", a.Token(ada), object{"visibility": "private"}).
		WantMessage(t, 400, object{"visibility": []any{"is narrower than that of something in the group (public)"}})
}

func TestGroupsInUseStay(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada := a.User("ada")
	token := a.Token(ada)
	top := a.Group("acme", project.Group{}, ada, project.Private)
	a.Group("team", top, ada, project.Private)
	apptest.Call(t, h, "DELETE", groups+"/acme", token, nil).Want(t, 409, nil)
	apptest.Call(t, h, "DELETE", groups+"/acme%2Fteam", token, nil).Want(t, 204, nil)
	apptest.Call(t, h, "DELETE", groups+"/acme", token, nil).Want(t, 204, nil)
	apptest.Call(t, h, "GET", groups+"/acme", token, nil).WantMessage(t, 404, "404 Group Not Found")
}

func TestListGroups(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, gwen, root := a.User("ada"), a.User("gwen"), a.Admin("root")
	top := a.Group("acme", project.Group{}, ada, project.Public)
	team := a.Group("team", top, ada, project.Private)
	a.Group("other", top, ada, project.Private)
	a.Group("deep", team, ada, project.Private)
	a.Member(team.Place(), gwen, project.Guest)
	tests := map[string][]any{
		a.Token(ada):                {"acme/team/deep", "acme/other", "acme/team", "acme"},
		a.Token(root):               {"acme/team/deep", "acme/other", "acme/team", "acme"},
		a.Token(gwen):               {"acme/team/deep", "acme/team", "acme"},
		a.Token(a.User("stranger")): {"acme"},
	}
	for token, want := range tests {
		answer := apptest.Call(t, h, "GET", groups, token, nil)
		if diff := cmp.Diff(want, answer.Each(t, "full_path")); diff != "" {
			t.Errorf("list differs (-want +got):\n%s", diff)
		}
	}
}

func TestRoutesThatAreNot(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	for _, path := range []string{"/api/v4", api + "/nothing", api + "/users/1/nothing"} {
		apptest.Call(t, h, "GET", path, "", nil).WantError(t, 404, "404 Not Found")
	}
	for _, path := range []string{"/user", "/users", "/users/1", "/groups", "/groups/acme", "/groups/acme/team/members", "/applications"} {
		apptest.Call(t, h, "PATCH", api+path, "", nil).WantMessage(t, 405, "405 Method Not Allowed")
	}
}

func TestSameAnswersThroughTheGateway(t *testing.T) {
	a := apptest.New(t)
	direct := platformapi.New(a.App)
	root := a.Admin("root")
	team := a.Group("team", a.Group("acme", project.Group{}, root, project.Private), root, project.Private)
	token := a.Token(root)
	through := apptest.ThroughGateway(direct)
	type call struct {
		method, path, token string
		params              any
	}
	calls := []call{
		{"GET", "/user", token, nil},
		{"GET", "/user", "", nil},
		{"GET", "/user", a.RevokedToken(root), nil},
		{"GET", "/user?access_token=" + token, "", nil},
		{"GET", "/users?username=r%C3%B6t", token, nil},
		{"GET", "/users?per_page=1", token, nil},
		{"GET", "/users/9999", token, nil},
		{"POST", "/users", token, object{"username": "Ünï"}},
		{"POST", "/groups", token, object{"name": "x", "path": "api"}},
		{"PUT", "/user", token, nil},
		{"GET", "/nothing", token, nil},
		{"GET", "", token, nil},
	}
	for _, form := range apptest.Forms(team.ID, team.FullPath) {
		for _, rest := range []string{"", "/", "/members", "/members/all?page=2", "/members/" + fmt.Sprint(root.ID)} {
			calls = append(calls, call{"GET", "/groups/" + form + rest, token, nil})
		}
	}
	for _, call := range calls {
		want := apptest.Call(t, direct, call.method, api+call.path, call.token, call.params)
		got := apptest.Call(t, through, call.method, api+call.path, call.token, call.params)
		if got.Status != want.Status || !cmp.Equal(want.Body, got.Body) {
			t.Errorf("%s %s through the gateway answered %d %v, want %d %v", call.method, call.path, got.Status, got.Body, want.Status, want.Body)
		}
		for _, name := range []string{"Content-Type", "WWW-Authenticate", "Allow", "Vary", "X-Total"} {
			if got.Header.Get(name) != want.Header.Get(name) {
				t.Errorf("%s %s through the gateway has %s %q, want %q", call.method, call.path, name, got.Header.Get(name), want.Header.Get(name))
			}
		}
	}
	created := apptest.Call(t, through, http.MethodPost, groups, token, object{"name": "Ünï", "path": "uni"})
	created.Want(t, 201, nil)
	apptest.Call(t, through, http.MethodDelete, groups+"/uni/", token, nil).Want(t, 204, nil)
}
