package project

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/page"
)

// Selection says which groups or projects a list has: all, or those that anything
// else here selects.
type Selection struct {
	All bool
	// MembersOnly leaves out what every signed-in user sees.
	MembersOnly bool
	// Open leaves out what is private.
	Open bool
	// In selects these groups and everything below them. For a list of projects it
	// can have the namespaces of users.
	In []int64
	// MemberID selects the projects of which this user is a direct member, unless
	// the membership has ended Now.
	MemberID int64
	Now      time.Time
	// LeastRole keeps of these only those in which the user has at least this role.
	LeastRole Role
	// Search keeps only projects with this text in their name or full path, in
	// any letter case. It does not apply to groups.
	Search string
	// Meanwhile is called with the ids of the projects of a page when these are known, which
	// a store may do while it reads the projects. It does not apply to groups. Nil: nothing.
	Meanwhile func(ctx context.Context, projectIDs []int64) error
}

// Joins reports whether the membership is one by which a project is selected.
func (s Selection) Joins(m Member) bool { return m.Active(s.Now) && m.Role >= s.LeastRole }

// MaxCounted is how many projects a user can have joined one by one so that lists
// for the user are still counted (Interface: "Lists").
const MaxCounted = 100

// Visibilities returns the visibilities of what is not selected for everybody.
func (s Selection) Visibilities() []Visibility {
	if s.Open {
		return []Visibility{Internal, Public}
	}
	if s.All || s.MembersOnly {
		return []Visibility{Private, Internal, Public}
	}
	return []Visibility{Private}
}

// Narrowing keeps some of the groups or projects that a viewer sees.
type Narrowing struct {
	// LeastRole keeps those in which the viewer has at least this role, by a membership
	// or as the owner of the namespace. An administrator has none without one of these.
	// NoRole keeps all.
	LeastRole Role
	// Search keeps those with this text in their name or full path, in any letter case.
	// It does not apply to groups.
	Search string
	// Meanwhile is that of a Selection.
	Meanwhile func(ctx context.Context, projectIDs []int64) error
}

// Sight is what a viewer sees, narrowed. It reads the viewer's memberships of groups once
// for all pages of its lists.
type Sight struct {
	rules    *Rules
	viewer   Viewer
	narrowed Narrowing
	once     sync.Once
	selected Selection // because of groups
	inGroups Memberships
	err      error
}

// Sight returns what the viewer sees, narrowed.
func (r *Rules) Sight(v Viewer, n Narrowing) *Sight {
	return &Sight{rules: r, viewer: v, narrowed: n}
}

// Projects returns a page of the projects, the newest first.
func (s *Sight) Projects(ctx context.Context, wanted page.Request) (page.Of[Project], error) {
	selected, err := s.ofGroups(ctx)
	if err != nil {
		return page.Of[Project]{}, err
	}
	selected.MemberID, selected.Search, selected.Meanwhile = s.viewer.UserID, s.narrowed.Search, s.narrowed.Meanwhile
	if s.viewer.NamespaceID != 0 {
		selected.In = slices.Concat(selected.In, []int64{s.viewer.NamespaceID})
	}
	return s.rules.Projects(ctx, selected, wanted)
}

// Groups returns a page of the groups, the newest first.
func (s *Sight) Groups(ctx context.Context, wanted page.Request) (page.Of[Group], error) {
	selected, err := s.ofGroups(ctx)
	if err != nil {
		return page.Of[Group]{}, err
	}
	return s.rules.Groups(ctx, selected, wanted)
}

// RoleIn returns the viewer's role in a group of the list that Groups returned.
func (s *Sight) RoleIn(g Group) Role {
	v := s.viewer
	v.Memberships = s.inGroups
	return v.RoleIn(g, s.rules.now())
}

// ofGroups selects what the viewer sees because of groups.
func (s *Sight) ofGroups(ctx context.Context) (Selection, error) {
	s.once.Do(func() { s.selected, s.inGroups, s.err = s.rules.seenBy(ctx, s.viewer, s.narrowed.LeastRole) })
	return s.selected, s.err
}

// VisibleWithRoles returns a page of the projects that the viewer sees, narrowed, and the viewer's
// role in each of the projects.
func (r *Rules) VisibleWithRoles(ctx context.Context, v Viewer, n Narrowing, wanted page.Request) (found page.Of[Project], roles []Role, err error) {
	sight := r.Sight(v, n)
	var known Known
	reads, readCtx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		found, err = sight.Projects(readCtx, wanted)
		return err
	})
	reads.Go(func() (err error) {
		if !v.Admin {
			known, err = r.Known(readCtx, v.UserID)
		}
		return err
	})
	if err := reads.Wait(); err != nil {
		return found, nil, err
	}
	v.Memberships = sight.inGroups
	roles, err = r.rolesIn(ctx, v, known, found.Items)
	return found, roles, err
}

// rolesIn returns the role of the viewer, whose memberships of groups are read, in
// each of the projects. If the known memberships are not all others, it reads those
// of the projects.
func (r *Rules) rolesIn(ctx context.Context, v Viewer, known Known, projects []Project) ([]Role, error) {
	inProjects, err := known.memberships, error(nil)
	if !v.Admin && !known.all {
		places := make([]Place, len(projects))
		for n, p := range projects {
			places[n] = p.Place()
		}
		inProjects, err = r.MembershipsAt(ctx, v.UserID, places...)
	}
	v.Memberships = slices.Concat(v.Memberships, inProjects)
	roles := make([]Role, len(projects))
	for n, p := range projects {
		roles[n] = v.RoleIn(p, r.now())
	}
	return roles, err
}

// GroupsBelow returns a page of the group and the groups below it, at any depth, that a
// user with this role in it sees because of the group, the newest first.
func (r *Rules) GroupsBelow(ctx context.Context, g Group, role Role, wanted page.Request) (page.Of[Group], error) {
	return r.Groups(ctx, below(g, role), wanted)
}

// ProjectsBelow returns a page of such projects.
func (r *Rules) ProjectsBelow(ctx context.Context, g Group, role Role, wanted page.Request) (page.Of[Project], error) {
	return r.Projects(ctx, below(g, role), wanted)
}

func below(g Group, role Role) Selection {
	return Selection{MembersOnly: true, Open: role == NoRole, In: []int64{g.ID}}
}

// seenBy selects what the viewer sees because of groups, and returns the memberships
// of these. With a least role it selects only what the viewer has that role in.
func (r *Rules) seenBy(ctx context.Context, v Viewer, least Role) (selected Selection, inGroups Memberships, err error) {
	selected = Selection{All: v.Admin && least == NoRole, MembersOnly: least > NoRole, LeastRole: least, Now: r.now()}
	if !selected.All {
		inGroups, err = r.MembershipsIn(ctx, InGroup, v.UserID)
		selected.In = inGroups.groups(selected.Now, least)
	}
	return selected, inGroups, err
}

// groups returns the ids of the groups among the places of the memberships that
// have not ended and have at least this role.
func (ms Memberships) groups(now time.Time, least Role) []int64 {
	var ids []int64
	for _, m := range ms {
		if m.Kind == InGroup && m.Active(now) && m.Role >= least {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
