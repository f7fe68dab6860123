package consoleapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/incident"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

const incidentsPage = "/console/acme/web/incidents"

func incidentPage(iid int64) string { return fmt.Sprintf("%s/%d", incidentsPage, iid) }

// newIncident makes an incident with alerts.
func newIncident(t *testing.T, a *apptest.App, p project.Project, title string, s alert.Severity, alerts ...int64) incident.Stored {
	t.Helper()
	made, err := a.Incidents.Create(t.Context(), audit.Setup, p, incident.Draft{Title: title, Severity: s, Alerts: alerts})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func foundIncident(t *testing.T, a *apptest.App, p project.Project, iid int64) incident.Incident {
	t.Helper()
	found, err := a.Incidents.Find(t.Context(), p, iid)
	if err != nil {
		t.Fatal(err)
	}
	return found.Thing
}

func TestIncidentsAreListedByStateAndStatus(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	b.Get(incidentsPage).Want(200, "No open incidents", `href="`+incidentsPage+`/new"`)
	for _, title := range []string{"triggered", "acknowledged", "resolved", "closed"} {
		made := newIncident(t, a, web, "Title of "+title, alert.SeverityHigh)
		status, state := incident.Status(title), incident.Closed
		change := incident.Change{Status: &status}
		if title == "closed" {
			change = incident.Change{State: &state}
		}
		if _, err := a.Incidents.Change(t.Context(), audit.Setup, web, made, change); err != nil {
			t.Fatal(err)
		}
	}
	for query, shows := range map[string]string{
		"": "triggered acknowledged resolved", "?show=nonsense": "triggered acknowledged resolved", "?show=triggered": "triggered", "?show=acknowledged": "acknowledged",
		"?show=resolved": "resolved", "?show=closed": "closed", "?show=all": "triggered acknowledged resolved closed",
		"?search=TITLE+of+tri": "triggered", "?severity=low": "", "?severity=high&show=closed": "closed",
	} {
		list := b.Get(incidentsPage + query).Want(200)
		for _, title := range []string{"triggered", "acknowledged", "resolved", "closed"} {
			if got := strings.Contains(list.Text(), "Title of "+title); got != strings.Contains(shows, title) {
				t.Errorf("%q shows the %s incident: %t", query, title, got)
			}
		}
	}
	all := b.Get(incidentsPage + "?show=all").Text()
	if strings.Index(all, "Title of closed") > strings.Index(all, "Title of triggered") {
		t.Error("the newest incident is not the first")
	}
	b.Get(incidentsPage+"?severity=low").Want(200, "Nothing found")
	b.Get(incidentsPage + "?search=%00").Want(400)
}

func TestIncidentsAreListedInPages(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	for n := range page.DefaultSize + 1 {
		newIncident(t, a, web, fmt.Sprintf("Number %d.", n+1), alert.SeverityLow)
	}
	b.Get(incidentsPage+"?severity=low").Want(200, "Number 21.", `href="`+incidentsPage+`?severity=low&page=2`).WantNot("Number 1.")
	b.Get(incidentsPage+"?page=2").Want(200, "Number 1.", `href="`+incidentsPage+`?page=1"`)
	b.Get(incidentsPage+"?page=3").Want(200, "The list ends before this page")
}

func TestAnIncidentTellsEverything(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	iid := fire(t, a, web, i, `{"title": "Disk full", "severity": "high", "description": "<b>93%</b> used"}`)
	one, err := a.Alerts.Current(t.Context(), web, iid)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := a.Incidents.OpenFor(t.Context(), web, one, "## Checklist\n\n<script>alert(1)</script> ![x](https://x.example/y.png)")
	if err != nil {
		t.Fatal(err)
	}
	shown := b.Get(incidentPage(s.Number)).Want(200, "Disk full", "Triggered", "Gatehouse, for an alert", "opened the incident for", `href="`+alertPage(iid)+`"`,
		"<h2>Checklist</h2>", "Acknowledge", "Resolve", "Close and resolve its alerts", `<li><strong>Severity:</strong> high</li>`).Body.String()
	if strings.Contains(shown, "<script>alert") || strings.Contains(shown, "<img") || strings.Contains(shown, "<b>93") {
		t.Errorf("the page obeys the description: %s", shown)
	}
	b.Get(alertPage(iid)).Want(200, `href="`+incidentPage(s.Number)+`"`).WantNot("Create an incident")
	for _, unheard := range []string{"2", "0", "-1", "x", "99999999999999999999", "%00"} {
		b.Get(incidentsPage + "/" + unheard).Want(404)
	}
}

// What people write is shown and never obeyed.
func TestIncidentsAreHostile(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	const script = `</bdi></title><script>alert(1)</script>`
	s := newIncident(t, a, web, script, alert.SeverityLow)
	b.Post(incidentPage(s.Number)+"/notes", apptest.Form("note", script+"\r\nsecond")).WantRedirect(incidentPage(s.Number))
	for _, shown := range []apptest.Page{b.Get(incidentPage(s.Number)), b.Get(incidentsPage), b.Post(incidentPage(s.Number)+"/alerts", apptest.Form("alert", script))} {
		if strings.Contains(shown.Body.String(), "<script>alert") {
			t.Errorf("a script is part of %s", shown.Call)
		}
	}
	b.Get(incidentPage(s.Number)).Want(200, "(1)</script>\nsecond")
}

func TestPeopleWorkOnAnIncident(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	iid := fire(t, a, web, i, `{"title": "Disk full"}`)
	s := newIncident(t, a, web, "Disks", alert.SeverityHigh, iid)
	at := incidentPage(s.Number)
	send := func(path string, pairs ...string) {
		t.Helper()
		a.Pass(time.Second)
		form := apptest.Form(pairs...)
		for name, values := range b.Get(at).Want(200).Fields(at + path) {
			if !form.Has(name) {
				form[name] = values
			}
		}
		b.Post(at+path, form).WantRedirect(at)
	}
	is := func(state incident.State, status incident.Status) {
		t.Helper()
		if got := foundIncident(t, a, web, s.Number); got.State != state || got.Status != status {
			t.Errorf("the incident is %s and %s, want %s and %s", got.State, got.Status, state, status)
		}
	}
	send("/status", "status", "acknowledged")
	is(incident.Opened, incident.Acknowledged)
	b.Get(at).Want(200, "You acknowledged the incident.", "The user dana", "set the status to")
	send("/status", "status", "resolved")
	is(incident.Opened, incident.Resolved)
	send("/status", "status", "triggered")
	is(incident.Opened, incident.Triggered)
	send("/assignee", "assignee", "@dana")
	b.Get(at).Want(200, "took on the incident", "@dana", "Unassign")
	send("/assignee", "user_id", "0")
	b.Get(at).Want(200, "unassigned the incident", "Assign to me")
	send("/notes", "note", "On it.")
	b.Get(at).Want(200, "noted", "On it.")
	send("/state", "state", "closed")
	is(incident.Closed, incident.Resolved)
	if got := alertsOf(t, a, web)[0]; got.Status != alert.Resolved {
		t.Errorf("the alert of the closed incident is %s", got.Status)
	}
	b.Get(at).Want(200, "closed the incident", "Closed", "Kept until", "Reopen").WantNot(">Acknowledge<")
	send("/state", "state", "opened")
	is(incident.Opened, incident.Triggered)
}

func TestTheTimelineHasPages(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	s := newIncident(t, a, web, "Disks", alert.SeverityHigh)
	at := incidentPage(s.Number)
	for n := range page.DefaultSize {
		a.Pass(time.Second)
		b.Post(at+"/notes", apptest.Form("note", fmt.Sprintf("Note %d.", n))).WantRedirect(at)
	}
	b.Get(at).Want(200, "Note 19.", `href="`+at+"?page=2", ">Older<").WantNot("opened the incident")
	b.Get(at+"?page=2").Want(200, "opened the incident").WantNot("Note 19.")
}

func TestFormsOfAnIncidentThatDoNotWork(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	mine, other := fire(t, a, web, i, `{"title": "Disk full"}`), fire(t, a, web, i, `{"title": "Queue long"}`)
	s := newIncident(t, a, web, "Disks", alert.SeverityHigh, mine)
	newIncident(t, a, web, "Queues", alert.SeverityHigh, other)
	closed := newIncident(t, a, web, "Done", alert.SeverityHigh)
	state := incident.Closed
	if _, err := a.Incidents.Change(t.Context(), audit.Setup, web, closed, incident.Change{State: &state}); err != nil {
		t.Fatal(err)
	}
	at, done := incidentPage(s.Number), incidentPage(closed.Number)
	tests := []struct {
		to     string
		form   url.Values
		status int
		says   string
	}{
		{at + "/status", apptest.Form("status", "acknowledged", "seen", "7"), 409, "was changed since you opened its page"},
		{at + "/status", apptest.Form("status", "acknowledged", "seen", "x"), 400, "no such version"},
		{at + "/status", apptest.Form("status", "nonsense"), 400, "no such status or state"},
		{at + "/state", apptest.Form("state", "nonsense"), 400, "no such status or state"},
		{done + "/status", apptest.Form("status", "acknowledged"), 409, "Reopen it first"},
		{at + "/assignee", apptest.Form("assignee", "nobody"), 422, "not the user name of somebody"},
		{at + "/assignee", apptest.Form("user_id", "999"), 422, "not the user name of somebody"},
		{at + "/alerts", apptest.Form("alert", "99"), 404, "has no alert with this number"},
		{at + "/alerts", apptest.Form("alert", "x"), 404, "has no alert with this number"},
		{at + "/alerts", apptest.Form("alert", fmt.Sprint(other)), 409, "belongs to another incident"},
		{at + "/alerts/" + fmt.Sprint(other) + "/delete", nil, 404, "There is nothing here"},
		{at + "/notes", apptest.Form("note", " "), 422, "can't be blank"},
		{at + "/notes", apptest.Form("note", strings.Repeat("x", 10_001)), 422, "is too long"},
		{incidentPage(99) + "/notes", apptest.Form("note", "x"), 404, "There is nothing here"},
		{alertPage(mine) + "/incident", apptest.Form("incident", "99"), 404, "has no incident with this number"},
		{alertPage(mine) + "/incident", apptest.Form("incident", "2"), 409, "belongs to another incident"},
		{alertPage(99) + "/incident", apptest.Form("incident", "2"), 404, "There is nothing here"},
	}
	was, of := foundIncident(t, a, web, s.Number), foundIncident(t, a, web, closed.Number)
	for _, test := range tests {
		b.Post(test.to, test.form).Want(test.status, test.says)
	}
	if got := foundIncident(t, a, web, s.Number); len(got.Changes) != len(was.Changes) {
		t.Errorf("a form that does not work changed the incident to %+v", got)
	}
	if got := foundIncident(t, a, web, closed.Number); len(got.Changes) != len(of.Changes) {
		t.Errorf("a form that does not work changed the incident to %+v", got)
	}
}

func TestAlertsAreLinkedToAnIncident(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	one, two := fire(t, a, web, i, `{"title": "Disk full"}`), fire(t, a, web, i, `{"title": "Queue long"}`)
	at := incidentPage(newIncident(t, a, web, "Storm", alert.SeverityHigh).Number)
	b.Post(at+"/alerts", apptest.Form("alert", fmt.Sprintf(" #%d ", one))).WantRedirect(at)
	b.Post(alertPage(two)+"/incident", apptest.Form("incident", "1")).WantRedirect(alertPage(two))
	b.Get(at).Want(200, "Disk full", "Queue long", "linked", "The alert belongs to the incident.")
	b.Post(fmt.Sprintf("%s/alerts/%d/delete", at, one), nil).WantRedirect(at)
	b.Get(at).Want(200, "Queue long", "took out").WantNot("Disk full")
	b.Get(alertPage(one)).Want(200, "took the alert out of its incident", `href="`+incidentsPage+fmt.Sprintf(`/new?alert=%d"`, one))
	if got := foundIncident(t, a, web, 1).Alerts; len(got) != 1 || got[0] != two {
		t.Errorf("the incident has the alerts %v, want %d", got, two)
	}
}

// A page reads few of many alerts, and leads to the others.
func TestAnIncidentOfManyAlerts(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	s := newIncident(t, a, web, "Storm", alert.SeverityHigh)
	for n := range 21 {
		iid := fire(t, a, web, i, fmt.Sprintf(`{"title": "Title %d."}`, n+1))
		var err error
		if s, err = a.Incidents.Link(t.Context(), audit.Setup, web, s, iid); err != nil {
			t.Fatal(err)
		}
	}
	b.Get(incidentPage(s.Number)).Want(200, "Title 1.", "Title 10.", `Without their titles: <a href="`+alertPage(11)+`">#11</a>`).WantNot("Title 11.")
}

func TestCreateAnIncident(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	iid := fire(t, a, web, i, `{"title": "Disk \"full\"", "severity": "critical"}`)
	b.Get(incidentsPage+"/new").Want(200, "New incident", `<option value="unknown" selected>`)
	b.Get(fmt.Sprintf("%s/new?alert=%d", incidentsPage, iid)).Want(200, `value="Disk "full""`, `<option value="critical" selected>`, `name="alerts" value="1"`)
	b.Get(incidentsPage + "/new?alert=99").Want(404)
	b.Get(incidentsPage + "/new?alert=x").Want(404)
	b.Post(incidentsPage, apptest.Form("title", "Disks", "severity", "high", "alerts", "#1, 1", "description", "# Now\r\n\r\nHurry")).WantRedirect(incidentPage(1))
	got := foundIncident(t, a, web, 1)
	if got.Title != "Disks" || got.Severity != alert.SeverityHigh || got.Description != "# Now\n\nHurry" || len(got.Alerts) != 1 || got.AuthorID == 0 {
		t.Errorf("the incident is %+v", got)
	}
	b.Get(incidentPage(1)).Want(200, "The incident was created.", "<h1>Now</h1>", "Disk \"full\"")

	for says, form := range map[string]url.Values{
		"The title can't be blank.":                               apptest.Form("title", " ", "severity", "low"),
		"The title is too long":                                   apptest.Form("title", strings.Repeat("x", 256), "severity", "low"),
		"The severity does not have a valid value":                apptest.Form("title", "Kept", "severity", "nonsense"),
		"The list has something that is no number of an alert":    apptest.Form("title", "Kept", "severity", "low", "alerts", "1 two"),
		"The list has an alert that the project does not have":    apptest.Form("title", "Kept", "severity", "low", "alerts", "99"),
		"The list has an alert that belongs to another incident.": apptest.Form("title", "Kept", "severity", "low", "alerts", "1"),
		"The description is too long":                             apptest.Form("title", "Kept", "severity", "low", "description", strings.Repeat("x", incident.MaxDescription+1)),
	} {
		shown := b.Post(incidentsPage, form).Want(422, says, "Nothing was saved yet")
		if form.Get("title") == "Kept" {
			shown.Want(422, `value="Kept"`)
		}
	}
	if _, err := a.Incidents.Find(t.Context(), web, 2); err == nil {
		t.Error("a form with mistakes made an incident")
	}
}

func TestIncidentIsEdited(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	s := newIncident(t, a, web, "Disks", alert.SeverityHigh)
	at := incidentPage(s.Number)
	edit := at + "/edit"
	b.Get(at).Want(200, `href="`+edit+`"`)
	form := func(pairs ...string) url.Values {
		form := b.Get(edit).Want(200).Fields(edit)
		for name, values := range apptest.Form(pairs...) {
			form[name] = values
		}
		return form
	}
	b.Get(edit).Want(200, `value="Disks"`, `<option value="high" selected>`).WantNot("Alerts that belong to it")

	preview := form("title", "Kept", "severity", "low", "description", "# Now\r\n\r\n<script>alert(1)</script>", "do", "preview")
	shown := b.Post(edit, preview).Want(200, "<h1>Now</h1>", "Nothing was saved yet", `value="Kept"`, `<option value="low" selected>`)
	if strings.Contains(shown.Body.String(), "<script>alert") {
		t.Error("the preview obeys the description")
	}
	b.Post(incidentsPage, apptest.Form("title", "New", "severity", "low", "description", "# Now", "do", "preview")).Want(200, "<h1>Now</h1>", `value="New"`, "Create the incident")
	if got := foundIncident(t, a, web, 1); got.Title != "Disks" || got.Description != "" {
		t.Errorf("a preview changed the incident: %+v", got)
	}

	stale := form("title", "Stale", "severity", "high", "description", "")
	b.Post(edit, form("title", "Full disks", "severity", "low", "description", "# Now\r\n\r\nHurry")).WantRedirect(at)
	b.Get(at).Want(200, "The incident was saved.", "Full disks", "<h1>Now</h1>", "severity from high to low, title, description")
	if got := foundIncident(t, a, web, 1); got.Title != "Full disks" || got.Severity != alert.SeverityLow || got.Description != "# Now\n\nHurry" {
		t.Errorf("the incident is %+v", got)
	}
	b.Post(edit, form("title", "Full disks", "severity", "low", "description", "# Now\r\n\r\nHurry")).WantRedirect(at)
	if got := foundIncident(t, a, web, 1); len(got.Changes) != 2 {
		t.Errorf("saving what is there changed the incident: %+v", got.Changes)
	}
	again := b.Post(edit, stale).Want(409, "changed since you opened this form", `value="Stale"`).Fields(edit)
	stale["seen"] = again["seen"]
	b.Post(edit, stale).WantRedirect(at)
	b.Get(at).Want(200, "Stale")

	for says, form := range map[string]url.Values{
		"The title can't be blank.":                form("title", " ", "severity", "low"),
		"The severity does not have a valid value": form("title", "Kept", "severity", "nonsense"),
		"The description is too long":              form("title", "Kept", "severity", "low", "description", strings.Repeat("x", incident.MaxDescription+1)),
	} {
		b.Post(edit, form).Want(422, says, "Nothing was saved yet")
	}
	if got := foundIncident(t, a, web, 1); got.Title != "Stale" {
		t.Errorf("a form with mistakes changed the incident: %+v", got)
	}
}

// An incident without a title keeps none, unless somebody types another one.
func TestUntitledIncidentIsEdited(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	one, err := a.Alerts.Current(t.Context(), web, fire(t, a, web, i, `{"severity": "high"}`))
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := a.Incidents.OpenFor(t.Context(), web, one, "")
	if err != nil {
		t.Fatal(err)
	}
	edit := incidentPage(s.Number) + "/edit"
	if title := incident.TitleOf(s); s.Thing.Title == "" {
		b.Post(edit, apptest.Form("title", title, "severity", "low", "description", "Hurry")).WantRedirect(incidentPage(s.Number))
		if got := foundIncident(t, a, web, s.Number); got.Title != "" || got.Description != "Hurry" {
			t.Errorf("the incident is %+v", got)
		}
	} else {
		t.Errorf("the incident has the title %q", title)
	}
}

func TestWhoMayWorkOnIncidents(t *testing.T) {
	a := apptest.New(t)
	web, i, _ := newAlerts(t, a)
	iid := fire(t, a, web, i, `{"title": "Disk full"}`)
	at := incidentPage(newIncident(t, a, web, "Disks", alert.SeverityHigh).Number)
	reporter := a.User("rita")
	a.Member(web.Place(), reporter, project.Reporter)
	for _, who := range []struct {
		*apptest.Browser
		status int
	}{{signedIn(t, a, reporter), 403}, {signedIn(t, a, a.User("stranger")), 404}} {
		for _, get := range []string{incidentsPage, incidentsPage + "/new", at, at + "/edit"} {
			who.Get(get).Want(who.status)
		}
		for _, post := range []string{incidentsPage, at + "/edit", at + "/status", at + "/state", at + "/assignee", at + "/alerts", at + "/alerts/1/delete", at + "/notes", alertPage(iid) + "/incident", alertPage(iid) + "/incident/delete", alertPage(iid) + "/silence"} {
			who.Post(post, apptest.Form("status", "resolved", "state", "closed", "user_id", "0", "alert", "1", "note", "x", "title", "x", "incident", "1", "for", "hour")).Want(who.status)
		}
		who.Get("/console/acme/web/alerts").Want(who.status)
	}
	stranger(t, a).Get(at).WantRedirect("/users/sign_in?return_to=" + url.QueryEscape(at))
	if got := foundIncident(t, a, web, 1); len(got.Changes) != 1 {
		t.Errorf("somebody who may not changed the incident: %+v", got)
	}
}
