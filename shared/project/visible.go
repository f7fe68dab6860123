package project

import (
	"context"
	"maps"
	"slices"
	"time"

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
	// Search keeps only projects with this text in their name or full path, in
	// any letter case. It does not apply to groups.
	Search string
}

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

// VisibleProjects returns a page of the projects that the viewer sees, the newest
// first. Of these it returns only those with the search in their name or full path.
func (r *Rules) VisibleProjects(ctx context.Context, v Viewer, search string, wanted page.Request) (page.Of[Project], error) {
	selected, err := r.seenBy(ctx, v)
	if err != nil {
		return page.Of[Project]{}, err
	}
	selected.MemberID, selected.Search = v.UserID, search
	if v.NamespaceID != 0 {
		selected.In = append(selected.In, v.NamespaceID)
	}
	return r.Projects(ctx, selected, wanted)
}

// VisibleGroups returns a page of the groups that the viewer sees, the newest first.
func (r *Rules) VisibleGroups(ctx context.Context, v Viewer, wanted page.Request) (page.Of[Group], error) {
	selected, err := r.seenBy(ctx, v)
	if err != nil {
		return page.Of[Group]{}, err
	}
	return r.Groups(ctx, selected, wanted)
}

// RolesIn returns the viewer's role in each of the projects. If the known
// memberships are not all of the viewer's, it reads those that count in one of them.
func (r *Rules) RolesIn(ctx context.Context, v Viewer, known Known, projects []Project) ([]Role, error) {
	var err error
	v.Memberships = known.memberships
	if !v.Admin && !known.all {
		v.Memberships, err = r.MembershipsAt(ctx, v.UserID, placesOf(projects)...)
	}
	roles := make([]Role, len(projects))
	for n, p := range projects {
		roles[n] = v.RoleIn(p, r.now())
	}
	return roles, err
}

// placesOf returns every place in which a role counts in one of the projects.
func placesOf(projects []Project) []Place {
	places := map[Place]bool{}
	for _, p := range projects {
		for _, place := range p.Places() {
			places[place] = true
		}
	}
	return slices.Collect(maps.Keys(places))
}

// seenBy selects what the viewer sees because of groups.
func (r *Rules) seenBy(ctx context.Context, v Viewer) (Selection, error) {
	selected := Selection{All: v.Admin, Now: r.now()}
	if v.Admin {
		return selected, nil
	}
	ms, err := r.MembershipsIn(ctx, InGroup, v.UserID)
	selected.In = ms.groups(selected.Now)
	return selected, err
}

// groups returns the ids of the groups among the places of the memberships that
// have not ended.
func (ms Memberships) groups(now time.Time) []int64 {
	var ids []int64
	for _, m := range ms {
		if m.Kind == InGroup && m.Active(now) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
