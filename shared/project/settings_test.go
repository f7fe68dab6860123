package project_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
)

var openProtection = project.BranchProtection{
	Push: []project.Role{project.NoRole, project.Developer}, Merge: []project.Role{project.Administrators}, ForcePush: true,
}

func letSet(role project.VariablesRole) project.Edit[project.ProjectSettings] {
	return project.LetSetVariables(func(project.VariablesRole) project.VariablesRole { return role })
}

func TestSettingsAreStoredAsJSON(t *testing.T) {
	const group = `{"default_branch_protection_defaults":{"allowed_to_push":[0,30],"allowed_to_merge":[60],"allow_force_push":true}}`
	if got := project.EncodeSettings(project.GroupSettings{Protection: &openProtection}); got != group {
		t.Errorf("EncodeSettings = %s, want %s", got, group)
	}
	if got := project.EncodeSettings(project.GroupSettings{}) + project.EncodeSettings(project.ProjectSettings{}); got != "" {
		t.Errorf("EncodeSettings of defaults = %s, want nothing", got)
	}
	for text, want := range map[string]project.ProjectSettings{
		"": {}, `{"later":1}`: {},
		`{"ci_pipeline_variables_minimum_override_role":"owner","later":{"a":[1]}}`: {VariablesRole: project.VariablesByOwners},
	} {
		got, err := project.DecodeSettings[project.ProjectSettings](text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("DecodeSettings(%s) = %v (-want +got):\n%s", text, err, diff)
		}
	}
	if _, err := project.DecodeSettings[project.GroupSettings]("["); err == nil {
		t.Error("DecodeSettings of what is no JSON succeeds")
	}
}

func TestSettingsHaveDefaults(t *testing.T) {
	if diff := cmp.Diff(project.FactoryProtection(), project.GroupSettings{}.BranchProtection()); diff != "" {
		t.Errorf("BranchProtection (-want +got):\n%s", diff)
	}
	if got := (project.ProjectSettings{}).OverrideRole(); got != project.VariablesByDevelopers {
		t.Errorf("OverrideRole = %s, want developer", got)
	}
}

// A setting that gets the value of the default is as one that nobody set.
func TestDefaultsAreNotStored(t *testing.T) {
	group := project.GroupSettings{Protection: &openProtection}
	of := project.ProjectSettings{VariablesRole: project.VariablesByOwners}
	err := errors.Join(project.Protect(project.FactoryProtection())(&group), letSet(project.VariablesByDevelopers)(&of))
	if err != nil || group != (project.GroupSettings{}) || of != (project.ProjectSettings{}) {
		t.Errorf("the settings are %+v and %+v, %v, want the defaults", group, of, err)
	}
	for _, p := range []project.BranchProtection{
		{Push: []project.Role{project.Developer}, Merge: []project.Role{project.Maintainer}},
		{Push: []project.Role{project.Maintainer}, Merge: []project.Role{project.Developer}},
		{Push: []project.Role{project.Maintainer}, Merge: []project.Role{project.Maintainer}, ForcePush: true},
		{Push: []project.Role{project.Maintainer}, Merge: []project.Role{project.Maintainer}, InitialPush: true},
		{Push: []project.Role{project.Maintainer}, Merge: []project.Role{project.Maintainer}, CodeOwnerApproval: true},
	} {
		if err := project.Protect(p)(&group); err != nil || !group.BranchProtection().Equal(p) {
			t.Errorf("Protect(%+v) makes it %+v, %v", p, group.BranchProtection(), err)
		}
	}
}

func TestSettingsOfNewThings(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	by := audit.ByUser(ada.ID)
	g := must[project.Group](t)(a.Projects.CreateGroup(t.Context(), by, project.Draft{Name: "Acme", Path: "acme", Visibility: project.Private},
		project.Group{}, project.Protect(openProtection)))
	p := must[project.Project](t)(a.Projects.CreateProject(t.Context(), by, project.ProjectDraft("Web", "web", project.Private), g, letSet(project.VariablesByOwners)))
	if found := must[project.Group](t)(a.Projects.Group(t.Context(), g.ID)); !found.Settings.BranchProtection().Equal(openProtection) {
		t.Errorf("the new group has the settings %+v", found.Settings)
	}
	if found := must[project.Project](t)(a.Projects.Project(t.Context(), p.ID)); found.Settings.VariablesRole != project.VariablesByOwners {
		t.Errorf("the new project has the settings %+v", found.Settings)
	}
}

// All that one request changes is one change and one event in the trail, which names
// what changed.
func TestChangeOfSettings(t *testing.T) {
	a := apptest.New(t)
	g := a.Group("acme", project.Group{}, a.User("ada"), project.Private)
	p := a.Project("web", g, project.Private)
	a.Pass(time.Second)
	by := audit.ByUser(a.User("ben").ID)
	changed := func(details audit.Details, err error) {
		t.Helper()
		all := events(t, a)
		if diff := cmp.Diff(details, all[len(all)-1].Details); err != nil || diff != "" {
			t.Errorf("%v, the event has (-want +got):\n%s", err, diff)
		}
		a.Pass(time.Second)
	}
	g, err := a.Projects.ChangeGroup(t.Context(), by, g, project.Change{Name: new("Acme Corp")}, project.Protect(openProtection))
	changed(audit.Details{"in": "acme", "visibility": "private", "changed": "name, default_branch_protection_defaults"}, err)
	p, err = a.Projects.ChangeProject(t.Context(), by, p, project.Change{}, letSet(project.VariablesByNobody))
	changed(audit.Details{"in": "acme/web", "visibility": "private", "changed": "ci_pipeline_variables_minimum_override_role"}, err)
	before := len(events(t, a))
	p, err = a.Projects.ChangeProject(t.Context(), by, p, project.Change{}, letSet(project.VariablesByNobody))
	if got := len(events(t, a)); err != nil || got != before {
		t.Errorf("a change to the same is %v and in the trail %d times", err, got-before)
	}
	stored := must[project.Group](t)(a.Projects.Group(t.Context(), g.ID))
	if diff := cmp.Diff(g, stored); diff != "" {
		t.Errorf("ChangeGroup returns what is not stored (-stored +returned):\n%s", diff)
	}
	if diff := cmp.Diff(p, must[project.Project](t)(a.Projects.Project(t.Context(), p.ID))); diff != "" {
		t.Errorf("ChangeProject returns what is not stored:\n%s", diff)
	}
}

func TestRefusedEditsChangeNothing(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	by := audit.ByUser(ada.ID)
	g := a.Group("acme", project.Group{}, ada, project.Private)
	p := a.Project("web", g, project.Private)
	complain := func(*project.ProjectSettings) error { return fault.Field("mirror", "is odd") }
	down := errors.New("no key")
	blank := project.Change{Name: new("")}
	_, err := a.Projects.ChangeProject(t.Context(), by, p, blank, letSet(project.VariablesByOwners), complain)
	if diff := cmp.Diff(fault.Fields{"name": {"can't be blank"}, "mirror": {"is odd"}}, apptest.Complaints(err)); diff != "" {
		t.Errorf("ChangeProject complains (-want +got):\n%s", diff)
	}
	_, err = a.Projects.CreateProject(t.Context(), by, project.ProjectDraft("", "api?", project.Private), g, complain)
	if got := apptest.Complaints(err); len(got["path"]) == 0 || len(got["mirror"]) == 0 {
		t.Errorf("CreateProject complains of %v, want the path and the mirror", got)
	}
	_, err = a.Projects.ChangeGroup(t.Context(), by, g, blank, func(*project.GroupSettings) error { return down })
	if !errors.Is(err, down) {
		t.Errorf("ChangeGroup = %v, want the error of the edit", err)
	}
	if found := must[project.Project](t)(a.Projects.Project(t.Context(), p.ID)); found.Version != p.Version {
		t.Errorf("the project is %+v, want it unchanged", found)
	}
}
