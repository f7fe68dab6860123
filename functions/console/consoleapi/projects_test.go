package consoleapi_test

import (
	"fmt"
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

func TestProjectsThatOneSeesAreListed(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	acme := a.Group("acme", project.Group{}, ada, project.Internal)
	team := a.Group("team", acme, ada, project.Internal)
	web := a.Project("web", team, project.Private)
	a.Project("secret", acme, project.Private)
	a.Project("open", acme, project.Internal)
	a.Member(web.Place(), ben, project.Maintainer)

	list := signedIn(t, a, ben).get("/console")
	list.want(200, `href="/console/acme/team/web"`, "The project web", "Maintainer", "The project open", "Visitor", "Internal")
	list.wantNot("secret", "Page 1")
	signedIn(t, a, ada).get("/console").want(200, "secret", "Owner")
	signedIn(t, a, a.Admin("root")).get("/console/").want(200, "secret", "Owner")
}

func TestProjectsAreSearched(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	for i := range page.DefaultSize + 1 {
		a.Project(fmt.Sprintf("web-%02d.", i)+"x", acme, project.Private)
	}
	a.Project("mail", acme, project.Private)
	b := signedIn(t, a, ada)

	b.get("/console?search=MAIL").want(200, "acme/mail", `value="MAIL"`).wantNot("web-")
	first := b.get("/console?search=web-%26").want(200, "Nothing found", "web-&")
	first.wantNot("acme/")
	b.get("/console?search=e+project+WEB").want(200, "web-20.x", "web-01.x", `href="/console?search=e+project+WEB&page=2"`).wantNot("web-00.x", "acme/mail")
	b.get("/console?search=e+project+WEB&page=2").want(200, "web-00.x", `href="/console?search=e+project+WEB&page=1"`).wantNot("web-01.x")
	b.get("/console?page=3").want(200, "The list ends before this page")
	b.get("/console?search=%3Cb%3E").want(200, "“<bdi><b></bdi>”")
	for _, query := range []string{"search=%zz", "search=%00", "search=%ff"} {
		b.get("/console?"+query).want(400, "malformed")
	}
}

func TestWhoHasNoProjectIsToldHowToMakeOne(t *testing.T) {
	a := apptest.New(t)
	signedIn(t, a, a.User("ada")).get("/console").want(200, "No projects yet",
		`curl -H "PRIVATE-TOKEN: $TOKEN" -d "name=Web shop" `+apptest.BaseURL+"/api/v4/projects").wantNot("<input")
}
