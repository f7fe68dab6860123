package consoleapi_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/oncall"
	"gatehouse/shared/project"
)

// rotationForm returns the fields of the form, with the people in their order.
func rotationForm(people []int64, more ...string) url.Values {
	form := apptest.Form(append([]string{"name", "Week", "value", "1", "unit", "weeks", "starts_at", "2026-01-05T09:00", "do", "save"}, more...)...)
	for _, id := range people {
		form.Add("people[]", fmt.Sprint(id))
	}
	return form
}

// with returns the form with another value.
func with(form url.Values, name, value string) url.Values {
	form.Set(name, value)
	return form
}

func TestARotationIsMadeOnThePage(t *testing.T) {
	s := newTeam(t)
	zone := "Europe/Berlin"
	made, err := s.OnCall.Create(t.Context(), oncall.Who{Actor: audit.Setup, Role: project.Maintainer}, s.web, oncall.Change{Name: new("Primary"), Timezone: &zone})
	if err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("%s/%d", onCallPage, made.ID)
	to, dana, erik, otto := at+"/rotations", s.dana.ID, s.erik.ID, s.otto.ID
	s.b.Get(to+"/new").Want(200, "Nobody yet.", "Times are those of Europe/Berlin", "Choose from the members", `T09:00"`)

	// Members are shown to whoever asks for them, and chosen by a button.
	s.b.Post(to, with(rotationForm([]int64{dana}), "do", "choose")).Want(200, `name="pick" value="erik"`, "Add<span class=\"unseen\"> The user erik<").WantNot(`name="pick" value="dana"`)
	picked := s.b.Post(to, with(rotationForm([]int64{dana}, "pick", "erik"), "do", "")).Want(200, `name="pick" value="otto"`)
	picked.WantNot(`name="pick" value="erik"`)
	if diff := cmp.Diff([]int64{dana, erik}, peopleOf(t, picked)); diff != "" {
		t.Errorf("the people after one was picked (-want +got):\n%s", diff)
	}

	// The order is arranged without storing anything.
	s.b.Post(to, with(rotationForm([]int64{dana}, "add", "@erik"), "do", "enter")).Want(200, "@erik", "The next turns", `name="add" value=""`)
	for says, form := range map[string]url.Values{
		"This is not the user name of somebody": rotationForm([]int64{dana}, "add", "nobody"),
		"not the user name of somebody with at": rotationForm([]int64{dana}, "add", s.User("stranger").Username),
	} {
		s.b.Post(to, form).Want(422, says, "Nothing was saved yet", `name="add" value="`+form.Get("add")+`"`)
	}
	for do, want := range map[string][]int64{
		"up-1": {erik, dana, otto}, "down-1": {dana, otto, erik}, "up-0": {dana, erik, otto}, "down-2": {dana, erik, otto}, "remove-0": {erik, otto}, "add": {dana, erik, otto},
	} {
		shown := s.b.Post(to, with(rotationForm([]int64{dana, erik, otto}), "do", do)).Want(200)
		if diff := cmp.Diff(want, peopleOf(t, shown)); diff != "" {
			t.Errorf("the people after %s (-want +got):\n%s", do, diff)
		}
	}
	s.b.Post(to, with(rotationForm([]int64{dana, erik}), "do", "preview")).Want(200, "The next turns", "09:00 – ")
	if now := s.schedule(t, made.ID); now.Version != made.Version {
		t.Errorf("the schedule is %+v before anything was saved", now)
	}

	for says, form := range map[string]url.Values{
		"The name can't be blank":                         with(rotationForm([]int64{dana}), "name", ""),
		"The start does not exist in Europe/Berlin":       with(rotationForm([]int64{dana}), "starts_at", "2026-03-29T02:30"),
		"The start is ambiguous in Europe/Berlin":         with(rotationForm([]int64{dana}), "starts_at", "2026-10-25T02:30"),
		"The end must be after the start":                 rotationForm([]int64{dana}, "ends_at", "2026-01-01T00:00"),
		"The length must have a value from 1":             with(rotationForm([]int64{dana}), "value", "two"),
		"The time of day must not end when":               rotationForm([]int64{dana}, "from", "09:00", "to", "09:00"),
		"The time of day needs two":                       rotationForm([]int64{dana}, "from", "09:00"),
		"The list of people must have somebody":           rotationForm(nil),
		"The list of people has a user more":              rotationForm([]int64{dana, dana}),
		"The list of people is not a member of the proje": rotationForm([]int64{dana, 999}),
	} {
		s.b.Post(to, form).Want(422, says, "Nothing was saved yet").WantNot("The next turns")
	}
	many := make([]int64, oncall.MaxPeople+1)
	for n := range many {
		many[n] = int64(1000 + n)
	}
	s.b.Post(to, rotationForm(many)).Want(422, "Nothing was saved yet")
	for _, do := range []string{"save", "add", "preview"} {
		s.b.Post(to, with(rotationForm(slices.Repeat(many, 10)), "do", do)).Want(400)
	}
	s.b.Post(to, rotationForm([]int64{dana}, "add", "erik", "from", "18:00", "to", "08:00")).WantRedirect(at)
	now := s.schedule(t, made.ID)
	want := oncall.Rotation{
		ID: 1, Name: "Week", Length: oncall.Length{Value: 1, Unit: oncall.Weeks}, Participants: []int64{dana, erik},
		ActivePeriod: &oncall.ActivePeriod{Start: 18 * 60, End: 8 * 60}, StartsAt: now.Thing.Rotations[0].StartsAt,
	}
	if diff := cmp.Diff([]oncall.Rotation{want}, now.Thing.Rotations); diff != "" || now.Thing.Timezone.FormatTime(want.StartsAt) != "2026-01-05T09:00" {
		t.Errorf("the rotation starts at %s (-want +got):\n%s", want.StartsAt, diff)
	}
	s.b.Get(at).Want(200, "The rotation was saved.", "turns of 1 week, each day 18:00–08:00", at+"/rotations/1")
}

// peopleOf returns the ids of the people in the form of a rotation.
func peopleOf(t *testing.T, p apptest.Page) (ids []int64) {
	t.Helper()
	for _, part := range strings.Split(p.Body.String(), `name="people[]" value="`)[1:] {
		var id int64
		if _, err := fmt.Sscanf(part, "%d", &id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

func TestARotationIsChangedOnThePage(t *testing.T) {
	s := newTeam(t)
	made := s.weekly(t)
	at := fmt.Sprintf("%s/%d", onCallPage, made.ID)
	one := at + "/rotations/1"
	seen := s.b.Get(one).Want(200, `value="2026-01-05T09:00"`, "The next turns", "The user erik").Fields(one).Get("seen")
	s.b.Post(one, with(rotationForm([]int64{s.erik.ID, s.otto.ID}, "seen", seen), "unit", "days")).WantRedirect(at)
	r := s.schedule(t, made.ID).Thing.Rotations[0]
	if r.Length.Unit != oncall.Days || len(r.Participants) != 2 || r.Participants[1] != s.otto.ID {
		t.Errorf("the rotation is %+v", r)
	}
	// What was typed comes back, and saving it again counts.
	again := s.b.Post(one, rotationForm([]int64{s.dana.ID, s.otto.ID}, "seen", seen)).Want(409, "Someone else changed this", "The next turns")
	if diff := cmp.Diff([]int64{s.dana.ID, s.otto.ID}, peopleOf(t, again)); diff != "" {
		t.Errorf("the people of the form that came back (-want +got):\n%s", diff)
	}
	seen = again.Fields(one).Get("seen")
	s.b.Post(at+"/overrides", apptest.Form("user", "dana", "from", "2099-01-05T09:00", "to", "2099-01-05T10:00")).WantRedirect(at)
	s.b.Post(at+"/feed", nil).Want(201)
	s.b.Post(one, rotationForm([]int64{s.dana.ID, s.otto.ID}, "seen", seen)).WantRedirect(at)

	was, err := s.Projects.Member(t.Context(), s.web.Place(), s.otto.ID)
	if err == nil {
		err = s.Store.RemoveMember(t.Context(), was)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{at, one} {
		s.b.Get(target).Want(200, `The user otto</bdi>`, `<span class="badge caution">skipped`)
	}
	s.b.Post(one+"/delete", nil).WantRedirect(at)
	s.b.Get(at).Want(200, "The rotation was deleted.", "In a rotation people take turns")
	s.b.Get(one).Want(404)
	s.b.Post(one, rotationForm([]int64{s.dana.ID})).Want(404)
}

// Whoever sends ids of users does not learn their names.
func TestTheFormOfARotationNamesNoStrangers(t *testing.T) {
	s := newTeam(t)
	made := s.weekly(t)
	stranger := s.User("stranger")
	s.b.Post(fmt.Sprintf("%s/%d/rotations", onCallPage, made.ID), with(rotationForm([]int64{s.dana.ID, stranger.ID}), "do", "add")).
		Want(200, "The user dana", "somebody unknown").WantNot("stranger")
}
