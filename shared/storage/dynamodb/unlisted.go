package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/walk"
	"gatehouse/shared/user"
)

// A directory that an earlier release filled has users, groups and projects that
// are not listed: the lists of what is visible and of what is below a group lack
// them, and nothing counts them. A group or project is listed by the first change to
// it, and the rest by FillLists, which leaves a mark when it has been through all of
// them. Until the mark is there, lists are read from those of everything.

var listsMark = shape{directory, "LISTS", "COMPLETE", "says that all users, groups and projects are listed", ""}

// isListed is the attribute of a user, group or project that is listed.
const isListed = "listed"

// stored returns the thing with this key and whether it is listed, or notFound.
func (k kind[T]) stored(ctx context.Context, s *Store, at key) (thing T, listed bool, err error) {
	it, err := s.get(ctx, at)
	switch {
	case err != nil:
		return thing, false, fmt.Errorf("get %s: %w", k.noun, err)
	case it == nil:
		return thing, false, k.notFound
	}
	if thing, err = k.read(it); err == nil {
		err = fields{{isListed, &listed}}.read(it)
	}
	return thing, listed, err
}

// asRead requires the version that was read, and that the thing is listed if and
// only if it was then.
func (k kind[T]) asRead(c change, version int64, listed bool) change {
	return k.explain(c.version(version).ifEqual(fields{{isListed, &listed}}))
}

// persist repeats what removes a thing as it was read, until it is not changed in
// between.
func (k kind[T]) persist(remove func() error) (err error) {
	for range maxAttempts {
		if err = remove(); !errors.Is(err, k.changed) {
			return err
		}
	}
	return err
}

// ifListed returns the listing if the lists have it.
func (l listing) ifListed(listed bool) listing {
	if !listed {
		return listing{}
	}
	return l
}

// listsComplete reports whether the mark is there. Once it is, it stays.
func (s *Store) listsComplete(ctx context.Context) (bool, error) {
	if s.complete.Load() {
		return true, nil
	}
	return s.readListsMark(ctx)
}

func (s *Store) readListsMark(ctx context.Context) (bool, error) {
	mark, err := s.get(ctx, listsMark.key())
	if mark != nil {
		s.complete.Store(true)
	}
	return mark != nil, err
}

// firstMark returns the change that marks the lists of a directory that has nobody.
func (s *Store) firstMark(ctx context.Context) ([]change, error) {
	complete, err := s.listsComplete(ctx)
	if complete || err != nil {
		return nil, err
	}
	anybody, err := source(s, userList.key(), readListed)(ctx, page.Position{}, 1)
	if len(anybody) > 0 || err != nil {
		return nil, err
	}
	return []change{replace(listsMark.key(), nil)}, nil
}

// unlisted returns the selected list, read from the list of everything.
func unlisted[T any](s selection, k kind[T], list key, passes func(T) bool, idOf func(*T) *int64) walk.List[entry] {
	read := func(it item) (thing T, err error) { return thing, k.entry(&thing).read(it) }
	passing := source(s.Store, list, read).Only(passes, func(thing T) page.Position { return page.At(*idOf(&thing)) })
	entries := func(ctx context.Context, after page.Position, n int) (entries []entry, err error) {
		found, err := passing(ctx, after, n)
		for _, thing := range found {
			entries = append(entries, entry{id: *idOf(&thing)})
		}
		return entries, err
	}
	return walk.List[entry]{Sources: []walk.Source[entry]{entries}, Position: positionOf, Count: s.countable(entries)}
}

// countable returns the function that counts the entries of a source, or nil for a
// search.
func (s selection) countable(entries walk.Source[entry]) func(context.Context) (int, error) {
	if s.Search != "" {
		return nil
	}
	return func(ctx context.Context) (int, error) {
		found, err := entries(ctx, page.Position{}, page.CountLimit+1)
		return len(found), err
	}
}

// filter returns the filter that passes what is selected.
func (s selection) filter(ctx context.Context) (project.Filter, error) {
	f := project.Filter{All: s.All, MembersOnly: s.MembersOnly, Search: s.Search}
	for _, id := range s.In {
		f.Places = append(f.Places, project.Place{Kind: project.InGroup, ID: id})
	}
	if !s.joins() {
		return f, nil
	}
	joined, err := s.MembershipsIn(ctx, project.InProject, s.MemberID)
	for _, m := range joined {
		if m.Active(s.Now) {
			f.Places = append(f.Places, m.Place)
		}
	}
	return f, err
}

// widestUnlisted returns the widest visibility of what is in the group. The lists of
// groups and projects hold all that it takes.
func (s *Store) widestUnlisted(ctx context.Context, groupID int64) (project.Visibility, error) {
	var inGroups, inProjects project.Visibility
	err := callAll(ctx, func(ctx context.Context) (err error) {
		inGroups, err = widest(ctx, s, groups, groupList.key(), func(g project.Group) (project.Visibility, bool) {
			return g.Visibility, slices.Contains(g.Ancestors, groupID)
		})
		return err
	}, func(ctx context.Context) (err error) {
		inProjects, err = widest(ctx, s, projects, projectList.key(), func(p project.Project) (project.Visibility, bool) {
			return p.Visibility, slices.Contains(p.Lineage, groupID)
		})
		return err
	})
	return project.Widest(inGroups, inProjects), err
}

// widest returns the widest visibility of the things in a list that look reports
// to be inside. The search ends at public, because nothing is wider.
func widest[T any](ctx context.Context, s *Store, k kind[T], list key, look func(T) (v project.Visibility, inside bool)) (project.Visibility, error) {
	found := project.Private
	err := s.query(ctx, list, forward, func(it item) (more bool, err error) {
		var entry T
		err = k.entry(&entry).read(it)
		if v, inside := look(entry); inside {
			found = project.Widest(found, v)
		}
		return found != project.Public, err
	})
	if err != nil {
		return found, fmt.Errorf("list %ss: %w", k.noun, err)
	}
	return found, nil
}

// FillLists lists what an earlier release stored, and returns how much that was.
// Functions of this release can run meanwhile, and it can run again at any time.
// Functions of the earlier release must not run any more: what they create after
// FillLists has passed would never be listed.
func (s *Store) FillLists(ctx context.Context) (filled int, err error) {
	complete, err := s.listsComplete(ctx)
	if complete || err != nil {
		return 0, err
	}
	for _, part := range []struct {
		list key
		item shape
		fill func(context.Context, int64) (bool, error)
	}{{groupList.key(), groupItem, s.fillGroup}, {projectList.key(), projectItem, s.fillProject}, {userList.key(), userItem, s.fillUser}} {
		n, err := s.fillPart(ctx, part.list, part.item, part.fill)
		filled += n
		if err != nil {
			return filled, fmt.Errorf("fill lists: %w", err)
		}
	}
	return filled, s.write(ctx, replace(listsMark.key(), nil))
}

// fillPart lists the things in a list of all, and returns how many were not listed.
func (s *Store) fillPart(ctx context.Context, list key, of shape, fill func(context.Context, int64) (bool, error)) (int, error) {
	var filled atomic.Int64
	next := source(s, list, readListed)
	for after := (page.Position{}); ; {
		found, err := next(ctx, after, maxBatch)
		if err != nil || len(found) == 0 {
			return int(filled.Load()), err
		}
		missing, err := s.notListed(ctx, of, found)
		if err != nil {
			return int(filled.Load()), err
		}
		err = inParallel(ctx, missing, func(ctx context.Context, id int64) error {
			done, err := fill(ctx, id)
			if done {
				filled.Add(1)
			}
			return err
		})
		if err != nil {
			return int(filled.Load()), err
		}
		after = positionOf(found[len(found)-1])
	}
}

// notListed returns the ids of the things that are not listed.
func (s *Store) notListed(ctx context.Context, of shape, entries []entry) (ids []int64, err error) {
	keys := make([]key, len(entries))
	for n, e := range entries {
		keys[n] = of.key(e.id)
	}
	found, err := s.getAll(ctx, keys)
	for n, e := range entries {
		if it, exists := found[keys[n]]; exists && it[isListed] == nil {
			ids = append(ids, e.id)
		}
	}
	return ids, err
}

// fillOne lists a thing that is not listed, unless it is deleted meanwhile. If it is
// changed meanwhile, or too many write to the same groups, it is tried again.
func fillOne[T any](ctx context.Context, s *Store, k kind[T], at key, versionOf func(T) int64, changes func(T, change) []change) (done bool, err error) {
	for {
		thing, listed, err := k.stored(ctx, s, at)
		if err != nil || listed {
			return false, fault.IgnoreNotFound(err)
		}
		yes := true
		mark := k.asRead(set(at, fields{{isListed, &yes}}), versionOf(thing), false)
		err = s.write(ctx, changes(thing, mark)...)
		if !errors.Is(err, k.changed) && contended(err) != aws.TrueTernary {
			return err == nil, fault.IgnoreNotFound(err)
		}
	}
}

func (s *Store) fillGroup(ctx context.Context, id int64) (bool, error) {
	return fillOne(ctx, s, groups, groupItem.key(id), func(g project.Group) int64 { return g.Version }, func(g project.Group, mark change) []change {
		next := listingOfGroup(g)
		n := recount(listing{}, next)
		mark.add = n.item()
		return slices.Concat([]change{mark}, n.ofInstance(id), relist(listing{}, next), n.ofGroups(g.Ancestors, 0))
	})
}

func (s *Store) fillProject(ctx context.Context, id int64) (bool, error) {
	return fillOne(ctx, s, projects, projectItem.key(id), func(p project.Project) int64 { return p.Version }, func(p project.Project, mark change) []change {
		next := listingOfProject(p)
		n := recount(listing{}, next)
		inAll := set(projectList.key(id), fields{{"created_at", &p.CreatedAt}})
		return slices.Concat([]change{mark, inAll}, n.ofInstance(id), relist(listing{}, next), n.ofGroups(p.Lineage, 0))
	})
}

func (s *Store) fillUser(ctx context.Context, id int64) (bool, error) {
	return fillOne(ctx, s, users, userItem.key(id), func(u user.User) int64 { return u.Version }, func(_ user.User, mark change) []change {
		return append(counts{countUsers: 1}.ofInstance(id), mark)
	})
}
