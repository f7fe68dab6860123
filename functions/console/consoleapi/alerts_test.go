package consoleapi_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/integration"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

const alertsPage = "/console/acme/web/alerts"

// alertsOf returns all alerts of the project, the newest first.
func alertsOf(t *testing.T, a *apptest.App, p project.Project) []alert.Alert {
	t.Helper()
	found, err := a.Store.Alerts(t.Context(), p.ID, alert.Query{Descending: true}, page.Request{Number: 1, Size: 1000}, a.Now())
	if err != nil {
		t.Fatal(err)
	}
	return found.Items
}

// fire sends a payload through the integration and returns the number of the
// alert that it touched.
func fire(t *testing.T, a *apptest.App, p project.Project, i integration.Integration, payload string) int64 {
	t.Helper()
	touched, err := a.Intake.Test(t.Context(), p, i, []byte(payload))
	if err != nil || len(touched) != 1 {
		t.Fatalf("%s touched %v, %v, want one alert", payload, touched, err)
	}
	return touched[0].IID
}

func alertPage(iid int64) string { return fmt.Sprintf("%s/%d", alertsPage, iid) }

// newAlerts adds the project acme/web with an integration, and returns a
// browser of a developer of it.
func newAlerts(t *testing.T, a *apptest.App) (project.Project, integration.Integration, *apptest.Browser) {
	t.Helper()
	web, _ := newProject(t, a)
	dana := a.User("dana")
	a.Member(web.Place(), dana, project.Developer)
	return web, newIntegration(t, a, web, "Uptime", integration.HTTP), signedIn(t, a, dana)
}

func TestAnEmptyListSaysHowToFillIt(t *testing.T) {
	a := apptest.New(t)
	web, maintainer := newProject(t, a)
	dana := a.User("dana")
	a.Member(web.Place(), dana, project.Developer)
	developer := signedIn(t, a, dana)
	maintainer.Get(alertsPage).Want(200, "Nothing sends alerts yet", `href="`+integrationsPage+`"`)
	developer.Get(alertsPage).Want(200, "Nothing sends alerts yet", "Its maintainers can add one").WantNot(integrationsPage)
	maintainer.Get(alertsPage+"/test").Want(200, "Nothing takes alerts", integrationsPage)

	i := newIntegration(t, a, web, "Uptime", integration.HTTP)
	_, key := onlyIntegration(t, a, web)
	command := `curl -H "Authorization: Bearer <authorization key>"`
	maintainer.Get(alertsPage).Want(200, "No alerts yet", command, apptest.BaseURL+i.Path(web), integrationPage(i)).WantNot(key)
	developer.Get(alertsPage).Want(200, "No alerts yet", command, "A maintainer can tell you the key").WantNot(key, integrationPage(i))
}

func TestAlertsAreListedByStatus(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	for n, status := range []alert.Status{alert.Triggered, alert.Acknowledged, alert.Resolved, alert.Ignored} {
		iid := fire(t, a, web, i, fmt.Sprintf(`{"title": "Title of %s", "severity": "high", "service": "service-%d"}`, status, n))
		one, err := a.Alerts.Current(t.Context(), web, iid)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Alerts.Change(t.Context(), audit.Setup, web, one, alert.Change{Status: &status}); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string][]string{
		"":                     {"triggered", "acknowledged"},
		"?status=nonsense":     {"triggered", "acknowledged"},
		"?status=triggered":    {"triggered"},
		"?status=acknowledged": {"acknowledged"},
		"?status=resolved":     {"resolved"},
		"?status=ignored":      {"ignored"},
		"?status=all":          {"triggered", "acknowledged", "resolved", "ignored"},
	}
	for query, shows := range tests {
		list := b.Get(alertsPage+query).Want(200, `Open <span class="count" data-count="open">2</span>`, `data-count="ignored">1</span>`, `data-count="all">4</span>`)
		for _, status := range alert.Statuses {
			want := strings.Contains(strings.Join(shows, " "), string(status))
			if got := strings.Contains(list.Text(), "Title of "+string(status)); got != want {
				t.Errorf("%q shows the %s alert: %t, want %t", query, status, got, want)
			}
		}
	}
}

func TestAlertsAreFilteredSearchedAndSorted(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	fire(t, a, web, i, `{"title": "Disk full", "severity": "low"}`)
	fire(t, a, web, i, `{"title": "Queue long", "severity": "critical", "description": "the disk is slow"}`)
	fire(t, a, web, i, `{"title": "Disk full", "severity": "low"}`)
	b.Get(alertsPage+"?severity=low").Want(200, "Disk full", `class="number">2<`, `data-count="all">1</span>`, `<option value="low" selected>`).WantNot("Queue long")
	b.Get(alertsPage+"?search=QUEUE").Want(200, "Queue long", `value="QUEUE"`).WantNot("Disk full")
	b.Get(alertsPage+"?search=disk").Want(200, "Queue long", "Disk full")
	b.Get(alertsPage+"?search=nothing&severity=high").Want(200, "Nothing found")
	b.Get(alertsPage+"?search=%22%3E%3Cscript%3E").Want(200, `status=resolved`)
	b.Get(alertsPage+"?status=resolved").Want(200, "None of this status")
	for sort, first := range map[string]string{"": "Queue long", "oldest": "Disk full", "severity": "Queue long", "events": "Disk full", "nonsense": "Queue long"} {
		shown := b.Get(alertsPage + "?sort=" + sort).Want(200).Text()
		if got := strings.Index(shown, "<bdi>Disk full") < strings.Index(shown, "<bdi>Queue long"); got != (first == "Disk full") {
			t.Errorf("sorted by %q, %q is not the first", sort, first)
		}
	}
	b.Get(alertsPage + "?search=%00").Want(400)
}

func TestAlertsAreListedInPages(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	for n := range page.DefaultSize + 1 {
		fire(t, a, web, i, fmt.Sprintf(`{"title": "Alert", "number": %d}`, n))
	}
	b.Get(alertsPage+"?status=all&sort=oldest").Want(200, `href="`+alertsPage+`?sort=oldest&status=all&page=2&cursor=k.k"`)
	b.Get(alertsPage+"?page=2").Want(200, "#1<", `href="`+alertsPage+`?page=1"`, ">Newer<")
	b.Get(alertsPage+"?page=2&sort=oldest").Want(200, ">Previous<").WantNot(">Newer<")
	b.Get(alertsPage+"?page=3").Want(200, "The list ends before this page")
}

// A search that ends before the list does can go on.
func TestASearchOfManyAlertsGoesOn(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	first := fire(t, a, web, i, `{"title": "Disk full"}`)
	var many [][]alert.Occurrence
	for range 1520 {
		many = append(many, []alert.Occurrence{{Title: "Slow", Severity: alert.SeverityLow, StartedAt: a.Now(), Count: 1}})
	}
	if _, err := a.Store.RecordOccurrences(t.Context(), web.ID, many, a.Now()); err != nil {
		t.Fatal(err)
	}
	const next = alertsPage + "?search=disk&page=2&cursor="
	b.Get(alertsPage+"?search=disk").Want(200, "Nothing found so far", "Searched back to", `href="`+next, "Search further").WantNot("Disk full", `class="count"`)
	b.Get(next+page.At(22).String()).Want(200, "Disk full", alertPage(first)).WantNot("Search further")
	b.Get(alertsPage+"?search=disk&page=2").Want(400, "too far from the beginning of the list")
	b.Get(alertsPage+"?search=disk&page=3&cursor="+page.At(22).String()).Want(200, `href="`+alertsPage+`?search=disk">First page<`).WantNot(">Newer<")
}

func TestThePictureOfTheLastDays(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	fire(t, a, web, i, `{"title": "a", "severity": "critical"}`)
	fire(t, a, web, i, `{"title": "b", "severity": "info"}`)
	today := a.Now().UTC()
	b.Get(alertsPage).Want(200, `aria-label="2 alerts in the last 14 days, 1 of them critical or high; most on `+today.Format("2 January")+`: 2"`,
		today.Format("Monday 2 January")+": 2 alerts, 1 critical or high")
	a.Pass(15 * 24 * time.Hour) // the session is over by then
	signedIn(t, a, a.Admin("root")).Get(alertsPage).Want(200, `aria-label="0 alerts in the last 14 days, 0 of them critical or high"`)
}

func TestAnAlertTellsEverything(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	if _, err := a.Projects.AddEnvironment(t.Context(), audit.Setup, web, "production"); err != nil {
		t.Fatal(err)
	}
	iid := fire(t, a, web, i, `{"title": "Disk full", "description": "93% used", "severity": "high", "service": "web", "hosts": ["web-1", "web-2"],
		"monitoring_tool": "Checker", "platform_environment_name": "production", "start_time": "2026-01-02T03:04:05Z", "runbook": "https://runbooks.example.com/disk",
		"generatorURL": "https://graphs.example.com/?g0.expr=disk_used", "annotations": {"team": "storage", "dashboard": "https://graphs.example.com/disk"}, "extra": {"list": [1, null, {"deep": true}], "text": "T"}}`)
	b.Get(alertPage(iid)).Want(200, "#1", "Disk full", "93% used", "High", "Triggered", ">web<", "<code>web-1</code>", "Checker", "production",
		`datetime="2026-01-02T03:04:05Z"`, "Uptime", `href="https://runbooks.example.com/disk" rel="noreferrer"`,
		`href="https://graphs.example.com/?g0.expr=disk_used" rel="noreferrer"`, "<code>disk_used</code>", "team", "<bdi>storage</bdi>", `href="https://graphs.example.com/disk" rel="noreferrer"`,
		"3 elements", "2 members", "The monitoring tool", "opened the alert", "Acknowledge", "Resolve", "Ignore").WantNot("Reopen", "Ended")

	for _, unheard := range []string{"2", "0", "-1", "x", "1.5", "99999999999999999999", "%00"} {
		b.Get(alertsPage + "/" + unheard).Want(404)
	}
}

func TestAnAlertThatBecameGraver(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	iid := fire(t, a, web, i, `{"title": "Disk full", "severity": "low", "fingerprint": "disk"}`)
	const graver = `Low</span><span class="hint">, now </span><span class="badge severity critical">`
	bars := regexp.MustCompile(`<svg.*?</svg>`)
	shows := func(page string) bool {
		return strings.Contains(bars.ReplaceAllString(b.Get(page).Want(200).Text(), ""), graver)
	}
	for _, page := range []string{alertsPage, alertPage(iid)} {
		if shows(page) {
			t.Errorf("%s shows that the alert became graver before it did", page)
		}
	}
	fire(t, a, web, i, `{"title": "Disk full", "severity": "critical", "fingerprint": "disk"}`)
	for _, page := range []string{alertsPage, alertPage(iid)} {
		if !shows(page) {
			t.Errorf("%s does not show that the alert became graver", page)
		}
	}
}

// What a tool sends is shown and never obeyed.
func TestPayloadsAreHostile(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	const script = `</bdi></title><script>alert(1)</script>`
	for _, link := range []string{"javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x", "//evil.example", "https:evil", "https://user:pass@evil.example/", " javascript:alert(1)"} {
		iid := fire(t, a, web, i, fmt.Sprintf(`{"title": %q, "description": %[1]q, "service": %[1]q, "hosts": [%[1]q], "monitoring_tool": %[1]q, "runbook": %[2]q, "labels": {%[1]q: %[1]q},
			"generatorURL": %[2]q, "silenceURL": %[2]q, "dashboardURL": %[2]q, "panelURL": %[2]q, "annotations": {%[1]q: %[1]q}, %[1]q: {%[1]q: %[1]q}}`, script, link))
		for _, shown := range []apptest.Page{b.Get(alertPage(iid)), b.Get(alertsPage)} {
			if body := shown.Want(200).Body.String(); strings.Contains(body, "<script>alert") {
				t.Errorf("a payload's script is part of %s", shown.Call)
			}
		}
		if shown := b.Get(alertPage(iid)); strings.Contains(shown.Text(), `href="`+strings.TrimSpace(link)) || !strings.Contains(shown.Text(), "<code>"+link) {
			t.Errorf("%q is a link, or not shown", link)
		}
	}
}

func TestHugePayloadsAreCut(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	deep := strings.Repeat(`{"down": `, 98) + "1" + strings.Repeat("}", 98)
	iid := fire(t, a, web, i, `{"title": "T", "long": "`+strings.Repeat("x", 100_000)+`", "wide": [`+strings.Repeat("1, ", 100_000)+`1], "deep": `+deep+`}`)
	shown := b.Get(alertPage(iid)).Want(200, "100001 elements", "the rest is too long to be shown", "<details><summary><span class=\"member\"><bdi>wide<")
	if got := shown.Body.Len(); got > 200_000 {
		t.Errorf("the page has %d bytes, want it to be bounded", got)
	}
}

// What is in the payload and in the annotations too fits into an answer twice,
// and an address that is cut is no link.
func TestHugeAnnotationsAreCut(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	annotations := `"a": "https://graphs.example.com/` + strings.Repeat("x", 2000) + `"`
	for n := range 490 {
		annotations += fmt.Sprintf(`, "n%d": "%s"`, n, strings.Repeat("+", 2000)) // five times as long on a page
	}
	iid := fire(t, a, web, i, `{"title": "T", "annotations": {`+annotations+`}}`)
	shown := b.Get(alertPage(iid)).Want(200, "441 more are in the payload", "https://graphs.example.com/xxx")
	shown.WantNot(`href="https://graphs`)
	if got := shown.Body.Len(); got > 6_000_000 {
		t.Errorf("the page has %d bytes, more than a function can answer", got)
	}
}

func TestWorkOnAnAlert(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	iid := fire(t, a, web, i, `{"title": "Disk full"}`)
	status := alertPage(iid) + "/status"
	for _, step := range []struct{ status, notice, badge string }{
		{"acknowledged", "You acknowledged the alert.", "Acknowledged"},
		{"ignored", "The alert is ignored.", "Ignored"},
		{"triggered", "The alert is open again.", "Triggered"},
		{"resolved", "You resolved the alert.", "Resolved"},
	} {
		b.Post(status, apptest.Form("status", step.status)).WantRedirect(alertPage(iid))
		b.Get(alertPage(iid)).Want(200, step.notice, step.badge, "The user dana", "set the status to")
	}
	b.Get(alertPage(iid)).Want(200, "Ended", "Reopen").WantNot("Acknowledge<")
	b.Post(status, apptest.Form("status", "nonsense")).Want(400, "no such status")
	b.Post(alertPage(99)+"/status", apptest.Form("status", "resolved")).Want(404)
}

func TestAnAlertIsNotReopenedBesideAnotherOne(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	first := fire(t, a, web, i, `{"title": "Disk full"}`)
	b.Post(alertPage(first)+"/status", apptest.Form("status", "resolved")).WantRedirect(alertPage(first))
	second := fire(t, a, web, i, `{"title": "Disk full"}`)
	b.Post(alertPage(first)+"/status", apptest.Form("status", "triggered")).Want(409, "Another alert with the same fingerprint is open.", `href="`+alertPage(second)+`"`, "Resolved")
	b.Post(alertPage(second)+"/status", apptest.Form("status", "resolved")).WantRedirect(alertPage(second))
	b.Post(alertPage(first)+"/status", apptest.Form("status", "triggered")).WantRedirect(alertPage(first))
}

// A page that was left open shows what the alert was: what its buttons mean
// may be wrong by now.
func TestAnAlertThatChangedSinceIsShownFirst(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	iid := fire(t, a, web, i, `{"title": "Disk full"}`)
	b.Get(alertPage(iid)).Want(200, `name="seen" value="1"`)
	fire(t, a, web, i, `{"title": "Disk full", "end_time": "`+a.Now().Format(time.RFC3339)+`"}`)
	const changed = "The alert was changed since you opened its page."
	b.Post(alertPage(iid)+"/status", apptest.Form("status", "acknowledged", "seen", "1")).Want(409, changed, "Reopen", `name="seen" value="2"`, `data-address="`+alertPage(iid)+`"`)
	b.Post(alertPage(iid)+"/assignee", apptest.Form("user_id", "1", "seen", "1")).Want(409, changed)
	b.Post(alertPage(iid)+"/status", apptest.Form("status", "resolved", "seen", "1")).WantRedirect(alertPage(iid)) // as it is
	b.Post(alertPage(iid)+"/status", apptest.Form("status", "triggered", "seen", "2")).WantRedirect(alertPage(iid))
	b.Post(alertPage(iid)+"/status", apptest.Form("status", "resolved", "seen", "x")).Want(400)
}

func TestAssignAnAlert(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	rita, gone := a.User("rita"), a.User("gone")
	a.Member(web.Place(), rita, project.Reporter)
	a.Member(web.Place(), gone, project.Developer)
	a.Block(gone)
	marco, err := a.Users.UserByUsername(t.Context(), "marco")
	if err != nil {
		t.Fatal(err)
	}
	iid := fire(t, a, web, i, `{"title": "Disk full"}`)
	assignee := alertPage(iid) + "/assignee"
	b.Get(alertPage(iid)).Want(200, "Assign to me").WantNot("marco", "Unassign", "Now it is assigned")
	b.Get(assignee).Want(200, "@marco", "@rita", "to The user marco<").WantNot("gone", "to The user rita<")
	for _, typed := range []string{"marco", "MARCO", "@marco", "  marco "} {
		b.Post(assignee, apptest.Form("assignee", typed)).WantRedirect(alertPage(iid))
		b.Get(alertPage(iid)).Want(200, "The alert was assigned.", `<option value="marco">The user marco`, "assigned the alert to", "Now it is assigned to", "The user marco", "@marco")
		b.Get(alertsPage).Want(200, "The user marco")
		b.Post(assignee, apptest.Form("user_id", "0")).WantRedirect(alertPage(iid))
		b.Get(alertPage(iid)).Want(200, "The alert is unassigned.", "unassigned the alert")
	}
	b.Post(assignee, apptest.Form("user_id", fmt.Sprint(marco.ID))).WantRedirect(alertPage(iid))
	for _, typed := range []string{"", " ", "rita", "gone", "nobody", "mar", "The user marco", "marco@example.com", `"><b>`} {
		b.Post(assignee, apptest.Form("assignee", typed)).Want(422, "at least the role Developer", `aria-invalid="true"`,
			`value="`+strings.TrimSpace(typed)+`"`, `data-address="`+alertPage(iid)+`"`, "Now it is assigned to", "The user marco")
	}
	for _, id := range []string{fmt.Sprint(rita.ID), fmt.Sprint(gone.ID), "x", "-1", "999"} {
		b.Post(assignee, apptest.Form("user_id", id)).Want(422, "at least the role Developer")
	}
	b.Post(alertPage(99)+"/assignee", apptest.Form("assignee", "nobody")).Want(404)
}

// A developer of the project is chosen from the list of its members, and any of them can be
// typed.
func TestAssignOneOfManyDevelopers(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	for n := range 30 {
		a.Member(web.Place(), a.User(fmt.Sprintf("dev-%d", n)), project.Developer)
	}
	iid := fire(t, a, web, i, `{"title": "Disk full"}`)
	b.Get(alertPage(iid)).Want(200, `href="`+alertPage(iid)+`/assignee"`).WantNot("dev-5")
	members := b.Get(alertPage(iid)+"/assignee").Want(200, "Direct members", "@dev-5", "Assign<span class=\"unseen\"> to The user dev-5<", "page=2").Text()
	if got := strings.Count(members, "<form method=\"post\" action=\""+alertPage(iid)+"/assignee\">"); got != page.DefaultSize {
		t.Errorf("the page has %d people to assign the alert to, want %d", got, page.DefaultSize)
	}
	b.Post(alertPage(iid)+"/assignee", apptest.Form("assignee", "dev-29")).WantRedirect(alertPage(iid))
	b.Get(alertPage(iid)).Want(200, "The user dev-29", `<option value="dev-29"`)
	b.Get(alertPage(iid)+"/assignee?page=2").Want(200, "Assigned now")
	b.Get(alertPage(iid) + "/assignee?from=999").Want(404)
	b.Get(alertPage(99) + "/assignee").Want(404)
}

// Somebody who is a member of a group above is chosen from the list of that group.
func TestAssignAMemberOfAGroupAbove(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	ada := a.User("ada")
	above := web.Lineage[0]
	a.Member(project.Place{Kind: project.InGroup, ID: above}, ada, project.Developer)
	iid := fire(t, a, web, i, `{"title": "Disk full"}`)
	list := alertPage(iid) + "/assignee"
	b.Get(list).Want(200, "From acme", fmt.Sprintf("%s?from=%d", list, above)).WantNot("@ada")
	b.Get(fmt.Sprintf("%s?from=%d", list, above)).Want(200, "@ada", fmt.Sprintf(`name="user_id" value="%d"`, ada.ID))
	b.Get(fmt.Sprintf("%s?status=all&from=%d", list, above)).Want(200, alertPage(iid)+`?status=all"`)
}

// An administrator and the owner of the namespace are no members, and take on an
// alert all the same.
func TestWhoOwnsTheProjectTakesOnAnAlert(t *testing.T) {
	a := apptest.New(t)
	web, i, _ := newAlerts(t, a)
	root, owner := a.Admin("root"), a.User("owner")
	iid := fire(t, a, web, i, `{"title": "Disk full"}`)
	b := signedIn(t, a, root)
	b.Get(alertPage(iid)).Want(200, "Assign to me").WantNot(`value="root"`)
	b.Post(alertPage(iid)+"/assignee", apptest.Form("user_id", fmt.Sprint(root.ID))).WantRedirect(alertPage(iid))
	b.Get(alertPage(iid)).Want(200, "took on the alert", "@root").WantNot("Assign to me")

	own := a.Project("own", a.Namespace(owner), project.Private)
	fire(t, a, own, newIntegration(t, a, own, "Uptime", integration.HTTP), `{"title": "Disk full"}`)
	b.Post("/console/owner/own/alerts/1/assignee", apptest.Form("assignee", "owner")).WantRedirect("/console/owner/own/alerts/1")
	b.Get("/console/owner/own/alerts/1").Want(200, "The user owner")
}

func TestSendATestAlert(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	test, to := alertsPage+"/test", fmt.Sprint(i.ID)
	b.Get(test).Want(200, "Uptime (HTTP endpoint)", `"title": "Disk almost full on web-1"`)
	b.Post(test, apptest.Form("integration", to, "payload", `{"title": "A test"}`)).Want(200, "Opened", `data-address="`+test+`?integration=`+to+`"`, `href="`+alertPage(1)+`"`, "A test")
	b.Post(test, apptest.Form("integration", to, "payload", `{"title": "A test"}`)).Want(200, "Counted on")
	b.Post(test, apptest.Form("integration", to, "payload", `{"title": "A test", "end_time": "`+a.Now().Add(time.Minute).Format(time.RFC3339)+`"}`)).Want(200, "Resolved", `href="`+alertPage(1)+`"`)
	b.Post(test, apptest.Form("integration", to, "payload", `{"title": "Another", "end_time": "2026-01-02"}`)).Want(400, "none with its fingerprint is open.")
	b.Post(test, apptest.Form("integration", to, "payload", `{"title": `)).Want(400, "The payload is not valid JSON at line 1, column 9.", `{"title": `)
	b.Post(test, apptest.Form("integration", "99", "payload", "{}")).Want(409, "not active any more")
	b.Post(test, apptest.Form("integration", to, "payload", strings.Repeat("x", 4<<20))).Want(413, "The form is too large. Go back")
	if got := alertsOf(t, a, web); len(got) != 1 {
		t.Errorf("the tests left %d alerts, want one", len(got))
	}
	if err := a.Store.PutSample(t.Context(), web, i, []byte(`{"mine": true}`)); err != nil {
		t.Fatal(err)
	}
	b.Get(test+"?integration="+to).Want(200, `"mine": true`)
}

func TestOnlyDevelopersWorkOnAlerts(t *testing.T) {
	a := apptest.New(t)
	web, i, _ := newAlerts(t, a)
	iid := fire(t, a, web, i, `{"title": "Disk full"}`)
	rita := a.User("rita")
	a.Member(web.Place(), rita, project.Reporter)
	for b, status := range map[*apptest.Browser]int{signedIn(t, a, rita): 403, signedIn(t, a, a.User("sid")): 404, stranger(t, a): 303} {
		b.Post(alertPage(iid)+"/status", apptest.Form("status", "resolved")).Want(status)
		b.Post(alertPage(iid)+"/assignee", apptest.Form("user_id", "0")).Want(status)
		b.Post(alertsPage+"/test", apptest.Form("integration", fmt.Sprint(i.ID), "payload", "{}")).Want(status)
		b.Post("/console/acme/web/environments", apptest.Form("name", "mine")).Want(status)
		if got := b.Get(alertPage(iid)); got.Code == 200 || strings.Contains(got.Text(), "Disk full") {
			t.Errorf("GET %s answered %d", alertPage(iid), got.Code)
		}
	}
	if got := alertsOf(t, a, web); len(got) != 1 || got[0].Status != alert.Triggered {
		t.Errorf("somebody else changed the alerts: %+v", got)
	}
}

// The pages of an alert remember where in the list somebody came from.
func TestTheWayBackKeepsTheFilter(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	for n := range 2 {
		fire(t, a, web, i, fmt.Sprintf(`{"title": "alert %d", "severity": "high"}`, n))
	}
	const filter = "?severity=high&status=all"
	b.Get(alertsPage+filter).Want(200, `href="`+alertPage(1)+filter+`"`)
	b.Get(alertPage(1)+filter).Want(200, `href="`+alertsPage+filter+`"`, `action="`+alertPage(1)+"/status"+filter+`"`)
	b.Post(alertPage(1)+"/status"+filter, apptest.Form("status", "acknowledged")).WantRedirect(alertPage(1) + filter)
	b.Post(alertPage(1)+"/assignee"+filter, apptest.Form("assignee", "nobody")).Want(422, `data-address="`+alertPage(1)+filter+`"`)
	b.Post(alertPage(1)+"/silence"+filter, apptest.Form("for", "hour")).WantRedirect(alertPage(1) + filter)
	b.Get(alertPage(1)+"?search=a&page=2&cursor=0.z&else=x").Want(200, `href="`+alertsPage+`?search=a&page=2&cursor=0.z"`).WantNot("else=x")
	b.Get(alertPage(1)).Want(200, `href="`+alertsPage+`"`)
}

func TestLabelsLeadToTheAlertsThatHaveThem(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	one := fire(t, a, web, i, `{"title": "Disk full", "labels": {"team": "storage", "a.b": "x=<b>&amp;\u202e y"}}`)
	fire(t, a, web, i, `{"title": "Slow", "labels": {"team": "web"}}`)
	page := b.Get(alertPage(one)).Want(200, ">Labels</h2>", `<bdi>team</bdi>=<bdi>storage</bdi>`, "<bdi>x=<b>&amp; y</bdi>")
	for _, l := range []string{"?label=team%3Dstorage", "?label=a.b%3Dx%3D%3Cb%3E%26amp%3B+y"} {
		page.Want(200, `<a href="`+alertsPage+l+`">`)
		b.Get(alertsPage+l).Want(200, "Disk full", "with the label").WantNot("Slow")
	}
	b.Get(alertsPage+"?label=team").Want(200, "Nothing found", "with the label <b><bdi>team</bdi></b>")
	b.Post(alertPage(one)+"/status", apptest.Form("status", "resolved"))
	b.Get(alertPage(one)).Want(200, `<a href="`+alertsPage+`?label=team%3Dstorage&status=all">`)
	b.Get(alertPage(fire(t, a, web, i, `{"title": "Other"}`))).Want(200).WantNot(">Labels</h2>", "At the tools")
}

func TestAnAlertLeadsToItsTools(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	group := func(members, item string) string {
		return `{"version": "4", "groupKey": "", "status": "firing", "receiver": "", "groupLabels": {}, "commonLabels": {}, "commonAnnotations": {},
			"externalURL": "https://tool.example", ` + members + `"alerts": [{"startsAt": "2026-01-02T03:04:05Z", "labels": {"alertname": "Down"}, ` + item + `}]}`
	}
	const rest = `rel="noreferrer noopener">`
	b.Get(alertPage(fire(t, a, web, i, group(`"orgId": 1, "state": "alerting", "title": "[FIRING:1] Down", `,
		`"silenceURL": "https://tool.example/s", "dashboardURL": "https://tool.example/d", "panelURL": "https://tool.example/p",
		"generatorURL": "https://tool.example/g", "annotations": {"runbook_url": "https://runbooks.example/down", "more": "M"}`)))).Want(200,
		`href="https://runbooks.example/down" `+rest+"Runbook", `href="https://tool.example/s" `+rest+"Silence in Grafana",
		`href="https://tool.example/d" `+rest+"Dashboard", `href="https://tool.example/p" `+rest+"Panel", `href="https://tool.example/g" `+rest+"Source",
		`href="https://tool.example" `+rest+"Open Grafana", "<bdi>Grafana</bdi>", "<dt>Group</dt><dd><bdi>[FIRING:1] Down</bdi>", "<bdi>M</bdi>").WantNot("<bdi>runbook_url</bdi></dt>")
	b.Get(alertPage(fire(t, a, web, i, group("", `"fingerprint": "2"`)))).Want(200,
		`href="https://tool.example/#/silences/new?filter=%7Balertname%3D%22Down%22%7D" `+rest+"Silence in Alertmanager", "Open Alertmanager").WantNot("Dashboard", "Panel", "Group</dt>")
	b.Get(alertPage(fire(t, a, web, i, `{"title": "Plain", "silenceURL": "https://tool.example/s"}`))).Want(200, rest+"Silence in the tool").WantNot("Open ")
}

// An example that nobody touched is not sent to an integration of another format.
func TestATestAlertHasTheFormatOfItsIntegration(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	metrics := newIntegration(t, a, web, "Alertmanager", integration.Metrics)
	test := alertsPage + "/test"
	first := b.Get(test+"?integration="+fmt.Sprint(i.ID)).Want(200, "disk-web-1").Body.String()
	proposed := regexp.MustCompile(`name="proposed" value="([0-9a-f]+)"`).FindStringSubmatch(first)[1]
	example := html.UnescapeString(regexp.MustCompile(`(?s)<textarea[^>]*>\n(.*)</textarea>`).FindStringSubmatch(first)[1])
	form := func(payload string, more ...string) url.Values {
		return apptest.Form(append([]string{"integration", fmt.Sprint(metrics.ID), "for", fmt.Sprint(i.ID), "proposed", proposed, "payload", payload}, more...)...)
	}
	untouched := strings.ReplaceAll(example, "\n", "\r\n") // as browsers send it
	b.Post(test, form(untouched)).Want(200, "Nothing was sent yet", `"groupKey": "example"`, `"`+fmt.Sprint(metrics.ID)+`" selected`)
	b.Post(test, form("edited", "do", "example")).Want(200, "Nothing was sent yet", `"groupKey": "example"`)
	b.Post(test, form(`{"title": "edited"}`)).Want(422)
	if got := alertsOf(t, a, web); len(got) != 0 {
		t.Errorf("the examples left %d alerts, want none", len(got))
	}
}
