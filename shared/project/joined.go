package project

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
)

// Joined are groups in which a user has a role as a member: the highest roles
// first, and of one role the oldest groups.
type Joined struct {
	Groups []RoleInGroup
	More   bool // there are groups besides these
}

// RoleInGroup is a group with the user's role in it.
type RoleInGroup struct {
	Group
	Role Role
}

// Direct returns the groups of which the user is a direct member. Of more than
// most it returns those with the highest roles, and of one role the oldest.
func (r *Rules) Direct(ctx context.Context, userID int64, most int) (Joined, error) {
	roles, err := r.groupRoles(ctx, userID)
	if err != nil || len(roles) == 0 {
		return Joined{}, err
	}
	return r.direct(ctx, roles, most)
}

func (r *Rules) direct(ctx context.Context, roles groupRoles, most int) (Joined, error) {
	found, err := r.GroupsByID(ctx, roles.first(most))
	return roles.join(maps.Values(found), len(roles) > most), err
}

// Joined returns the groups of Direct and all groups below them. Of more than
// most it returns first those of Direct, then the newest of the others.
func (r *Rules) Joined(ctx context.Context, userID int64, most int) (Joined, error) {
	roles, err := r.groupRoles(ctx, userID)
	switch {
	case err != nil || len(roles) == 0:
		return Joined{}, err
	case len(roles) > most:
		return r.direct(ctx, roles, most)
	}
	found, more, err := r.GroupsIn(ctx, slices.Collect(maps.Keys(roles)), most)
	return roles.join(maps.Values(found), more), err
}

// groupRoles are the roles of a user's memberships of groups, by the group's id.
type groupRoles map[int64]Role

// groupRoles returns those of the memberships that have not ended.
func (r *Rules) groupRoles(ctx context.Context, userID int64) (groupRoles, error) {
	ms, err := r.MembershipsIn(ctx, InGroup, userID)
	roles := groupRoles{}
	for _, m := range ms {
		if m.Active(r.now()) {
			roles[m.ID] = m.Role
		}
	}
	return roles, err
}

// first returns the ids of at most so many groups: those with the highest roles,
// and of one role the oldest.
func (rs groupRoles) first(most int) []int64 {
	ids := slices.SortedFunc(maps.Keys(rs), func(a, b int64) int {
		return cmp.Or(cmp.Compare(rs[b], rs[a]), cmp.Compare(a, b))
	})
	return ids[:min(most, len(ids))]
}

// in returns the role in the group: the highest there and in the groups above.
func (rs groupRoles) in(g Group) Role {
	highest := NoRole
	for _, id := range g.Lineage() {
		highest = max(highest, rs[id])
	}
	return highest
}

func (rs groupRoles) join(found iter.Seq[Group], more bool) Joined {
	var all []RoleInGroup
	for g := range found {
		all = append(all, RoleInGroup{g, rs.in(g)})
	}
	slices.SortFunc(all, func(a, b RoleInGroup) int {
		return cmp.Or(cmp.Compare(b.Role, a.Role), cmp.Compare(a.ID, b.ID))
	})
	return Joined{all, more}
}

// AddGroups adds groups to those that a store has found, until these are so many. It
// reports whether some are left out.
func AddGroups(found map[int64]Group, newest []Group, most int) (more bool) {
	for _, g := range newest {
		if _, there := found[g.ID]; there {
			continue
		}
		if len(found) >= most {
			return true
		}
		found[g.ID] = g
	}
	return false
}
