package project

import (
	"context"

	"gatehouse/shared/audit"
	"gatehouse/shared/page"
)

// Membership is a user's direct membership, with the full path of the place.
type Membership struct {
	Member
	FullPath string
}

// PagePath is the path of the page about the place.
func (m Membership) PagePath() string {
	if m.Kind == InProject {
		return Project{ID: m.ID, FullPath: m.FullPath}.PagePath()
	}
	return Group{ID: m.ID, FullPath: m.FullPath}.PagePath()
}

// MembershipsOf returns a page of the user's memberships of groups or of projects,
// also those that have ended. The newest groups and projects come first. The Total
// is not counted.
func (r *Rules) MembershipsOf(ctx context.Context, k Kind, userID int64, req page.Request) (page.Of[Membership], error) {
	found, err := r.MembershipPage(ctx, k, userID, req)
	if err != nil {
		return page.Of[Membership]{}, err
	}
	paths, err := r.paths(ctx, k, found.Items)
	var all []Membership
	for _, m := range found.Items {
		if path := paths[m.ID]; path != "" { // it was not deleted in between
			all = append(all, Membership{m, path})
		}
	}
	return page.With(found, all), err
}

// JoinedGroup is a group with a direct membership of a user in it.
type JoinedGroup struct {
	Group
	Member Member
}

// JoinedGroups returns a page of the groups of which the user is a direct member, with
// memberships that have ended. The newest groups come first. The Total is not counted.
func (r *Rules) JoinedGroups(ctx context.Context, userID int64, req page.Request) (page.Of[JoinedGroup], error) {
	found, err := r.MembershipPage(ctx, InGroup, userID, req)
	if err != nil {
		return page.Of[JoinedGroup]{}, err
	}
	ids := make([]int64, len(found.Items))
	for n, m := range found.Items {
		ids[n] = m.ID
	}
	groups, err := r.GroupsByID(ctx, ids)
	var all []JoinedGroup
	for _, m := range found.Items {
		if g, there := groups[m.ID]; there { // it was not deleted in between
			all = append(all, JoinedGroup{g, m})
		}
	}
	return page.With(found, all), err
}

// paths returns the full paths of the places of these members, by their ids.
func (r *Rules) paths(ctx context.Context, k Kind, members []Member) (map[int64]string, error) {
	ids := make([]int64, len(members))
	for n, m := range members {
		ids[n] = m.ID
	}
	if k == InProject {
		found, err := r.ProjectsByID(ctx, ids)
		return where(found), err
	}
	found, err := r.GroupsByID(ctx, ids)
	return where(found), err
}

func where[T GroupOrProject](found map[int64]T) map[int64]string {
	paths := make(map[int64]string, len(found))
	for id, at := range found {
		paths[id] = at.Where()
	}
	return paths
}

// at returns the group or project that the place is.
func (r *Rules) at(ctx context.Context, p Place) (GroupOrProject, error) {
	if p.Kind == InProject {
		return r.Project(ctx, p.ID)
	}
	return r.Group(ctx, p.ID)
}

// Leave ends the actor's own membership of the group or project. It returns a
// fault.NotFound error when there is none, and a fault.Conflict error when it is
// changed at the same time.
func (r *Rules) Leave(ctx context.Context, by audit.Actor, p Place) error {
	at, err := r.at(ctx, p)
	if err != nil {
		return err
	}
	m, err := r.Member(ctx, p, by.UserID)
	if err != nil {
		return err
	}
	return r.end(ctx, by, at, m)
}
