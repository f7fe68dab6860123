package dynamodb

import (
	"context"
	"fmt"
)

// keptCount counts a list that can be too long to be counted each time. Changed
// counts the entries that came and went since the item is there, and Before those
// at its beginning. Before is missing until somebody needs the count.
type keptCount struct{ Before, Changed int64 }

// The attributes of a keptCount.
const countBefore, countChanged = "before", "changed"

// readCount returns the count that the item is, and whether it has begun. There
// may be no item.
func readCount(it item) (c keptCount, begun bool, err error) {
	err = fields{{countBefore, &c.Before}, {countChanged, &c.Changed}}.read(it)
	return c, it[countBefore] != nil, err
}

func (c keptCount) total() int { return int(c.Before + c.Changed) }

// addToCount is the change of the count by a write that adds n entries.
func addToCount(count key, n int64) change {
	return change{key: count, action: update, add: item{countChanged: number(n)}}
}

// forgetCount has the list counted anew when the count is needed.
func forgetCount(count key) change {
	return change{key: count, action: update, item: item{countBefore: nil}}
}

// begin keeps that the list has n entries, unless it changed since the item was
// read: then the next caller counts anew.
func (c keptCount) begin(count key, stored item, n int) change {
	begun := change{key: count, action: update, item: item{countBefore: number(int64(n) - c.Changed)}}
	return begun.unlessWritten(stored)
}

// ForgetCounts has all lists with a keptCount counted anew when the count is needed,
// because functions of an earlier release change the lists and not the counts. It
// can be repeated, and run beside functions of this release.
func (s *Store) ForgetCounts(ctx context.Context) error {
	err := s.forgetCounts(ctx, countTokens.key(), countClients.key(), countOfOwner.key(int64(0)))
	for _, part := range []struct {
		list   key
		counts []shape
	}{
		{groupList.key(), []shape{countInGroup}},
		{projectList.key(), []shape{countInProject}},
		{userList.key(), []shape{countOfUser, countOfOwner}},
	} {
		if err != nil {
			break
		}
		err = s.inBatches(ctx, part.list, func(found []entry) error {
			var counts []key
			for _, e := range found {
				for _, count := range part.counts {
					counts = append(counts, count.key(e.id))
				}
			}
			return s.forgetCounts(ctx, counts...)
		})
	}
	if err != nil {
		return fmt.Errorf("forget kept counts: %w", err)
	}
	return nil
}

// forgetCounts forgets those of the counts that are kept.
func (s *Store) forgetCounts(ctx context.Context, counts ...key) error {
	byTable := map[table][]key{}
	for _, count := range counts {
		byTable[count.table] = append(byTable[count.table], count)
	}
	for _, counts := range byTable {
		stored, err := s.getAll(ctx, counts)
		if err != nil {
			return err
		}
		var begun []key
		for count, it := range stored {
			if it[countBefore] != nil {
				begun = append(begun, count)
			}
		}
		err = inParallel(ctx, begun, func(ctx context.Context, count key) error {
			return s.writeIf(ctx, forgetCount(count).when(exists, nil))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
