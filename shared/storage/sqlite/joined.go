package sqlite

import (
	"context"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// GroupsIn returns the groups with these ids and the newest of those below them.
func (s *Store) GroupsIn(ctx context.Context, ids []int64, most int) (found map[int64]project.Group, more bool, err error) {
	if found, err = s.GroupsByID(ctx, ids); err != nil {
		return nil, false, err
	}
	list := s.directory(project.Selection{MembersOnly: true, In: ids}, project.InGroup, false)
	list.Count = nil
	newest, err := groups.listed(ctx, s, list, page.Request{Number: 1, Size: most}, func(g project.Group) int64 { return g.ID })
	return found, project.AddGroups(found, newest.Items, most) || newest.More, err
}
