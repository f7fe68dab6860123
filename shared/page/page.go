// Package page describes a slice of a long list: which one is wanted, and
// what came. Pages count from 1, and one beyond the end is empty.
package page

// Limits of offset pagination (Interface: "Lists").
const (
	DefaultSize = 20
	MaxSize     = 100
	// CountLimit is the longest list whose total is counted.
	CountLimit = 10_000
)

// Request asks for the page with this number, counted from 1, of this size.
type Request struct{ Number, Size int }

// First is the page a caller gets who asks for none.
var First = Request{Number: 1, Size: DefaultSize}

// Offset is the number of items before the page.
func (r Request) Offset() int { return (r.Number - 1) * r.Size }

// Of is one page of a list of T.
type Of[T any] struct {
	Items []T
	// Total counts the whole list; it is -1 beyond CountLimit.
	Total int
	// More tells that another page follows.
	More bool
}

// Cut returns the requested page of a list that is all in memory.
func Cut[T any](all []T, r Request) Of[T] {
	start := min(r.Offset(), len(all))
	end := min(start+r.Size, len(all))
	return Of[T]{Items: all[start:end], Total: Count(len(all)), More: end < len(all)}
}

// Count returns the total that a page tells: n, or -1 beyond CountLimit.
func Count(n int) int {
	if n > CountLimit {
		return -1
	}
	return n
}
