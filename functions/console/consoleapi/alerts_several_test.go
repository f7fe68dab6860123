package consoleapi_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
)

// openMany opens n alerts.
func openMany(t *testing.T, a *apptest.App, p project.Project, n int) {
	t.Helper()
	many := make([][]alert.Occurrence, n)
	for at := range many {
		many[at] = []alert.Occurrence{{Title: fmt.Sprintf("Number %d", at), Severity: alert.SeverityHigh, StartedAt: a.Now(), Count: 1, Environment: "production"}}
	}
	if _, err := a.Store.RecordOccurrences(t.Context(), p.ID, many, a.Now()); err != nil {
		t.Fatal(err)
	}
}

// mark is what the page's box of an alert sends.
func mark(one alert.Alert) string { return fmt.Sprintf("%d.%d", one.IID, one.Version) }

func marks(all ...alert.Alert) (texts []string) {
	for _, one := range all {
		texts = append(texts, mark(one))
	}
	return texts
}

func TestCheckedAlertsAreChangedTogether(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	eli := a.User("eli")
	a.Member(web.Place(), eli, project.Developer)
	openMany(t, a, web, 4)
	list := func() []alert.Alert { return alertsOf(t, a, web) } // 4, 3, 2, 1
	const here = alertsPage + "?severity=high"
	send := func(deed string, more url.Values, of ...alert.Alert) apptest.Page {
		t.Helper()
		form := url.Values{"deed": {deed}, "alerts[]": marks(of...), "zone": {"Europe/Berlin"}}
		for name, value := range more {
			form[name] = value
		}
		return b.Post(here, form)
	}
	b.Get(here).Want(200, `name="alerts[]" value="`+mark(list()[0])+`"`, `name="one" value="`+mark(list()[0])+`"`).WantNot(`name="all"`)
	send("acknowledge", nil, list()[:2]...).WantRedirect(here)
	b.Get(here).Want(200, "You acknowledged the alerts.")
	send("ignored by the button of a row", url.Values{"one": {mark(list()[2])}}, list()[3]).WantRedirect(here)
	b.Get(here).Want(200, "You acknowledged the alert.")
	send("mine", nil, list()[0]).WantRedirect(here)
	send("assign", url.Values{"assignee": {"@eli"}}, list()[1:3]...).WantRedirect(here)
	send("hour", nil, list()[1:3]...).WantRedirect(here)
	send("resolve", nil, list()[2]).WantRedirect(here)
	dana, err := a.Users.UserByUsername(t.Context(), "dana")
	if err != nil {
		t.Fatal(err)
	}
	until := a.Now().UTC().Truncate(time.Second).Add(time.Hour)
	for n, want := range []alert.Alert{
		{Status: alert.Acknowledged, AssigneeID: dana.ID}, {Status: alert.Acknowledged, AssigneeID: eli.ID, SilencedUntil: until},
		{Status: alert.Resolved, AssigneeID: eli.ID, SilencedUntil: until}, {Status: alert.Triggered},
	} {
		if got := list()[n]; got.Status != want.Status || got.AssigneeID != want.AssigneeID || !got.SilencedUntil.Equal(want.SilencedUntil) {
			t.Errorf("alert %d is %s, of %d, silenced until %v, want %s, %d, %v", got.IID, got.Status, got.AssigneeID, got.SilencedUntil, want.Status, want.AssigneeID, want.SilencedUntil)
		}
	}

	stale := slices.Delete(list(), 2, 3) // without the resolved one
	b.Post(alertPage(3)+"/status", url.Values{"status": {"resolved"}}).WantRedirect(alertPage(3))
	send("acknowledge", nil, stale...).Want(409, "#3 was changed since you opened the list.").WantNot("#4 was", "#1 was")
	send("resolve", nil, alert.Alert{IID: 99}).Want(409, "#99 is not there any more.")
	send("resolve", nil).Want(422, "There is nothing to do")
	send("assign", url.Values{"assignee": {"nobody"}}, list()[0]).Want(422, "This is not the user name", `value="nobody"`, `value="`+mark(list()[0])+`" aria-label="Check #4" checked`)
	send("assign", nil, list()[0]).Want(422, "This is not the user name")
	send("", nil, list()[0]).Want(422, "press one of the buttons", `aria-label="Check #4" checked`)
	send("explode", nil, list()[0]).Want(400)
	send("hour", url.Values{"alerts[]": {"one"}}).Want(400)
	send("morning", url.Values{"zone": {"Nowhere"}}, list()[0]).Want(400)
	send("resolve", url.Values{"alerts[]": make([]string, 101)}).Want(400)
}

// What matches is changed a hundred at a time, and only where the deed is needed.
func TestAllAlertsThatMatchAreChanged(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	openMany(t, a, web, 121)
	b.Post(alertPage(1)+"/status", url.Values{"status": {"resolved"}}).WantRedirect(alertPage(1))
	const here = alertsPage + "?environment=production&status=all"
	b.Get(alertsPage).Want(200, "All 120 that match, also on other pages")
	half := b.Post(here, url.Values{"deed": {"acknowledge"}, "all": {"1"}}).Want(200, "100 alerts are acknowledged. More match.", "Go on with the others")
	form := url.Values{"deed": {"acknowledge"}, "all": {"1"}, "after": {regexp.MustCompile(`name="after" value="([^"]+)"`).FindStringSubmatch(half.Text())[1]}}
	openMany(t, a, web, 1) // which nobody saw
	b.Post(here, form).WantRedirect(here)
	counts := map[alert.Status]int{}
	for _, one := range alertsOf(t, a, web) {
		counts[one.Status]++
	}
	if counts[alert.Acknowledged] != 120 || counts[alert.Triggered] != 1 || counts[alert.Resolved] != 1 {
		t.Errorf("the alerts are %v, want 120 acknowledged, one resolved as it was, and the new one triggered", counts)
	}
	b.Post(alertsPage+"?status=resolved", url.Values{"deed": {"resolve"}, "all": {"1"}}).Want(422, "There is nothing to do")
}

func TestTheNextOpenAlert(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	openMany(t, a, web, 4)
	all := alertsOf(t, a, web)
	b.Post(alertsPage, url.Values{"deed": {"acknowledge"}, "alerts[]": marks(all[1])}).WantRedirect(alertsPage) // 3
	b.Post(alertsPage, url.Values{"deed": {"resolve"}, "alerts[]": marks(all[2])}).WantRedirect(alertsPage)     // 2
	b.Get(alertPage(4)+"?severity=high&page=2").Want(200, `href="`+alertsPage+`?next=4&severity=high"`)
	for query, want := range map[string]string{
		"?next=4":                     alertPage(1), // past the acknowledged one and the resolved one
		"?next=1":                     alertPage(4), // from the beginning
		"?next=4&status=acknowledged": alertPage(3) + "?status=acknowledged",
		"?next=3&severity=high":       alertPage(1) + "?severity=high",
		"?next=3&status=acknowledged": alertsPage + "?status=acknowledged",
		"?next=4&status=resolved":     alertsPage + "?status=resolved",
		"?next=4&sort=oldest":         alertPage(1) + "?sort=oldest",
		"?next=99":                    alertPage(4),
		"?next=":                      alertPage(4),
		"?next=4&assignee=dana":       alertsPage + "?assignee=dana",
	} {
		b.Get(alertsPage + query).WantRedirect(want)
	}
	b.Get(alertsPage).Want(200, "No other alert of the list is open.")
}

func TestAlertsAreFilteredByTheirTraits(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	fire(t, a, web, i, `{"title": "Disk full", "hosts": ["web-1"]}`)
	fire(t, a, web, i, `{"title": "Queue long", "hosts": ["web-2", "web-3"]}`)
	b.Post(alertPage(2)+"/assignee", url.Values{"assignee": {"dana"}}).WantRedirect(alertPage(2))
	b.Get(alertsPage).Want(200, `href="`+alertsPage+`?assignee=dana"`)
	tool := fmt.Sprint(i.ID)
	for query, want := range map[string]string{
		"?host=web-3": "Queue long", "?host=web-1&integration=" + tool: "Disk full", "?assignee=dana": "Queue long", "?assignee=@Dana&host=web-2": "Queue long",
	} {
		other := map[string]string{"Queue long": "Disk full", "Disk full": "Queue long"}[want]
		b.Get(alertsPage+query).Want(200, "<bdi>"+want, "Show all").WantNot("<bdi>" + other)
	}
	for _, query := range []string{"?host=web", "?environment=production", "?assignee=nobody", "?integration=999"} {
		b.Get(alertsPage+query).Want(200, "Nothing found")
	}
	b.Get(alertsPage+"?integration=x&host=%20").Want(200, "Queue long", "Disk full")
	b.Get(alertsPage+"?integration="+tool).Want(200, "through <b><bdi>Uptime</bdi></b>", `<option value="`+tool+`" selected>`)
	const from = alertsPage + "?assignee=dana&host=web-2"
	b.Get(alertPage(2)+"?assignee=dana&host=web-2").Want(200, `href="`+alertsPage+`?assignee=dana&host=web-2"`)
	b.Get(from).Want(200, `action="`+alertsPage+`?assignee=dana&host=web-2"`)
}

func TestTheNumbersOfAlertsAreCheap(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	openMany(t, a, web, 3)
	b.Post(alertPage(1)+"/status", url.Values{"status": {"acknowledged"}}).WantRedirect(alertPage(1))
	const counts = alertsPage + "/counts.json"
	if got, want := b.Get(counts).Want(200).Text(), `{"acknowledged":1,"all":3,"ignored":0,"open":3,"resolved":0,"triggered":2}`; got != want {
		t.Errorf("the numbers are %s, want %s", got, want)
	}
	b.Get(counts+"?severity=low").Want(200, `"open":0`)
	policy := "connect-src 'self'"
	if got := b.Get(alertsPage).Header().Get("Content-Security-Policy"); got == "" || got[len(got)-len(policy):] != policy {
		t.Errorf("the list has the policy %s, want one under which its script may ask", got)
	}
}
