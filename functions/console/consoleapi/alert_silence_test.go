package consoleapi_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
)

func foundAlert(t *testing.T, a *apptest.App, p project.Project, iid int64) alert.Alert {
	t.Helper()
	found, err := a.Alerts.Alert(t.Context(), p.ID, iid)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAlertIsSilenced(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	at := alertPage(fire(t, a, web, i, `{"title": "Disk full"}`))
	b.Get(at).Want(200, "1 hour", "4 hours", "Until 8:00").WantNot("End the silence", ">Silenced<")
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := a.Now().Truncate(time.Second)
	ahead := now.In(berlin).AddDate(0, 0, 3).Format("2006-01-02") + "T12:30"
	noon, err := time.ParseInLocation("2006-01-02T15:04", ahead, berlin)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		form []string
		want time.Time
	}{
		{[]string{"for", "hour"}, now.Add(time.Hour)},
		{[]string{"for", "four_hours", "zone", "Europe/Berlin"}, now.Add(4 * time.Hour)},
		{[]string{"for", "until", "until", ahead, "zone", "Europe/Berlin"}, noon},
		{[]string{"for", "end"}, time.Time{}},
	} {
		b.Post(at+"/silence", apptest.Form(test.form...)).WantRedirect(at)
		if got := foundAlert(t, a, web, 1).SilencedUntil; !got.Equal(test.want) {
			t.Errorf("after %v it is silenced until %v, want %v", test.form, got, test.want)
		}
		shown := b.Get(at).Want(200)
		if got := strings.Contains(shown.Text(), "End the silence"); got == test.want.IsZero() {
			t.Errorf("after %v the silence can be ended: %t", test.form, got)
		}
	}
	b.Get(at).Want(200, "ended the silence", "silenced the alert until")
	b.Get(alertsPage).Want(200).WantNot(">Silenced<")
	b.Post(at+"/silence", apptest.Form("for", "hour")).WantRedirect(at)
	b.Get(alertsPage).Want(200, ">Silenced<")
	b.Post(at+"/status", apptest.Form("status", "resolved")).WantRedirect(at)
	b.Get(at).Want(200, "End the silence").WantNot("Until 8:00", "Until another time")
	b.Post(at+"/silence", apptest.Form("for", "until")).Want(422, `role="alert"`, "The end is missing")
	b.Post(at+"/status", apptest.Form("status", "triggered")).WantRedirect(at)
	a.Pass(time.Hour)
	b.Get(alertsPage).Want(200).WantNot(">Silenced<")
	b.Get(at).Want(200, "1 hour").WantNot("End the silence")
}

// Who is woken at three wants to sleep until eight, and who goes home at six as well.
func TestAlertIsSilencedUntilTheMorning(t *testing.T) {
	a := apptest.New(t)
	web, i, _ := newAlerts(t, a)
	at := alertPage(fire(t, a, web, i, `{"title": "Disk full"}`))
	dana, err := a.Users.UserByUsername(t.Context(), "dana")
	if err != nil {
		t.Fatal(err)
	}
	for _, zone := range []string{"", "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"} {
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		for range 9 {
			a.Pass(3 * time.Hour)
			b := signedIn(t, a, dana)
			b.Post(at+"/silence", apptest.Form("for", "morning", "zone", zone)).WantRedirect(at)
			until := foundAlert(t, a, web, 1).SilencedUntil
			ahead := until.Sub(a.Now().Truncate(time.Second))
			if clock := until.In(location).Format("15:04:05"); clock != "08:00:00" || ahead < time.Hour || ahead >= 26*time.Hour {
				t.Errorf("at %v in %q it is silenced until %s, %v ahead", a.Now(), zone, clock, ahead)
			}
		}
	}
}

// The field for the end takes no offset from UTC, so a time that the clocks show twice is the
// later one, and one that they skip is the end of the gap.
func TestAlertIsSilencedUntilATimeWhenTheClocksChange(t *testing.T) {
	a := apptest.New(t)
	web, i, _ := newAlerts(t, a)
	at := alertPage(fire(t, a, web, i, `{"title": "Disk full"}`))
	dana, err := a.Users.UserByUsername(t.Context(), "dana")
	if err != nil {
		t.Fatal(err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, change := a.Now().In(berlin).ZoneBounds()
		a.Pass(change.Add(-48 * time.Hour).Sub(a.Now()))
		want := change.UTC() // the end of the gap in spring
		if !change.In(berlin).IsDST() {
			want = want.Add(30 * time.Minute) // the second 2:30 in autumn
		}
		signedIn(t, a, dana).Post(at+"/silence", apptest.Form("for", "until", "until", change.In(berlin).Format("2006-01-02")+"T02:30", "zone", "Europe/Berlin")).WantRedirect(at)
		if got := foundAlert(t, a, web, 1).SilencedUntil; !got.Equal(want) {
			t.Errorf("it is silenced until %v, want %v", got, want)
		}
		a.Pass(72 * time.Hour)
	}
}

func TestSilencesThatCannotBe(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	at := alertPage(fire(t, a, web, i, `{"title": "Disk full"}`))
	day := func(days int) string { return a.Now().UTC().AddDate(0, 0, days).Format("2006-01-02T15:04") }
	for _, test := range []struct {
		form []string
		says string
	}{
		{[]string{"for", "until", "until", ""}, "The end is missing: choose a day and a time."},
		{[]string{"for", "until", "until", `"><script>`}, "The end "},
		{[]string{"for", "until", "until", day(-1)}, "The end must be in the future, at most 30 days ahead."},
		{[]string{"for", "until", "until", day(31)}, "The end must be in the future, at most 30 days ahead."},
		{[]string{"for", "until", "until", day(1), "zone", "Mars/Olympus"}, "The end does not tell its time zone."},
		{[]string{"for", "morning", "zone", "../etc/passwd"}, "The end does not tell its time zone."},
	} {
		shown := b.Post(at+"/silence", apptest.Form(test.form...)).Want(422, test.says, `aria-invalid="true"`, " open>")
		if strings.Contains(shown.Body.String(), `"><script>`) {
			t.Errorf("the page obeys %v", test.form)
		}
	}
	b.Post(at+"/silence", apptest.Form("for", "ever")).Want(400)
	b.Post(at+"/silence", nil).Want(400)
	b.Post(at+"/silence", apptest.Form("for", "hour", "seen", "7")).Want(409, "changed since you opened its page")
	b.Post(alertPage(99)+"/silence", apptest.Form("for", "hour")).Want(404)
	if got := foundAlert(t, a, web, 1).SilencedUntil; !got.IsZero() {
		t.Errorf("the alert is silenced until %v", got)
	}
}

func TestAlertIsTakenOutOfItsIncident(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	iid := fire(t, a, web, i, `{"title": "Disk full"}`)
	s := newIncident(t, a, web, "Disks", alert.SeverityHigh, iid)
	at := alertPage(iid)
	b.Get(at).Want(200, `href="`+incidentPage(s.Number)+`"`, "Take it out")
	seen := b.Get(at).Fields(at + "/incident/delete")
	b.Post(at+"/incident/delete", apptest.Form("seen", strconv.FormatInt(s.Number+1, 10))).Want(409, "The alert belongs to another incident since you opened its page.")
	b.Post(at+"/incident/delete", apptest.Form("seen", "x")).Want(400)
	if got := foundIncident(t, a, web, s.Number).Alerts; len(got) != 1 {
		t.Errorf("the incident has the alerts %v, want the one", got)
	}
	b.Post(at+"/incident/delete", seen).WantRedirect(at)
	b.Get(at).Want(200, "no longer belongs to the incident", "Create an incident").WantNot("Take it out")
	if got := foundIncident(t, a, web, s.Number).Alerts; len(got) != 0 {
		t.Errorf("the incident has the alerts %v", got)
	}
	b.Post(at+"/incident/delete", nil).Want(404, "The alert belongs to no incident any more.")
	b.Post(alertPage(99)+"/incident/delete", nil).Want(404)
}

func TestAlertShowsItsNewestPayload(t *testing.T) {
	a := apptest.New(t)
	web, i, b := newAlerts(t, a)
	iid := fire(t, a, web, i, `{"title": "Disk full", "fingerprint": "disk", "severity": "low", "used": "91%"}`)
	b.Get(alertPage(iid)).Want(200, "91%").WantNot("Newest payload")
	a.Pass(2 * time.Minute)
	fire(t, a, web, i, `{"title": "Disk full", "fingerprint": "disk", "severity": "critical", "used": "97%"}`)
	b.Get(alertPage(iid)).Want(200, "91%", "97%", "Newest payload", "Low", "Critical")
}
