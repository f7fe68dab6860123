package main

import (
	"context"
	"fmt"
	"time"

	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

const year = 365 * 24 * time.Hour

// The people who make calls. They come first among the users.
var people = []string{"operator", "many", "few", "manager"}

// The positions of people.
const (
	operator = iota // an administrator
	many            // is in very many places, and has very many of everything
	few             // is in four places
	manager         // is a maintainer of the busy project and nothing else
	others          // the first of all others
)

func (f *filler) addUsers(ctx context.Context) error {
	f.users = make([]user.User, f.size.users)
	return f.each(ctx, "users", len(f.users), func(ctx context.Context, i int) (err error) {
		name := fmt.Sprintf("user%06d", i)
		if i < others {
			name = people[i]
		}
		f.users[i], err = f.CreateUser(ctx, user.User{
			Username: name, Name: "The person " + name, Email: name + "@example.com", State: user.Active, Admin: i == operator,
			CreatedAt: f.ago(2*year, i, len(f.users)), UpdatedAt: f.ago(year, i, len(f.users)),
		})
		return err
	})
}

// other returns a random user who makes no calls.
func (f *filler) other(kind string, i int) user.User {
	return f.users[others+chance(kind, i).IntN(len(f.users)-others)]
}

// levels are the shares of the groups at the top, below these, and so on, in
// tenths.
var levels = []int{1, 3, 4, 2}

func (f *filler) addGroups(ctx context.Context) error {
	f.groups = make([]project.Group, f.size.groups)
	start, parents := 0, []project.Group(nil)
	for _, share := range levels {
		level := f.groups[start : start+len(f.groups)*share/10]
		if err := f.addLevel(ctx, start, level, parents); err != nil {
			return err
		}
		start, parents = start+len(level), level
	}
	f.groups = f.groups[:start]
	return nil
}

func (f *filler) addLevel(ctx context.Context, start int, level, parents []project.Group) error {
	return f.each(ctx, "groups", len(level), func(ctx context.Context, i int) (err error) {
		path := fmt.Sprintf("group%05d", start+i)
		g := project.Group{
			Name: "The group " + path, Path: path, FullPath: path, Visibility: topVisibility(i), CreatedAt: f.ago(year, start+i, len(f.groups)),
		}
		if parents != nil {
			g = below(parents[i%len(parents)], g)
		}
		level[i], err = f.CreateGroup(ctx, g, f.other("groups", start+i).ID)
		return err
	})
}

func below(parent, g project.Group) project.Group {
	g.ParentID, g.Ancestors, g.FullPath, g.Visibility = parent.ID, parent.Lineage(), parent.FullPath+"/"+g.Path, parent.Visibility
	return g
}

// topVisibility lets everyone see the first groups at the top, so that a small
// store fills a page, and a tenth of the rest.
func topVisibility(i int) project.Visibility {
	switch {
	case i%40 == 0:
		return project.Public
	case i < 20 || i%10 == 0:
		return project.Internal
	}
	return project.Private
}

func (f *filler) addProjects(ctx context.Context) (err error) {
	f.projects = make([]project.Project, f.size.projects)
	err = f.each(ctx, "projects", len(f.projects), func(ctx context.Context, i int) (err error) {
		f.projects[i], err = f.CreateProject(ctx, f.newProject(i))
		return err
	})
	if err != nil {
		return err
	}
	group, err := f.CreateGroup(ctx, project.Group{
		Name: "Busy", Path: "busy", FullPath: "busy", Visibility: project.Private, CreatedAt: f.now.Add(-year),
	}, f.users[others].ID)
	if err != nil {
		return err
	}
	f.busy, err = f.CreateProject(ctx, inside(group, project.Project{
		Name: "Site", Path: "site", Visibility: project.Private, CreatedAt: f.now.Add(-year),
	}))
	return err
}

// newProject returns the i-th project. A fifth, but none of the first, are in
// people's own namespaces. All of the first and a quarter of the rest have "web"
// in their names.
func (f *filler) newProject(i int) project.Project {
	word := "api"
	if i < 20 || i%4 == 0 {
		word = "web"
	}
	p := project.Project{
		Name: fmt.Sprintf("Project %05d %s", i, word), Path: fmt.Sprintf("project%05d-%s", i, word), Visibility: project.Private,
		CreatedAt: f.ago(year, i, len(f.projects)),
	}
	if i >= 20 && i%5 == 4 {
		owner := f.other("projects", i)
		return inside(project.Group{ID: owner.NamespaceID, OwnerID: owner.ID, FullPath: owner.Username}, p)
	}
	group := f.groups[i%len(f.groups)]
	p.Visibility = group.Visibility
	return inside(group, p)
}

func inside(g project.Group, p project.Project) project.Project {
	p.NamespaceID, p.NamespacePath, p.OwnerID, p.Lineage = g.ID, g.FullPath, g.OwnerID, g.Lineage()
	p.FullPath = g.FullPath + "/" + p.Path
	return p
}

// addMembers adds those of the busy project, those of the people who make calls,
// and random ones up to the wanted number.
func (f *filler) addMembers(ctx context.Context) error {
	var all []project.Member
	add := func(at project.Place, person int, role project.Role) {
		all = append(all, project.Member{Place: at, UserID: f.users[person].ID, Role: role})
	}
	add(f.busy.Place(), manager, project.Maintainer)
	add(f.busy.Place(), many, project.Maintainer)
	for i := range f.size.members {
		add(f.busy.Place(), others+i, project.Developer)
	}
	for i := range f.size.projectsOfMany {
		add(spread(f.projects, i, f.size.projectsOfMany).Place(), many, project.Developer)
	}
	for i := range f.size.groupsOfMany {
		add(spread(f.groups, i, f.size.groupsOfMany).Place(), many, project.Reporter)
	}
	for i := range 2 {
		add(f.groups[len(f.groups)-1-i].Place(), few, project.Developer)
		add(f.projects[len(f.projects)-1-i].Place(), few, project.Developer)
	}
	for i := len(all); i < f.size.memberships; i++ {
		all = append(all, f.randomMember(i))
	}
	return f.each(ctx, "memberships", len(all), func(ctx context.Context, i int) error {
		all[i].CreatedAt = f.ago(year, i, len(all))
		return ignoreConflict(f.AddMember(ctx, all[i]))
	})
}

func (f *filler) randomMember(i int) project.Member {
	r := chance("memberships", i)
	m := project.Member{UserID: f.other("members", i).ID, Role: project.Developer}
	if m.Place = f.projects[r.IntN(len(f.projects))].Place(); i%2 == 0 {
		m.Place = f.groups[r.IntN(len(f.groups))].Place()
	}
	return m
}
