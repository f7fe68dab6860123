// Package page describes a page of a list: the request for it and the result.
// A page is asked for by its number, counted from 1, or by the position at which
// the page before it ended. A page beyond the end is empty.
package page

import "time"

// Limits of lists (Interface: "Lists").
const (
	DefaultSize = 20
	MaxSize     = 100
	// CountLimit is the length up to which a list is counted.
	CountLimit = 10_000
)

// Request asks for the page of this size that follows the position or, if there
// is none, for the page with this number.
type Request struct {
	Number, Size int
	After        Position
}

// First is the default page.
var First = Request{Number: 1, Size: DefaultSize}

// Offset is the number of items before the page with the number.
func (r Request) Offset() int { return (r.Number - 1) * r.Size }

// Skipped is the number of items to pass over: none after a position.
func (r Request) Skipped() int {
	if r.After.Some() {
		return 0
	}
	return r.Offset()
}

// Of is one page of a list of T.
type Of[T any] struct {
	Items []T
	// Total is the length of the whole list, or -1 if it is beyond CountLimit or
	// was not counted.
	Total int
	// More means that another page follows.
	More bool
	// Next is the position at which the page ends, if there is more and the list
	// can be read from a position.
	Next Position
	// SearchedUntil is set if a search ended before the list did: what is older
	// than this was not looked at. The next page goes on from there.
	SearchedUntil time.Time
}

// With returns the page with other items in place of its own, such as the things
// in place of their entries.
func With[T, U any](p Of[T], items []U) Of[U] {
	return Of[U]{Items: items, Total: p.Total, More: p.More, Next: p.Next, SearchedUntil: p.SearchedUntil}
}

// Cut returns the requested page of a list in memory. It goes by the number.
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
