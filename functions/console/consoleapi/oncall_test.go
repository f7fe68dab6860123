package consoleapi_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/oncall"
	"gatehouse/shared/project"
)

const onCallPage = "/console/acme/web/oncall"

// newSchedule adds a schedule with a rotation.
func newSchedule(t *testing.T, a *apptest.App, p project.Project, name, zone string, c oncall.RotationChange) oncall.Stored {
	t.Helper()
	by := oncall.Who{Actor: audit.Setup, Role: project.Maintainer}
	s, err := a.OnCall.Create(t.Context(), by, p, oncall.Change{Name: &name, Timezone: &zone})
	if err == nil {
		_, err = a.OnCall.AddRotation(t.Context(), by, p, s, c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhoIsOnCall(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	dana, err := a.Users.UserByUsername(t.Context(), "dana")
	if err != nil {
		t.Fatal(err)
	}
	erik := a.User("erik")
	a.Member(web.Place(), erik, project.Developer)
	b.Get(onCallPage).Want(200, "No schedules yet")

	start, name := a.Now().Add(-24*time.Hour).Format("2006-01-02")+"T00:00:00Z", "Weekly <b>"
	s := newSchedule(t, a, web, "Primary", "UTC", oncall.RotationChange{
		Name: &name, StartsAt: &start, Length: &oncall.Length{Value: 3, Unit: oncall.Days}, Participants: []int64{dana.ID, erik.ID},
	})
	today := a.Now().UTC()
	b.Get(onCallPage).Want(200, "Primary", "Days and times of UTC", "Now: <b><bdi>The user dana</bdi></b> <span class=\"badge accent\">You", "Weekly <b>", today.Format("Mon 2 Jan"),
		today.AddDate(0, 0, 13).Format("Mon 2 Jan"), "All day <b><bdi>The user dana", "All day <b><bdi>The user erik").WantNot(today.AddDate(0, 0, 14).Format("Mon 2 Jan"), "Nobody")

	from, to := today.AddDate(0, 0, 1).Format("2006-01-02")+"T20:00:00Z", today.AddDate(0, 0, 2).Format("2006-01-02")+"T06:30:00Z"
	s, err = a.OnCall.Find(t.Context(), web, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	by := oncall.Who{Actor: audit.Setup, Role: project.Maintainer}
	if _, err := a.OnCall.AddOverrides(t.Context(), by, web, s, oncall.OverrideRequest{UserID: erik.ID, ReplacesUserID: dana.ID, StartsAt: from, EndsAt: to}); err != nil {
		t.Fatal(err)
	}
	b.Get(onCallPage).Want(200, "00:00–20:00 <b><bdi>The user dana", "20:00–24:00 <b><bdi>The user erik", "instead of <bdi>The user dana")

	was, err := a.Projects.Member(t.Context(), web.Place(), erik.ID)
	if err == nil {
		err = a.Store.RemoveMember(t.Context(), was)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.Get(onCallPage).Want(200, "no longer members who may be on call: <bdi>The user erik").WantNot("All day <b><bdi>The user erik")
}

func TestTheDaysOfAScheduleAreThoseOfItsZone(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	dana, err := a.Users.UserByUsername(t.Context(), "dana")
	if err != nil {
		t.Fatal(err)
	}
	start, name := "2026-01-05T00:00:00Z", "Nights"
	newSchedule(t, a, web, "Primary", "Asia/Tokyo", oncall.RotationChange{
		Name: &name, StartsAt: &start, Length: &oncall.Length{Value: 1, Unit: oncall.Weeks}, Participants: []int64{dana.ID},
		ActivePeriod: &oncall.ActivePeriod{Start: 22 * 60, End: 6 * 60},
	})
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	b.Get(onCallPage).Want(200, a.Now().In(tokyo).Format("Mon 2 Jan"), "00:00–06:00 <b>", "22:00–24:00 <b>").WantNot("All day")
}

func TestWhoMaySeeWhoIsOnCall(t *testing.T) {
	a := apptest.New(t)
	web, _, _ := newAlerts(t, a)
	reporter := a.User("rita")
	a.Member(web.Place(), reporter, project.Reporter)
	signedIn(t, a, reporter).Get(onCallPage).Want(403)
	signedIn(t, a, a.User("stranger")).Get(onCallPage).Want(404)
}

func TestOverridesOnThePage(t *testing.T) {
	a := apptest.New(t)
	web, _, b := newAlerts(t, a)
	dana, err := a.Users.UserByUsername(t.Context(), "dana")
	if err != nil {
		t.Fatal(err)
	}
	erik, other := a.User("erik"), a.User("otto")
	a.Member(web.Place(), erik, project.Developer)
	a.Member(web.Place(), other, project.Developer)
	start, name := "2026-01-05T00:00:00Z", "Week"
	s := newSchedule(t, a, web, "Primary", "Asia/Tokyo", oncall.RotationChange{
		Name: &name, StartsAt: &start, Length: &oncall.Length{Value: 1, Unit: oncall.Weeks}, Participants: []int64{dana.ID, erik.ID},
	})
	schedule := fmt.Sprintf("%s/%d", onCallPage, s.ID)
	to := schedule + "/overrides"
	day := a.Now().AddDate(0, 0, 3).Format("2006-01-02")
	good := apptest.Form("user", "@dana", "replaces", "erik", "from", day+"T20:00", "to", day+"T23:00")
	for says, form := range map[string]url.Values{
		"The user is not known by this name.": apptest.Form("user", "nobody", "from", day+"T20:00", "to", day+"T23:00"),
		"The end must be after the start.":    apptest.Form("user", "dana", "from", day+"T20:00", "to", day+"T19:00"),
		"The start":                           apptest.Form("user", "dana", "from", "soon", "to", day+"T19:00"),
		"The user is not on the schedule.":    apptest.Form("user", "dana", "replaces", "otto", "from", day+"T20:00", "to", day+"T23:00"),
		"The user is not a member of":         apptest.Form("user", "olivia2", "replaces", "dana", "from", day+"T20:00", "to", day+"T23:00"),
	} {
		if form.Get("user") == "olivia2" {
			a.User("olivia2")
		}
		b.Post(to, form).Want(422, says, `value="`+form.Get("from")+`"`)
	}
	signedIn(t, a, other).Post(to, good).Want(403, "only Maintainers and the people of the schedule")
	b.Post(to, good).WantRedirect(schedule)
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	found, err := a.OnCall.Find(t.Context(), web, s.ID)
	if err != nil || len(found.Thing.Overrides) != 1 {
		t.Fatalf("the overrides are %+v, %v, want one", found.Thing.Overrides, err)
	}
	o := found.Thing.Overrides[0]
	if o.UserID != dana.ID || o.ReplacesUserID != erik.ID || o.StartsAt.In(tokyo).Format("2006-01-02T15:04") != day+"T20:00" {
		t.Errorf("the override is %+v", o)
	}
	undo := fmt.Sprintf("%s/%d/delete", to, o.ID)
	b.Get(schedule).Want(200, "The override was added.", "instead of <bdi>The user erik", undo)
	others := signedIn(t, a, other)
	others.Get(schedule).Want(200, "instead of <bdi>The user erik").WantNot(undo)
	others.Post(undo, nil).Want(403)
	b.Post(undo, nil).WantRedirect(schedule)
	b.Post(undo, nil).Want(404)
	b.Get(schedule).Want(200).WantNot(undo)
}
