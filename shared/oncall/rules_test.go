package oncall_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// scene is a project with a schedule on which Ada and Ben take turns of a day.
type scene struct {
	*apptest.App
	web      project.Project
	ada, ben int64
	by       oncall.Who // a Maintainer
	schedule oncall.Stored
	rotation oncall.Rotation
}

func newScene(t *testing.T) scene {
	t.Helper()
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	web := a.Project("web", a.Group("acme", project.Group{}, ada, project.Private), project.Private)
	a.Member(web.Place(), ben, project.Developer)
	s := scene{App: a, web: web, ada: ada.ID, ben: ben.ID, by: oncall.Who{Actor: audit.ByUser(ada.ID), Role: project.Maintainer}}
	name, zone := "Primary", "UTC"
	made, err := a.OnCall.Create(t.Context(), s.by, web, oncall.Change{Name: &name, Timezone: &zone})
	if err != nil {
		t.Fatal(err)
	}
	start := "2026-01-05T00:00:00Z"
	s.rotation, err = a.OnCall.AddRotation(t.Context(), s.by, web, made, oncall.RotationChange{
		Name: &name, StartsAt: &start, Length: &oncall.Length{Value: 1, Unit: oncall.Days}, Participants: []int64{ada.ID, ben.ID},
	})
	if err == nil {
		s.schedule, err = a.OnCall.Find(t.Context(), web, made.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTryRotationStoresNothing(t *testing.T) {
	s := newScene(t)
	name := "Tried"
	got, err := s.OnCall.TryRotation(t.Context(), s.by, s.web, s.schedule, s.rotation.ID, oncall.RotationChange{Name: &name})
	if err != nil || got.Name != name || len(got.Participants) != 2 {
		t.Errorf("TryRotation = %+v, %v", got, err)
	}
	var wrong fault.Fields
	_, err = s.OnCall.TryRotation(t.Context(), s.by, s.web, s.schedule, 0, oncall.RotationChange{Name: &name, Participants: []int64{s.ada}})
	if !errors.As(err, &wrong) || wrong["starts_at"] != nil || wrong["length"] == nil {
		t.Errorf("TryRotation without a length = %v", err)
	}
	stranger := s.User("stranger").ID
	_, err = s.OnCall.TryRotation(t.Context(), s.by, s.web, s.schedule, s.rotation.ID, oncall.RotationChange{Participants: []int64{stranger}})
	if !errors.As(err, &wrong) || wrong["participants"] == nil {
		t.Errorf("TryRotation with a stranger = %v", err)
	}
	developer := oncall.Who{Actor: audit.ByUser(s.ben), Role: project.Developer}
	if _, err := s.OnCall.TryRotation(t.Context(), developer, s.web, s.schedule, 0, oncall.RotationChange{}); !fault.Is(err, fault.Forbidden) {
		t.Errorf("TryRotation by a Developer = %v", err)
	}
	now, err := s.OnCall.Find(t.Context(), s.web, s.schedule.ID)
	if err != nil || now.Version != s.schedule.Version {
		t.Errorf("the schedule has the version %d after %d: %v", now.Version, s.schedule.Version, err)
	}
}

func TestAChangeOfWhatWasNotSeenIsRefused(t *testing.T) {
	s := newScene(t)
	name, stale, id := "Renamed", s.schedule, s.rotation.ID
	settings, rotation := stale.Thing.SettingsMark(), stale.Thing.RotationMark(id)
	find := func() oncall.Stored {
		t.Helper()
		now, err := s.OnCall.Find(t.Context(), s.web, stale.ID)
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	length, start := &oncall.Length{Value: 1, Unit: oncall.Days}, "2026-01-05T09:00"
	other := oncall.RotationChange{Name: new("Other"), Length: length, StartsAt: &start, Participants: []int64{s.ada}}
	for what, err := range map[string]error{
		"a feed":           second(s.OnCall.RenewFeed(t.Context(), s.by, s.web, stale)),
		"another rotation": second(s.OnCall.AddRotation(t.Context(), s.by, s.web, stale, other)),
	} {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	if _, err := s.OnCall.Change(t.Context(), s.by, s.web, find(), oncall.Change{Name: &name, Seen: settings}); err != nil {
		t.Fatalf("a change of the name after a feed and another rotation came between = %v", err)
	}
	if _, err := s.OnCall.ChangeRotation(t.Context(), s.by, s.web, find(), id, oncall.RotationChange{Name: &name, Seen: rotation}); err != nil {
		t.Fatalf("a change of the rotation after one of the name and another rotation came between = %v", err)
	}
	now := find()
	for name, refused := range map[string]error{
		"the schedule":                       second(s.OnCall.Change(t.Context(), s.by, s.web, now, oncall.Change{Seen: settings})),
		"the schedule, while it is stored":   second(s.OnCall.Change(t.Context(), s.by, s.web, stale, oncall.Change{Seen: settings})),
		"the rotation":                       second(s.OnCall.ChangeRotation(t.Context(), s.by, s.web, now, id, oncall.RotationChange{Seen: rotation})),
		"the rotation, while it is stored":   second(s.OnCall.ChangeRotation(t.Context(), s.by, s.web, stale, id, oncall.RotationChange{Seen: rotation})),
		"a rotation of which it tries a new": second(s.OnCall.TryRotation(t.Context(), s.by, s.web, now, id, oncall.RotationChange{Seen: rotation})),
	} {
		if !errors.Is(refused, oncall.ErrChanged) {
			t.Errorf("a change of %s = %v, want ErrChanged", name, refused)
		}
	}
	zone, seen := "Asia/Tokyo", now.Thing.RotationMark(id)
	if _, err := s.OnCall.Change(t.Context(), s.by, s.web, now, oncall.Change{Timezone: &zone}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.OnCall.ChangeRotation(t.Context(), s.by, s.web, find(), id, oncall.RotationChange{StartsAt: &start, Seen: seen}); !errors.Is(err, oncall.ErrChanged) {
		t.Errorf("a change of a time after one of its zone = %v, want ErrChanged", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestReplacePolicy(t *testing.T) {
	s := newScene(t)
	none, err := s.OnCall.Escalation(t.Context(), s.web)
	if err != nil || len(none.Policy.Rules) != 0 || len(none.Schedules) != 1 {
		t.Fatalf("Escalation = %+v, %v", none, err)
	}
	first := oncall.Policy{Rules: []oncall.Rule{{Until: oncall.Acknowledged, ScheduleID: s.schedule.ID}}}
	if _, err := s.OnCall.ReplacePolicy(t.Context(), s.by, s.web, none.Version, first); err != nil {
		t.Fatal(err)
	}
	if _, err := s.OnCall.ReplacePolicy(t.Context(), s.by, s.web, none.Version, oncall.Policy{}); !errors.Is(err, oncall.ErrChanged) {
		t.Errorf("ReplacePolicy of one that was not seen = %v", err)
	}
	now, err := s.OnCall.Escalation(t.Context(), s.web)
	if err != nil || len(now.Policy.Rules) != 1 {
		t.Fatalf("Escalation = %+v, %v, want the first policy", now, err)
	}
	if _, err := s.OnCall.ReplacePolicy(t.Context(), s.by, s.web, now.Version, oncall.Policy{}); err != nil {
		t.Error(err)
	}
}

func TestStepsTellWhomAPolicyNotifies(t *testing.T) {
	s := newScene(t)
	cem := s.User("cem")
	s.Member(s.web.Place(), cem, project.Developer)
	_, err := s.OnCall.SetPolicy(t.Context(), s.by, s.web, oncall.Policy{Rules: []oncall.Rule{
		{Until: oncall.Acknowledged, ScheduleID: s.schedule.ID},
		{ElapsedMinutes: 60, Until: oncall.Acknowledged, ScheduleID: s.schedule.ID},
		{ElapsedMinutes: 90, Until: oncall.Resolved, UserID: cem.ID},
	}})
	if err != nil {
		t.Fatal(err)
	}
	notified := func() (users [][]int64) {
		t.Helper()
		e, err := s.OnCall.Escalation(t.Context(), s.web)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range e.Steps(time.Date(2026, 1, 5, 23, 30, 0, 0, time.UTC)) { // Ada until midnight
			users = append(users, step.UserIDs)
		}
		return users
	}
	if diff := cmp.Diff([][]int64{{s.ada}, {s.ben}, {cem.ID}}, notified()); diff != "" {
		t.Errorf("Steps (-want +got):\n%s", diff)
	}
	was, err := s.Projects.Member(t.Context(), s.web.Place(), cem.ID)
	if err == nil {
		err = s.Store.RemoveMember(t.Context(), was)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]int64{{s.ada}, {s.ben}, nil}, notified()); diff != "" {
		t.Errorf("Steps after a user has left (-want +got):\n%s", diff)
	}
}

func TestHasOwnFeed(t *testing.T) {
	s := newScene(t)
	check := func(want bool) {
		t.Helper()
		if has, err := s.OnCall.HasOwnFeed(t.Context(), s.ada); has != want || err != nil {
			t.Errorf("HasOwnFeed = %t, %v, want %t", has, err, want)
		}
	}
	check(false)
	if _, err := s.OnCall.RenewOwnFeed(t.Context(), s.by.Actor); err != nil {
		t.Fatal(err)
	}
	check(true)
	if err := s.OnCall.EndOwnFeed(t.Context(), s.by.Actor); err != nil {
		t.Fatal(err)
	}
	check(false)
}

// The limit holds also for those who add schedules at the same moment.
func TestSchedulesAreNeverTooMany(t *testing.T) {
	const most = 20
	s := newScene(t)
	zone := "UTC"
	var callers sync.WaitGroup
	for n := range most + 5 {
		callers.Go(func() {
			name := fmt.Sprint("Schedule ", n)
			if _, err := s.OnCall.Create(t.Context(), s.by, s.web, oncall.Change{Name: &name, Timezone: &zone}); err != nil && !fault.Is(err, fault.Conflict) {
				t.Errorf("Create: %v", err)
			}
		})
	}
	callers.Wait()
	found, err := s.OnCall.Schedules(t.Context(), s.web, page.First)
	if err != nil || found.Total != most {
		t.Errorf("there are %d schedules, %v, want %d", found.Total, err, most)
	}
}
