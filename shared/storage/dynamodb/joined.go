package dynamodb

import (
	"context"
	"fmt"
	"slices"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/walk"
)

// GroupsIn returns the groups with these ids and the newest of those below them. A
// group counts what is below it, so that only lists are read that have something.
func (s *Store) GroupsIn(ctx context.Context, ids []int64, most int) (found map[int64]project.Group, more bool, err error) {
	j := joinedGroups{Store: s, ids: ids, found: map[int64]project.Group{}}
	if err = j.read(ctx); err != nil {
		return nil, false, fmt.Errorf("get groups: %w", err)
	}
	newest, err := j.newest(ctx, most)
	return j.found, project.AddGroups(j.found, newest.Items, most) || newest.More, err
}

// joinedGroups are groups of a user.
type joinedGroups struct {
	*Store
	ids    []int64
	found  map[int64]project.Group
	listed bool // everything is listed
	below  []walk.Source[entry]
}

// read reads the groups.
func (j *joinedGroups) read(ctx context.Context) error {
	keys := make([]key, len(j.ids))
	for n, id := range j.ids {
		keys[n] = groupItem.key(id)
	}
	var items map[key]item
	err := callAll(ctx, func(ctx context.Context) (err error) {
		items, err = j.getAll(ctx, keys)
		return err
	}, func(ctx context.Context) (err error) {
		j.listed, err = j.listsComplete(ctx)
		return err
	})
	for _, it := range items {
		if err == nil {
			err = j.add(it)
		}
	}
	return err
}

// add adds a group, and the lists of those below it unless they are also in the list
// of another one.
func (j *joinedGroups) add(it item) error {
	g, err := groups.read(it)
	if err != nil {
		return err
	}
	j.found[g.ID] = g
	if slices.ContainsFunc(g.Ancestors, func(id int64) bool { return slices.Contains(j.ids, id) }) {
		return nil
	}
	for _, v := range []project.Visibility{project.Private, project.Internal, project.Public} {
		n, err := countIn(it, project.InGroup, v)
		if err != nil {
			return err
		}
		if v == g.Visibility {
			n-- // the group itself
		}
		if n > 0 {
			j.below = append(j.below, source(j.Store, belowGroup.key(g.ID, string(v), string(project.InGroup)), readListed))
		}
	}
	return nil
}

// newest returns so many of the newest groups below, some of which may be found.
func (j *joinedGroups) newest(ctx context.Context, most int) (page.Of[project.Group], error) {
	first := page.Request{Number: 1, Size: most}
	if !j.listed {
		return j.Groups(ctx, project.Selection{MembersOnly: true, In: j.ids}, first)
	}
	list := walk.List[entry]{Sources: j.below, Position: positionOf}
	entries, err := list.Page(ctx, first)
	if err != nil {
		return page.Of[project.Group]{}, fmt.Errorf("list groups: %w", err)
	}
	others := slices.DeleteFunc(entries.Items, func(e entry) bool { return j.found[e.id].ID != 0 })
	all, err := groups.complete(ctx, j.Store, things(others, groupID))
	return page.With(entries, all), err
}
