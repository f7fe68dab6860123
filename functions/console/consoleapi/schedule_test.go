package consoleapi_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/oncall"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// team is a project with a Maintainer, Dana, and two Developers.
type team struct {
	*apptest.App
	web              project.Project
	dana, erik, otto user.User
	b                *apptest.Browser // Dana's
}

func newTeam(t *testing.T) team {
	t.Helper()
	a := apptest.New(t)
	web, _ := newProject(t, a)
	s := team{App: a, web: web, dana: a.User("dana"), erik: a.User("erik"), otto: a.User("otto")}
	s.b = signedIn(t, a, s.dana)
	a.Member(web.Place(), s.dana, project.Maintainer)
	a.Member(web.Place(), s.erik, project.Developer)
	a.Member(web.Place(), s.otto, project.Developer)
	return s
}

// weekly adds a schedule of UTC in which Dana and Erik take turns of a week from a past
// Monday on.
func (s team) weekly(t *testing.T) oncall.Stored {
	t.Helper()
	start, name := "2026-01-05T09:00:00Z", "Week"
	made := newSchedule(t, s.App, s.web, "Primary", "UTC", oncall.RotationChange{
		Name: &name, StartsAt: &start, Length: &oncall.Length{Value: 1, Unit: oncall.Weeks}, Participants: []int64{s.dana.ID, s.erik.ID},
	})
	return s.schedule(t, made.ID)
}

// passToNoon moves the clock to the next noon of UTC, hours from every handover.
func (s team) passToNoon() {
	const noon = 12 * time.Hour
	s.Pass(s.Now().Add(noon).Truncate(24 * time.Hour).Add(noon).Sub(s.Now()))
}

// schedule reads the schedule as it is now.
func (s team) schedule(t *testing.T, id int64) oncall.Stored {
	t.Helper()
	found, err := s.OnCall.Find(t.Context(), s.web, id)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestASchedulesLife(t *testing.T) {
	s := newTeam(t)
	s.b.Get(onCallPage).Want(200, "No schedules yet", onCallPage+"/new")
	s.b.Get(onCallPage+"/new").Want(200, `<option value="Europe/Berlin">`)
	for says, form := range map[string]url.Values{
		"The name can't be blank":                  apptest.Form("name", " ", "timezone", "UTC"),
		"The time zone is not a time zone of the ": apptest.Form("name", "Primary", "timezone", "Mars/Olympus"),
	} {
		s.b.Post(onCallPage, form).Want(422, says, `value="`+form.Get("timezone")+`"`)
	}
	s.b.Post(onCallPage, apptest.Form("name", "Primary", "timezone", "Mars/Olympus")).Want(422, `aria-invalid="true" autofocus>`).WantNot(`value="Primary" maxlength="255" placeholder="Primary" autofocus`)
	made := s.b.Post(onCallPage, apptest.Form("name", "Primary", "timezone", "Europe/Berlin"))
	at := made.Location()
	made.WantRedirect(at)
	shown := s.b.Get(at).Want(200, "The schedule was created.", "Nobody is on call now", "Add a rotation", "Days and times of Europe/Berlin")
	s.b.Post(onCallPage, apptest.Form("name", "primary", "timezone", "UTC")).Want(422, "The name has already been taken")

	seen := shown.Fields(at).Get("seen")
	s.b.Post(at, apptest.Form("seen", seen, "name", "First", "timezone", "")).Want(422, "The time zone", `value="First"`)
	s.b.Post(at, apptest.Form("seen", seen, "name", "First", "timezone", "UTC")).WantRedirect(at)
	s.b.Post(at, apptest.Form("seen", seen, "name", "Late", "timezone", "UTC")).Want(409, "Someone else changed this", "<bdi>First</bdi>", `role="alert" tabindex="-1" autofocus>`, `value="Late"`)
	seen = s.b.Get(at).Fields(at).Get("seen")
	s.b.Post(at+"/feed", nil).Want(201)
	s.b.Post(at, apptest.Form("seen", seen, "name", "First", "timezone", "UTC")).WantRedirect(at)
	s.b.Get(onCallPage).Want(200, `href="`+at+`"`, "First", "Days and times of UTC")
	s.b.Post(at+"/delete", nil).WantRedirect(onCallPage)
	s.b.Get(onCallPage).Want(200, "The schedule was deleted.", "No schedules yet")
	s.b.Get(at).Want(404)
}

func TestAScheduleThatThePolicyNamesStays(t *testing.T) {
	s := newTeam(t)
	made := s.weekly(t)
	by := oncall.Who{Actor: audit.Setup, Role: project.Maintainer}
	if _, err := s.OnCall.SetPolicy(t.Context(), by, s.web, oncall.Policy{Rules: []oncall.Rule{{Until: oncall.Resolved, ScheduleID: made.ID}}}); err != nil {
		t.Fatal(err)
	}
	s.b.Post(fmt.Sprintf("%s/%d/delete", onCallPage, made.ID), nil).Want(409, "The escalation policy names the schedule.", "Primary")
}

// Developers see everything and are offered only what they may do; the rest is refused.
func TestWhoMayChangeSchedules(t *testing.T) {
	s := newTeam(t)
	made := s.weekly(t)
	at := fmt.Sprintf("%s/%d", onCallPage, made.ID)
	rotation := fmt.Sprintf("%s/rotations/%d", at, made.Thing.Rotations[0].ID)
	otto, erik, strangers := signedIn(t, s.App, s.otto), signedIn(t, s.App, s.erik), signedIn(t, s.App, s.User("stranger"))
	otto.Get(onCallPage).Want(200, "Primary").WantNot("New schedule")
	otto.Get(at).Want(200, "Week", "The user dana").WantNot("Add a rotation", "Delete the schedule", "Cover a shift", "Swap two shifts", "Make an address", rotation)
	otto.Get(onCallPage+"/escalation").Want(200, "No escalation policy yet").WantNot("Save the policy")
	erik.Get(at).Want(200, "Cover a shift", "Swap two shifts", "One of the two must be you").WantNot("Add a rotation", "Delete the schedule", rotation)
	for _, call := range []string{
		"GET " + onCallPage + "/new", "POST " + onCallPage, "POST " + at, "POST " + at + "/delete", "POST " + at + "/feed", "POST " + at + "/feed/delete",
		"GET " + at + "/rotations/new", "POST " + at + "/rotations", "GET " + rotation, "POST " + rotation, "POST " + rotation + "/delete",
		"POST " + onCallPage + "/escalation",
	} {
		method, target, _ := strings.Cut(call, " ")
		erik.Do(method, target, apptest.Form("name", "Mine", "timezone", "UTC")).Want(403)
		strangers.Do(method, target, nil).Want(404)
	}
	reporter := s.User("rita")
	s.Member(s.web.Place(), reporter, project.Reporter)
	for _, target := range []string{at, onCallPage + "/escalation", onCallPage + "/calendar"} {
		signedIn(t, s.App, reporter).Get(target).Want(403)
	}
	all, err := s.OnCall.Schedules(t.Context(), s.web, page.First)
	if err != nil || len(all.Items) != 1 || all.Items[0].Version != made.Version {
		t.Errorf("the schedules are %+v, %v, want the one as it was", all.Items, err)
	}
}

// Forms of other sites are refused as on every page.
func TestFormsAboutSchedulesComeFromThePages(t *testing.T) {
	s := newTeam(t)
	at := fmt.Sprintf("%s/%d", onCallPage, s.weekly(t).ID)
	s.b.Header.Set("Sec-Fetch-Site", "cross-site")
	for _, target := range []string{onCallPage, at, at + "/delete", at + "/swaps", at + "/rotations", at + "/feed", onCallPage + "/escalation", onCallPage + "/calendar"} {
		s.b.Post(target, apptest.Form("name", "Planted", "timezone", "UTC")).Want(403)
	}
}

// A time at which nobody is on call is a warning, and one's own shifts are marked.
func TestThePictureShowsGapsAndOwnShifts(t *testing.T) {
	s := newTeam(t)
	start, name := s.Now().AddDate(0, 0, -1).UTC().Format("2006-01-02")+"T00:00:00Z", "Days"
	made := newSchedule(t, s.App, s.web, "Office", "UTC", oncall.RotationChange{
		Name: &name, StartsAt: &start, Length: &oncall.Length{Value: 1, Unit: oncall.Days}, Participants: []int64{s.dana.ID, s.erik.ID},
		ActivePeriod: &oncall.ActivePeriod{Start: 9 * 60, End: 17 * 60},
	})
	at := fmt.Sprintf("%s/%d", onCallPage, made.ID)
	for _, target := range []string{onCallPage, at} {
		s.b.Get(target).Want(200, "Nobody is on call", "and at other times in these two weeks", `17:00–24:00 <span class="badge caution">Nobody`,
			`09:00–17:00 <b><bdi>The user dana</bdi></b> <span class="badge accent">You`, `09:00–17:00 <b><bdi>The user erik</bdi></b> <span class="hint">`,
			`<caption class="unseen">Who is on call in Office`)
	}
	s.b.Get(fmt.Sprintf("%s/%d", onCallPage, s.weekly(t).ID)).Want(200, "Primary").WantNot("Nobody is on call from", "Nobody is on call now")
}

var feedAddress = regexp.MustCompile(`<code id="feed-address">([^<]+)</code>`)

func TestCalendarFeeds(t *testing.T) {
	s := newTeam(t)
	at := fmt.Sprintf("%s/%d", onCallPage, s.weekly(t).ID)
	for _, test := range []struct{ shown, form, says string }{
		{at, at + "/feed", "everybody’s shifts in Primary"},
		{onCallPage + "/calendar", onCallPage + "/calendar", "all your shifts, in all projects"},
	} {
		s.b.Get(test.shown).Want(200, "Make an address").WantNot("Renew")
		var addresses []string
		for range 2 {
			made := s.b.Post(test.form, nil).Want(201, test.says, "Copy the address now", "subscribe")
			found := feedAddress.FindStringSubmatch(made.Text())
			if found == nil || !strings.HasPrefix(found[1], s.BaseURL+oncall.FeedsPath) {
				t.Fatalf("the address is %q", found)
			}
			addresses = append(addresses, found[1])
			s.b.Get(test.shown).Want(200, "Renew the address").WantNot(found[1], "Make an address")
		}
		if addresses[0] == addresses[1] {
			t.Error("the address is the same after it was renewed")
		}
		s.b.Post(test.form+"/delete", nil).WantRedirect(test.shown)
		s.b.Get(test.shown).Want(200, "The calendar has ended.", "Make an address")
	}
}

func TestSwapsOnThePage(t *testing.T) {
	s := newTeam(t)
	made := s.weekly(t)
	at := fmt.Sprintf("%s/%d", onCallPage, made.ID)
	erik := signedIn(t, s.App, s.erik)
	own, others := shiftsOf(t, erik.Get(at), "given"), shiftsOf(t, erik.Get(at), "taken")
	if len(own) < 3 || len(others) < 3 {
		t.Fatalf("Erik may give %q and take %q", own, others)
	}
	for _, value := range own {
		if !strings.HasPrefix(value, fmt.Sprint(s.erik.ID, " ")) {
			t.Errorf("Erik may give %s", value)
		}
	}
	if all := shiftsOf(t, s.b.Get(at), "given"); len(all) != len(own)+len(others) {
		t.Errorf("Dana may give %q, want the shifts of both", all)
	}
	for says, form := range map[string]url.Values{
		"A shift must be one that is offered": apptest.Form("given", "", "taken", others[1]),
		"Who has the other shift is the":      apptest.Form("given", own[1], "taken", own[2]),
		"A shift’s end":                       apptest.Form("given", own[1], "taken", fmt.Sprint(s.dana.ID, " 2026-01-05T09:00:00Z 2026-01-04T09:00:00Z")),
	} {
		erik.Post(at+"/swaps", form).Want(422, says)
	}
	erik.Post(at+"/swaps", apptest.Form("given", own[1], "taken", others[2])).WantRedirect(at)
	now := s.schedule(t, made.ID)
	if o := now.Thing.Overrides; len(o) != 2 || o[0].SwapID == 0 || o[0].UserID != s.dana.ID || o[0].ReplacesUserID != s.erik.ID || o[1].UserID != s.erik.ID {
		t.Fatalf("the overrides are %+v", now.Thing.Overrides)
	}
	back := fmt.Sprintf("%s/overrides/%d/delete", at, now.Thing.Overrides[0].ID)
	erik.Get(at).Want(200, "The two shifts were swapped.", "Take back both", back)
	signedIn(t, s.App, s.otto).Post(at+"/swaps", apptest.Form("given", own[1], "taken", others[2])).Want(403)
	erik.Post(back, nil).WantRedirect(at)
	if o := s.schedule(t, made.ID).Thing.Overrides; len(o) != 0 {
		t.Errorf("after the swap was taken back the overrides are %+v", o)
	}
}

// shiftsOf returns the values of the shifts that can be chosen in a field.
func shiftsOf(t *testing.T, p apptest.Page, field string) (values []string) {
	t.Helper()
	_, rest, found := strings.Cut(p.Want(200).Body.String(), `name="`+field+`"`)
	if !found {
		t.Fatalf("the page has no field %s", field)
	}
	rest, _, _ = strings.Cut(rest, "</select>")
	for _, m := range regexp.MustCompile(`<option value="([^"]*)"`).FindAllStringSubmatch(rest, -1) {
		values = append(values, m[1])
	}
	return values
}

// A whole shift is covered by choosing it.
func TestAShiftIsCovered(t *testing.T) {
	s := newTeam(t)
	made := s.weekly(t)
	at := fmt.Sprintf("%s/%d", onCallPage, made.ID)
	erik := signedIn(t, s.App, s.erik)
	shown := erik.Get(at)
	all := shiftsOf(t, shown, "shift")
	others := slices.IndexFunc(all, func(value string) bool { return strings.HasPrefix(value, fmt.Sprint(s.dana.ID, " ")) })
	shown.Want(200, `<option value="`+all[others]+`" selected>`, `<option value="">A part of one`)
	for says, form := range map[string]url.Values{
		"The shift must be one that is offered.":  apptest.Form("user", "erik", "shift", "soon"),
		"Who has the shift is the same user.":     apptest.Form("user", "dana", "shift", all[others]),
		"The user is not known by this name.":     apptest.Form("user", "nobody", "shift", all[others]),
		"Its end must be after the start.":        apptest.Form("user", "erik", "shift", fmt.Sprint(s.dana.ID, " 2099-01-05T09:00:00Z 2099-01-04T09:00:00Z")),
		"The user is not a member of the project": apptest.Form("user", s.User("stranger").Username, "shift", all[0]),
	} {
		s.b.Post(at+"/overrides", form).Want(422, says)
	}
	signedIn(t, s.App, s.otto).Post(at+"/overrides", apptest.Form("user", "otto", "shift", all[others])).Want(403)
	erik.Post(at+"/overrides", apptest.Form("user", "erik", "shift", all[others], "from", "ignored")).WantRedirect(at)
	o := s.schedule(t, made.ID).Thing.Overrides
	if len(o) != 1 || o[0].UserID != s.erik.ID || o[0].ReplacesUserID != s.dana.ID || !strings.Contains(all[others], o[0].EndsAt.Format(time.RFC3339)) {
		t.Errorf("the overrides are %+v after %s was covered", o, all[others])
	}
}

// The shift that was chosen stays chosen when the form comes back, also if it has begun.
func TestAShiftThatHasBegunStaysChosen(t *testing.T) {
	s := newTeam(t)
	s.passToNoon()
	made := s.weekly(t)
	at := fmt.Sprintf("%s/%d", onCallPage, made.ID)
	shown := s.b.Get(at)
	began, next := shiftsOf(t, shown, "shift")[0], shiftsOf(t, shown, "shift")[1]
	s.Pass(2 * time.Minute)
	chosen := `<option value="` + began + `" selected>`
	s.b.Post(at+"/overrides", apptest.Form("user", "nobody", "shift", began)).Want(422, chosen).WantNot("Choose a shift")
	wrong := s.b.Post(at+"/swaps", apptest.Form("given", began, "taken", began)).Want(422, chosen)
	if n := strings.Count(wrong.Body.String(), chosen); n < 2 {
		t.Errorf("the form has %s selected %d times", began, n)
	}

	gone := fmt.Sprint(s.dana.ID, " 2099-01-05T09:00:00Z 2099-01-06T09:00:00Z")
	for _, shift := range []string{gone, "none"} {
		s.b.Post(at+"/overrides", apptest.Form("user", "nobody", "shift", shift)).Want(422, `<option value="none" selected>Choose a shift`, `aria-describedby="shift-complaint"`)
	}
	s.b.Post(at+"/overrides", apptest.Form("user", "nobody", "shift", gone)).Want(422, "A shift is not as it was when you chose it: choose again.")
	s.b.Post(at+"/swaps", apptest.Form("given", gone, "taken", gone)).Want(422, `name="given" required autofocus><option value="" selected>Choose a shift`,
		`name="taken" required><option value="" selected>Choose a shift`, "A shift is not as it was when you chose it: choose again.")

	who, cover := s.dana, "erik"
	if strings.HasPrefix(began, fmt.Sprint(s.erik.ID, " ")) {
		who, cover = s.erik, "dana"
	}
	s.b.Post(at+"/overrides", apptest.Form("user", cover, "shift", began)).WantRedirect(at)
	s.b.Post(at+"/swaps", apptest.Form("given", began, "taken", next)).WantRedirect(at)
	for _, o := range s.schedule(t, made.ID).Thing.Overrides[:2] {
		if o.ReplacesUserID != who.ID || o.StartsAt.Before(s.Now().Add(-time.Minute)) || !strings.Contains(began, o.EndsAt.Format(time.RFC3339)) {
			t.Errorf("the override for the rest of %s is %+v", began, o)
		}
	}
}

// A participant who names only others is told so beside the form as it was sent.
func TestTheShiftsOfOthersAreNotTraded(t *testing.T) {
	s := newTeam(t)
	start, name := "2026-01-05T09:00:00Z", "Week"
	made := newSchedule(t, s.App, s.web, "Primary", "UTC", oncall.RotationChange{
		Name: &name, StartsAt: &start, Length: &oncall.Length{Value: 1, Unit: oncall.Weeks}, Participants: []int64{s.dana.ID, s.erik.ID, s.otto.ID},
	})
	at := fmt.Sprintf("%s/%d", onCallPage, made.ID)
	erik, all := signedIn(t, s.App, s.erik), shiftsOf(t, s.b.Get(at), "shift")
	of := func(who user.User) string {
		return all[slices.IndexFunc(all, func(value string) bool { return strings.HasPrefix(value, fmt.Sprint(who.ID, " ")) })]
	}
	why := "Only Maintainers may change the shifts of others."
	erik.Post(at+"/overrides", apptest.Form("user", "otto", "shift", of(s.dana))).Want(403, why, "Cover a shift", `placeholder="User name" autofocus>`, `<option value="`+of(s.dana)+`" selected>`, `name="user" value="otto"`)
	erik.Post(at+"/swaps", apptest.Form("given", of(s.otto), "taken", of(s.dana))).Want(403, why, "Swap two shifts", `<option value="`+of(s.dana)+`" selected>`)
	if o := s.schedule(t, made.ID).Thing.Overrides; len(o) != 0 {
		t.Errorf("the overrides are %+v", o)
	}
}

// Where the clocks skip midnight, each day is in the picture once all the same.
func TestThePictureWhereMidnightIsSkipped(t *testing.T) {
	s := newTeam(t)
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	today := s.Now().In(santiago)
	noon := time.Date(today.Year(), today.Month(), today.Day()+1, 12, 0, 0, 0, santiago)
	days := 0 // until the clocks are turned in the night after one of them
	for _, before := noon.Zone(); ; days++ {
		_, offset := noon.AddDate(0, 0, days).Zone()
		if offset > before {
			break
		}
		before = offset
	}
	skipped := noon.AddDate(0, 0, days)
	s.Pass(skipped.AddDate(0, 0, -3).Sub(s.Now()))
	start, name := "2026-01-05T00:00", "Week"
	newSchedule(t, s.App, s.web, "Primary", "America/Santiago", oncall.RotationChange{
		Name: &name, StartsAt: &start, Length: &oncall.Length{Value: 1, Unit: oncall.Weeks}, Participants: []int64{s.dana.ID},
	})
	shown := signedIn(t, s.App, s.dana).Get(onCallPage).Want(200)
	for n := range 14 {
		day := skipped.AddDate(0, 0, n-3).Format("Mon 2 Jan")
		if got := strings.Count(shown.Body.String(), `<th scope="row">`+day+`</th>`); got != 1 {
			t.Errorf("the picture has %s %d times", day, got)
		}
	}
	if got := strings.Count(shown.Body.String(), "All day <b>"); got != 14 {
		t.Errorf("Dana is on call all day on %d days, want 14", got)
	}
}

// A local time that the clocks show twice is refused at its field, which then takes the
// offset from UTC.
func TestAnOverrideAtAnAmbiguousTime(t *testing.T) {
	s := newTeam(t)
	start, name := "2026-01-05T09:00", "Week"
	made := newSchedule(t, s.App, s.web, "Berlin", "Europe/Berlin", oncall.RotationChange{
		Name: &name, StartsAt: &start, Length: &oncall.Length{Value: 1, Unit: oncall.Weeks}, Participants: []int64{s.dana.ID, s.erik.ID},
	})
	at := fmt.Sprintf("%s/%d", onCallPage, made.ID)
	year := s.Now().Year() + 1
	back := time.Date(year, time.October, 31, 0, 0, 0, 0, time.UTC)
	back = back.AddDate(0, 0, -int(back.Weekday())) // the last Sunday
	day := back.Format("2006-01-02")
	form := apptest.Form("user", "dana", "replaces", "erik", "from", day+"T02:30", "to", day+"T12:00")
	s.b.Post(at+"/overrides", form).Want(422, "The start is ambiguous in Europe/Berlin", `<input type="text" id="from" name="from" value="`+day+`T02:30"`,
		`<input type="datetime-local" id="to"`)
	form.Set("from", day+"T02:30+01:00")
	s.b.Post(at+"/overrides", form).WantRedirect(at)
}
