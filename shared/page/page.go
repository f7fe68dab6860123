// Package page describes a page of a list: the request for it and the result.
// A page is asked for by its number, counted from 1, or by the position at which
// the page before it ended. A page beyond the end is empty.
package page

import (
	"time"

	"gatehouse/shared/fault"
)

// Limits of lists (Interface: "Lists").
const (
	DefaultSize = 20
	MaxSize     = 100
	// CountLimit is the length up to which a list is counted.
	CountLimit = 10_000
	// Reach is how far from the beginning of a list a page can be that is asked for
	// by its number alone: such a page costs as much as all before it.
	Reach = 5 * CountLimit
)

// ErrTooFar refuses a page that only a position leads to.
var ErrTooFar = fault.New(fault.Invalid,
	"the page is too far from the beginning of the list; follow the link to the next page from one that is nearer")

// Request asks for the page of this size that follows the position or, if there
// is none, for the page with this number.
type Request struct {
	Number, Size int
	After        Position
	// Uncounted says that nobody needs the total.
	Uncounted bool
	// Oldest asks for the oldest items first, of a list by descending number that can be
	// read from both ends: users, personal access tokens, groups and projects.
	Oldest bool
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

// Order is the order of positions in a list by descending number.
func (r Request) Order() func(a, b Position) int {
	if r.Oldest {
		return Ascending
	}
	return Falling
}

// TooFar reports whether the page is asked for by its number alone and ends beyond
// the reach.
func (r Request) TooFar() bool { return !r.After.Some() && r.Number > Reach/max(r.Size, 1) }

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
	// Unnumbered means that the number of the next page does not lead to it, and
	// that of the page before does not either if this one was read from a position.
	Unnumbered bool
	// SearchedUntil is set if a search ended before the list did: what is older
	// than this was not looked at. The next page goes on from there.
	SearchedUntil time.Time
}

// With returns the page with other items in place of its own, such as the things
// in place of their entries.
func With[T, U any](p Of[T], items []U) Of[U] {
	return Of[U]{
		Items: items, Total: p.Total, More: p.More, Next: p.Next, Unnumbered: p.Unnumbered, SearchedUntil: p.SearchedUntil,
	}
}

// Neighbours returns the numbers by which the pages before and after this one can be
// asked for, and 0 where there is none.
func (p Of[T]) Neighbours(r Request) (prev, next int) {
	if n := r.Number - 1; n == 1 || n > 1 && !(p.Unnumbered && r.After.Some()) {
		prev = n
	}
	if p.More && !p.Unnumbered {
		next = r.Number + 1
	}
	if (Request{Number: prev, Size: r.Size}).TooFar() {
		prev = 0
	}
	if (Request{Number: next, Size: r.Size}).TooFar() {
		next = 0
	}
	return prev, next
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
