package storagetest

import (
	"strings"
	"testing"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
)

var projects = []promise{
	{"are created and read back", createProject},
	{"are read by their ids", projectsByID},
	{"never share a path", takenProjectPath},
	{"need a namespace that exists", projectWithoutNamespace},
	{"change", updateProject},
	{"have settings", projectSettings},
	{"changed by many at once change once", updateProjectRace},
	{"are removed with their members", deleteProject},
}

func createProject(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	g := addGroup(t, s, creator.ID)
	inGroup := addProject(t, s, addSubgroup(t, s, g, creator.ID))
	own := addProject(t, s, namespaceOf(t, s, creator))
	if inGroup.ID <= 0 || own.ID <= inGroup.ID {
		t.Errorf("CreateProject gave ids %d then %d, want them to rise", inGroup.ID, own.ID)
	}
	for _, want := range []project.Project{inGroup, own} {
		wantProject(t, s, want)
	}
	_, err := s.Project(t.Context(), unknownID)
	wantError(t, "Project of an unknown id", err, project.ErrNotFound)
	for _, path := range []string{"", own.Path, g.FullPath, own.FullPath + "/"} {
		_, err = s.ProjectByPath(t.Context(), path)
		wantError(t, "ProjectByPath("+path+")", err, project.ErrNotFound)
	}
	_, err = s.GroupByPath(t.Context(), own.FullPath)
	wantError(t, "GroupByPath of a project", err, project.ErrGroupNotFound)
}

func projectsByID(t *testing.T, s storage.Store) {
	g := addGroup(t, s, addUser(t, s).ID)
	web, mail := addProject(t, s, g), addProject(t, s, g)
	addProject(t, s, g)
	got := must[map[int64]project.Project](t)(s.ProjectsByID(t.Context(), []int64{mail.ID, unknownID, web.ID, mail.ID}))
	wantSame(t, "ProjectsByID", got, map[int64]project.Project{web.ID: web, mail.ID: mail})
	wantSame(t, "ProjectsByID of none", must[map[int64]project.Project](t)(s.ProjectsByID(t.Context(), nil)), map[int64]project.Project{})
}

// wantProject reads the project in every way.
func wantProject(t *testing.T, s storage.Store, want project.Project) {
	t.Helper()
	wantSame(t, "Project", must[project.Project](t)(s.Project(t.Context(), want.ID)), want)
	for _, path := range []string{want.FullPath, strings.ToUpper(want.FullPath), strings.ToLower(want.FullPath)} {
		wantSame(t, "ProjectByPath", must[project.Project](t)(s.ProjectByPath(t.Context(), path)), want)
	}
}

func takenProjectPath(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	g := addGroup(t, s, creator.ID)
	below, taken := addSubgroup(t, s, g, creator.ID), addProject(t, s, g)
	for name, path := range map[string]string{
		"of a project": strings.ToUpper(taken.Path),
		"of a group":   strings.ToLower(below.Path),
	} {
		_, err := s.CreateProject(t.Context(), projectAt(g, path))
		wantTaken(t, "CreateProject with the path "+name, err, "path")
	}
	wantProject(t, s, taken)
	_, err := s.CreateProject(t.Context(), projectAt(below, taken.Path))
	wantOK(t, "CreateProject with a known path in another place", err)
}

func projectAt(namespace project.Group, path string) project.Project {
	p := newProject(namespace)
	p.Path, p.FullPath = path, namespace.FullPath+"/"+path
	return p
}

func projectWithoutNamespace(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	g := addGroup(t, s, creator.ID)
	wantOK(t, "DeleteGroup", s.DeleteGroup(t.Context(), g.ID, now))
	p := newProject(g)
	_, err := s.CreateProject(t.Context(), p)
	wantError(t, "CreateProject in a group that is gone", err, project.ErrGroupNotFound)
	_, err = s.ProjectByPath(t.Context(), p.FullPath)
	wantError(t, "ProjectByPath of the refused project", err, project.ErrNotFound)
}

func updateProject(t *testing.T, s storage.Store) {
	want := addProject(t, s, addGroup(t, s, addUser(t, s).ID))
	changed := want
	changed.Name, changed.Visibility = "Another name", project.Internal
	changed.Path, changed.FullPath, changed.CreatedAt = "elsewhere", "else/where", now.Add(time.Hour)
	wantOK(t, "UpdateProject", s.UpdateProject(t.Context(), changed))
	want.Name, want.Visibility = changed.Name, changed.Visibility
	want.Version++
	wantProject(t, s, want)

	wantError(t, "UpdateProject of an old version", s.UpdateProject(t.Context(), changed), project.ErrChanged)
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), want.ID))
	wantError(t, "UpdateProject of a project that is gone", s.UpdateProject(t.Context(), want), project.ErrNotFound)
}

func projectSettings(t *testing.T, s storage.Store) {
	g := addGroup(t, s, addUser(t, s).ID)
	p := newProject(g)
	p.Settings.VariablesRole = project.VariablesByOwners
	p = must[project.Project](t)(s.CreateProject(t.Context(), p))
	wantProject(t, s, p)
	for _, p.Settings = range []project.ProjectSettings{{VariablesRole: project.VariablesByNobody}, {}} {
		wantOK(t, "UpdateProject", s.UpdateProject(t.Context(), p))
		p.Version++
		wantProject(t, s, p)
		wantSame(t, "ProjectsByID", must[map[int64]project.Project](t)(s.ProjectsByID(t.Context(), []int64{p.ID})), map[int64]project.Project{p.ID: p})
		found := must[page.Of[project.Project]](t)(s.Projects(t.Context(), project.Selection{MembersOnly: true, In: []int64{g.ID}}, page.First))
		wantSame(t, "Projects", found.Items, []project.Project{p})
	}
}

func updateProjectRace(t *testing.T, s storage.Store) {
	p := addProject(t, s, addGroup(t, s, addUser(t, s).ID))
	errs := race(8, func(int) error { return s.UpdateProject(t.Context(), p) })
	wantOneWinner(t, "UpdateProject", errs, is(project.ErrChanged))
	p.Version++
	wantProject(t, s, p)
}

func deleteProject(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	g := addGroup(t, s, addUser(t, s).ID)
	p := addProject(t, s, g)
	addMember(t, s, p.Place(), u.ID, project.Developer)
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), p.ID))

	_, err := s.Project(t.Context(), p.ID)
	wantError(t, "Project", err, project.ErrNotFound)
	_, err = s.ProjectByPath(t.Context(), p.FullPath)
	wantError(t, "ProjectByPath", err, project.ErrNotFound)
	wantError(t, "DeleteProject again", s.DeleteProject(t.Context(), p.ID), project.ErrNotFound)
	wantSame(t, "Members", allMembers(t, s, p.Place()), []project.Member{})
	memberships := must[project.Memberships](t)(s.SomeMemberships(t.Context(), u.ID, 100))
	wantSame(t, "Memberships", memberships, project.Memberships{})

	again := must[project.Project](t)(s.CreateProject(t.Context(), projectAt(g, p.Path)))
	if again.ID <= p.ID {
		t.Errorf("CreateProject gave id %d after project %d was removed, want a higher one", again.ID, p.ID)
	}
}
