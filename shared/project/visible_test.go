package project_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
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

	tests := []struct {
		name             string
		viewer           user.User
		search           string
		projects, groups []string
	}{
		{"an administrator", root, "", []string{"own", "everyone", "hidden", "joined", "deep"}, []string{"open", "team", "acme"}},
		{"who created the groups", ada, "", []string{"everyone", "hidden", "joined", "deep"}, []string{"open", "team", "acme"}},
		{"a member", ben, "", []string{"own", "everyone", "joined", "deep"}, []string{"open", "team"}},
		{"a member who searches", ben, "ACME/te", []string{"deep"}, []string{"open", "team"}},
		{"who was a member once", eve, "", []string{"everyone"}, []string{"open"}},
	}
	for _, test := range tests {
		v := project.Viewer{UserID: test.viewer.ID, NamespaceID: test.viewer.NamespaceID, Admin: test.viewer.Admin}
		projects, err := a.Projects.VisibleProjects(t.Context(), v, test.search, page.First)
		if got := paths(projects.Items, func(p project.Project) string { return p.Path }); err != nil || !slices.Equal(got, test.projects) {
			t.Errorf("%s sees the projects %v, %v, want %v", test.name, got, err, test.projects)
		}
		groups, err := a.Projects.VisibleGroups(t.Context(), v, page.First)
		if got := paths(groups.Items, func(g project.Group) string { return g.Path }); err != nil || !slices.Equal(got, test.groups) {
			t.Errorf("%s sees the groups %v, %v, want %v", test.name, got, err, test.groups)
		}
	}
}

func TestRolesInProjects(t *testing.T) {
	a := apptest.New(t)
	root, ada, ben := a.Admin("root"), a.User("ada"), a.User("ben")
	acme := a.Group("acme", project.Group{}, ada, project.Internal)
	web, mail := a.Project("web", acme, project.Internal), a.Project("mail", acme, project.Internal)
	own := a.Project("own", a.Namespace(ben), project.Private)
	a.Member(web.Place(), ben, project.Developer)
	for viewer, want := range map[user.User][]project.Role{
		root: {project.Owner, project.Owner, project.Owner},
		ada:  {project.Owner, project.Owner, project.NoRole},
		ben:  {project.Developer, project.NoRole, project.Owner},
	} {
		v := project.Viewer{UserID: viewer.ID, Admin: viewer.Admin}
		known, err := a.Projects.Known(t.Context(), viewer.ID)
		if err != nil {
			t.Fatal(err)
		}
		for what, known := range map[string]project.Known{"nothing": {}, "all memberships": known} {
			if got, err := a.Projects.RolesIn(t.Context(), v, known, []project.Project{web, mail, own}); err != nil || !slices.Equal(got, want) {
				t.Errorf("RolesIn for %s, knowing %s = %v, %v, want %v", viewer.Username, what, got, err, want)
			}
		}
	}
}

func paths[T any](things []T, path func(T) string) (all []string) {
	for _, thing := range things {
		all = append(all, path(thing))
	}
	return all
}
