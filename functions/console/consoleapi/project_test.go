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
		b.Get("/console/"+form).Want(200, "The project web.shop", `href="/console/Acme/team/web.shop/settings"`)
		b.Get("/console/" + form + "/").Want(200)
		b.Get("/console/" + form + "/settings").WantRedirect("/console/Acme/team/web.shop/settings/integrations")
	}
	for _, unheard := range []string{
		"/console/acme", "/console/acme/team", "/console/acme/web.shop", "/console/99", "/console/acme%2Fteam%2Fweb.shop%2Fsettings%2Fx",
		"/console/acme/team/web.shop/settings/unheard", "/console/acme/team/web.shop/alerts/unheard", "/console//acme/team/web.shop", "/console/-1", "/console/%00",
	} {
		b.Get(unheard).Want(404, "There is nothing here")
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
		b.Get("/console/acme/private").Want(test.private)
		b.Get("/console/acme/internal").Want(test.internal)
		for _, page := range []string{"alerts", "alerts/test", "environments"} {
			b.Get("/console/acme/private/" + page).Want(test.alerts)
			b.Get("/console/acme/internal/"+page).Want(test.elsewhere, "maintainers")
		}
		b.Get("/console/acme/private/settings").Want(test.settings)
		b.Get("/console/acme/internal/settings").Want(test.elsewhere, "maintainers")
	}
	signedIn(t, a, a.Admin("root")).Get("/console/acme/private/settings").Want(302)
	signedIn(t, a, owner).Get("/console/" + strconv.FormatInt(internal.ID, 10) + "/settings").Want(302)
}

func TestOnlyMaintainersAreLedToTheSettings(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	web := a.Project("web", a.Namespace(ada), project.Private)
	a.Member(web.Place(), ben, project.Developer)
	signedIn(t, a, ada).Get("/console/ada/web").Want(200, "Overview", ">Alerts<", "Monitor settings", "Owner", ">"+strconv.FormatInt(web.ID, 10)+"<")
	signedIn(t, a, ben).Get("/console/ada/web").Want(200, "Overview", ">Alerts<", "Developer", "its maintainers").WantNot("Monitor settings")
}

func TestWhoIsNotSignedInComesBackAfterwards(t *testing.T) {
	a := apptest.New(t)
	b := stranger(t, a)
	for _, target := range []string{"/console", "/console?search=web&page=2", "/console/acme/web/settings", "/console/acme%2Fweb/settings", "/console/5"} {
		b.Get(target).WantRedirect("/users/sign_in?" + url.Values{"return_to": {target}}.Encode())
	}
}

func TestBlockedUsersSeeNoProjects(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	a.Project("web", a.Namespace(ada), project.Public)
	b := signedIn(t, a, ada)
	a.Block(ada)
	for _, target := range []string{"/console", "/console/ada/web", "/console/ada/web/alerts", "/console/ada/web/settings"} {
		b.Get(target).Want(403, "Your account is blocked").WantNot("The project web")
	}
}
