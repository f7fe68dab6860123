package consoleapi_test

import (
	"net/url"
	"strconv"
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
)

func TestEveryFormOfAReferenceLeadsToTheProject(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	acme := a.Group("Acme", project.Group{}, ada, project.Private)
	web := a.Project("web.shop", a.Group("team", acme, ada, project.Private), project.Private)
	b := signedIn(t, a, ada)
	for _, form := range apptest.Forms(web.ID, web.FullPath) {
		b.get("/console/"+form).want(200, "The project web.shop", `href="/console/Acme/team/web.shop/settings"`)
		b.get("/console/" + form + "/").want(200)
		b.get("/console/" + form + "/settings").wantRedirect("/console/Acme/team/web.shop/settings/integrations")
	}
	for _, unheard := range []string{
		"/console/acme", "/console/acme/team", "/console/acme/web.shop", "/console/99", "/console/acme%2Fteam%2Fweb.shop%2Fsettings%2Fx",
		"/console/acme/team/web.shop/settings/unheard", "/console/acme/team/web.shop/alerts/unheard", "/console//acme/team/web.shop", "/console/-1", "/console/%00",
	} {
		b.get(unheard).want(404, "There is nothing here")
	}
}

// A page is open to a role exactly as the REST API about the same project is.
func TestWhoMayOpenThePagesOfAProject(t *testing.T) {
	a := apptest.New(t)
	owner := a.User("olivia")
	acme := a.Group("acme", project.Group{}, owner, project.Internal)
	private, internal := a.Project("private", acme, project.Private), a.Project("internal", acme, project.Internal)
	tests := []struct {
		name                                           string
		role                                           project.Role
		private, internal, alerts, settings, elsewhere int
	}{
		{"stranger", project.NoRole, 404, 200, 404, 404, 403},
		{"guest", project.Guest, 200, 200, 403, 403, 403},
		{"planner", project.Planner, 200, 200, 403, 403, 403},
		{"reporter", project.Reporter, 200, 200, 403, 403, 403},
		{"developer", project.Developer, 200, 200, 200, 403, 403},
		{"maintainer", project.Maintainer, 200, 200, 200, 302, 403},
		{"owner", project.Owner, 200, 200, 200, 302, 403},
	}
	for _, test := range tests {
		u := a.User(test.name)
		if test.role != project.NoRole {
			a.Member(private.Place(), u, test.role)
		}
		b := signedIn(t, a, u)
		b.get("/console/acme/private").want(test.private)
		b.get("/console/acme/internal").want(test.internal)
		for _, page := range []string{"alerts", "alerts/test", "environments"} {
			b.get("/console/acme/private/" + page).want(test.alerts)
			b.get("/console/acme/internal/"+page).want(test.elsewhere, "maintainers")
		}
		b.get("/console/acme/private/settings").want(test.settings)
		b.get("/console/acme/internal/settings").want(test.elsewhere, "maintainers")
	}
	signedIn(t, a, a.Admin("root")).get("/console/acme/private/settings").want(302)
	signedIn(t, a, owner).get("/console/" + strconv.FormatInt(internal.ID, 10) + "/settings").want(302)
}

func TestOnlyMaintainersAreLedToTheSettings(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	web := a.Project("web", a.Namespace(ada), project.Private)
	a.Member(web.Place(), ben, project.Developer)
	signedIn(t, a, ada).get("/console/ada/web").want(200, "Overview", ">Alerts<", "Monitor settings", "Owner", ">"+strconv.FormatInt(web.ID, 10)+"<")
	signedIn(t, a, ben).get("/console/ada/web").want(200, "Overview", ">Alerts<", "Developer", "its maintainers").wantNot("Monitor settings")
}

func TestWhoIsNotSignedInComesBackAfterwards(t *testing.T) {
	a := apptest.New(t)
	b := stranger(t, a)
	for _, target := range []string{"/console", "/console?search=web&page=2", "/console/acme/web/settings", "/console/acme%2Fweb/settings", "/console/5"} {
		b.get(target).wantRedirect("/users/sign_in?" + url.Values{"return_to": {target}}.Encode())
	}
}

func TestBlockedUsersSeeNoProjects(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	a.Project("web", a.Namespace(ada), project.Public)
	b := signedIn(t, a, ada)
	a.Block(ada)
	for _, target := range []string{"/console", "/console/ada/web", "/console/ada/web/alerts", "/console/ada/web/settings"} {
		b.get(target).want(403, "Your account is blocked").wantNot("The project web")
	}
}
