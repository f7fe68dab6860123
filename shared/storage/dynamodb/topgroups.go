package dynamodb

import (
	"context"
	"slices"
	"sync"

	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// fewGroups is how many groups are asked for what is below them without looking at
// them first, which takes one more request in a row.
const fewGroups = 16

// topGroups reads the selected groups that are not below others of them, once for a
// list and its count.
type topGroups struct {
	selection
	once  sync.Once
	found map[int64]item
	err   error
}

// read returns the items of these groups. They have all that is selected in groups,
// and count it.
func (g *topGroups) read(ctx context.Context) (map[int64]item, error) {
	g.once.Do(func() { g.found, g.err = g.topmost(ctx) })
	return g.found, g.err
}

func (g *topGroups) topmost(ctx context.Context) (map[int64]item, error) {
	keys, selected := make([]key, len(g.In)), map[int64]bool{}
	for n, id := range g.In {
		keys[n], selected[id] = groupItem.key(id), true
	}
	found, err := g.getAll(ctx, keys)
	if err != nil {
		return nil, err
	}
	top := map[int64]item{}
	for _, it := range found {
		group, err := groups.read(it)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(group.Ancestors, func(id int64) bool { return selected[id] }) {
			top[group.ID] = it
		}
	}
	return top, nil
}

// sources returns the sources of what is below the groups.
func (g *topGroups) sources() (all []walk.Source[entry]) {
	if len(g.In) > fewGroups {
		return []walk.Source[entry]{g.merged}
	}
	for _, id := range g.In {
		for _, v := range g.Visibilities() {
			all = append(all, ordered(g.Store, g.oldest, belowGroup.key(id, string(v), string(g.kind)), readListed))
		}
	}
	return all
}

// merged is the source of what is below any of the groups. It asks only those that
// hold something of the kind.
func (g *topGroups) merged(ctx context.Context, after page.Position, n int) ([]entry, error) {
	top, err := g.read(ctx)
	if err != nil {
		return nil, err
	}
	holding := walk.List[entry]{Position: positionOf, Order: page.Request{Oldest: g.oldest}.Order()}
	for id, it := range top {
		for _, v := range g.Visibilities() {
			held, err := countIn(it, g.kind, v)
			if err != nil {
				return nil, err
			}
			if held > 0 {
				holding.Sources = append(holding.Sources, ordered(g.Store, g.oldest, belowGroup.key(id, string(v), string(g.kind)), readListed))
			}
		}
	}
	return holding.Source()(ctx, after, n)
}

// count counts what is below the groups.
func (g *topGroups) count(ctx context.Context) (sum int, err error) {
	if g.All {
		return 0, nil
	}
	top, err := g.read(ctx)
	for _, it := range top {
		var n int
		if n, err = countIn(it, g.kind, g.Visibilities()...); err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, err
}
