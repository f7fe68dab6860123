package project_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
)

func TestProjectDraft(t *testing.T) {
	tests := map[[2]string][2]string{
		{"Web shop", ""}:       {"Web shop", "web-shop"},
		{"", "Web.Shop"}:       {"Web.Shop", "Web.Shop"},
		{"A", "b"}:             {"A", "b"},
		{"  C++ & Go!  ", ""}:  {"  C++ & Go!  ", "c-go"},
		{"...v1.2...", ""}:     {"...v1.2...", "v1.2"},
		{"snake_case_", ""}:    {"snake_case_", "snake_case_"},
		{"Füße", ""}:           {"Füße", "f-e"},
		{"世界", ""}:             {"世界", ""},
		{"Error tracking", ""}: {"Error tracking", "error-tracking"},
		{"", ""}:               {"", ""},
	}
	for in, want := range tests {
		d := project.ProjectDraft(in[0], in[1], project.Private)
		if got := [2]string{d.Name, d.Path}; got != want {
			t.Errorf("ProjectDraft(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestGroupsNestUpToALimit(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	g := a.Group("top", project.Group{}, ada, project.Private)
	for i := range 19 {
		g = a.Group(fmt.Sprintf("g%d", i), g, ada, project.Private)
	}
	_, err := a.Projects.CreateGroup(t.Context(), audit.ByUser(ada.ID), project.Draft{Name: "x", Path: "x", Visibility: project.Private}, g)
	if diff := cmp.Diff(fault.Fields{"parent_id": {"is nested too deeply"}}, apptest.Complaints(err)); diff != "" {
		t.Errorf("complaints differ (-want +got):\n%s", diff)
	}
	if found, err := a.Projects.FindGroup(t.Context(), g.FullPath); err != nil || found.ID != g.ID || len(found.Lineage()) != 20 {
		t.Errorf("FindGroup(%q) = %+v, %v", g.FullPath, found, err)
	}
}

// Groups with longer full paths, which were made before there was a limit, go on.
func TestFullPathsHaveALimit(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	g := a.Group(strings.Repeat("a", 240), project.Group{}, ada, project.Private)
	for range 2 {
		g = a.Group(strings.Repeat("b", 240), g, ada, project.Private)
	}
	g = a.Group(strings.Repeat("e", 155), g, ada, project.Private)
	rest := 1024 - len(g.FullPath+"/")
	by := audit.ByUser(ada.ID)
	draft := func(length int) project.Draft {
		path := strings.Repeat("c", length)
		return project.Draft{Name: path, Path: path, Visibility: project.Private}
	}
	tooLong := fault.Fields{"path": {"makes the full path too long (maximum is 1024 characters)"}}
	_, err := a.Projects.CreateGroup(t.Context(), by, draft(rest+1), g)
	if diff := cmp.Diff(tooLong, apptest.Complaints(err)); diff != "" {
		t.Errorf("CreateGroup (-want +got):\n%s", diff)
	}
	_, err = a.Projects.CreateProject(t.Context(), by, draft(rest+1), g)
	if diff := cmp.Diff(tooLong, apptest.Complaints(err)); diff != "" {
		t.Errorf("CreateProject (-want +got):\n%s", diff)
	}
	p, err := a.Projects.CreateProject(t.Context(), by, draft(rest), g)
	if err != nil || len(p.FullPath) != 1024 {
		t.Errorf("CreateProject = a full path of %d, %v, want one of 1024 characters", len(p.FullPath), err)
	}
	older := project.Group{
		ParentID: g.ID, Ancestors: g.Lineage(), Name: "older", Path: strings.Repeat("d", 255),
		FullPath: g.FullPath + "/" + strings.Repeat("d", 255) + "/older", Visibility: project.Private, CreatedAt: a.Now(),
	}
	if older, err = a.Store.CreateGroup(t.Context(), older, ada.ID); err != nil {
		t.Fatal(err)
	}
	name := "Renamed"
	if _, err := a.Projects.ChangeGroup(t.Context(), by, older, project.Change{Name: &name}); err != nil {
		t.Errorf("ChangeGroup with a longer full path = %v", err)
	}
	if found, err := a.Projects.FindGroup(t.Context(), older.FullPath); err != nil || found.ID != older.ID {
		t.Errorf("FindGroup of a longer full path = %d, %v, want %d", found.ID, err, older.ID)
	}
}

func TestReferences(t *testing.T) {
	a := apptest.New(t)
	g := a.Group("acme", project.Group{}, a.User("ada"), project.Private)
	p := a.Project("web", g, project.Private)
	for reference, want := range map[string]int64{
		fmt.Sprint(p.ID): p.ID, "acme/web": p.ID, "ACME/Web": p.ID,
		"web": 0, "acme": 0, "acme/web/": 0, "/acme/web": 0, "": 0, "0": 0, "-1": 0, "acme/web\x00": 0, "\xff": 0,
		"99999999999999999999": 0,
	} {
		found, err := a.Projects.FindProject(t.Context(), reference)
		if found.ID != want || (want == 0) != fault.Is(err, fault.NotFound) {
			t.Errorf("FindProject(%q) = %d, %v, want %d", reference, found.ID, err, want)
		}
	}
}

// What is in a group is never seen by more people than the group.
func TestGroupsStayAsWideAsWhatIsInThem(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	top := a.Group("top", project.Group{}, ada, project.Public)
	team := a.Group("team", top, ada, project.Public)
	a.Project("web", team, project.Internal)
	tests := []struct {
		name   string
		group  *project.Group
		change project.Change
		want   fault.Fields
	}{
		{"to the width of a group below", &top, project.Change{Visibility: new(project.Public)}, nil},
		{"below that of a group", &top, project.Change{Visibility: new(project.Internal)},
			fault.Fields{"visibility": {"is narrower than that of something in the group (public)"}}},
		{"to the width of a project", &team, project.Change{Visibility: new(project.Internal)}, nil},
		{"below that of a project", &team, project.Change{Visibility: new(project.Private), Name: new("")},
			fault.Fields{"visibility": {"is narrower than that of something in the group (internal)"}, "name": {"can't be blank"}}},
		{"once the group below is narrower", &top, project.Change{Visibility: new(project.Internal)}, nil},
		{"below that of a project further down", &top, project.Change{Visibility: new(project.Private)},
			fault.Fields{"visibility": {"is narrower than that of something in the group (internal)"}}},
		{"not at all", &top, project.Change{Name: new("Top")}, nil},
		{"wider", &top, project.Change{Visibility: new(project.Public)}, nil},
	}
	for _, test := range tests {
		changed, err := a.Projects.ChangeGroup(t.Context(), audit.Setup, *test.group, test.change)
		if diff := cmp.Diff(test.want, apptest.Complaints(err)); diff != "" {
			t.Errorf("%s: complaints differ (-want +got):\n%s", test.name, diff)
		}
		if err == nil {
			*test.group = changed
		}
	}
}

func TestProjectsAreNoWiderThanTheirGroup(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	acme, own := a.Group("acme", project.Group{}, ada, project.Internal), a.Namespace(ada)
	tests := []struct {
		name      string
		namespace project.Group
		v         project.Visibility
		valid     bool
	}{
		{"narrower", acme, project.Private, true},
		{"as wide", acme, project.Internal, true},
		{"wider", acme, project.Public, false},
		{"any-of-a-user", own, project.Public, true},
	}
	for _, test := range tests {
		draft := project.ProjectDraft(test.name, "", project.Private)
		p, err := a.Projects.CreateProject(t.Context(), audit.Setup, draft, test.namespace)
		if err != nil {
			t.Fatal(err)
		}
		_, changeErr := a.Projects.ChangeProject(t.Context(), audit.Setup, p, project.Change{Visibility: new(test.v)})
		draft = project.ProjectDraft("another-"+test.name, "", test.v)
		_, createErr := a.Projects.CreateProject(t.Context(), audit.Setup, draft, test.namespace)
		for what, err := range map[string]error{"created": createErr, "changed": changeErr} {
			if got := apptest.Complaints(err)["visibility"] == nil; got != test.valid || (err == nil) != test.valid {
				t.Errorf("%s: %s with %v, want success %v", test.name, what, err, test.valid)
			}
		}
	}
}

func TestPathsArePermanent(t *testing.T) {
	a := apptest.New(t)
	p := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	p, err := a.Projects.ChangeProject(t.Context(), audit.Setup, p, project.Change{Path: new(p.Path)})
	if err != nil {
		t.Errorf("ChangeProject() to the present path = %v, want no error", err)
	}
	_, err = a.Projects.ChangeProject(t.Context(), audit.Setup, p, project.Change{Path: new("other")})
	if diff := cmp.Diff(fault.Fields{"path": {"cannot be changed"}}, apptest.Complaints(err)); diff != "" {
		t.Errorf("complaints differ (-want +got):\n%s", diff)
	}
}

func TestChangedGroupCanBeChangedAgain(t *testing.T) {
	a := apptest.New(t)
	g := a.Group("acme", project.Group{}, a.User("ada"), project.Private)
	for _, name := range []string{"first", "second"} {
		var err error
		if g, err = a.Projects.ChangeGroup(t.Context(), audit.Setup, g, project.Change{Name: new(name)}); err != nil {
			t.Errorf("ChangeGroup() to %s = %v, want no error", name, err)
		}
	}
}

// Somebody who read the project before it changed does not undo the change.
func TestChangesDoNotOverwriteEachOther(t *testing.T) {
	a := apptest.New(t)
	p := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	changed, err := a.Projects.ChangeProject(t.Context(), audit.Setup, p, project.Change{Name: new("first")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Projects.ChangeProject(t.Context(), audit.Setup, p, project.Change{Name: new("second")}); !fault.Is(err, fault.Conflict) {
		t.Errorf("ChangeProject() of a stale project = %v, want a conflict", err)
	}
	if _, err := a.Projects.ChangeProject(t.Context(), audit.Setup, changed, project.Change{Name: new("third")}); err != nil {
		t.Errorf("ChangeProject() of what the last change returned = %v, want no error", err)
	}
}

// fixed is a policy that nobody changes.
type fixed project.Policy

func (f fixed) Policy(context.Context) (project.Policy, error) { return project.Policy(f), nil }

// Below a group nobody chooses more than the group has; a user's own namespace narrows nothing.
func TestVisibilityThatNobodyChose(t *testing.T) {
	t.Parallel()
	closed, open := project.Group{ID: 1, Visibility: project.Private}, project.Group{ID: 2, Visibility: project.Public}
	own := project.Group{ID: 3, OwnerID: 1, Visibility: project.Private}
	for _, test := range []struct {
		policy         project.Visibility
		in             project.Group
		group, project project.Visibility
	}{
		{"", project.Group{}, project.Private, project.Private},
		{"", open, project.Private, project.Private},
		{project.Internal, project.Group{}, project.Internal, project.Internal},
		{project.Internal, closed, project.Private, project.Private},
		{project.Internal, open, project.Internal, project.Internal},
		{project.Public, own, project.Public, project.Public},
	} {
		p := project.Policy{GroupVisibility: test.policy, ProjectVisibility: test.policy}
		if g, of := p.VisibilityOfGroup(test.in), p.VisibilityOfProject(test.in); g != test.group || of != test.project {
			t.Errorf("with %q in %+v: group %q and project %q, want %q and %q", test.policy, test.in, g, of, test.group, test.project)
		}
	}
}

func TestWhoMakesTopLevelGroups(t *testing.T) {
	a := apptest.New(t)
	root, ada := a.Admin("root"), a.User("ada")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	asAda, bound := audit.Actor{ID: root.ID, UserID: ada.ID}, audit.Actor{ID: root.ID, UserID: root.ID, Bound: true}
	tests := []struct {
		name       string
		by         audit.Actor
		switchedTo project.TopLevel
		parent     project.Group
		refused    bool
	}{
		{"a user", audit.ByUser(ada.ID), project.TopLevelByEverybody, project.Group{}, false},
		{"a user, by administrators", audit.ByUser(ada.ID), project.TopLevelByAdministrators, project.Group{}, true},
		{"a user below a group, by administrators", audit.ByUser(ada.ID), project.TopLevelByAdministrators, acme, false},
		{"an administrator", audit.ByUser(root.ID), project.TopLevelByAdministrators, project.Group{}, false},
		{"an administrator's token without the rights", bound, project.TopLevelByAdministrators, project.Group{}, true},
		{"an administrator in the name of a user", asAda, project.TopLevelByAdministrators, project.Group{}, true},
	}
	for n, test := range tests {
		rules := project.NewRules(a.Store, audit.NewTrail(a.Store, a.Now), nil, fixed{TopLevel: test.switchedTo}, a.Now)
		path := fmt.Sprintf("team-%d", n)
		_, err := rules.CreateGroup(t.Context(), test.by, project.Draft{Name: path, Path: path, Visibility: project.Private}, test.parent)
		if fault.Is(err, fault.Forbidden) != test.refused || (err != nil) != test.refused {
			t.Errorf("%s: CreateGroup = %v, want it refused: %t", test.name, err, test.refused)
		}
	}
}

// full is a store in which every user has made the most top-level groups.
type full struct{ project.Store }

func (full) CreateGroupWithin(_ context.Context, most int, _ project.Group, _ int64) (project.Group, error) {
	if most != project.MaxTopLevelGroups {
		return project.Group{}, errors.New("another limit")
	}
	return project.Group{}, project.ErrTooManyGroups
}

func TestOnlyTopLevelGroupsHaveALimit(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	rules := project.NewRules(full{a.Store}, audit.NewTrail(a.Store, a.Now), nil, fixed{}, a.Now)
	draft := project.Draft{Name: "Team", Path: "team", Visibility: project.Private}
	if _, err := rules.CreateGroup(t.Context(), audit.ByUser(ada.ID), draft, project.Group{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("CreateGroup at the top = %v, want a conflict", err)
	}
	if _, err := rules.CreateGroup(t.Context(), audit.ByUser(ada.ID), draft, acme); err != nil {
		t.Errorf("CreateGroup below a group = %v", err)
	}
}

func TestReservedWordsBindTheTopAlone(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	draft := project.Draft{Name: "Help", Path: "Help", Visibility: project.Private}
	_, err := a.Projects.CreateGroup(t.Context(), audit.ByUser(ada.ID), draft, project.Group{})
	if diff := cmp.Diff(fault.Fields{"path": {"is a reserved name"}}, apptest.Complaints(err)); diff != "" {
		t.Errorf("CreateGroup at the top (-want +got):\n%s", diff)
	}
	if _, err := a.Projects.CreateGroup(t.Context(), audit.ByUser(ada.ID), draft, acme); err != nil {
		t.Errorf("CreateGroup below a group = %v", err)
	}
}
