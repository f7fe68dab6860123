package consoleapi_test

import (
	"strings"
	"testing"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// count counts what is open in the project, as the dispatcher does after changes.
func count(t *testing.T, a *apptest.App, p project.Project) {
	t.Helper()
	if err := a.Attention.Count(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

// assignAlert assigns the first alert of the project.
func assignAlert(t *testing.T, a *apptest.App, p project.Project, to user.User) {
	t.Helper()
	was, err := a.Alerts.Current(t.Context(), p, 1)
	if err == nil {
		_, err = a.Alerts.Change(t.Context(), audit.Setup, p, was, alert.Change{AssigneeID: &to.ID})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestHomeShowsWhatNeedsOne(t *testing.T) {
	s := newTeam(t)
	s.weekly(t)
	s.passToNoon()
	count(t, s.App, s.web)
	s.b = signedIn(t, s.App, s.dana)
	s.b.Get("/").Want(200, "Nothing needs you", "on call", "Your newest projects", `href="/console/acme/web"`).WantNot("Needs attention", "Assigned to you")

	newIncident(t, s.App, s.web, "Shop is down", alert.SeverityCritical)
	count(t, s.App, s.web)
	home := s.b.Get("/").Want(200, "Needs attention", `href="/console/acme/web/incidents?severity=critical"`, "1 Critical", "As of <time")
	home.WantNot("Nothing needs you", "Assigned to you")

	outsider := signedIn(t, s.App, s.User("mallory"))
	outsider.Get("/").Want(200, "No projects yet", `href="/console/new"`, "mallory").WantNot("acme", "Shop", "on call")
}

// Two people are on call one after the other. Who is on call is told so first.
func TestHomeSaysWhetherOneIsOnCall(t *testing.T) {
	s := newTeam(t)
	s.weekly(t)
	s.passToNoon()
	count(t, s.App, s.web)
	dana, erik := signedIn(t, s.App, s.dana).Get("/").Body.String(), signedIn(t, s.App, s.erik).Get("/").Body.String()
	if on, other := strings.Contains(dana, "You are on call"), strings.Contains(erik, "You are on call"); on == other {
		t.Errorf("Dana is told that she is on call: %v, and Erik: %v; want it of one of them", on, other)
	}
	for name, home := range map[string]string{"Dana": dana, "Erik": erik} {
		if !strings.Contains(home, "Primary") || !strings.Contains(home, "until") {
			t.Errorf("%s does not see the schedule and when the turn ends", name)
		}
	}

	onCall, other := s.dana, s.erik
	if strings.Contains(erik, "You are on call") {
		onCall, other = other, onCall
	}
	if err := s.Projects.Leave(t.Context(), audit.ByUser(onCall.ID), s.web.Place()); err != nil {
		t.Fatal(err)
	}
	signedIn(t, s.App, other).Get("/").Want(200).WantNot("is on call")
}

func TestHomeShowsWhatIsAssigned(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	fire(t, a, web, i, `{"title": "Disk full", "severity": "high"}`)
	erik := a.User("erik")
	a.Member(web.Place(), erik, project.Developer)
	home := signedIn(t, a, erik)
	home.Get("/").Want(200).WantNot("Assigned to you")
	assignAlert(t, a, web, erik)
	home.Get("/").Want(200, "Assigned to you", "Disk full", `href="/console/acme/web/alerts/1"`)
	b.Get("/").WantNot("Assigned to you")

	if err := a.Projects.Leave(t.Context(), audit.ByUser(erik.ID), web.Place()); err != nil {
		t.Fatal(err)
	}
	home.Get("/").Want(200, "No projects yet").WantNot("Assigned to you", "acme")
}

func TestHomeLeadsWhoIsNotSignedInToTheSignIn(t *testing.T) {
	a := apptest.New(t)
	stranger(t, a).Get("/").WantRedirect("/users/sign_in")
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	b.Get("/").Want(200, "<h1>Home</h1>", "No projects yet")
	b.Header.Set("Accept", "application/json")
	b.Get("/").WantRedirect("/user_settings/applications")
}

func TestTheListOfProjectsCountsOpenAlerts(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	fire(t, a, web, i, `{"title": "Disk full", "severity": "high"}`)
	guest := a.User("guest")
	a.Member(web.Place(), guest, project.Guest)
	count(t, a, web)
	b.Get("/console").Want(200, "Open alerts", `href="/console/acme/web/alerts?severity=high`, "1 High")
	signedIn(t, a, guest).Get("/console").Want(200, "acme/web").WantNot("alerts?severity=")
	signedIn(t, a, guest).Get("/").Want(200, "acme/web").WantNot("alerts?severity=", "As of")
}
