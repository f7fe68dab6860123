package consoleapi_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/integration"
	"gatehouse/shared/paging/permit"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// mailed is an alert with a link in a mail to a developer.
type mailed struct {
	*apptest.App
	web  project.Project
	dana user.User
	b    *apptest.Browser // in which nobody is signed in
	link string
}

func newMailed(t *testing.T) mailed {
	t.Helper()
	a := apptest.New(t)
	web, _ := newProject(t, a)
	dana := a.User("dana")
	a.Member(web.Place(), dana, project.Developer)
	fire(t, a, web, newIntegration(t, a, web, "Uptime", integration.HTTP), `{"title": "Disk full", "severity": "high"}`)
	m := mailed{a, web, dana, stranger(t, a), ""}
	m.link = m.linkTo(t, a.Permits, dana)
	return m
}

// linkTo returns the path and query of a link for the user.
func (m mailed) linkTo(t *testing.T, links permit.Links, u user.User) string {
	t.Helper()
	return strings.TrimPrefix(links.Acknowledge(u.ID, m.alert(t).Alert, m.Now().Add(24*time.Hour)), apptest.BaseURL)
}

func (m mailed) alert(t *testing.T) alert.Current {
	t.Helper()
	found, err := m.Alerts.Current(t.Context(), m.web, 1)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// set gives the alert a status in the name of somebody.
func (m mailed) set(t *testing.T, by audit.Actor, s alert.Status) {
	t.Helper()
	m.Pass(time.Second)
	if _, err := m.Alerts.Change(t.Context(), by, m.web, m.alert(t), alert.Change{Status: &s}); err != nil {
		t.Fatal(err)
	}
}

// send sends the form that has the token of a link.
func (m mailed) send(t *testing.T, link string) apptest.Page {
	t.Helper()
	parsed, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return m.b.Post(permit.Path, apptest.Form("token", parsed.Query().Get("token")))
}

func TestALinkInAMailAcknowledges(t *testing.T) {
	m := newMailed(t)
	was := m.alert(t)
	for range 2 {
		shown := m.b.Get(m.link).Want(200, "#1<", "Disk full", "High", "Triggered", "acme/web", m.dana.Name, "@dana", "<title>Acknowledge an alert · Gatehouse</title>")
		token := shown.Fields(permit.Path).Get("token")
		if !strings.HasSuffix(m.link, "token="+token) {
			t.Errorf("the form has the token %q, want that of %s", token, m.link)
		}
		for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store, no-transform", "X-Robots-Tag": "noindex, nofollow"} {
			if got := shown.Header().Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
	if got := m.alert(t); got.Version != was.Version {
		t.Fatalf("opening the link changed the alert to %+v", got)
	}
	m.Pass(time.Minute)
	for range 2 { // a reload sends the form again
		m.send(t, m.link).Want(200, "You acknowledged the alert", "Acknowledged", "Disk full").WantNot("<button")
		got := m.alert(t)
		if last := got.Activity[len(got.Activity)-1]; got.Status != alert.Acknowledged || len(got.Activity) != 1 || last.ActorID != m.dana.ID {
			t.Errorf("the alert is %s with %+v", got.Status, got.Activity)
		}
	}
	m.b.Get(m.link).Want(409, "somebody has seen to it").WantNot("<button")
}

// The page also takes its form where the browser does not say which site that is on: it
// does not where no Referer may be sent.
func TestALinkWorksWithoutAnOrigin(t *testing.T) {
	m := newMailed(t)
	m.b.Header.Set("Sec-Fetch-Site", "")
	m.b.Header.Set("Origin", "null")
	m.send(t, m.link).Want(200, "You acknowledged the alert")
}

func TestLinksThatDoNotWork(t *testing.T) {
	other := apptest.New(t)
	tests := map[string]struct {
		before func(t *testing.T, m *mailed)
		status int
		says   string
		secret bool // the page must not tell what the alert is
	}{
		"no token":             {func(t *testing.T, m *mailed) { m.link = permit.Path }, 404, "not one of ours", true},
		"nonsense":             {func(t *testing.T, m *mailed) { m.link = permit.Path + "?token=bm9uc2Vuc2U" }, 404, "not one of ours", true},
		"not encoded":          {func(t *testing.T, m *mailed) { m.link = permit.Path + "?token=***" }, 404, "not one of ours", true},
		"cut":                  {func(t *testing.T, m *mailed) { m.link = m.link[:len(m.link)-1] }, 404, "not one of ours", true},
		"of another instance":  {func(t *testing.T, m *mailed) { m.link = m.linkTo(t, other.Permits, m.dana) }, 404, "not one of ours", true},
		"expired":              {func(t *testing.T, m *mailed) { m.Pass(24 * time.Hour) }, 410, "has expired", true},
		"user left":            {func(t *testing.T, m *mailed) { m.leave(t) }, 410, "may no longer work on it", true},
		"user has a low role":  {func(t *testing.T, m *mailed) { m.reporter(t) }, 410, "may no longer work on it", true},
		"user blocked":         {func(t *testing.T, m *mailed) { m.Block(m.dana) }, 410, "may no longer work on it", true},
		"user unknown":         {func(t *testing.T, m *mailed) { m.link = m.linkTo(t, m.Permits, user.User{ID: 999}) }, 410, "may no longer work on it", true},
		"project deleted":      {func(t *testing.T, m *mailed) { m.deleteProject(t) }, 410, "no longer there", true},
		"acknowledged already": {func(t *testing.T, m *mailed) { m.set(t, audit.Setup, alert.Acknowledged) }, 409, "somebody has seen to it", false},
		"resolved":             {func(t *testing.T, m *mailed) { m.set(t, audit.Setup, alert.Resolved) }, 409, "somebody has seen to it", false},
		"ignored":              {func(t *testing.T, m *mailed) { m.set(t, audit.ByUser(m.dana.ID), alert.Ignored) }, 409, "somebody has seen to it", false},
		"reopened": {func(t *testing.T, m *mailed) {
			m.set(t, audit.ByUser(m.dana.ID), alert.Acknowledged)
			m.set(t, audit.Setup, alert.Triggered)
		}, 410, "opened again since", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := newMailed(t)
			test.before(t, &m)
			was, _ := m.App.Alerts.Alert(t.Context(), m.web.ID, 1) // may be gone
			for _, shown := range []apptest.Page{m.b.Get(m.link), m.send(t, m.link)} {
				shown.Want(test.status, "This link does not work any more", test.says, "after you sign in").WantNot("<button", "You acknowledged")
				if got := strings.Contains(shown.Text(), "Disk full"); got == test.secret {
					t.Errorf("%s tells the title of the alert: %t, want %t", shown.Call, got, !test.secret)
				}
			}
			if got, _ := m.App.Alerts.Alert(t.Context(), m.web.ID, 1); got.Version != was.Version {
				t.Errorf("the link changed the alert to %+v", got)
			}
		})
	}
}

// leave ends the developer's membership.
func (m *mailed) leave(t *testing.T) {
	t.Helper()
	was, err := m.Projects.Member(t.Context(), m.web.Place(), m.dana.ID)
	if err == nil {
		err = m.Store.RemoveMember(t.Context(), was)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// reporter leaves the developer a role that may not acknowledge alerts.
func (m *mailed) reporter(t *testing.T) {
	t.Helper()
	m.leave(t)
	m.Member(m.web.Place(), m.dana, project.Reporter)
}

func (m *mailed) deleteProject(t *testing.T) {
	t.Helper()
	if err := m.Projects.DeleteProject(t.Context(), audit.Setup, m.web); err != nil {
		t.Fatal(err)
	}
}
