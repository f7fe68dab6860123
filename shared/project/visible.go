package project

import (
	"context"
	"slices"
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
}

// Joins reports whether the membership is one by which a project is selected.
func (s Selection) Joins(m Member) bool { return m.Active(s.Now) && m.Role >= s.LeastRole }

// MaxCounted is how many projects a user can have joined one by one so that lists
// for the user are still counted (Interface: "Lists").
const MaxCounted = 100

// Visibilities returns the visibilities of what is not selected for everybody.
func (s Selection) Visibilities() []Visibility {
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
}

// VisibleProjects returns a page of the projects that the viewer sees, the newest first,
// narrowed.
func (r *Rules) VisibleProjects(ctx context.Context, v Viewer, n Narrowing, wanted page.Request) (page.Of[Project], error) {
	found, _, err := r.visible(ctx, v, n, wanted)
	return found, err
}

// visible also returns the viewer's memberships of groups, which it had to read.
func (r *Rules) visible(ctx context.Context, v Viewer, n Narrowing, wanted page.Request) (found page.Of[Project], inGroups Memberships, err error) {
	selected, inGroups, err := r.seenBy(ctx, v, n.LeastRole)
	if err != nil {
		return found, nil, err
	}
	selected.MemberID, selected.Search = v.UserID, n.Search
	if v.NamespaceID != 0 {
		selected.In = append(selected.In, v.NamespaceID)
	}
	found, err = r.Projects(ctx, selected, wanted)
	return found, inGroups, err
}

// VisibleWithRoles returns the page of VisibleProjects, and the viewer's role in each
// of the projects.
func (r *Rules) VisibleWithRoles(ctx context.Context, v Viewer, search string, wanted page.Request) (found page.Of[Project], roles []Role, err error) {
	var known Known
	reads, readCtx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		found, v.Memberships, err = r.visible(readCtx, v, Narrowing{Search: search}, wanted)
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

// VisibleGroups returns a page of the groups that the viewer sees, the newest first,
// narrowed.
func (r *Rules) VisibleGroups(ctx context.Context, v Viewer, n Narrowing, wanted page.Request) (page.Of[Group], error) {
	selected, _, err := r.seenBy(ctx, v, n.LeastRole)
	if err != nil {
		return page.Of[Group]{}, err
	}
	return r.Groups(ctx, selected, wanted)
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
