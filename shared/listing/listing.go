// Package listing reads the parameters that narrow and order the lists of the REST API
// (Interface: "Lists"). A list declares once what it obeys, what has a known answer and
// what is refused, so that no filter is dropped in silence.
package listing

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
	"gatehouse/shared/web"
)

// Parameters say what a list does with the parameters that narrow it. Those that only
// change how items are shown are not declared.
type Parameters struct {
	// None selects nothing if it is true: nothing in Gatehouse is like that.
	None []string
	// NoneUnless selects nothing if it is false: everything in Gatehouse is like that.
	NoneUnless []string
	// NoneIfSent selects nothing, whatever the value: nothing in Gatehouse has one.
	NoneIfSent []string
	// States selects everything or nothing, by the word.
	States map[string]States
	// Refused would narrow the list by something that Gatehouse does not know.
	Refused []string
	// RefusedIfTrue does that if it is true, and changes nothing otherwise.
	RefusedIfTrue []string
}

// States are the words that a parameter can have, and what they select.
type States struct{ All, None []string }

// Read complains about what is refused, and reports whether the parameters select
// nothing.
func (ps Parameters) Read(params *web.Values) (nothing bool) {
	for _, name := range ps.Refused {
		if params.Sent(name) {
			params.NotSupported(name)
		}
	}
	for _, name := range ps.RefusedIfTrue {
		if params.BoolOr(name, false) {
			params.NotSupported(name)
		}
	}
	for _, name := range ps.None {
		nothing = params.BoolOr(name, false) || nothing
	}
	for _, name := range ps.NoneUnless {
		nothing = !params.BoolOr(name, true) || nothing
	}
	for _, name := range ps.NoneIfSent {
		nothing = params.Sent(name) || nothing
	}
	for name, states := range ps.States {
		word := web.Choice(params, name, slices.Concat(states.All, states.None))
		nothing = nothing || slices.Contains(states.None, word)
	}
	return nothing
}

// List is a list of the REST API, the newest items first unless something else is asked
// for.
type List[T any] struct {
	ID      func(T) int64
	Time    func(T) time.Time // when the item was made
	Filters []Filter[T]
	// Orders are what order_by can be. In one without a comparison all items are equal.
	Orders map[string]func(a, b T) int
	// Bounded says that the list has the parameters id_after and id_before.
	Bounded bool
	// Rising says that the list has the lowest ids first, and not the newest items.
	Rising bool
	// OrderBy and Sort are what counts if only the other parameter is sent.
	OrderBy, Sort string
	Parameters
}

// Filter reads parameters. It returns the function that keeps items, or nil to keep all.
type Filter[T any] func(*web.Values) func(T) bool

// Query is what a request wants of a list.
type Query[T any] struct {
	of      List[T]
	keep    []func(T) bool
	compare func(a, b T) int // nil: the newest first
	nothing bool
	oldest  bool // the oldest items first
	// above and below are ids that those of all items are between; 0: no bound.
	above, below int64
	// before has the items that come before all others.
	before Read[T]
	leads  func(T) bool
}

// The values of sort.
const (
	Ascending  = "asc"
	Descending = "desc"
)

// Whole returns the query that wants all of the list.
func (l List[T]) Whole() Query[T] { return Query[T]{of: l} }

// Read reads the parameters of the list.
func (l List[T]) Read(params *web.Values) Query[T] {
	q := Query[T]{of: l, nothing: l.Parameters.Read(params)}
	for _, filter := range l.Filters {
		q.Keep(filter(params))
	}
	if l.Orders != nil {
		l.readOrder(params, &q)
	}
	if l.Bounded {
		q.readBounds(params)
	}
	return q
}

func (q *Query[T]) readBounds(params *web.Values) {
	if id := params.OptionalInt("id_after"); id != nil {
		q.above = min(max(*id, 0), page.MaxID)
	}
	if id := params.OptionalInt("id_before"); id != nil {
		q.below = max(*id, 1)
	}
}

// Search returns a page of what the function reports true for, the newest items first.
func (l List[T]) Search(ctx context.Context, r page.Request, keep func(T) bool, lists ...Read[T]) (page.Of[T], error) {
	q := l.Whole()
	q.Keep(keep)
	return q.Page(ctx, r, lists...)
}

// Keep keeps of the list what the function reports true for. Nil keeps all.
func (q *Query[T]) Keep(keep func(T) bool) {
	if keep != nil {
		q.keep = append(q.keep, keep)
	}
}

// Before has the items of a list come before all others, in the order that the list has
// by itself. The function reports whether an item is one of them.
func (q *Query[T]) Before(list Read[T], leads func(T) bool) { q.before, q.leads = list, leads }

// Plain reports whether the query wants the whole list in its own order.
func (q Query[T]) Plain() bool {
	return q.whole() && q.compare == nil && q.before == nil && !q.oldest && !q.nothing
}

// whole reports whether the query wants the whole list.
func (q Query[T]) whole() bool { return len(q.keep) == 0 && q.above == 0 && q.below == 0 }

func (l List[T]) readOrder(params *web.Values, q *Query[T]) {
	names := make([]string, 0, len(l.Orders))
	for name := range l.Orders {
		names = append(names, name)
	}
	orderBy, sort := web.Choice(params, "order_by", names), web.Choice(params, "sort", []string{Ascending, Descending})
	if orderBy == "" && sort == "" {
		return
	}
	q.Sort(l.Orders[cmp.Or(orderBy, l.OrderBy)], cmp.Or(sort, l.Sort))
}

// Sort has the items come in the order of the comparison, in this direction. Equal items
// have the newest first. Without a comparison it is the order of creation.
func (q *Query[T]) Sort(compare func(a, b T) int, sort string) {
	newest := func(a, b T) int { return cmp.Compare(q.of.ID(b), q.of.ID(a)) }
	switch {
	case compare == nil:
		q.compare, q.oldest = nil, sort == Ascending
	case sort == Descending:
		q.compare = func(a, b T) int { return cmp.Or(compare(b, a), newest(a, b)) }
	default:
		q.compare = func(a, b T) int { return cmp.Or(compare(a, b), newest(a, b)) }
	}
}

// Limit is how many items a page looks at to find what is wanted where no key leads to it,
// and how many of the newest items are sorted together (Interface: "Lists").
const Limit = 500

// firstLook is how many items a page looks at first. The second look takes eight times as
// many, which is all that is left of the Limit.
const firstLook = (Limit + 8) / 9

// Read returns a page of a list, the newest items first.
type Read[T any] func(context.Context, page.Request) (page.Of[T], error)

// Page returns a page of what is wanted of the lists, which can have items in common. The
// caller may see all of them.
func (q Query[T]) Page(ctx context.Context, r page.Request, lists ...Read[T]) (page.Of[T], error) {
	switch {
	case q.nothing:
		return page.Of[T]{Items: []T{}}, nil
	case q.compare != nil:
		return q.sorted(ctx, r, lists)
	case q.oldest:
		q.before = nil // they come where their ids are
	}
	if r.Oldest = q.oldest; len(lists) == 1 && q.whole() && q.before == nil {
		return lists[0](ctx, r)
	}
	list := q.list()
	list.Position = q.position
	for _, read := range lists {
		list.Sources = append(list.Sources, q.behind(q.source(read, nil)))
	}
	if q.before != nil {
		list.Sources = append(list.Sources, q.leading)
	}
	if q.of.Rising || q.oldest {
		list.Order = leadersThenAscending
	}
	return list.Page(ctx, r)
}

func (q Query[T]) list() walk.List[T] {
	list := walk.List[T]{Time: q.of.Time, Limit: Limit, Look: firstLook}
	if len(q.keep) > 0 {
		list.Search = q.keeps
	}
	return list
}

// sorted returns a page in an order that no key has. A single list that is not narrowed
// has its total.
func (q Query[T]) sorted(ctx context.Context, r page.Request, lists []Read[T]) (page.Of[T], error) {
	total := -1
	counted := &total
	if !q.whole() || len(lists) > 1 {
		counted = nil
	}
	list := q.list()
	list.Position = func(item T) page.Position { return page.At(q.of.ID(item)) }
	for _, read := range lists {
		list.Sources = append(list.Sources, q.source(read, counted))
	}
	found, err := walk.Window[T]{Newest: list, Size: Limit, Reach: Limit, Compare: q.compare}.Page(ctx, r)
	found.Total = total
	return found, err
}

// first is the value of the position of what comes before all others.
const first = 1

func leadersThenAscending(a, b page.Position) int {
	return cmp.Or(cmp.Compare(b.Value, a.Value), page.Ascending(a, b))
}

func (q Query[T]) position(item T) page.Position {
	at := page.At(q.of.ID(item))
	if q.before != nil && q.leads(item) {
		at.Value = first
	}
	return at
}

// leading is the source of what comes before all others.
func (q Query[T]) leading(ctx context.Context, after page.Position, n int) ([]T, error) {
	if after.Some() && after.Value != first {
		return nil, nil
	}
	return q.source(q.before, nil)(ctx, page.Position{ID: after.ID}, n)
}

// behind is the source of all others.
func (q Query[T]) behind(all walk.Source[T]) walk.Source[T] {
	if q.before == nil {
		return all
	}
	others := all.Only(func(item T) bool { return !q.leads(item) }, func(item T) page.Position { return page.At(q.of.ID(item)) })
	return func(ctx context.Context, after page.Position, n int) ([]T, error) {
		if after.Value == first {
			after = page.Position{}
		}
		return others(ctx, after, n)
	}
}

func (q Query[T]) keeps(item T) bool {
	return !slices.ContainsFunc(q.keep, func(keep func(T) bool) bool { return !keep(item) })
}

// source is the source of the items of a list between the bounds. It sets the total of
// the list if that is wanted.
func (q Query[T]) source(read Read[T], total *int) walk.Source[T] {
	begin, end := q.below, q.above
	if q.oldest {
		begin, end = q.above, q.below
	}
	return func(ctx context.Context, after page.Position, n int) (items []T, err error) {
		if !after.Some() {
			after = page.At(begin)
		}
		for {
			found, err := read(ctx, page.Request{Number: 1, Size: n - len(items), After: after, Uncounted: total == nil, Oldest: q.oldest})
			if err != nil {
				return nil, err
			}
			if total != nil {
				*total = found.Total
			}
			past := slices.IndexFunc(found.Items, func(item T) bool { return end > 0 && q.past(q.of.ID(item), end) })
			if past >= 0 {
				return append(items, found.Items[:past]...), nil
			}
			items = append(items, found.Items...)
			if !found.More || len(items) >= n {
				return items, nil
			}
			after = found.Next
		}
	}
}

// past reports whether the id is not before the end of what is wanted.
func (q Query[T]) past(id, end int64) bool {
	if q.oldest {
		return id >= end
	}
	return id <= end
}

// One is a list of a single item.
func One[T any](item T) Read[T] {
	return func(_ context.Context, r page.Request) (page.Of[T], error) {
		if r.After.Some() {
			return page.Of[T]{}, nil
		}
		return page.Cut([]T{item}, r), nil
	}
}

// Text compares texts without regard to letter case.
func Text(a, b string) int {
	return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
}

// Times compares by a time. An item without one counts as the earliest.
func Times[T any](at func(T) time.Time) func(a, b T) int {
	return func(a, b T) int { return at(a).Compare(at(b)) }
}

// None is a list of nothing.
func None[T any](context.Context, page.Request) (page.Of[T], error) { return page.Of[T]{}, nil }

// If returns the filter that keeps, if the parameter is true, what the function reports
// true for.
func If[T any](name string, keep func(T) bool) Filter[T] {
	return func(params *web.Values) func(T) bool {
		if params.BoolOr(name, false) {
			return keep
		}
		return nil
	}
}

// Between returns the filter that keeps what has a time from one parameter to another. A
// day stands for its beginning. What has no time is left out.
func Between[T any](after, before string, at func(T) time.Time) Filter[T] {
	return func(params *web.Values) func(T) bool {
		from, to := params.OptionalDayOrTime(after), params.OptionalDayOrTime(before)
		if from.IsZero() && to.IsZero() {
			return nil
		}
		return func(item T) bool {
			t := at(item)
			return !t.IsZero() && !t.Before(from) && (to.IsZero() || !t.After(to))
		}
	}
}
