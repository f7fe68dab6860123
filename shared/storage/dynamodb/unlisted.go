package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/walk"
)

// A directory that an earlier release filled has users, groups and projects that
// are not listed: the lists of what is visible and of what is below a group lack
// them, and nothing counts them. A group or project is listed by the first change to
// it, and the rest by FillLists, which leaves a mark when it has been through all of
// them. Until the mark is there, lists are read from those of everything. When it is,
// a function of an earlier release can still change what is listed: then the lists
// lack what is new, and show neither what is gone nor what is private by now.

var listsMark = shape{directory, "LISTS", "COMPLETE", "says that all users, groups and projects are listed", ""}

// stored returns the thing with this key and its item, or notFound.
func (k kind[T]) stored(ctx context.Context, s *Store, at key) (thing T, stored item, err error) {
	stored, err = s.get(ctx, at)
	switch {
	case err != nil:
		return thing, nil, fmt.Errorf("get %s: %w", k.noun, err)
	case stored == nil:
		return thing, nil, k.notFound
	}
	thing, err = k.read(stored)
	return thing, stored, err
}

// asRead requires the version that was read, and that the thing is listed as it was
// then.
func (k kind[T]) asRead(c change, version int64, stored item) change {
	return k.explain(c.version(version).listedLike(stored))
}

// listedLike requires the thing to be listed as the stored item says.
func (c change) listedLike(stored item) change {
	if as, listed := stored[isListed]; listed {
		return c.and(isListed+" = :was_listed", item{":was_listed": as})
	}
	return c.and("attribute_not_exists("+isListed+")", nil)
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
	passing := ordered(s.Store, s.oldest, list, read).Only(passes, func(thing T) page.Position { return page.At(*idOf(&thing)) })
	entries := func(ctx context.Context, after page.Position, n int) (entries []entry, err error) {
		found, err := passing(ctx, after, n)
		for _, thing := range found {
			entries = append(entries, entry{id: *idOf(&thing)})
		}
		return entries, err
	}
	return walk.List[entry]{Sources: []walk.Source[entry]{entries}, Position: positionOf, Order: page.Request{Oldest: s.oldest}.Order(), Count: s.countable(entries)}
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
	f := project.Filter{All: s.All, MembersOnly: s.MembersOnly, Open: s.Open, Search: s.Search}
	for _, id := range s.In {
		f.Places = append(f.Places, project.Place{Kind: project.InGroup, ID: id})
	}
	if !s.joins() {
		return f, nil
	}
	joined, err := s.MembershipsIn(ctx, project.InProject, s.MemberID)
	for _, m := range joined {
		if s.Joins(m) {
			f.Places = append(f.Places, m.Place)
		}
	}
	return f, err
}

// stillSelected returns the function that reports whether a listed thing is selected.
// A function of an earlier release may have changed it since it was listed.
func stillSelected[T any](ctx context.Context, s selection, passes func(project.Filter, T) bool) func(item, T) (bool, error) {
	filter := sync.OnceValues(func() (project.Filter, error) { return s.filter(ctx) })
	return func(it item, thing T) (bool, error) {
		listed, err := isUpToDate(it)
		if listed || err != nil {
			return listed, err
		}
		f, err := filter()
		return err == nil && passes(f, thing), err
	}
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
