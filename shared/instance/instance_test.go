package instance_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/instance"
	"gatehouse/shared/project"
)

var byDevelopers = project.BranchProtection{Push: []project.Role{project.Developer}, Merge: []project.Role{project.Administrators}, ForcePush: true}

func wantSettings(t *testing.T, a *apptest.App, want instance.Settings) {
	t.Helper()
	got, err := a.Instance.Settings(t.Context())
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Settings = %v, differ (-want +got):\n%s", err, diff)
	}
}

// changes returns what the trail says of each change, the newest first.
func changes(t *testing.T, a *apptest.App) (all []audit.Details) {
	t.Helper()
	found, err := a.Trail.Entries(t.Context(), audit.Filter{Everybody: true, Name: instance.EventChanged, From: a.Now().AddDate(0, 0, -1), Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found.Entries {
		all = append(all, e.Details)
	}
	return all
}

func TestSettingsChange(t *testing.T) {
	a := apptest.New(t)
	by := audit.ByUser(a.Admin("root").ID)
	wantSettings(t, a, instance.Settings{})
	for _, p := range []project.BranchProtection{byDevelopers, byDevelopers, project.FactoryProtection()} {
		want := instance.Settings{}
		if err := project.Protect(p)(&want.NewGroups); err != nil {
			t.Fatal(err)
		}
		got, err := a.Instance.Change(t.Context(), by, project.Protect(p))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Change = %v, differs (-want +got):\n%s", err, diff)
		}
		wantSettings(t, a, want)
		a.Pass(time.Second)
	}
	changed := audit.Details{"changed": "default_branch_protection_defaults"}
	if diff := cmp.Diff([]audit.Details{changed, changed}, changes(t, a)); diff != "" {
		t.Errorf("the trail has, without the change to the same (-want +got):\n%s", diff)
	}
}

func TestRefusedChangeOfSettings(t *testing.T) {
	a := apptest.New(t)
	refusal := errors.New("no")
	_, err := a.Instance.Change(t.Context(), audit.ByUser(a.Admin("root").ID), project.Protect(byDevelopers), func(*project.GroupSettings) error { return refusal })
	if !errors.Is(err, refusal) {
		t.Errorf("Change = %v, want the refusal", err)
	}
	wantSettings(t, a, instance.Settings{})
}

func TestNewGroupsBeginWithTheSettings(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	settings, err := a.Instance.Change(t.Context(), audit.Setup, project.Protect(byDevelopers))
	if err != nil {
		t.Fatal(err)
	}
	draft := project.Draft{Name: "Acme", Path: "acme", Visibility: project.Private}
	g, err := a.Projects.CreateGroup(t.Context(), audit.ByUser(ada.ID), draft, project.Group{}, settings.OfNewGroup())
	if err != nil || !g.Settings.BranchProtection().Equal(byDevelopers) {
		t.Errorf("CreateGroup = %+v, %v, want the protection of the instance", g, err)
	}
}
