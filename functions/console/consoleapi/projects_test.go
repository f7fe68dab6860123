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

	list := signedIn(t, a, ben).Get("/console")
	list.Want(200, `href="/console/acme/team/web"`, "The project web", "Maintainer", "The project open", "Visitor", "Internal")
	list.WantNot("secret", "Page 1")
	signedIn(t, a, ada).Get("/console").Want(200, "secret", "Owner")
	signedIn(t, a, a.Admin("root")).Get("/console/").Want(200, "secret", "Owner")
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

	b.Get("/console?search=MAIL").Want(200, "acme/mail", `value="MAIL"`).WantNot("web-")
	first := b.Get("/console?search=web-%26").Want(200, "Nothing found", "web-&")
	first.WantNot("acme/")
	b.Get("/console?search=e+project+WEB").Want(200, "web-20.x", "web-01.x", `href="/console?search=e+project+WEB&page=2&cursor=0.2"`).WantNot("web-00.x", "acme/mail")
	b.Get("/console?search=e+project+WEB&page=2&cursor=0.2").Want(200, "web-00.x").WantNot("web-01.x", "acme/mail")
	b.Get("/console?search=e+project+WEB&page=2").Want(200, "web-00.x", `href="/console?search=e+project+WEB&page=1"`).WantNot("web-01.x")
	b.Get("/console?page=3").Want(200, "The list ends before this page")
	b.Get("/console?search=%3Cb%3E").Want(200, "“<bdi><b></bdi>”")
	for _, query := range []string{"search=%zz", "search=%00", "search=%ff"} {
		b.Get("/console?"+query).Want(400, "malformed")
	}
}
