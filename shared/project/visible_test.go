package project_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"
)

func TestListsHaveWhatTheViewerSees(t *testing.T) {
	a := apptest.New(t)
	root, ada, ben, eve := a.Admin("root"), a.User("ada"), a.User("ben"), a.User("eve")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	team := a.Group("team", acme, ada, project.Private)
	open := a.Group("open", project.Group{}, ada, project.Public)
	a.Project("deep", team, project.Private)
	joined := a.Project("joined", open, project.Private)
	a.Project("hidden", open, project.Private)
	a.Project("everyone", open, project.Internal)
	a.Project("own", a.Namespace(ben), project.Private)
	a.Member(team.Place(), ben, project.Guest)
	a.Member(joined.Place(), ben, project.Guest)
	ended := project.Member{Place: acme.Place(), UserID: eve.ID, Role: project.Owner, ExpiresAt: a.Now().Add(-time.Hour)}
	if err := a.Store.AddMember(t.Context(), ended); err != nil {
		t.Fatal(err)
	}

	any, member, owner := project.Narrowing{}, project.Narrowing{LeastRole: project.Guest}, project.Narrowing{LeastRole: project.Owner}
	tests := []struct {
		name             string
		viewer           user.User
		narrowing        project.Narrowing
		projects, groups []string
	}{
		{"an administrator", root, any, []string{"own", "everyone", "hidden", "joined", "deep"}, []string{"open", "team", "acme"}},
		{"who created the groups", ada, any, []string{"everyone", "hidden", "joined", "deep"}, []string{"open", "team", "acme"}},
		{"a member", ben, any, []string{"own", "everyone", "joined", "deep"}, []string{"open", "team"}},
		{"a member who searches", ben, project.Narrowing{Search: "ACME/te"}, []string{"deep"}, []string{"open", "team"}},
		{"who was a member once", eve, any, []string{"everyone"}, []string{"open"}},
		{"a member, of what is the member's", ben, member, []string{"own", "joined", "deep"}, []string{"team"}},
		{"a member, with a role that only the namespace gives", ben, owner, []string{"own"}, nil},
		{"a member who searches the member's", ben, project.Narrowing{LeastRole: project.Guest, Search: "open"}, []string{"joined"}, []string{"team"}},
		{"an owner", ada, owner, []string{"everyone", "hidden", "joined", "deep"}, []string{"open", "team", "acme"}},
		{"an administrator without a role", root, member, nil, nil},
		{"who was an owner once", eve, owner, nil, nil},
	}
	for _, test := range tests {
		v := project.Viewer{UserID: test.viewer.ID, NamespaceID: test.viewer.NamespaceID, Admin: test.viewer.Admin}
		projects, err := a.Projects.Sight(v, test.narrowing).Projects(t.Context(), page.First)
		if got := paths(projects.Items, func(p project.Project) string { return p.Path }); err != nil || !slices.Equal(got, test.projects) {
			t.Errorf("%s sees the projects %v, %v, want %v", test.name, got, err, test.projects)
		}
		groups, err := a.Projects.Sight(v, test.narrowing).Groups(t.Context(), page.First)
		if got := paths(groups.Items, func(g project.Group) string { return g.Path }); err != nil || !slices.Equal(got, test.groups) {
			t.Errorf("%s sees the groups %v, %v, want %v", test.name, got, err, test.groups)
		}
	}
}

// withoutLineages is a store that refuses to read memberships of groups one by one.
type withoutLineages struct{ storage.Store }

func (s withoutLineages) MembershipsAt(ctx context.Context, userID int64, places ...project.Place) (project.Memberships, error) {
	for _, p := range places {
		if p.Kind == project.InGroup {
			return nil, errNotNeeded
		}
	}
	return s.Store.MembershipsAt(ctx, userID, places...)
}

// Roles in a page of projects take the memberships of groups that the list has read,
// and at most those of the projects on the page.
func TestVisibleWithRoles(t *testing.T) {
	a := apptest.Over(t, withoutLineages{sqlitetest.Open(t)})
	root, ada, ben, eve := a.Admin("root"), a.User("ada"), a.User("ben"), a.User("eve")
	acme := a.Group("acme", project.Group{}, ada, project.Internal)
	team := a.Group("team", acme, ada, project.Internal)
	for n := range 30 { // more than are read ahead
		a.Member(a.Project(fmt.Sprintf("p%d", n), a.Namespace(ada), project.Private).Place(), eve, project.Guest)
	}
	web, mail := a.Project("web", team, project.Internal), a.Project("mail", team, project.Internal)
	a.Project("own", a.Namespace(ben), project.Private)
	a.Member(web.Place(), ben, project.Developer)
	a.Member(mail.Place(), eve, project.Reporter)
	a.Member(acme.Place(), eve, project.Guest)
	ended := project.Member{Place: team.Place(), UserID: ben.ID, Role: project.Owner, ExpiresAt: a.Now().Add(-time.Hour)}
	if err := a.Store.AddMember(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	tests := map[user.User][]string{
		root: {"own Owner", "mail Owner", "web Owner"},
		ada:  {"mail Owner", "web Owner", "p29 Owner"},
		ben:  {"own Owner", "mail ", "web Developer"},
		eve:  {"mail Reporter", "web Guest", "p29 Guest"},
	}
	for viewer, want := range tests {
		v := project.Viewer{UserID: viewer.ID, NamespaceID: viewer.NamespaceID, Admin: viewer.Admin}
		found, roles, err := a.Projects.VisibleWithRoles(t.Context(), v, project.Narrowing{}, page.Request{Number: 1, Size: 3})
		var got []string
		for n, p := range found.Items {
			got = append(got, fmt.Sprint(p.Path, " ", roles[n]))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s has the roles %q, %v, want %q", viewer.Username, got, err, want)
		}
	}
}

func paths[T any](things []T, path func(T) string) (all []string) {
	for _, thing := range things {
		all = append(all, path(thing))
	}
	return all
}

// countedMemberships counts how often the memberships of a user are read.
type countedMemberships struct {
	storage.Store
	reads int
}

func (s *countedMemberships) MembershipsIn(ctx context.Context, kind project.Kind, userID int64) (project.Memberships, error) {
	s.reads++
	return s.Store.MembershipsIn(ctx, kind, userID)
}

func TestASightReadsMembershipsOnce(t *testing.T) {
	store := &countedMemberships{Store: sqlitetest.Open(t)}
	a := apptest.Over(t, store)
	ada := a.User("ada")
	a.Group("acme", project.Group{}, ada, project.Private)
	sight := a.Projects.Sight(project.Viewer{UserID: ada.ID, NamespaceID: ada.NamespaceID}, project.Narrowing{})
	store.reads = 0
	for range 2 {
		if found, err := sight.Groups(t.Context(), page.First); err != nil || len(found.Items) != 1 {
			t.Fatal(found, err)
		}
		if _, err := sight.Projects(t.Context(), page.First); err != nil {
			t.Fatal(err)
		}
	}
	if store.reads != 1 {
		t.Errorf("the memberships were read %d times, want once", store.reads)
	}
}
