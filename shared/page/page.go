// Package page describes a page of a list: the request for it and the result.
// Pages count from 1, and a page beyond the end is empty.
package page

// Limits of offset pagination (Interface: "Lists").
const (
	DefaultSize = 20
	MaxSize     = 100
	// CountLimit is the length up to which a list is counted.
	CountLimit = 10_000
)

// Request asks for the page with this number, counted from 1, of this size.
type Request struct{ Number, Size int }

// First is the default page.
var First = Request{Number: 1, Size: DefaultSize}

// Offset is the number of items before the page.
func (r Request) Offset() int { return (r.Number - 1) * r.Size }

// Of is one page of a list of T.
type Of[T any] struct {
	Items []T
	// Total is the length of the whole list, or -1 beyond CountLimit.
	Total int
	// More means that another page follows.
	More bool
}

// Cut returns the requested page of a list in memory.
func Cut[T any](all []T, r Request) Of[T] {
	start := min(r.Offset(), len(all))
	end := min(start+r.Size, len(all))
	return Of[T]{Items: all[start:end], Total: Count(len(all)), More: end < len(all)}
}

// Count returns the Total of a list with n items.
func Count(n int) int {
	if n > CountLimit {
		return -1
	}
	return n
}
