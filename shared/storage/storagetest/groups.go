package storagetest

import (
	"strings"
	"testing"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
)

var groups = []promise{
	{"are created and read back", createGroup},
	{"are read by their ids", groupsByID},
	{"are read with the newest below them", groupsIn},
	{"belong to their creator", groupCreator},
	{"never share a path", takenGroupPath},
	{"need a parent that exists", groupWithoutParent},
	{"that are refused leave nothing behind", refusedGroup},
	{"racing for a path get it once", raceForGroupPath},
	{"change", updateGroup},
	{"have settings", groupSettings},
	{"changed by many at once change once", updateGroupRace},
	{"know the widest visibility below them", widestBelow},
	{"are removed with their members", deleteGroup},
	{"stay while they hold something", deleteFullGroup},
	{"are removed or get a project, never both", raceDeleteGroup(addingProject)},
	{"are removed or get a group, never both", raceDeleteGroup(addingSubgroup)},
}

func createGroup(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	top := addGroup(t, s, creator.ID)
	below := addSubgroup(t, s, top, creator.ID)
	deep := addSubgroup(t, s, below, creator.ID)
	if top.ID <= creator.NamespaceID || below.ID <= top.ID || deep.ID <= below.ID {
		t.Errorf("ids %d, %d, %d, %d, want them to rise", creator.NamespaceID, top.ID, below.ID, deep.ID)
	}
	for _, want := range []project.Group{top, below, deep} {
		wantGroup(t, s, want)
	}
	_, err := s.Group(t.Context(), unknownID)
	wantError(t, "Group of an unknown id", err, project.ErrGroupNotFound)
	for _, path := range []string{"", unique("nothing"), below.Path, top.FullPath + "/", "/" + top.FullPath} {
		_, err = s.GroupByPath(t.Context(), path)
		wantError(t, "GroupByPath("+path+")", err, project.ErrGroupNotFound)
	}
}

func groupsByID(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	top, own := addGroup(t, s, creator.ID), namespaceOf(t, s, creator)
	below := addSubgroup(t, s, top, creator.ID)
	got := must[map[int64]project.Group](t)(s.GroupsByID(t.Context(), []int64{below.ID, unknownID, own.ID, top.ID, below.ID}))
	wantSame(t, "GroupsByID", got, map[int64]project.Group{top.ID: top, below.ID: below, own.ID: own})
	wantSame(t, "GroupsByID of none", must[map[int64]project.Group](t)(s.GroupsByID(t.Context(), nil)), map[int64]project.Group{})
}

func groupsIn(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	top, own, lone := addGroup(t, s, creator.ID), namespaceOf(t, s, creator), addGroup(t, s, creator.ID)
	first := addSubgroup(t, s, top, creator.ID)
	second, deep := addSubgroup(t, s, top, creator.ID), addSubgroup(t, s, first, creator.ID)
	addProject(t, s, lone)
	deep.Visibility = project.Public
	first.Visibility, top.Visibility = project.Public, project.Public
	for _, g := range []*project.Group{&top, &first, &deep} {
		wantOK(t, "UpdateGroup", s.UpdateGroup(t.Context(), *g))
		g.Version++
	}
	tests := []struct {
		name string
		in   []project.Group
		most int
		want []project.Group
		more bool
	}{
		{"none", nil, 3, nil, false},
		{"a group without others", []project.Group{lone}, 1, []project.Group{lone}, false},
		{"a user's namespace", []project.Group{own}, 3, []project.Group{own}, false},
		{"a group with others", []project.Group{top}, 4, []project.Group{top, first, second, deep}, false},
		{"the newest of them", []project.Group{top}, 3, []project.Group{top, second, deep}, true},
		{"no others", []project.Group{top}, 1, []project.Group{top}, true},
		{"one in the other", []project.Group{top, first, lone}, 5, []project.Group{top, first, second, deep, lone}, false},
		{"one in the other, and the newest of others", []project.Group{top, first, lone}, 4, []project.Group{top, first, deep, lone}, true},
		{"two beside each other", []project.Group{first, second}, 9, []project.Group{first, second, deep}, false},
	}
	for _, test := range tests {
		ids, want := []int64{}, map[int64]project.Group{}
		for _, g := range test.in {
			ids = append(ids, g.ID)
		}
		for _, g := range test.want {
			want[g.ID] = g
		}
		got, more, err := s.GroupsIn(t.Context(), append(ids, unknownID), test.most)
		wantOK(t, "GroupsIn "+test.name, err)
		wantSame(t, "GroupsIn "+test.name, got, want)
		if more != test.more {
			t.Errorf("GroupsIn %s: more is %t, want %t", test.name, more, test.more)
		}
	}
}

// wantGroup reads the group in every way.
func wantGroup(t *testing.T, s storage.Store, want project.Group) {
	t.Helper()
	wantSame(t, "Group", must[project.Group](t)(s.Group(t.Context(), want.ID)), want)
	for _, path := range []string{want.FullPath, strings.ToUpper(want.FullPath), strings.ToLower(want.FullPath)} {
		wantSame(t, "GroupByPath", must[project.Group](t)(s.GroupByPath(t.Context(), path)), want)
	}
}

func groupCreator(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	g := addGroup(t, s, creator.ID)
	got := allMembers(t, s, g.Place())
	if len(got) != 1 || got[0].UserID != creator.ID || got[0].Role != project.Owner || !got[0].ExpiresAt.IsZero() {
		t.Fatalf("Members of a new group = %+v, want its creator as owner for good", got)
	}
	memberships := must[project.Memberships](t)(s.SomeMemberships(t.Context(), creator.ID, 100))
	wantSame(t, "Memberships", memberships, project.Memberships{got[0]})
}

func takenGroupPath(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	top := addGroup(t, s, creator.ID)
	below, p := addSubgroup(t, s, top, creator.ID), addProject(t, s, top)
	tests := map[string]struct {
		parent project.Group
		path   string
	}{
		"of a user":        {project.Group{}, strings.ToLower(creator.Username)},
		"of a group":       {project.Group{}, strings.ToUpper(top.Path)},
		"of a group below": {top, strings.ToUpper(below.Path)},
		"of a project":     {top, strings.ToLower(p.Path)},
	}
	for name, test := range tests {
		_, err := s.CreateGroup(t.Context(), groupAt(test.parent, test.path), creator.ID)
		wantTaken(t, "CreateGroup with the path "+name, err, "path")
	}
	_, err := s.CreateGroup(t.Context(), groupAt(below, below.Path), creator.ID)
	wantOK(t, "CreateGroup with a known path in another place", err)
}

func groupAt(parent project.Group, path string) project.Group {
	g := newGroup()
	g.Path, g.FullPath = path, path
	if parent.ID != 0 {
		g.ParentID, g.Ancestors, g.FullPath = parent.ID, parent.Lineage(), parent.FullPath+"/"+path
	}
	return g
}

func groupWithoutParent(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	parent := addGroup(t, s, creator.ID)
	wantOK(t, "DeleteGroup", s.DeleteGroup(t.Context(), parent.ID, now))
	g := newSubgroup(parent)
	_, err := s.CreateGroup(t.Context(), g, creator.ID)
	wantError(t, "CreateGroup below a group that is gone", err, project.ErrGroupNotFound)
	_, err = s.GroupByPath(t.Context(), g.FullPath)
	wantError(t, "GroupByPath of the refused group", err, project.ErrGroupNotFound)
}

func refusedGroup(t *testing.T, s storage.Store) {
	creator, other := addUser(t, s), addUser(t, s)
	taken := addGroup(t, s, creator.ID)
	_, err := s.CreateGroup(t.Context(), groupAt(project.Group{}, taken.Path), other.ID)
	wantTaken(t, "CreateGroup", err, "path")
	memberships := must[project.Memberships](t)(s.SomeMemberships(t.Context(), other.ID, 100))
	wantSame(t, "Memberships of the refused creator", memberships, project.Memberships{})
	wantGroup(t, s, taken)
}

func raceForGroupPath(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	parent, path := addGroup(t, s, creator.ID), unique("Racer")
	errs := race(8, func(i int) error {
		if i%2 == 0 {
			_, err := s.CreateGroup(t.Context(), groupAt(parent, path), creator.ID)
			return err
		}
		p := newProject(parent)
		p.Path, p.FullPath = strings.ToUpper(path), parent.FullPath+"/"+strings.ToUpper(path)
		_, err := s.CreateProject(t.Context(), p)
		return err
	})
	wantOneWinner(t, "CreateGroup and CreateProject", errs, isTaken("path"))
}

func updateGroup(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	want := addSubgroup(t, s, addGroup(t, s, creator.ID), creator.ID)
	changed := want
	changed.Name, changed.Visibility = "Another name", project.Public
	changed.Path, changed.FullPath, changed.CreatedAt = "elsewhere", "elsewhere", now.Add(time.Hour)
	wantOK(t, "UpdateGroup", s.UpdateGroup(t.Context(), changed))
	want.Name, want.Visibility = changed.Name, changed.Visibility
	want.Version++
	wantGroup(t, s, want)

	wantError(t, "UpdateGroup of an old version", s.UpdateGroup(t.Context(), changed), project.ErrGroupChanged)
	wantOK(t, "DeleteGroup", s.DeleteGroup(t.Context(), want.ID, now))
	wantError(t, "UpdateGroup of a group that is gone", s.UpdateGroup(t.Context(), want), project.ErrGroupNotFound)
}

func groupSettings(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	g := newSubgroup(addGroup(t, s, creator.ID))
	g.Settings.Protection = &project.BranchProtection{Push: []project.Role{project.NoRole, project.Developer}, Merge: []project.Role{}, ForcePush: true}
	g = must[project.Group](t)(s.CreateGroup(t.Context(), g, creator.ID))
	wantGroup(t, s, g)
	g.Settings.Protection = &project.BranchProtection{Push: []project.Role{}, Merge: []project.Role{project.Administrators}, InitialPush: true, CodeOwnerApproval: true}
	for _, g.Settings = range []project.GroupSettings{g.Settings, {}} {
		wantOK(t, "UpdateGroup", s.UpdateGroup(t.Context(), g))
		g.Version++
		wantGroup(t, s, g)
		wantSame(t, "GroupsByID", must[map[int64]project.Group](t)(s.GroupsByID(t.Context(), []int64{g.ID})), map[int64]project.Group{g.ID: g})
		found := must[page.Of[project.Group]](t)(s.Groups(t.Context(), project.Selection{MembersOnly: true, In: []int64{g.ID}}, page.First))
		wantSame(t, "Groups", found.Items, []project.Group{g})
	}
}

func updateGroupRace(t *testing.T, s storage.Store) {
	g := addGroup(t, s, addUser(t, s).ID)
	errs := race(8, func(int) error { return s.UpdateGroup(t.Context(), g) })
	wantOneWinner(t, "UpdateGroup", errs, is(project.ErrGroupChanged))
	g.Version++
	wantGroup(t, s, g)
}

func widestBelow(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	top := addGroup(t, s, creator.ID)
	team, other := addSubgroup(t, s, top, creator.ID), addSubgroup(t, s, top, creator.ID)
	deep := addSubgroup(t, s, team, creator.ID)
	wantWidest := func(g project.Group, want project.Visibility) {
		t.Helper()
		if got := must[project.Visibility](t)(s.WidestBelow(t.Context(), g.ID)); got != want {
			t.Errorf("WidestBelow of %s = %s, want %s", g.FullPath, got, want)
		}
	}
	wantWidest(top, project.Private)
	wantWidest(deep, project.Private)

	deep.Visibility = project.Internal
	wantOK(t, "UpdateGroup", s.UpdateGroup(t.Context(), deep))
	wantWidest(top, project.Internal)
	wantWidest(team, project.Internal)
	wantWidest(deep, project.Private) // not its own
	wantWidest(other, project.Private)

	p := addProject(t, s, deep)
	p.Visibility = project.Public
	wantOK(t, "UpdateProject", s.UpdateProject(t.Context(), p))
	wantWidest(top, project.Public)
	wantWidest(deep, project.Public)
	wantWidest(other, project.Private)
	wantWidest(project.Group{ID: unknownID}, project.Private)

	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), p.ID))
	wantWidest(top, project.Internal)
	wantWidest(deep, project.Private)
}

func deleteGroup(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	parent := addGroup(t, s, creator.ID)
	g := addSubgroup(t, s, parent, creator.ID)
	wantOK(t, "DeleteGroup", s.DeleteGroup(t.Context(), g.ID, now))

	_, err := s.Group(t.Context(), g.ID)
	wantError(t, "Group", err, project.ErrGroupNotFound)
	_, err = s.GroupByPath(t.Context(), g.FullPath)
	wantError(t, "GroupByPath", err, project.ErrGroupNotFound)
	wantError(t, "DeleteGroup again", s.DeleteGroup(t.Context(), g.ID, now), project.ErrGroupNotFound)
	wantError(t, "DeleteGroup of an unknown id", s.DeleteGroup(t.Context(), unknownID, now), project.ErrGroupNotFound)
	wantSame(t, "Members", allMembers(t, s, g.Place()), []project.Member{})
	if got := must[project.Memberships](t)(s.SomeMemberships(t.Context(), creator.ID, 100)); len(got) != 1 {
		t.Errorf("Memberships = %+v, want that of the parent alone", got)
	}

	again := must[project.Group](t)(s.CreateGroup(t.Context(), groupAt(parent, g.Path), creator.ID))
	if again.ID <= g.ID {
		t.Errorf("CreateGroup gave id %d after group %d was removed, want a higher one", again.ID, g.ID)
	}
}

func deleteFullGroup(t *testing.T, s storage.Store) {
	creator := addUser(t, s)
	top := addGroup(t, s, creator.ID)
	below := addSubgroup(t, s, top, creator.ID)
	p := addProject(t, s, below)
	wantError(t, "DeleteGroup with a group", s.DeleteGroup(t.Context(), top.ID, now), project.ErrGroupNotEmpty)
	wantError(t, "DeleteGroup with a project", s.DeleteGroup(t.Context(), below.ID, now), project.ErrGroupNotEmpty)
	wantGroup(t, s, top)
	wantGroup(t, s, below)
	if got := allMembers(t, s, below.Place()); len(got) != 1 {
		t.Errorf("Members after the refusal = %+v, want the owner", got)
	}

	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), p.ID))
	wantOK(t, "DeleteGroup once the project is gone", s.DeleteGroup(t.Context(), below.ID, now))
	wantOK(t, "DeleteGroup once the group is gone", s.DeleteGroup(t.Context(), top.ID, now))
}

// An addition puts something of the creator's into the group.
type addition func(t *testing.T, s storage.Store, g project.Group, creator int64) error

func raceDeleteGroup(add addition) func(*testing.T, storage.Store) {
	return func(t *testing.T, s storage.Store) {
		creator := addUser(t, s)
		for range 8 {
			g := addGroup(t, s, creator.ID)
			errs := race(2, func(i int) error {
				if i == 0 {
					return s.DeleteGroup(t.Context(), g.ID, now)
				}
				return add(t, s, g, creator.ID)
			})
			wantOneWinner(t, "DeleteGroup and an addition to it", errs,
				is(project.ErrGroupNotEmpty, project.ErrGroupNotFound))
		}
	}
}

func addingProject(t *testing.T, s storage.Store, g project.Group, _ int64) error {
	_, err := s.CreateProject(t.Context(), newProject(g))
	return err
}

func addingSubgroup(t *testing.T, s storage.Store, g project.Group, creator int64) error {
	_, err := s.CreateGroup(t.Context(), newSubgroup(g), creator)
	return err
}
