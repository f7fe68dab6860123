package approval_test

import (
	"testing"

	"gatehouse/shared/approval"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// arranged is a project acme/web in which owner is Owner.
type arranged struct {
	*apptest.App
	owner user.User
	acme  project.Group
	web   project.Project
}

func arrange(t *testing.T) arranged {
	t.Helper()
	a := apptest.New(t)
	owner := a.User("owner")
	acme := a.Group("acme", project.Group{}, owner, project.Private)
	return arranged{a, owner, acme, a.Project("web", acme, project.Private)}
}

func (a arranged) by() audit.Actor { return audit.ByUser(a.owner.ID) }

// events returns how often the trail of the project has each event.
func (a arranged) events(t *testing.T) map[audit.Name]int {
	t.Helper()
	found, err := a.Trail.Entries(t.Context(), audit.Filter{ProjectID: a.web.ID, Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	counted := map[audit.Name]int{}
	for _, e := range found.Entries {
		if e.Outcome == audit.Done {
			counted[e.Name]++
		}
	}
	delete(counted, project.EventProjectCreated)
	return counted
}

func ptr[T any](v T) *T { return &v }

func TestSettingsChangeOneByOne(t *testing.T) {
	a := arrange(t)
	want := approval.Settings{ResetOnPush: true}
	got, err := a.Approvals.Settings(t.Context(), a.web)
	if err != nil || got != want {
		t.Errorf("the settings of a new project are %+v, %v, want %+v", got, err, want)
	}
	for _, step := range []struct {
		change approval.SettingsChange
		apply  func()
	}{
		{approval.SettingsChange{BeforeMerge: ptr[int64](100)}, func() { want.BeforeMerge = 100 }},
		{approval.SettingsChange{BeforeMerge: ptr[int64](0)}, func() { want.BeforeMerge = 0 }},
		{approval.SettingsChange{ResetOnPush: ptr(false)}, func() { want.ResetOnPush = false }},
		{approval.SettingsChange{SelectiveCodeOwnerRemovals: ptr(true)}, func() { want.SelectiveCodeOwnerRemovals = true }},
		{approval.SettingsChange{NoOverriding: ptr(true)}, func() { want.NoOverriding = true }},
		{approval.SettingsChange{ByAuthors: ptr(true)}, func() { want.ByAuthors = true }},
		{approval.SettingsChange{NotByCommitters: ptr(true)}, func() { want.NotByCommitters = true }},
		{approval.SettingsChange{Reauthentication: ptr(true)}, func() { want.Reauthentication = true }},
		{approval.SettingsChange{}, func() {}},
	} {
		step.apply()
		got, err := a.Approvals.ChangeSettings(t.Context(), a.by(), a.web, step.change)
		if err != nil || got != want {
			t.Errorf("ChangeSettings = %+v, %v, want %+v", got, err, want)
		}
		if got, err = a.Approvals.Settings(t.Context(), a.web); err != nil || got != want {
			t.Errorf("Settings = %+v, %v, want %+v", got, err, want)
		}
	}
	if got := a.events(t); got[approval.EventSettings] != 9 {
		t.Errorf("the trail has %v, want 9 changes", got)
	}
}

func TestSettingsThatAreRefused(t *testing.T) {
	a := arrange(t)
	const contradiction = "cannot be true while every push resets all approvals"
	for _, test := range []struct {
		change approval.SettingsChange
		want   fault.Fields
	}{
		{approval.SettingsChange{BeforeMerge: ptr[int64](-1)}, fault.Fields{"approvals_before_merge": {"must be between 0 and 100"}}},
		{approval.SettingsChange{BeforeMerge: ptr[int64](101)}, fault.Fields{"approvals_before_merge": {"must be between 0 and 100"}}},
		{approval.SettingsChange{SelectiveCodeOwnerRemovals: ptr(true)}, fault.Fields{"selective_code_owner_removals": {contradiction}}},
		{approval.SettingsChange{SelectiveCodeOwnerRemovals: ptr(true), ResetOnPush: ptr(false)}, nil},
		{approval.SettingsChange{ResetOnPush: ptr(true)}, fault.Fields{"selective_code_owner_removals": {contradiction}}},
	} {
		_, err := a.Approvals.ChangeSettings(t.Context(), a.by(), a.web, test.change)
		apptest.WantComplaints(t, "ChangeSettings", err, test.want)
	}
	want := approval.Settings{SelectiveCodeOwnerRemovals: true}
	if got, err := a.Approvals.Settings(t.Context(), a.web); err != nil || got != want {
		t.Errorf("Settings = %+v, %v, want %+v", got, err, want)
	}
}
