package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gatehouse/shared/project"
)

// A function of an earlier release deletes a group or project without its entries in
// the lists of what is visible and of what is below a group. They are leftovers. There
// is one below a group at least, which may be deleted as well.

// leftover is a deleted group or project that is listed.
type leftover struct {
	kind       project.Kind
	id         int64
	visibility project.Visibility // with which it is listed
}

func (l leftover) item() key {
	if l.kind == project.InProject {
		return projectItem.key(l.id)
	}
	return groupItem.key(l.id)
}

// groupsAtOnce is how many groups removeLeftovers looks below at once.
const groupsAtOnce = 1000

// removeLeftovers removes all leftovers and what they count, and returns how many
// there were.
func (s *Store) removeLeftovers(ctx context.Context) (removed int, err error) {
	last, err := s.lastID(ctx, groupIDs)
	if err != nil {
		return 0, err
	}
	gone, exist := map[leftover][]int64{}, map[leftover]bool{}
	for first := int64(1); first <= last; first += groupsAtOnce {
		var ids []int64
		for id := first; id <= min(last, first+groupsAtOnce-1); id++ {
			ids = append(ids, id)
		}
		if err := s.findLeftovers(ctx, ids, exist, gone); err != nil {
			return 0, err
		}
	}
	for l, listedBy := range gone {
		if err := s.removeLeftover(ctx, l, listedBy); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// lastID returns the last id of a counter.
func (s *Store) lastID(ctx context.Context, counter key) (last int64, err error) {
	it, err := s.get(ctx, counter)
	if err != nil {
		return 0, err
	}
	return last, fields{{"last_id", &last}}.read(it)
}

// findLeftovers adds the leftovers below these groups to those that are gone, each
// with the groups. It keeps in exist which things it looked for.
func (s *Store) findLeftovers(ctx context.Context, groupIDs []int64, exist map[leftover]bool, gone map[leftover][]int64) error {
	below, err := s.listedBelow(ctx, groupIDs)
	if err != nil {
		return err
	}
	var keys []key
	for l := range below {
		if _, known := exist[l]; !known {
			keys = append(keys, l.item())
		}
	}
	found, err := s.getCheaply(ctx, keys) // what is too new for that is not removed
	if err != nil {
		return err
	}
	for l, listedBy := range below {
		if _, known := exist[l]; !known {
			exist[l] = found[l.item()] != nil
		}
		if !exist[l] {
			gone[l] = append(gone[l], listedBy...)
		}
	}
	return nil
}

// listedBelow returns what the lists of these groups have, with the groups.
func (s *Store) listedBelow(ctx context.Context, groupIDs []int64) (map[leftover][]int64, error) {
	var mu sync.Mutex
	below := map[leftover][]int64{}
	return below, inParallel(ctx, groupIDs, func(ctx context.Context, groupID int64) error {
		return s.query(ctx, belowGroup.key(groupID), forward, func(it item) (bool, error) {
			l, err := readLeftover(it)
			mu.Lock()
			defer mu.Unlock()
			below[l] = append(below[l], groupID)
			return true, err
		})
	})
}

// readLeftover reads the key of an entry of the list of a group.
func readLeftover(it item) (l leftover, err error) {
	var sk string
	err = fields{{"id", &l.id}, {"sk", &sk}}.read(it)
	words := strings.Split(sk, "#")
	if err == nil && len(words) != 3 {
		err = fmt.Errorf("the key %q has %d words", sk, len(words))
	}
	if err != nil {
		return leftover{}, fmt.Errorf("read an entry below a group: %w", err)
	}
	l.visibility, l.kind = project.Visibility(words[0]), project.Kind(words[1])
	return l, nil
}

// errAlive means that what looked like a leftover is none.
var errAlive = errors.New("what is listed exists")

// removeLeftover removes the entries of a leftover with what they count, unless that
// happened meanwhile.
func (s *Store) removeLeftover(ctx context.Context, l leftover, listedBy []int64) error {
	slices.Sort(listedBy)
	err := again(project.ErrGroupNotFound, func() error {
		existing, err := s.GroupsByID(ctx, listedBy)
		if err != nil {
			return err
		}
		was := listing{kind: l.kind, id: l.id, visibility: l.visibility, lineage: listedBy}
		n := recount(was, listing{})
		changes := []change{{key: l.item(), action: check, condition: isNew, missing: errAlive, unmet: errAlive}}
		for _, entry := range was.keys() {
			changes = append(changes, mustRemove(entry).orElse(errAlive))
		}
		lineage := slices.DeleteFunc(slices.Clone(listedBy), func(id int64) bool { return existing[id].ID == 0 })
		return s.write(ctx, slices.Concat(changes, n.ofInstance(l.id), n.ofGroups(lineage, 0))...)
	})
	if errors.Is(err, errAlive) {
		return nil
	}
	return err
}

// countUsersAnew sets the number of users to that of their list, because a function of
// an earlier release deletes users without counting. Each part of the number is that
// of the users who have it.
func (s *Store) countUsersAnew(ctx context.Context) error {
	var parts []key
	for shard := range int64(shards) {
		parts = append(parts, countItem.key(shard))
	}
	for len(parts) > 0 {
		stored, err := s.getAll(ctx, parts)
		if err != nil {
			return err
		}
		n := map[key]int64{}
		err = s.inBatches(ctx, userList.key(), func(found []entry) error {
			for _, e := range found {
				n[countItem.key(e.id%shards)]++
			}
			return nil
		})
		if err != nil {
			return err
		}
		if parts, err = s.setUsers(ctx, stored, n, parts); err != nil {
			return err
		}
	}
	return nil
}

// setUsers sets parts of the number of users, and returns those that changed since
// they were read.
func (s *Store) setUsers(ctx context.Context, stored map[key]item, n map[key]int64, parts []key) (changed []key, err error) {
	for _, part := range parts {
		c := change{key: part, action: update, item: item{countUsers: number(n[part])}}
		err := s.write(ctx, c.unlessWritten(stored[part]))
		if _, unmet := failed(err, 0); unmet {
			changed = append(changed, part)
		} else if err != nil {
			return nil, err
		}
	}
	return changed, nil
}
