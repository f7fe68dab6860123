package project

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"gatehouse/shared/page"
)

// Direct returns the groups of the memberships that have not ended, ordered by
// full path.
func (r *Rules) Direct(ctx context.Context, ms Memberships) ([]Group, error) {
	var ids []int64
	for _, m := range ms {
		if m.Kind == InGroup && m.Active(r.now()) {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := r.GroupsByID(ctx, ids)
	return byPath(slices.Collect(maps.Values(found))), err
}

// Joined returns the groups in which the memberships give a role, ordered by
// full path: the groups of Direct and all groups below them.
func (r *Rules) Joined(ctx context.Context, ms Memberships) ([]Group, error) {
	filter := Viewer{Memberships: ms}.Filter(r.now())
	filter.MembersOnly = true
	if !slices.ContainsFunc(filter.Places, func(p Place) bool { return p.Kind == InGroup }) {
		return nil, nil
	}
	var all []Group
	for req := (page.Request{Number: 1, Size: page.CountLimit}); ; req.Number++ {
		found, err := r.Groups(ctx, filter, req)
		all = append(all, found.Items...)
		if err != nil || !found.More {
			return byPath(all), err
		}
	}
}

func byPath(groups []Group) []Group {
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Compare(a.FullPath, b.FullPath) })
	return groups
}
