package project_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/project"
)

var (
	now  = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	team = project.Group{ID: 2, ParentID: 1, Ancestors: []int64{1}, Visibility: project.Private}
	web  = project.Project{ID: 1, NamespaceID: 2, Lineage: []int64{1, 2}, Visibility: project.Private}
	own  = project.Project{ID: 9, NamespaceID: 7, Lineage: []int64{7}, OwnerID: 5, Visibility: project.Private}
)

func in(kind project.Kind, id int64, role project.Role) project.Member {
	return project.Member{Place: project.Place{Kind: kind, ID: id}, UserID: 5, Role: role}
}

func until(m project.Member, end time.Time) project.Member {
	m.ExpiresAt = end
	return m
}

func TestRoleIsTheHighestOnTheWayUp(t *testing.T) {
	tests := []struct {
		name                string
		v                   project.Viewer
		web, own, teamGroup project.Role
	}{
		{"nobody", project.Viewer{UserID: 6}, 0, 0, 0},
		{"the namespace's user", project.Viewer{UserID: 5}, 0, project.Owner, 0},
		{"an administrator", project.Viewer{UserID: 6, Admin: true}, project.Owner, project.Owner, project.Owner},
		{"a member of the top group", project.Viewer{UserID: 6, Memberships: project.Memberships{in(project.InGroup, 1, project.Reporter)}},
			project.Reporter, 0, project.Reporter},
		{"a member of the project alone", project.Viewer{UserID: 6, Memberships: project.Memberships{in(project.InProject, 1, project.Guest)}},
			project.Guest, 0, 0},
		{"the highest counts", project.Viewer{UserID: 6, Memberships: project.Memberships{
			in(project.InGroup, 1, project.Developer), in(project.InGroup, 2, project.Guest), in(project.InProject, 1, project.Maintainer),
		}}, project.Maintainer, 0, project.Developer},
		{"another group", project.Viewer{UserID: 6, Memberships: project.Memberships{in(project.InGroup, 3, project.Owner)}}, 0, 0, 0},
		{"a project with the group's number", project.Viewer{UserID: 6, Memberships: project.Memberships{in(project.InProject, 2, project.Owner)}}, 0, 0, 0},
		{"expired", project.Viewer{UserID: 6, Memberships: project.Memberships{until(in(project.InGroup, 1, project.Owner), now)}}, 0, 0, 0},
		{"not yet expired", project.Viewer{UserID: 6, Memberships: project.Memberships{until(in(project.InGroup, 1, project.Owner), now.Add(1))}},
			project.Owner, 0, project.Owner},
	}
	for _, test := range tests {
		got := []project.Role{test.v.RoleIn(web, now), test.v.RoleIn(own, now), test.v.RoleIn(team, now)}
		if diff := cmp.Diff([]project.Role{test.web, test.own, test.teamGroup}, got); diff != "" {
			t.Errorf("%s: roles differ (-want +got):\n%s", test.name, diff)
		}
	}
}

// filterFor returns the filter of the viewer's lists.
func filterFor(v project.Viewer) project.Filter {
	f := project.Filter{All: v.Admin, OwnerID: v.UserID}
	for _, m := range v.Memberships {
		if m.Active(now) {
			f.Places = append(f.Places, m.Place)
		}
	}
	return f
}

// A list holds exactly what can be opened one by one.
func TestFilterPassesWhatTheViewerSees(t *testing.T) {
	viewers := []project.Viewer{
		{UserID: 6}, {UserID: 5}, {UserID: 6, Admin: true},
		{UserID: 6, Memberships: project.Memberships{in(project.InGroup, 1, project.Guest)}},
		{UserID: 6, Memberships: project.Memberships{in(project.InGroup, 2, project.Guest)}},
		{UserID: 6, Memberships: project.Memberships{in(project.InProject, 1, project.Guest)}},
		{UserID: 6, Memberships: project.Memberships{in(project.InProject, 2, project.Guest)}},
		{UserID: 6, Memberships: project.Memberships{until(in(project.InGroup, 1, project.Owner), now)}},
	}
	for _, v := range viewers {
		filter := filterFor(v)
		for _, visibility := range []project.Visibility{project.Private, project.Internal, project.Public} {
			for _, p := range []project.Project{web, own} {
				p.Visibility = visibility
				if got, want := filter.Project(p), project.Sees(v.RoleIn(p, now), visibility); got != want {
					t.Errorf("%+v passes %s project %d: %v, want %v", v, visibility, p.ID, got, want)
				}
			}
			g := team
			g.Visibility = visibility
			if got, want := filter.Group(g), project.Sees(v.RoleIn(g, now), visibility); got != want {
				t.Errorf("%+v passes %s group: %v, want %v", v, visibility, got, want)
			}
		}
	}
}

func TestFilterSearches(t *testing.T) {
	p := project.Project{Name: "Web shop", FullPath: "Acme/Team/web-shop", Visibility: project.Internal}
	for search, want := range map[string]bool{
		"": true, "SHOP": true, "web s": true, "acme/team": true, "web-": true, "shop acme": false, "mail": false,
	} {
		if got := (project.Filter{Search: search}).Project(p); got != want {
			t.Errorf("a search for %q finds it: %v, want %v", search, got, want)
		}
	}
}

func TestWhoSeesWhat(t *testing.T) {
	tests := []struct {
		role project.Role
		v    project.Visibility
		want bool
	}{
		{project.NoRole, project.Private, false},
		{project.NoRole, project.Internal, true},
		{project.NoRole, project.Public, true},
		{project.Guest, project.Private, true},
		{project.Owner, project.Internal, true},
	}
	for _, test := range tests {
		if got := project.Sees(test.role, test.v); got != test.want {
			t.Errorf("Sees(%d, %s) = %v, want %v", test.role, test.v, got, test.want)
		}
	}
}

func TestOnlyMembersSeeAUsersNamespace(t *testing.T) {
	tests := []struct {
		group   project.Group
		ownerID int64
		v       project.Visibility
	}{
		{project.Group{Visibility: project.Public}, 0, project.Public},
		{project.Group{Visibility: project.Private}, 0, project.Private},
		{project.Group{OwnerID: 5, Visibility: project.Public}, 5, project.Private},
	}
	for _, test := range tests {
		if ownerID, v := test.group.Access(); ownerID != test.ownerID || v != test.v {
			t.Errorf("%+v.Access() = %d, %s, want %d, %s", test.group, ownerID, v, test.ownerID, test.v)
		}
	}
}

func TestWider(t *testing.T) {
	order := []project.Visibility{project.Private, project.Internal, project.Public}
	for i, a := range order {
		for j, b := range order {
			if got := a.Wider(b); got != (i > j) {
				t.Errorf("%s.Wider(%s) = %v", a, b, got)
			}
		}
	}
	if got := project.Widest(project.Private, project.Public, project.Internal); got != project.Public {
		t.Errorf("Widest() of all = %s, want public", got)
	}
	if got := project.Widest(); got != project.Private {
		t.Errorf("Widest() of none = %s, want private", got)
	}
	if project.Visibility("secret").Valid() || !project.Internal.Valid() {
		t.Error("Valid() is wrong")
	}
}

func TestRolesOnTheWire(t *testing.T) {
	valid := map[project.Role]bool{10: true, 15: true, 20: true, 30: true, 40: true, 50: true}
	for role := project.Role(-1); role <= 61; role++ {
		if role.Valid() != valid[role] {
			t.Errorf("Role(%d).Valid() = %v", role, role.Valid())
		}
	}
}
