package consoleapi_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// A new team goes from nothing to a group, a project and two members by forms alone.
func TestANewTeamNeedsNoCommands(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	a.User("ben")
	b := signedIn(t, a, ada)

	b.Get("/console").Want(200, "No projects yet", `href="/console/new"`, `href="/console/groups/new"`, "<b>ada</b>").WantNot("curl", `id="search"`)
	b.Get("/console/groups").Want(200, "You are in no group yet", `href="/console/groups/new"`)
	b.Get("/console/groups/new").Want(200, `value="private" checked`, "It never changes")
	b.Post("/console/groups", apptest.Form("name", "Acme Corp", "visibility", "private")).WantRedirect("/console/groups/acme-corp")
	b.Get("/console/groups/acme-corp").Want(200, "The group was created", "No projects here yet", "Private", "Owner", `href="/console/groups/acme-corp/members"`)
	b.Get("/console/groups").Want(200, "Acme Corp", "Owner").WantNot("in no group")

	acme, err := a.Projects.GroupByPath(t.Context(), "acme-corp")
	if err != nil {
		t.Fatal(err)
	}
	in := strconv.FormatInt(acme.ID, 10)
	b.Get("/console/new?namespace="+in).Want(200, `value="`+in+`" selected>acme-corp<`, "ada (yours alone)")
	b.Post("/console", apptest.Form("name", "Web shop", "namespace_id", in, "visibility", "private")).WantRedirect("/console/acme-corp/web-shop")
	b.Get("/console/acme-corp/web-shop").Want(200, "The project was created", "Nothing is connected yet",
		`href="/console/acme-corp/web-shop/settings/integrations/new"`, `href="/console/acme-corp/web-shop/members"`)

	members := "/console/groups/acme-corp/members"
	b.Post(members, apptest.Form("username", "@Ben", "access_level", "30", "expires_at", "2999-12-31")).WantRedirect(members)
	b.Get(members).Want(200, "The member was added", "@ben", "Developer", "31 Dec 2999", "@ada", "You")
	b.Get("/console/acme-corp/web-shop/members").Want(200, "No direct members", "From acme-corp", `?from=`+in)
	b.Get("/console/acme-corp/web-shop/members?from="+in).Want(200, "@ben", "inherited", `href="/console/groups/acme-corp/members"`).WantNot("Add a member", "Change<")
	if got := eventsOf(t, a, ""); got != "group.created member.added project.created" {
		t.Errorf("the trail has %s", got)
	}
}

// eventsOf returns the sorted names of the events in the trail that begin so.
func eventsOf(t *testing.T, a *apptest.App, prefix string) string {
	t.Helper()
	found, err := a.Trail.Entries(t.Context(), audit.Filter{Everybody: true, Size: page.MaxSize})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range found.Entries {
		if strings.HasPrefix(string(e.Name), prefix) {
			names = append(names, string(e.Name))
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestGroupsThatOneIsInAreListed(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	acme := a.Group("acme", project.Group{}, ada, project.Internal)
	team := a.Group("team", acme, ada, project.Private)
	a.Group("secret", acme, ada, project.Private)
	a.Member(team.Place(), ben, project.Reporter)
	b := signedIn(t, a, ben)
	b.Get("/console/groups").Want(200, `href="/console/groups/acme/team"`, "Reporter").WantNot("secret", `href="/console/groups/acme"`)
	b.Get("/console/groups?all=1").Want(200, `href="/console/groups/acme/team"`, `href="/console/groups/acme"`, "Visitor").WantNot("secret")
	b.Get("/console/groups/acme/secret").Want(404)
	b.Get("/console/groups/ben").Want(404)
	for _, form := range apptest.Forms(team.ID, team.FullPath) {
		for _, end := range []string{"", "/", "/subgroups", "/members"} {
			b.Get("/console/groups/"+form+end).Want(200, "acme/team", "Members")
		}
	}
	for n := range page.DefaultSize {
		a.Group(fmt.Sprintf("sub-%02d.", n)+"x", team, ada, project.Private)
	}
	b.Get("/console/groups/acme/team/subgroups").Want(200, "sub-19.x", "sub-00.x").WantNot("Page 1", `rel="next"`)
	b.Get("/console/groups?all=1").Want(200, `href="/console/groups?all=1&page=2&cursor=`)
	b.Get("/console/groups/acme/team/subgroups?page=9").Want(200, "The list ends before this page")
}

// Older groups can have names that addresses of pages use. Their pages have their number.
func TestGroupsWithNamesOfAddresses(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{project.Group{ID: 7, FullPath: "acme/team"}.PagePath(), "/console/groups/acme/team"},
		{project.Group{ID: 7, FullPath: "new"}.PagePath(), "/console/groups/7"},
		{project.Group{ID: 7, FullPath: "acme/subgroups"}.PagePath(), "/console/groups/7"},
		{project.Group{ID: 7, FullPath: "ada", OwnerID: 5}.PagePath(), "/users/ada"},
		{project.Project{ID: 7, FullPath: "groups/web"}.PagePath(), "/console/7"},
		{project.Project{ID: 7, FullPath: "acme/web"}.PagePath(), "/console/acme/web"},
	} {
		if test.got != test.want {
			t.Errorf("PagePath = %s, want %s", test.got, test.want)
		}
	}
}

func TestFormsOfGroupsComplain(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	b := signedIn(t, a, ada)
	b.Post("/console/groups", apptest.Form("name", "", "path", "api", "visibility", "x")).
		Want(422, "The name can't be blank.", "The path is a reserved name.", "The visibility is not included in the list.", `value="api"`, "autofocus")
	parent := strconv.FormatInt(acme.ID, 10)
	b.Get("/console/groups/new?parent="+parent).Want(200, "New subgroup", "acme", `name="parent_id" value="`+parent+`"`)
	b.Post("/console/groups", apptest.Form("name", "Team", "visibility", "public", "parent_id", parent)).Want(422, "wider than that of the group it is in (private)", `name="parent_id" value="`+parent+`"`)
	b.Post("/console/groups", apptest.Form("name", "Team", "visibility", "private", "parent_id", parent)).WantRedirect("/console/groups/acme/team")
	b.Post("/console/groups", apptest.Form("name", "Team", "visibility", "private", "parent_id", "x")).Want(404)

	settings := "/console/groups/acme/settings"
	fields := b.Get(settings).Want(200, "Paths are permanent", "does not move").Fields(settings)
	fields.Set("name", "Acme & Co")
	fields.Set("visibility", "private")
	b.Post(settings, fields).WantRedirect(settings)
	b.Get(settings).Want(200, "The group was saved", "Acme & Co")
	fields.Set("name", "Late")
	b.Post(settings, fields).Want(409, "Someone else changed this", `value="Late"`)
	b.Post(settings, apptest.Form("name", "", "visibility", "private")).Want(422, "The name can't be blank.")
	b.Post(settings+"/delete", nil).Want(409, "Delete those first")
	b.Post("/console/groups/acme/team/settings/delete", nil).WantRedirect("/console/groups")
	b.Post(settings+"/delete", nil).WantRedirect("/console/groups")
	b.Get("/console/groups").Want(200, "The group was deleted", "You are in no group yet")
}

func TestProjectsAreMadeChangedAndDeleted(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	a.Member(acme.Place(), ben, project.Developer)
	b := signedIn(t, a, ada)
	b.Get("/console/new").Want(200, ">acme<", "ada (yours alone)")
	b.Post("/console", apptest.Form("name", "", "visibility", "private")).Want(422, "The name can't be blank.", "The path can't be blank.")
	b.Post("/console", apptest.Form("name", "Web", "visibility", "public")).WantRedirect("/console/ada/web")
	b.Post("/console", apptest.Form("name", "Web", "visibility", "public")).Want(422, "The path has already been taken.")
	for namespace, status := range map[string]int{strconv.FormatInt(acme.ID, 10): 403, strconv.FormatInt(ada.NamespaceID, 10): 404, "99999": 404, "x": 404} {
		signedIn(t, a, ben).Post("/console", apptest.Form("name", "Web", "visibility", "private", "namespace_id", namespace)).Want(status)
	}
	signedIn(t, a, ben).Get("/console/new").Want(200, "ben (yours alone)").WantNot(">acme<")

	settings := "/console/ada/web/settings/general"
	fields := b.Get(settings).Want(200, "Paths are permanent", "does not move", "Delete the project").Fields(settings)
	fields.Set("name", "Shop")
	fields.Set("visibility", "internal")
	b.Post(settings, fields).WantRedirect(settings)
	b.Get("/console/ada/web").Want(200, "Shop", "Internal")
	b.Post(settings, fields).Want(409, "Someone else changed this")
	b.Post(settings, apptest.Form("name", "Shop", "visibility", "x")).Want(422, "not included in the list")
	b.Post(settings+"/delete", nil).WantRedirect("/console")
	b.Get("/console").Want(200, "The project was deleted", "No projects yet")
}

func TestMembersAreAddedChangedAndRemoved(t *testing.T) {
	a := apptest.New(t)
	ada, mia, ben := a.User("ada"), a.User("mia"), a.User("ben")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	web := a.Project("web", acme, project.Private)
	a.Member(web.Place(), mia, project.Maintainer)
	a.Member(web.Place(), ada, project.Owner)
	b := signedIn(t, a, mia)
	members := "/console/acme/web/members"
	add := func(name, role, end string) apptest.Page {
		return b.Post(members, apptest.Form("username", name, "access_level", role, "expires_at", end))
	}
	add("", "30", "").Want(422, "The user name can't be blank.")
	add("eve", "30", "").Want(422, "The user name is nobody's.", `value="eve"`, `value="30" selected`)
	add("ben@example.com", "30", "").Want(422, "The user name is nobody's.")
	add("ben", "31", "").Want(422, "The role does not have a valid value.")
	add("ben", "50", "").Want(403, "The role is above your own.", `value="ben"`)
	add("ben", "30", "soon").Want(422, "The end must be a day", `value="soon"`)
	add("ben", "30", "2001-01-01").Want(422, "The end must be in the future.")
	add("ben", "30", "").WantRedirect(members)
	add("ben", "30", "").Want(409, "Member already exists.")

	one := members + "/" + strconv.FormatInt(ben.ID, 10)
	b.Get(members).Want(200, `href="`+one+`"`, "@mia", "From acme").WantNot(members+"/"+strconv.FormatInt(ada.ID, 10), `value="50"`)
	fields := b.Get(one).Want(200, "@ben", `value="30" selected`).Fields(one)
	fields.Set("access_level", "20")
	fields.Set("expires_at", "2999-01-31")
	b.Post(one, fields).WantRedirect(members)
	b.Get(members).Want(200, "The membership was saved", "Reporter", "31 Jan 2999")
	b.Post(one, fields).Want(409, "Someone else changed this")
	b.Post(one, apptest.Form("access_level", "20", "expires_at", "x")).Want(422, "The end must be a day")
	b.Post(one+"/delete", nil).WantRedirect(members)
	b.Post(one+"/delete", nil).Want(404)
	b.Get(one).Want(404)
	if got := eventsOf(t, a, "member."); got != "member.added member.removed member.role_changed" {
		t.Errorf("the trail has %s", got)
	}
	b.Get(members + "/x").Want(404)
	b.Get(members + "?from=x").Want(404)

	own := members + "/" + strconv.FormatInt(mia.ID, 10)
	b.Get(own).Want(200, "Leave the project")
	b.Post(own+"/delete", nil).WantRedirect("/console")
	b.Get("/console").Want(200, "You left", "No projects yet")
	if _, err := a.Projects.Member(t.Context(), web.Place(), mia.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("mia is still a member: %v", err)
	}
}

func TestTheLastOwnerStays(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	acme := a.Group("acme", project.Group{}, ada, project.Internal)
	a.MemberUntil(acme.Place(), ben, project.Guest, a.Now().Truncate(24*time.Hour).AddDate(0, 0, 3))
	b, one := signedIn(t, a, ada), "/console/groups/acme/members/"+strconv.FormatInt(ada.ID, 10)
	b.Post(one, apptest.Form("access_level", "30")).Want(409, "last owner of the group", `aria-describedby="access_level-complaint" autofocus>`)
	b.Post(one, apptest.Form("access_level", "50", "expires_at", "2999-01-31")).Want(409, "last owner of the group", `expires_at-complaint" aria-invalid="true" autofocus>`)
	b.Post(one+"/delete", nil).Want(409, "last owner of the group", "@ben")
	guest, other := signedIn(t, a, ben), "/console/groups/acme/members/"+strconv.FormatInt(ben.ID, 10)
	guest.Get("/console/groups/acme/members").Want(200, `action="`+other+`/delete"`, "You lose the role").WantNot("Add a member")
	guest.Post(one+"/delete", nil).Want(403)
	guest.Post(other+"/delete", nil).WantRedirect("/console/groups")
	signedIn(t, a, a.User("eve")).Get("/console/groups/acme").Want(200, "None that everybody may see", "Visitor").WantNot("New project")
}
