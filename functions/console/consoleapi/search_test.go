package consoleapi_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/incident"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
)

// The search box leads right to what a number names, for those who may see it.
func TestANumberLeadsToItsAlert(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	i := newIntegration(t, a, web, "Other", integration.HTTP)
	for n := range 2 {
		fire(t, a, web, i, fmt.Sprintf(`{"title": "alert %d"}`, n))
	}
	for range 3 {
		if _, err := a.Incidents.Create(t.Context(), audit.Setup, web, incident.Draft{Title: "Slow", Severity: "high"}); err != nil {
			t.Fatal(err)
		}
	}
	const search = "/console/search?q="
	for query, want := range map[string]string{
		"%232&in=acme/web":             alertPage(2),
		"2&in=acme/web":                alertPage(2),
		"acme/web%231":                 alertPage(1),
		"ACME/Web%231":                 alertPage(1),
		"web%231":                      alertPage(1),
		"The+project+web%232":          alertPage(2),
		fmt.Sprintf("%d%%232", web.ID): alertPage(2),
		"3&in=acme/web":                "/console/acme/web/incidents/3", // no alert has the number
		"incident+1&in=acme/web":       "/console/acme/web/incidents/1",
		"Incident+web%232":             "/console/acme/web/incidents/2",
		"web%231&in=acme/other":        alertPage(1),
	} {
		b.Get(search + query).WantRedirect(want)
	}
	nobody := signedIn(t, a, a.User("eve"))
	for _, query := range []string{"acme/web%231", "web%231", "1&in=acme/web", "%231&in=//evil.example", "https://evil.example/%231"} {
		nobody.Get(search+query).Want(200, "Nothing found").WantNot("alert 0", "The project web")
	}
	b.Get(search+"web%2399").Want(200, "Nothing found", "#99")
	b.Get(search+"99999999999999999999&in=acme/web").Want(200, "Nothing found")
	b.Get(search+"12").Want(200, "Nothing found") // of no project
	b.Get(search+"%3Cb%3E%23x").Want(200, "<b>#x").WantNot("<b>#x</b>")
	b.Get("/console/search").Want(200, "What it understands").WantNot("Nothing found", `id="find"`)
	b.Get("/console/acme/web").Want(200, `id="find"`, `name="in" value="acme/web"`, "/console/search?in=acme")
	b.Get("/console/search?q=%ff").Want(400)
	b.Get(search+strings.Repeat("x", 9999)).Want(200, "Nothing found").WantNot(strings.Repeat("x", 256))
}

// Projects of one name are told apart by their paths.
func TestANumberOfSeveralProjects(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	dana, err := a.Users.UserByUsername(t.Context(), "dana")
	if err != nil {
		t.Fatal(err)
	}
	other := a.Project("web", a.Group("beta", project.Group{}, dana, project.Private), project.Private)
	fire(t, a, web, newIntegration(t, a, web, "Other", integration.HTTP), `{"title": "mine"}`)
	b.Get("/console/search?q=web%231").Want(200, "Projects of that name", "acme/web#1", other.FullPath+"#1", `href="/console/search?q=acme%2Fweb%231"`)
	b.Get("/console/search?q=acme%2Fweb%231").WantRedirect(alertPage(1))
}

// A text finds the projects that one sees, and the person with just this user name.
func TestProjectsAndPeopleAreFound(t *testing.T) {
	a := apptest.New(t)
	_, _, b := newAlerts(t, a)
	ada := a.User("ada")
	a.Project("web-secret", a.Group("hidden", project.Group{}, ada, project.Private), project.Private)
	b.Get("/console/search?q=WEB").Want(200, `href="/console/acme/web"`, "The project web").WantNot("secret", "More projects")
	b.Get("/console/search?q=ada").Want(200, `href="/users/ada"`, "The user ada")
	b.Get("/console/search?q=@ada").Want(200, "The user ada")
	b.Get("/console/search?q=ad").Want(200, "Nothing found")
	b.Get("/console/search?q=ada@example.com").Want(200, "Nothing found")
	b.Get("/console/search?q=dana@example.com").Want(200, `href="/users/dana"`)
	b.Get("/console/search?q=secret").Want(200, "Nothing found")

	dana, err := a.Users.UserByUsername(t.Context(), "dana")
	if err != nil {
		t.Fatal(err)
	}
	shops := a.Group("shops", project.Group{}, dana, project.Private)
	for n := range 11 {
		a.Member(shops.Place(), a.User(fmt.Sprintf("keeper%02d", n)), project.Guest)
		a.Project(fmt.Sprintf("shop-%d", n), shops, project.Private)
	}
	b.Get("/console/search?q=shop").Want(200, "More projects", `href="/console?search=shop"`, "shops/shop-10").WantNot("shops/shop-0")
	b.Get("/console/search?q=Keeper").Want(200, "/users/keeper00", "/users/keeper09").WantNot("/users/keeper10")
	signedIn(t, a, ada).Get("/console/search?q=keeper").Want(200, "Nothing found")
	signedIn(t, a, a.Admin("boss")).Get("/console/search?q=keeper1").Want(200, "/users/keeper10").WantNot("/users/keeper09")
}
