package runner_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/runner"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

var address = netip.MustParseAddr("203.0.113.7")

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// register makes a runner of the place.
func register(t *testing.T, a *apptest.App, at project.Place, c runner.Change) runner.Made {
	t.Helper()
	token := must[secret.Text](t)(a.Runners.ResetToken(t.Context(), audit.ByUser(1), at, "place"))
	return must[runner.Made](t)(a.Runners.Register(t.Context(), token, address, c))
}

func viewer(u user.User) project.Viewer {
	return project.Viewer{UserID: u.ID, NamespaceID: u.NamespaceID, Admin: u.Admin}
}

func TestStatusFollowsFromTheLastContact(t *testing.T) {
	now := time.Now()
	for want, contacted := range map[runner.Status][]time.Time{
		runner.NotConnected: {{}},
		runner.Online:       {now, now.Add(time.Minute), now.Add(time.Microsecond - 2*time.Hour)},
		runner.Offline:      {now.Add(-2 * time.Hour), now.AddDate(-1, 0, 0)},
	} {
		for _, at := range contacted {
			if got := (runner.Runner{ContactedAt: at}).StatusAt(now); got != want {
				t.Errorf("%s after a contact the status is %s, want %s", now.Sub(at), got, want)
			}
		}
	}
}

func TestARunnerIsChecked(t *testing.T) {
	a := apptest.New(t)
	long := func(n int) *string { s := strings.Repeat("ä", n); return &s }
	seconds := func(n int64) *int64 { return &n }
	no, none := false, []string{}
	tests := map[string]struct {
		change    runner.Change
		complaint fault.Fields
	}{
		"nothing":                 {},
		"long texts":              {change: runner.Change{Description: long(1024), MaintenanceNote: long(1024), Name: long(255)}},
		"texts that are too long": {runner.Change{Description: long(1025), MaintenanceNote: long(1025), Name: long(256)}, fault.Fields{"description": {"is too long (maximum is 1024 characters)"}, "maintenance_note": {"is too long (maximum is 1024 characters)"}, "name": {"is too long (maximum is 255 characters)"}}},
		"many tags":               {change: runner.Change{Tags: tags(50)}},
		"too many tags":           {runner.Change{Tags: tags(51)}, fault.Fields{"tag_list": {"has too many tags (maximum is 50)"}}},
		"a tag many times":        {change: runner.Change{Tags: append(tags(50), tags(50)...)}},
		"a long tag":              {change: runner.Change{Tags: []string{*long(255)}}},
		"a tag that is too long":  {runner.Change{Tags: []string{*long(256)}}, fault.Fields{"tag_list": {"has a tag that is too long (maximum is 255 characters)"}}},
		"tagged jobs alone":       {change: runner.Change{RunUntagged: &no, Tags: tags(1)}},
		"no jobs at all":          {runner.Change{RunUntagged: &no, Tags: none}, fault.Fields{"tags_list": {"can not be empty when runner is not allowed to pick untagged jobs"}}},
		"ten minutes":             {change: runner.Change{MaximumTimeout: seconds(600)}},
		"less than ten minutes":   {runner.Change{MaximumTimeout: seconds(599)}, fault.Fields{"maximum_timeout": {"needs to be at least 10 minutes"}}},
		"no minutes":              {runner.Change{MaximumTimeout: seconds(0)}, fault.Fields{"maximum_timeout": {"needs to be at least 10 minutes"}}},
	}
	for name, test := range tests {
		_, err := a.Runners.Create(t.Context(), audit.ByUser(1), test.change)
		var complaint fault.Fields
		if errors.As(err, &complaint); (err != nil) != (complaint != nil) || cmp.Diff(test.complaint, complaint) != "" {
			t.Errorf("%s: Create = %v, want %v", name, err, test.complaint)
		}
	}
}

func tags(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("tag %d", i))
	}
	return all
}

// A registration token makes runners of its place until it is renewed, and what is done
// with it is in the trail of who renewed it.
func TestRegistrationTokens(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	g := a.Group("acme", project.Group{}, ada, project.Private)
	p := a.Project("web", g, project.Private)
	for _, at := range []project.Place{record.Instance, g.Place(), p.Place()} {
		reset := func() secret.Text {
			return must[secret.Text](t)(a.Runners.ResetToken(t.Context(), audit.ByUser(ada.ID), at, "there"))
		}
		first := reset()
		made := must[runner.Made](t)(a.Runners.Register(t.Context(), first, address, runner.Change{}))
		if made.Place != at || made.Thing.CreatorID != ada.ID {
			t.Errorf("the runner is %+v, want one of %v by ada", made.Stored, at)
		}
		second := reset()
		_, err := a.Runners.Register(t.Context(), first, address, runner.Change{})
		if !errors.Is(err, runner.ErrWrongToken) {
			t.Errorf("Register with the former token = %v, want it refused", err)
		}
		must[runner.Made](t)(a.Runners.Register(t.Context(), second, address, runner.Change{}))
		must[runner.Stored](t)(a.Runners.Verify(t.Context(), made.Token, address)) // it stays
	}
	trail := must[audit.Page](t)(a.Trail.Entries(t.Context(), audit.Filter{UserID: ada.ID, Name: runner.EventCreated, Size: 10}))
	if len(trail.Entries) != 6 || trail.Entries[0].ActorID != 0 {
		t.Errorf("the trail of ada has %+v, want six new runners without an actor", trail.Entries)
	}
}

func TestTokensOfADeletedPlace(t *testing.T) {
	a := apptest.New(t)
	p := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	token := must[secret.Text](t)(a.Runners.ResetToken(t.Context(), audit.ByUser(1), p.Place(), "place"))
	made := must[runner.Made](t)(a.Runners.Register(t.Context(), token, address, runner.Change{}))
	if err := a.Projects.DeleteProject(t.Context(), audit.ByUser(1), p); err != nil {
		t.Fatal(err)
	}
	_, errRegister := a.Runners.Register(t.Context(), token, address, runner.Change{})
	_, errVerify := a.Runners.Verify(t.Context(), made.Token, address)
	for _, err := range []error{errRegister, errVerify, a.Runners.Unregister(t.Context(), made.Token, address)} {
		if !errors.Is(err, runner.ErrWrongToken) {
			t.Errorf("after the project was deleted the token gives %v, want it refused", err)
		}
	}
	if found := must[page.Of[runner.Stored]](t)(a.Runners.All(t.Context(), runner.Filter{}, page.First)); len(found.Items) != 0 {
		t.Errorf("after the project was deleted there are %+v", found.Items)
	}
}

// forgetful is a store that was stopped after it deleted a project and before it removed
// the records.
type forgetful struct{ storage.Store }

func (s forgetful) Project(context.Context, int64) (project.Project, error) {
	return project.Project{}, project.ErrNotFound
}

func TestRunnersLeftOfADeletedProjectAreRefused(t *testing.T) {
	a := apptest.New(t)
	p := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	made := register(t, a, p.Place(), runner.Change{})
	later := apptest.Over(t, forgetful{a.Store})
	_, err := later.Runners.Verify(t.Context(), made.Token, address)
	for _, err := range []error{err, later.Runners.Unregister(t.Context(), made.Token, address)} {
		if !errors.Is(err, runner.ErrWrongToken) {
			t.Errorf("the token gives %v, want it refused", err)
		}
	}
	must[runner.Stored](t)(a.Runners.Verify(t.Context(), made.Token, address))
}

// Wrong tokens are throttled by address, and right ones never.
func TestWrongTokensAreThrottled(t *testing.T) {
	a := apptest.New(t)
	registration := must[secret.Text](t)(a.Runners.ResetToken(t.Context(), audit.ByUser(1), record.Instance, ""))
	made := must[runner.Made](t)(a.Runners.Register(t.Context(), registration, address, runner.Change{}))
	try := func(n int, from netip.Addr) error {
		switch wrong := secret.NewText(made.Token.Reveal() + "0"); n % 3 {
		case 0:
			_, err := a.Runners.Verify(t.Context(), wrong, from)
			return err
		case 1:
			return a.Runners.Unregister(t.Context(), secret.NewText("gtrt-p99-1-0"), from)
		default:
			_, err := a.Runners.Register(t.Context(), wrong, from, runner.Change{})
			return err
		}
	}
	for n := range 10 {
		if err := try(n, address); !errors.Is(err, runner.ErrWrongToken) {
			t.Errorf("wrong token %d gives %v, want 403", n, err)
		}
	}
	for n := range 3 {
		if err := try(n, address); !fault.Is(err, fault.TooMany) {
			t.Errorf("one more wrong token gives %v, want it throttled", err)
		}
	}
	if err := try(0, netip.MustParseAddr("203.0.113.8")); !errors.Is(err, runner.ErrWrongToken) {
		t.Errorf("from another address it gives %v, want 403", err)
	}
	must[runner.Made](t)(a.Runners.Register(t.Context(), registration, address, runner.Change{}))
	must[runner.Stored](t)(a.Runners.Verify(t.Context(), made.Token, address))
	a.Pass(10 * time.Minute)
	if err := try(0, address); !errors.Is(err, runner.ErrWrongToken) {
		t.Errorf("ten minutes later it gives %v, want 403", err)
	}
}

// A contact is written once in half an hour, and every change beside it is kept.
func TestContactsAreNotedNowAndThen(t *testing.T) {
	a := apptest.New(t)
	made := register(t, a, record.Instance, runner.Change{})
	verify := func() runner.Stored {
		return must[runner.Stored](t)(a.Runners.Verify(t.Context(), made.Token, address))
	}
	first := verify()
	if first.Version != made.Version+1 || !first.Thing.ContactedAt.Equal(a.Now()) {
		t.Errorf("after a contact the runner is %+v", first)
	}
	a.Pass(30*time.Minute - time.Millisecond)
	if second := verify(); second.Version != first.Version {
		t.Errorf("a contact soon after makes version %d of %d", second.Version, first.Version)
	}
	a.Pass(time.Millisecond)
	third := verify()
	if third.Version != first.Version+1 || !third.Thing.ContactedAt.Equal(a.Now()) {
		t.Errorf("a contact half an hour later makes %+v", third)
	}
	a.Pass(2*time.Hour - time.Millisecond)
	if got := third.Thing.StatusAt(a.Now()); got != runner.Online {
		t.Errorf("before two hours have passed the runner is %s", got)
	}
}

func TestNoChangeBesideAContactIsLost(t *testing.T) {
	a := apptest.New(t)
	made := register(t, a, record.Instance, runner.Change{})
	seen := must[runner.Seen](t)(a.Runners.One(t.Context(), project.Viewer{UserID: 1, Admin: true}, made.ID))
	name := "Build"
	deeds := []func() error{
		func() error { _, err := a.Runners.Verify(t.Context(), made.Token, address); return err },
		func() error {
			_, err := a.Runners.Change(t.Context(), audit.ByUser(1), seen, runner.Change{Description: &name})
			return err
		},
		func() error {
			_, err := a.Runners.Change(t.Context(), audit.ByUser(1), seen, runner.Change{Tags: []string{"linux"}})
			return err
		},
	}
	errs := make([]error, len(deeds))
	var callers sync.WaitGroup
	for n, do := range deeds {
		callers.Go(func() { errs[n] = do() })
	}
	callers.Wait()
	seen = must[runner.Seen](t)(a.Runners.One(t.Context(), project.Viewer{UserID: 1, Admin: true}, made.ID))
	got := seen.Thing
	if err := errors.Join(errs...); err != nil || got.Description != name || len(got.Tags) != 1 || got.ContactedAt.IsZero() {
		t.Errorf("after a contact and two changes, %v, the runner is %+v", err, got)
	}
}

// What somebody sees of a runner, and whether they manage it, follows from their roles.
func TestWhoSeesAndManagesARunner(t *testing.T) {
	h := newHouse(t)
	boss := h.Admin("boss")
	must[runner.Stored](t)(h.Runners.Assign(t.Context(), audit.ByUser(h.ben.ID), viewer(h.ben), h.web, h.all["own"].ID))
	role := func(name string, at project.Place, role project.Role) user.User {
		u := h.User(name)
		h.Member(at, u, role)
		return u
	}
	stranger := h.User("stranger")
	tests := []struct {
		who     user.User
		runner  string
		sees    bool
		manages bool
		places  string // that they see it with
	}{
		{boss, "instance", true, true, ""}, {stranger, "instance", true, false, ""},
		{boss, "top", true, true, "acme"}, {h.ada, "top", true, true, "acme"}, {stranger, "top", false, false, ""},
		{role("top-maintainer", h.top.Place(), project.Maintainer), "team", false, false, ""},
		{role("top-owner", h.top.Place(), project.Owner), "team", true, true, "acme/team"},
		{role("team-owner", h.team.Place(), project.Owner), "top", false, false, ""},
		{boss, "web", true, true, "acme/team/web"}, {h.ben, "web", false, false, ""},
		{role("maintainer", h.web.Place(), project.Maintainer), "web", true, true, "acme/team/web"},
		{role("developer", h.web.Place(), project.Developer), "web", false, false, ""},
		{role("group-maintainer", h.top.Place(), project.Maintainer), "web", true, true, "acme/team/web"},
		{boss, "own", true, true, "ben/own acme/team/web"}, {h.ben, "own", true, true, "ben/own"},
		{h.ada, "own", true, false, "acme/team/web"}, {stranger, "own", false, false, ""},
		{role("web-developer", h.web.Place(), project.Developer), "own", false, false, ""},
	}
	for _, test := range tests {
		seen, err := h.Runners.One(t.Context(), viewer(test.who), h.all[test.runner].ID)
		if test.sees != (err == nil) || err != nil && !errors.Is(err, runner.ErrNoAccess) || seen.Manages != test.manages {
			t.Errorf("%s sees the runner %s with %v and manages it: %t, want %t and %t", test.who.Username, test.runner, err, seen.Manages, test.sees, test.manages)
		}
		var places []string
		for _, p := range seen.Projects {
			places = append(places, p.FullPath)
		}
		for _, g := range seen.Groups {
			places = append(places, g.FullPath)
		}
		if got := strings.Join(places, " "); got != test.places {
			t.Errorf("%s sees the runner %s in %q, want %q", test.who.Username, test.runner, got, test.places)
		}
		name := "changed"
		_, errChange := h.Runners.Change(t.Context(), audit.ByUser(test.who.ID), seen, runner.Change{Description: &name})
		if test.sees && (errChange == nil) != test.manages {
			t.Errorf("%s changes the runner %s with %v, want that: %t", test.who.Username, test.runner, errChange, test.manages)
		}
		if test.sees && !test.manages {
			if err := h.Runners.Delete(t.Context(), audit.ByUser(test.who.ID), seen); !errors.Is(err, runner.ErrNoAccess) {
				t.Errorf("%s deletes the runner %s with %v, want it refused", test.who.Username, test.runner, err)
			}
		}
	}
	if _, err := h.Runners.One(t.Context(), viewer(boss), 99); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown runner is %v", err)
	}
}

func TestWhichRunnersAreAssigned(t *testing.T) {
	h := newHouse(t)
	boss := h.Admin("boss")
	yes := true
	locked := register(t, h.App, h.own.Place(), runner.Change{Locked: &yes})
	assign := func(u user.User, p project.Project, id int64) error {
		_, err := h.Runners.Assign(t.Context(), audit.ByUser(u.ID), viewer(u), p, id)
		return err
	}
	for name, want := range map[string]error{"instance": runner.ErrOfInstance, "top": runner.ErrOfGroup, "web": runner.ErrNoAccess, "own": nil} {
		if err := assign(h.ben, h.web, h.all[name].ID); !errors.Is(err, want) {
			t.Errorf("ben assigns the runner %s with %v, want %v", name, err, want)
		}
	}
	if err := assign(h.ben, h.web, locked.ID); !errors.Is(err, runner.ErrLocked) {
		t.Errorf("ben assigns a locked runner with %v", err)
	}
	if err := assign(boss, h.web, locked.ID); err != nil {
		t.Errorf("an administrator assigns a locked runner with %v", err)
	}
	for _, p := range []project.Project{h.own, h.web} {
		if err := assign(h.ben, p, h.all["own"].ID); !fault.Is(err, fault.Invalid) {
			t.Errorf("to %s, which has the runner, it is assigned with %v", p.Path, err)
		}
	}
	if err := assign(boss, h.web, 99); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown runner is assigned with %v", err)
	}
	unassign := func(p project.Project, id int64) error {
		return h.Runners.Unassign(t.Context(), audit.ByUser(h.ben.ID), p, id)
	}
	if err := unassign(h.own, h.all["own"].ID); !errors.Is(err, runner.ErrOwnProject) {
		t.Errorf("a runner is taken away from its own project with %v", err)
	}
	if err := unassign(h.own, h.all["web"].ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a runner is taken away from a project without it with %v", err)
	}
}

// One that several projects have is for administrators to delete. A deleted project
// has none.
func TestRunnersOfSeveralProjectsStay(t *testing.T) {
	h := newHouse(t)
	id := h.all["own"].ID
	must[runner.Stored](t)(h.Runners.Assign(t.Context(), audit.ByUser(h.ben.ID), viewer(h.ben), h.web, id))
	remove := func(u user.User) error {
		return h.Runners.Delete(t.Context(), audit.ByUser(u.ID), must[runner.Seen](t)(h.Runners.One(t.Context(), viewer(u), id)))
	}
	if err := remove(h.ben); !errors.Is(err, runner.ErrHasProjects) {
		t.Errorf("Delete of a runner with two projects = %v", err)
	}
	if err := h.Projects.DeleteProject(t.Context(), audit.ByUser(1), h.web); err != nil {
		t.Fatal(err)
	}
	if err := remove(h.ben); err != nil {
		t.Errorf("Delete of a runner with one project = %v", err)
	}
	other := register(t, h.App, h.own.Place(), runner.Change{})
	third := h.Project("third", h.team, project.Private)
	must[runner.Stored](t)(h.Runners.Assign(t.Context(), audit.ByUser(h.ben.ID), viewer(h.ben), third, other.ID))
	id = other.ID
	if err := remove(h.Admin("boss")); err != nil {
		t.Errorf("Delete by an administrator = %v", err)
	}
}

func TestARunnerHasFiftyOtherProjects(t *testing.T) {
	h := newHouse(t)
	boss := h.Admin("boss")
	for n := range 51 {
		p := h.Project(fmt.Sprintf("more-%d", n), h.team, project.Private)
		_, err := h.Runners.Assign(t.Context(), audit.ByUser(boss.ID), viewer(boss), p, h.all["own"].ID)
		if complains := fault.Is(err, fault.Invalid); complains != (n == 50) || !complains && err != nil {
			t.Errorf("project %d: Assign = %v", n, err)
		}
	}
	seen := must[runner.Seen](t)(h.Runners.One(t.Context(), viewer(boss), h.all["own"].ID))
	if len(seen.Projects) != 51 {
		t.Errorf("the runner has %d projects, want its own and 50", len(seen.Projects))
	}
	if err := h.Projects.DeleteProject(t.Context(), audit.ByUser(1), seen.Projects[1]); err != nil {
		t.Fatal(err)
	}
	for n, want := range []bool{true, false} { // takes the place of the deleted one
		p := h.Project(fmt.Sprintf("later-%d", n), h.team, project.Private)
		if _, err := h.Runners.Assign(t.Context(), audit.ByUser(boss.ID), viewer(boss), p, h.all["own"].ID); (err == nil) != want {
			t.Errorf("after a project was deleted %s is assigned with %v", p.Path, err)
		}
	}
	seen = must[runner.Seen](t)(h.Runners.One(t.Context(), viewer(boss), h.all["own"].ID))
	if len(seen.Projects) != 51 {
		t.Errorf("the runner has %d projects, want its own and 50", len(seen.Projects))
	}
	if err := h.Runners.Delete(t.Context(), audit.ByUser(boss.ID), seen); err != nil {
		t.Error(err)
	}
}

func TestAPlaceHasAThousandRunners(t *testing.T) {
	a := apptest.New(t)
	p := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	token := must[secret.Text](t)(a.Runners.ResetToken(t.Context(), audit.ByUser(1), p.Place(), "place"))
	last := runner.Made{}
	for range 1000 {
		last = must[runner.Made](t)(a.Runners.Register(t.Context(), token, address, runner.Change{}))
	}
	_, err := a.Runners.Register(t.Context(), token, address, runner.Change{})
	want := fault.Fields{"base": {"has too many runners (maximum is 1000)"}}
	var complaint fault.Fields
	if !errors.As(err, &complaint) || cmp.Diff(want, complaint) != "" {
		t.Errorf("one more than 1000 gives %v, want %v", err, want)
	}
	if err := a.Runners.Unregister(t.Context(), last.Token, address); err != nil {
		t.Fatal(err)
	}
	must[runner.Made](t)(a.Runners.Register(t.Context(), token, address, runner.Change{}))
}
