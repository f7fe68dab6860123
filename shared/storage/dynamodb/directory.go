package dynamodb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/walk"
)

// entry is a thing in a list, with what a search takes.
type entry struct {
	id        int64
	search    string
	createdAt time.Time
}

func (e *entry) fields() fields {
	return fields{{"id", &e.id}, {"search", &e.search}, {"created_at", &e.createdAt}}
}

func positionOf(e entry) page.Position { return page.At(e.id) }

func readListed(it item) (e entry, err error) { return e, e.fields().read(it) }

// readProject reads the entry of the list of all projects.
func readProject(it item) (entry, error) {
	var p project.Project
	err := projects.entry(&p).read(it)
	return entry{p.ID, p.SearchText(), p.CreatedAt}, err
}

// source is the source of the entries in the part of a partition whose sort keys
// are the key's with a number behind it.
func source[T any](s *Store, at key, read func(item) (T, error)) walk.Source[T] {
	return ordered(s, false, at, read)
}

// ordered is such a source, or one by ascending number.
func ordered[T any](s *Store, oldest bool, at key, read func(item) (T, error)) walk.Source[T] {
	return func(ctx context.Context, after page.Position, n int) (found []T, err error) {
		err = s.inOrder(ctx, oldest, at, after, n, func(it item) error {
			one, err := read(it)
			found = append(found, one)
			return err
		})
		return found, err
	}
}

// selection is a list of selected groups or projects.
type selection struct {
	*Store
	project.Selection
	kind   project.Kind
	items  getter // of the projects of a search, each of which is read once
	oldest bool   // the list begins with the oldest
}

// list returns the list, which rests on entries that are all there, to read this page.
func (s selection) list(r page.Request) walk.List[entry] {
	in := &topGroups{selection: s}
	list := walk.List[entry]{Sources: s.sources(in), Position: positionOf, Order: r.Order()}
	if s.Search == "" {
		list.Count = func(ctx context.Context) (int, error) { return s.count(ctx, in) }
		return list
	}
	list.Limit, list.Look, list.Complete = entriesRead, entriesRead, s.readJoined(r)
	list.Search = func(e entry) bool { return project.Finds(e.search, s.Search) }
	list.Time = func(e entry) time.Time { return e.createdAt }
	return list
}

// mostJoined is how many projects a page of a search reads because the user joined
// them one by one. Each is a read unit.
const mostJoined = 200

// listOfAll has every group or project.
var listOfAll = map[project.Kind]shape{project.InGroup: groupList, project.InProject: projectList}

func (s selection) sources(in *topGroups) (all []walk.Source[entry]) {
	switch {
	case s.All && s.kind == project.InProject:
		return []walk.Source[entry]{ordered(s.Store, s.oldest, projectList.key(), readProject)}
	case s.All:
		return []walk.Source[entry]{ordered(s.Store, s.oldest, listOfAll[s.kind].key(), readListed)}
	case !s.MembersOnly:
		all = append(all, ordered(s.Store, s.oldest, visible[s.kind].key(), readListed))
	}
	all = append(all, in.sources()...)
	if s.joins() {
		all = append(all, s.joined)
	}
	return all
}

// joins reports whether the selection has the projects that a user joined.
func (s selection) joins() bool {
	return s.kind == project.InProject && !s.All && s.MemberID != 0
}

// joined is the source of the projects of which the user is a direct member. The
// memberships do not have what a search takes.
func (s selection) joined(ctx context.Context, after page.Position, n int) ([]entry, error) {
	active := ordered(s.Store, s.oldest, memberOfUser.key(s.MemberID, string(project.InProject)), members.read).Only(
		func(m project.Member) bool { return s.Joins(m) }, func(m project.Member) page.Position { return page.At(m.ID) })
	found, err := active(ctx, after, n)
	entries := make([]entry, len(found))
	for n, m := range found {
		entries[n].id = m.ID
	}
	return entries, err
}

// readJoined returns what completes the entries of a page for a search: it reads the
// projects of which only the membership is known, and with them those that a first
// page can show besides, so that nothing is left to read. It ends before the one after
// mostJoined.
func (s selection) readJoined(r page.Request) func(context.Context, []entry) ([]entry, error) {
	left, shown := mostJoined, r.Size
	if r.Skipped() > 0 {
		shown = 0
	}
	return func(ctx context.Context, entries []entry) ([]entry, error) {
		var joined, found []int64
		for n, e := range entries {
			switch {
			case e.search == "" && len(joined) == left:
				entries = entries[:n]
				return entries, s.readProjects(ctx, entries, joined, found)
			case e.search == "":
				joined = append(joined, e.id)
			case len(found) < shown && project.Finds(e.search, s.Search):
				found = append(found, e.id)
			}
		}
		left -= len(joined)
		return entries, s.readProjects(ctx, entries, joined, found)
	}
}

// readProjects gives the entries of joined projects what their projects have. It reads
// the found ones as well.
func (s selection) readProjects(ctx context.Context, entries []entry, joined, found []int64) error {
	if len(joined) == 0 {
		return nil
	}
	projects, err := projects.withIDs(ctx, s.items, slices.Concat(joined, found), projectID)
	for n, e := range entries {
		if p, exists := projects[e.id]; exists && e.search == "" {
			entries[n] = entry{p.ID, p.SearchText(), p.CreatedAt}
		}
	}
	return err
}

// count counts what is selected.
func (s selection) count(ctx context.Context, in *topGroups) (int, error) {
	var instance, groups, outside int
	err := callAll(ctx,
		func(ctx context.Context) (err error) { instance, err = s.countVisible(ctx); return err },
		func(ctx context.Context) (err error) { groups, err = in.count(ctx); return err },
		func(ctx context.Context) (err error) { outside, err = s.countJoined(ctx); return err },
	)
	if err != nil {
		return 0, fmt.Errorf("count %ss: %w", s.kind, err)
	}
	return instance + groups + outside, nil
}

// countVisible counts what is selected for everybody.
func (s selection) countVisible(ctx context.Context) (int, error) {
	switch {
	case s.All:
		return s.countInstance(ctx, func(it item) (int, error) { return countIn(it, s.kind, s.Visibilities()...) })
	case s.MembersOnly:
		return 0, nil
	}
	return s.countInstance(ctx, func(it item) (int, error) { return countIn(it, s.kind, project.Internal, project.Public) })
}

// countInstance adds up what the items that count the things of the instance say.
func (s *Store) countInstance(ctx context.Context, read func(item) (int, error)) (sum int, err error) {
	var keys []key
	for shard := range int64(shards) {
		keys = append(keys, countItem.key(shard))
	}
	found, err := s.getAll(ctx, keys)
	for _, it := range found {
		var n int
		if n, err = read(it); err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, err
}

// below reports whether one of the groups is selected.
func (s selection) below(groups []int64) bool {
	return slices.ContainsFunc(groups, func(id int64) bool { return slices.Contains(s.In, id) })
}

// countJoined counts the projects that the user joined one by one, apart from what
// is counted elsewhere. If there are too many, the whole list is not counted.
func (s selection) countJoined(ctx context.Context) (n int, err error) {
	if !s.joins() {
		return 0, nil
	}
	found, err := s.joined(ctx, page.Position{}, project.MaxCounted+1)
	if err != nil || len(found) > project.MaxCounted {
		return page.CountLimit + 1, err
	}
	things, err := projects.complete(ctx, s.Store, things(found, projectID))
	for _, p := range things {
		if slices.Contains(s.Visibilities(), p.Visibility) && !s.below(p.Lineage) {
			n++
		}
	}
	return n, err
}

func projectID(p *project.Project) *int64 { return &p.ID }

func groupID(g *project.Group) *int64 { return &g.ID }

// things returns things with the ids of the entries, to read them.
func things[T any](entries []entry, idOf func(*T) *int64) []T {
	all := make([]T, len(entries))
	for n, e := range entries {
		*idOf(&all[n]) = e.id
	}
	return all
}

func idsOf(entries []entry) []int64 {
	ids := make([]int64, len(entries))
	for n, e := range entries {
		ids[n] = e.id
	}
	return ids
}

// pageOf returns a page of a list of entries, with the things that they stand for.
// It reads these while the list is counted, calls meanwhile with their ids unless that is
// nil, and leaves out those that keep reports false for.
func pageOf[T any](
	ctx context.Context, s getter, k kind[T], list walk.List[entry], r page.Request, idOf func(*T) *int64,
	keep func(item, T) (bool, error), meanwhile func(context.Context, []int64) error,
) (page.Of[T], error) {
	var found page.Of[T]
	total, count := -1, list.Count
	if !r.TooFar() { // otherwise the count says what to answer
		list.Count = nil
	}
	err := callAll(ctx, func(ctx context.Context) error {
		entries, err := list.Page(ctx, r)
		if err != nil {
			return fmt.Errorf("list %ss: %w", k.noun, err)
		}
		return callAll(ctx, func(ctx context.Context) error {
			items, err := k.completeIf(ctx, s, things(entries.Items, idOf), keep)
			found = page.With(entries, items)
			return err
		}, func(ctx context.Context) error {
			if meanwhile == nil {
				return nil
			}
			return meanwhile(ctx, idsOf(entries.Items))
		})
	}, func(ctx context.Context) error {
		if count == nil || r.Uncounted {
			return nil
		}
		n, err := count(ctx)
		total = page.Count(n)
		return err
	})
	found.Total = total
	return found, err
}
