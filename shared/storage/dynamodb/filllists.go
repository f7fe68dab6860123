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
)

// FillLists lists what functions of an earlier release stored, changed or removed,
// and returns how much that was. Functions of this release can run meanwhile, and it
// can run again at any time. Functions of the earlier release must not run any more:
// what they do after FillLists has passed is left to the next time.
func (s *Store) FillLists(ctx context.Context) (filled int, err error) {
	for _, part := range []struct {
		list     key
		item     shape
		upToDate func(item) (bool, error)
		fill     func(context.Context, int64) (bool, error)
	}{
		{groupList.key(), groupItem, isUpToDate, s.fillGroup},
		{projectList.key(), projectItem, isUpToDate, s.fillProject},
		{userList.key(), userItem, func(it item) (bool, error) { return it[isListed] != nil, nil }, s.fillUser},
	} {
		n, err := s.fillPart(ctx, part.list, part.item, part.upToDate, part.fill)
		filled += n
		if err != nil {
			return filled, fmt.Errorf("fill lists: %w", err)
		}
	}
	removed, err := s.removeLeftovers(ctx)
	if err == nil {
		err = s.countUsersAnew(ctx)
	}
	if err != nil {
		return filled + removed, fmt.Errorf("remove what is gone from the lists: %w", err)
	}
	return filled + removed, s.write(ctx, replace(listsMark.key(), nil))
}

// inBatches calls do with the entries of a list, so many at a time as one request
// reads things.
func (s *Store) inBatches(ctx context.Context, list key, do func([]entry) error) error {
	next := source(s, list, readListed)
	for after := (page.Position{}); ; {
		found, err := next(ctx, after, maxBatch)
		if err != nil || len(found) == 0 {
			return err
		}
		if err := do(found); err != nil {
			return err
		}
		after = positionOf(found[len(found)-1])
	}
}

// fillPart lists the things in a list of all, and returns how many were not listed as
// they are.
func (s *Store) fillPart(ctx context.Context, list key, of shape, upToDate func(item) (bool, error), fill func(context.Context, int64) (bool, error)) (int, error) {
	var filled atomic.Int64
	err := s.inBatches(ctx, list, func(found []entry) error {
		outdated, err := s.outdated(ctx, of, found, upToDate)
		if err != nil {
			return err
		}
		return inParallel(ctx, outdated, func(ctx context.Context, id int64) error {
			done, err := fill(ctx, id)
			if done {
				filled.Add(1)
			}
			return err
		})
	})
	return int(filled.Load()), err
}

// outdated returns the ids of the things that are not listed as they are.
func (s *Store) outdated(ctx context.Context, of shape, entries []entry, upToDate func(item) (bool, error)) (ids []int64, err error) {
	keys := make([]key, len(entries))
	for n, e := range entries {
		keys[n] = of.key(e.id)
	}
	found, err := s.getAll(ctx, keys)
	if err != nil {
		return nil, err
	}
	for n, e := range entries {
		it, exists := found[keys[n]]
		if !exists {
			continue
		}
		is, err := upToDate(it)
		if err != nil {
			return nil, err
		}
		if !is {
			ids = append(ids, e.id)
		}
	}
	return ids, nil
}

// again repeats a write that fails because something changed meanwhile, or because
// too many write to the same groups.
func again(changed error, try func() error) error {
	for {
		err := try()
		if !errors.Is(err, changed) && contended(err) != aws.TrueTernary {
			return err
		}
	}
}

// fillOne lists a group or project as it is, unless it is by now, or was deleted.
func fillOne[T any](ctx context.Context, s *Store, k kind[T], at key, listingOf func(T) listing, changes func(thing T, own change, n counts) []change) (done bool, err error) {
	err = again(k.changed, func() error {
		thing, it, err := k.stored(ctx, s, at)
		if err != nil {
			return err
		}
		upToDate, err := isUpToDate(it)
		if upToDate || err != nil {
			return err
		}
		next := listingOf(thing)
		was, err := next.listedIn(it)
		if err != nil {
			return err
		}
		n := recount(was, next)
		own := k.asRead(set(at, next.mark()), next.version, it)
		err = s.write(ctx, slices.Concat(changes(thing, own, n), n.ofInstance(next.id), relist(was, next))...)
		done = err == nil
		return err
	})
	return done, fault.IgnoreNotFound(err)
}

func (s *Store) fillGroup(ctx context.Context, id int64) (bool, error) {
	return fillOne(ctx, s, groups, groupItem.key(id), listingOfGroup, func(g project.Group, own change, n counts) []change {
		own.add = n.item()
		return append(n.ofGroups(g.Ancestors, 0), own)
	})
}

func (s *Store) fillProject(ctx context.Context, id int64) (bool, error) {
	return fillOne(ctx, s, projects, projectItem.key(id), listingOfProject, func(p project.Project, own change, n counts) []change {
		inAll := set(projectList.key(id), fields{{"created_at", &p.CreatedAt}})
		return append(n.ofGroups(p.Lineage, 0), own, inAll)
	})
}

func (s *Store) fillUser(ctx context.Context, id int64) (done bool, err error) {
	err = again(users.changed, func() error {
		u, it, err := users.stored(ctx, s, userItem.key(id))
		if err != nil || it[isListed] != nil {
			return err
		}
		yes := true
		own := users.asRead(set(userItem.key(id), fields{{isListed, &yes}}), u.Version, it)
		err = s.write(ctx, append(counts{countUsers: 1}.ofInstance(id), own)...)
		done = err == nil
		return err
	})
	return done, fault.IgnoreNotFound(err)
}
