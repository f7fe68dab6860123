package dynamodb

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
