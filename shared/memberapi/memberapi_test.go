package memberapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/memberapi"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

type object = map[string]any

// mounted serves the members of groups and of projects, side by side.
func mounted(a *app.App) http.Handler {
	mux := web.NewMux()
	memberapi.Mount(mux, a, "/api/v4/groups/{id}", a.Auth.Group)
	memberapi.Mount(mux, a, "/api/v4/projects/{id}", a.Auth.Project)
	return web.NewREST(a.BaseURL, mux)
}

func membersOf(at project.Place) string { return fmt.Sprintf("/api/v4/%ss/%d/members", at.Kind, at.ID) }

func pathOf(at project.Place, u user.User) string { return fmt.Sprintf("%s/%d", membersOf(at), u.ID) }

func body(u user.User, role project.Role, expiresAt any) object {
	return object{
		"id": float64(u.ID), "username": u.Username, "name": u.Name, "access_level": float64(role), "expires_at": expiresAt,
	}
}

func TestMembersComeAndGo(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	ada, ben := a.User("ada"), a.User("ben")
	g := a.Group("acme", project.Group{}, ada, project.Private)
	p := a.Project("web", g, project.Private)
	token := a.Token(ada)
	day := a.Now().AddDate(0, 0, 7).Format(time.DateOnly)
	for _, at := range []project.Place{g.Place(), p.Place()} {
		apptest.Call(t, h, "GET", pathOf(at, ben), token, nil).WantMessage(t, 404, "404 Member Not Found")
		apptest.Call(t, h, "POST", membersOf(at), token, object{"user_id": ben.ID, "access_level": 30, "expires_at": day}).
			Want(t, 201, body(ben, project.Developer, day))
		apptest.Call(t, h, "POST", membersOf(at), token, object{"user_id": ben.ID, "access_level": 40}).
			WantMessage(t, 409, "409 Conflict - Member already exists")
		apptest.Call(t, h, "GET", pathOf(at, ben), token, nil).Want(t, 200, body(ben, project.Developer, day))
		apptest.Call(t, h, "PUT", pathOf(at, ben), token, object{"access_level": 15}).Want(t, 200, body(ben, project.Planner, day))
		apptest.Call(t, h, "PUT", pathOf(at, ben), token, object{"expires_at": nil}).Want(t, 200, body(ben, project.Planner, nil))
		apptest.Call(t, h, "GET", pathOf(at, ben), token, nil).Want(t, 200, body(ben, project.Planner, nil))
		apptest.Call(t, h, "DELETE", pathOf(at, ben), token, nil).Want(t, 204, nil)
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			apptest.Call(t, h, method, pathOf(at, ben), token, nil).WantMessage(t, 404, "404 Member Not Found")
		}
	}
}

func TestMemberParameters(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	ada, ben := a.User("ada"), a.User("ben")
	g := a.Group("acme", project.Group{}, ada, project.Private)
	token := a.Token(ada)
	today := a.Now().Format(time.DateOnly)
	tests := []struct {
		params object
		status int
		want   object
	}{
		{object{}, 400, object{"error": "user_id is missing, access_level is missing"}},
		{object{"user_id": "x", "access_level": "y"}, 400, object{"error": "user_id is invalid, access_level is invalid"}},
		{object{"user_id": ben.ID, "access_level": 0}, 400, object{"error": "access_level does not have a valid value"}},
		{object{"user_id": ben.ID, "access_level": 35}, 400, object{"error": "access_level does not have a valid value"}},
		{object{"user_id": ben.ID, "access_level": 60}, 400, object{"error": "access_level does not have a valid value"}},
		{object{"user_id": ben.ID, "access_level": 30, "expires_at": "soon"}, 400, object{"error": "expires_at is invalid"}},
		{object{"user_id": ben.ID, "access_level": 30, "expires_at": today}, 400, object{"message": object{"expires_at": []any{"must be in the future"}}}},
		{object{"user_id": 9999, "access_level": 30}, 404, object{"message": "404 User Not Found"}},
		{object{"username": "nobody", "access_level": 30}, 404, object{"message": "404 User Not Found"}},
		{object{"username": "ben@example.com", "access_level": 30}, 404, object{"message": "404 User Not Found"}},
		{object{"username": "", "access_level": 30}, 404, object{"message": "404 User Not Found"}},
		{object{"username": 7, "access_level": 30}, 404, object{"message": "404 User Not Found"}},
		{object{"username": "ben", "access_level": 35}, 400, object{"error": "access_level does not have a valid value"}},
	}
	for _, test := range tests {
		apptest.Call(t, h, "POST", membersOf(g.Place()), token, test.params).Want(t, test.status, test.want)
	}
	apptest.Call(t, h, "GET", pathOf(g.Place(), ben), token, nil).WantMessage(t, 404, "404 Member Not Found")
	apptest.Call(t, h, "PUT", pathOf(g.Place(), ada), token, object{"access_level": 7}).WantError(t, 400, "access_level does not have a valid value")
	for _, id := range []string{"x", "0", "-1", "1.5", "99999999999999999999"} {
		apptest.Call(t, h, "GET", membersOf(g.Place())+"/"+id, token, nil).WantMessage(t, 404, "404 Member Not Found")
		apptest.Call(t, h, "DELETE", membersOf(g.Place())+"/"+id, token, nil).WantMessage(t, 404, "404 Member Not Found")
	}
}

// Only administrators may look up a user's ID by the name.
func TestMemberIsAddedByName(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	mia, ben := a.User("mia"), a.User("ben")
	p := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	a.Member(p.Place(), mia, project.Maintainer)
	token := a.Token(mia)
	apptest.Call(t, h, "POST", membersOf(p.Place()), token, object{"username": "Ben", "access_level": 30}).
		Want(t, 201, body(ben, project.Developer, nil))
	apptest.Call(t, h, "POST", membersOf(p.Place()), token, object{"user_id": mia.ID, "username": "ben", "access_level": 30}).
		WantMessage(t, 409, "409 Conflict - Member already exists")
}

// Maintainers manage the members of a project as far as their own role goes.
func TestNobodyReachesAboveTheOwnRole(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	mia := a.User("mia")
	p := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	at := p.Place()
	a.Member(at, mia, project.Maintainer)
	token := a.Token(mia)
	const roleAbove, memberAbove = "403 Forbidden - the role is above your own", "403 Forbidden - the member's role is above your own"
	tests := []struct {
		name        string
		has, giving project.Role
		want        map[string]string // by method; a method that is not there is allowed
	}{
		{"promoted to the own role", project.Guest, project.Maintainer, nil},
		{"promoted above it", project.Guest, project.Owner, map[string]string{"POST": roleAbove, "PUT": roleAbove}},
		{"an equal demoted", project.Maintainer, project.Guest, nil},
		{"a superior demoted", project.Owner, project.Guest, map[string]string{"PUT": memberAbove, "DELETE": memberAbove}},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			invited, standing := a.User(fmt.Sprintf("invited-%d", i)), a.User(fmt.Sprintf("member-%d", i))
			a.Member(at, standing, test.has)
			calls := []struct {
				method, path string
				params       object
				status       int
			}{
				{"POST", membersOf(at), object{"user_id": invited.ID, "access_level": test.giving}, 201},
				{"PUT", pathOf(at, standing), object{"access_level": test.giving}, 200},
				{"DELETE", pathOf(at, standing), nil, 204},
			}
			for _, call := range calls {
				answer := apptest.Call(t, h, call.method, call.path, token, call.params)
				if refusal := test.want[call.method]; refusal != "" {
					answer.WantMessage(t, 403, refusal)
				} else {
					answer.Want(t, call.status, nil)
				}
			}
		})
	}
	apptest.Call(t, h, "PUT", pathOf(at, mia), token, object{"access_level": project.Owner}).WantMessage(t, 403, roleAbove)
}

func TestEverybodyMayLeave(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	ada, gwen, ravi := a.User("ada"), a.User("gwen"), a.User("ravi")
	g := a.Group("acme", project.Group{}, ada, project.Private)
	p := a.Project("web", a.Namespace(ada), project.Public)
	token := a.Token(gwen)
	for _, at := range []project.Place{g.Place(), p.Place()} {
		a.Member(at, gwen, project.Guest)
		a.Member(at, ravi, project.Guest)
	}
	for _, at := range []project.Place{p.Place(), g.Place()} {
		apptest.Call(t, h, "DELETE", pathOf(at, ravi), token, nil).WantMessage(t, 403, "403 Forbidden")
		apptest.Call(t, h, "DELETE", pathOf(at, gwen), token, nil).Want(t, 204, nil)
	}
	apptest.Call(t, h, "GET", membersOf(g.Place()), token, nil).WantMessage(t, 404, "404 Group Not Found")
	apptest.Call(t, h, "DELETE", pathOf(p.Place(), gwen), token, nil).WantMessage(t, 404, "404 Member Not Found")
}

func TestListsOfMembers(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	ada, ben, gwen := a.User("ada"), a.User("ben"), a.User("gwen")
	top := a.Group("acme", project.Group{}, ada, project.Private)
	team := a.Group("team", top, ben, project.Private)
	p := a.Project("web", team, project.Private)
	a.Member(team.Place(), gwen, project.Developer)
	a.Member(p.Place(), gwen, project.Guest)
	a.Member(p.Place(), ada, project.Guest)
	token := a.Token(ada)
	tests := map[string][]any{
		membersOf(top.Place()):           {body(ada, project.Owner, nil)},
		membersOf(top.Place()) + "/all":  {body(ada, project.Owner, nil)},
		membersOf(team.Place()):          {body(ben, project.Owner, nil), body(gwen, project.Developer, nil)},
		membersOf(team.Place()) + "/all": {body(ada, project.Owner, nil), body(ben, project.Owner, nil), body(gwen, project.Developer, nil)},
		membersOf(p.Place()):             {body(ada, project.Guest, nil), body(gwen, project.Guest, nil)},
		membersOf(p.Place()) + "/all":    {body(ada, project.Owner, nil), body(ben, project.Owner, nil), body(gwen, project.Developer, nil)},
	}
	for path, want := range tests {
		apptest.Call(t, h, "GET", path, token, nil).Want(t, 200, want)
	}
	second := apptest.Call(t, h, "GET", membersOf(p.Place())+"/all?per_page=2&page=2", token, nil)
	second.Want(t, 200, []any{body(gwen, project.Developer, nil)})
	if got := []string{second.Header.Get("X-Total"), second.Header.Get("X-Prev-Page"), second.Header.Get("X-Next-Page")}; !cmp.Equal(got, []string{"3", "1", ""}) {
		t.Errorf("X-Total, X-Prev-Page and X-Next-Page are %q, want 3, 1 and nothing", got)
	}
}

var nextPage = regexp.MustCompile(`<https://gatehouse\.example([^>]+)>; rel="next"`)

// A list is walked by its links, and every page tells the total.
func TestPagesOfMembers(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	ada := a.User("ada")
	team := a.Group("team", a.Group("acme", project.Group{}, ada, project.Private), ada, project.Private)
	want := []string{"ada"}
	for n := range 6 {
		u := a.User(fmt.Sprintf("user-%d", n))
		a.Member(team.Place(), u, project.Guest)
		want = append(want, u.Username)
	}
	a.MemberUntil(team.Place(), a.User("gone"), project.Guest, a.Now().AddDate(0, 0, -1))
	for _, list := range []string{membersOf(team.Place()), membersOf(team.Place()) + "/all"} {
		for size, pages := range map[int]int{2: 4, 3: 3, 7: 1, 100: 1} {
			var got []string
			path, walked := fmt.Sprintf("%s?per_page=%d", list, size), 0
			for path != "" {
				answer := apptest.Call(t, h, "GET", path, a.Token(ada), nil)
				for _, name := range answer.Each(t, "username") {
					got = append(got, name.(string))
				}
				if total := answer.Header.Get("X-Total"); total != "7" {
					t.Errorf("GET %s has the total %s, want 7", path, total)
				}
				path, walked = "", walked+1
				if next := nextPage.FindStringSubmatch(answer.Header.Get("Link")); next != nil {
					path = next[1]
				}
			}
			if diff := cmp.Diff(want, got); diff != "" || walked != pages {
				t.Errorf("%s by %d took %d pages, want %d (-want +got):\n%s", list, size, walked, pages, diff)
			}
		}
		apptest.Call(t, h, "GET", list+"?page=9", a.Token(ada), nil).Want(t, 200, []any{})
	}
}

func TestMembershipEndsWithItsDay(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	ada, ben := a.User("ada"), a.User("ben")
	g := a.Group("acme", project.Group{}, ada, project.Private)
	at := g.Place()
	a.MemberUntil(at, ben, project.Owner, a.Now().Truncate(24*time.Hour).AddDate(0, 0, 1))
	adas, bens := a.Token(ada), a.Token(ben)
	apptest.Call(t, h, "GET", membersOf(at), bens, nil).Want(t, 200, nil)

	a.Pass(24 * time.Hour)
	apptest.Call(t, h, "GET", membersOf(at), bens, nil).WantMessage(t, 404, "404 Group Not Found")
	apptest.Call(t, h, "GET", membersOf(at), adas, nil).Want(t, 200, []any{body(ada, project.Owner, nil)})
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		apptest.Call(t, h, method, pathOf(at, ben), adas, nil).WantMessage(t, 404, "404 Member Not Found")
	}
	apptest.Call(t, h, "POST", membersOf(at), adas, object{"user_id": ben.ID, "access_level": 10}).Want(t, 201, body(ben, project.Guest, nil))
	apptest.Call(t, h, "GET", membersOf(at), bens, nil).Want(t, 200, nil)
}

func TestUsersNamespaceIsNoGroup(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	apptest.Call(t, mounted(a.App), "GET", fmt.Sprintf("/api/v4/groups/%d/members", ada.NamespaceID), a.Token(ada), nil).
		WantMessage(t, 404, "404 Group Not Found")
}

// An account adds a hundred others in an hour, of any number of groups and
// projects. Whoever is there already, or nobody, does not count.
func TestInvitationsHaveALimit(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	ada, root := a.User("ada"), a.Admin("root")
	token := a.Token(ada)
	g := a.Group("acme", project.Group{}, ada, project.Private)
	p := a.Project("web", g, project.Private)
	others := make([]user.User, 62)
	for n := range others {
		others[n] = a.User(fmt.Sprintf("other-%d", n))
	}
	add := func(at project.Place, token string, userID int64) apptest.Answer {
		t.Helper()
		return apptest.Call(t, h, "POST", membersOf(at), token, object{"user_id": userID, "access_level": 10})
	}
	for n := range 100 {
		at := []project.Place{g.Place(), p.Place()}[n%2]
		add(at, token, 999999).Want(t, 404, nil)
		if n > 1 {
			add(at, token, others[n/2-1].ID).Want(t, 409, nil)
		}
		add(at, token, others[n/2].ID).Want(t, 201, nil)
	}
	refused := add(g.Place(), token, others[60].ID)
	refused.WantMessage(t, 429, "429 Too Many Requests")
	if got := refused.Header.Get("Retry-After"); got != "3600" {
		t.Errorf("Retry-After is %q, want 3600", got)
	}
	apptest.Call(t, h, "GET", pathOf(g.Place(), others[60]), token, nil).Want(t, 404, nil)
	add(p.Place(), token, ada.ID).Want(t, 201, nil)
	add(g.Place(), a.Token(root), others[60].ID).Want(t, 201, nil)
	sudo := fmt.Sprintf("%s?sudo=ada", membersOf(g.Place()))
	apptest.Call(t, h, "POST", sudo, a.Token(root, scope.API, scope.Sudo), object{"user_id": others[61].ID, "access_level": 10}).Want(t, 201, nil)
	a.Pass(time.Hour)
	add(p.Place(), token, others[60].ID).Want(t, 201, nil)
}

// Everybody can leave what they were put into.
// A group below another has the owners of that one, and a project those of its group. Nobody
// is above the last owner of a top-level group but administrators.
func TestATopLevelGroupKeepsAnOwner(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	ada, ben, root := a.User("ada"), a.User("ben"), a.Admin("root")
	g := a.Group("acme", project.Group{}, ada, project.Private)
	below := a.Group("team", g, ada, project.Private)
	own := pathOf(g.Place(), ada)
	a.Member(g.Place(), ben, project.Maintainer)
	const last = "409 Conflict - this is the last owner of the group: make somebody else an owner first, or delete the group"
	apptest.Call(t, h, "DELETE", own, a.Token(ada), nil).WantMessage(t, 409, last)
	apptest.Call(t, h, "PUT", own, a.Token(ada), object{"access_level": 40}).WantMessage(t, 409, last)
	apptest.Call(t, h, "PUT", own, a.Token(ada), object{"expires_at": "2126-01-01"}).WantMessage(t, 409, last)
	apptest.Call(t, h, "PUT", own, a.Token(ada), object{"access_level": 50}).Want(t, 200, nil)
	apptest.Call(t, h, "DELETE", pathOf(below.Place(), ada), a.Token(ada), nil).Want(t, 204, nil)

	apptest.Call(t, h, "PUT", pathOf(g.Place(), ben), a.Token(ada), object{"access_level": 50}).Want(t, 200, nil)
	apptest.Call(t, h, "DELETE", own, a.Token(ada), nil).Want(t, 204, nil)
	apptest.Call(t, h, "DELETE", pathOf(g.Place(), ben), a.Token(ben), nil).WantMessage(t, 409, last)
	apptest.Call(t, h, "DELETE", pathOf(g.Place(), ben), a.Token(root), nil).Want(t, 204, nil)

	roots := a.Group("roots", project.Group{}, root, project.Private)
	apptest.Call(t, h, "DELETE", pathOf(roots.Place(), root), a.Token(root), nil).Want(t, 204, nil)
}

// An owner who is blocked, or whose role ends earlier, does not stand in for another one.
func TestWhoElseOwnsATopLevelGroup(t *testing.T) {
	for name, test := range map[string]struct {
		until   int // days from now; 0: no end
		blocked bool
		another bool
	}{
		"an owner without an end": {another: true},
		"an owner until tomorrow": {until: 1},
		"a blocked owner":         {blocked: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			h := mounted(a.App)
			ada, ben := a.User("ada"), a.User("ben")
			g := a.Group("acme", project.Group{}, ada, project.Private)
			a.Member(g.Place(), ben, project.Owner)
			if test.until > 0 {
				apptest.Call(t, h, "PUT", pathOf(g.Place(), ben), a.Token(ada), object{"expires_at": a.Now().AddDate(0, 0, test.until).Format(time.DateOnly)}).Want(t, 200, nil)
				apptest.Call(t, h, "DELETE", pathOf(g.Place(), ada), a.Token(ben), nil).Want(t, 409, nil)
			}
			if test.blocked {
				a.Block(ben)
			}
			status := map[bool]int{true: 204, false: 409}[test.another]
			apptest.Call(t, h, "DELETE", pathOf(g.Place(), ada), a.Token(ada), nil).Want(t, status, nil)
		})
	}
}

func TestEveryMemberCanLeave(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	g := a.Group("acme", project.Group{}, a.User("ada"), project.Private)
	p := a.Project("web", g, project.Private)
	for _, at := range []project.Place{g.Place(), p.Place()} {
		for _, role := range []project.Role{project.Guest, project.Planner, project.Reporter, project.Developer, project.Maintainer, project.Owner} {
			u := a.User(fmt.Sprintf("%s-of-the-%s", role, at.Kind))
			a.Member(at, u, role)
			apptest.Call(t, h, "DELETE", pathOf(at, u), a.Token(u), nil).Want(t, 204, nil)
			if _, err := a.Projects.Member(t.Context(), at, u.ID); !fault.Is(err, fault.NotFound) {
				t.Errorf("after leaving, Member = %v, want none", err)
			}
		}
	}
}

// Ids are counted up, so an id alone must not tell the name of somebody who keeps it private,
// or who is blocked.
func TestAnIDTellsNoHiddenName(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	mia, root := a.User("mia"), a.Admin("root")
	p := a.Project("mine", a.Namespace(mia), project.Private)
	above := a.Group("acme", project.Group{}, root, project.Private)
	team := a.Group("team", above, root, project.Private)
	other := a.Group("other", above, root, project.Private)
	a.Member(team.Place(), mia, project.Guest)
	shy := func(name string, at ...project.Place) user.User {
		u := a.User(name)
		for _, at := range at {
			a.Member(at, u, project.Guest)
		}
		yes := true
		u, err := a.Users.Update(t.Context(), audit.Setup, u.ID, user.Change{PrivateProfile: &yes})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	gone, left := a.User("gone"), shy("left")
	a.Block(gone)
	a.MemberUntil(team.Place(), left, project.Guest, a.Now().Add(time.Minute))
	a.Pass(time.Hour)
	strangers := []user.User{gone, left, shy("stranger"), shy("besides", other.Place())}
	known := []user.User{
		a.User("open"), shy("colleague", team.Place()), shy("superior", above.Place()),
		shy("below", a.Project("web", team, project.Private).Place()), shy("aide", a.Project("old", a.Namespace(mia), project.Private).Place()),
	}
	add := func(by user.User, params object) apptest.Answer {
		params["access_level"] = 10
		return apptest.Call(t, h, "POST", membersOf(p.Place()), a.Token(by), params)
	}
	for _, u := range strangers {
		add(mia, object{"user_id": u.ID}).WantMessage(t, 404, "404 User Not Found")
		add(mia, object{"username": u.Username}).Want(t, 201, body(u, project.Guest, nil))
		apptest.Call(t, h, "DELETE", pathOf(p.Place(), u), a.Token(mia), nil).Want(t, 204, nil)
		add(root, object{"user_id": u.ID}).Want(t, 201, body(u, project.Guest, nil))
	}
	for _, u := range known {
		add(mia, object{"user_id": u.ID}).Want(t, 201, body(u, project.Guest, nil))
	}
}

// A user adds the own account with any profile.
func TestPrivateUsersAddThemselves(t *testing.T) {
	a := apptest.New(t)
	h := mounted(a.App)
	mia, yes := a.User("mia"), true
	if _, err := a.Users.Update(t.Context(), audit.Setup, mia.ID, user.Change{PrivateProfile: &yes}); err != nil {
		t.Fatal(err)
	}
	p := a.Project("mine", a.Namespace(mia), project.Private)
	apptest.Call(t, h, "POST", membersOf(p.Place()), a.Token(mia), object{"user_id": mia.ID, "access_level": 10}).
		Want(t, 201, body(mia, project.Guest, nil))
}
