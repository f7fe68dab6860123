// Package walk reads pages of lists for every store. A list is declared by its
// sources: an index or a partition each, which gives its entries in the order of
// the list. A page costs as many entries of each source as it shows, however long
// the list is.
package walk

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/page"
)

// Source returns the first entries after the position, or the first of all if
// there is no position, in the order of the list: n of them, and fewer only if it
// has no more.
type Source[T any] func(ctx context.Context, after page.Position, n int) ([]T, error)

// List is a list of entries, which several sources can have.
type List[T any] struct {
	Sources  []Source[T]
	Position func(T) page.Position // different for different entries
	// Merge returns one entry for two with one position, which sources have in
	// this order. Nil: the first.
	Merge func(a, b T) T
	// Order is the order of positions; nil: page.Falling.
	Order func(a, b page.Position) int
	// Search keeps what is searched for. It looks at no more than Limit entries for
	// a page. Nil: every entry is kept.
	Search func(T) bool
	// Complete returns entries with what Search and Time take. If that would cost too
	// much it returns only the first ones, and the page ends there. Nil: they have it.
	Complete func(context.Context, []T) ([]T, error)
	// Limit is how many entries a search looks at; 0: SearchLimit.
	Limit int
	// Look is how many entries a search looks at first; 0: as many as it needs if
	// it keeps all of them. It is for stores whose requests cost more than entries.
	Look int
	// Time is when the entry was made, for Of.SearchedUntil. It belongs to Search.
	Time func(T) time.Time
	// Count returns the length of the list, at most page.CountLimit+1. Nil: the
	// list is not counted.
	Count func(context.Context) (int, error)
}

// SearchLimit is how many entries a page looks at when no key leads to what is
// searched for (Interface: "Lists").
const SearchLimit = 1000

// Page returns a page of the list. By its number alone, that of a search must begin
// with what the search finds within its limit, and any other be within page.Reach;
// if it is not, and the list may be longer, the error is page.ErrTooFar.
func (l List[T]) Page(ctx context.Context, r page.Request) (page.Of[T], error) {
	if r.TooFar() && l.Search == nil {
		return l.beyond(ctx)
	}
	result := page.Of[T]{Total: -1}
	reads, ctx := errgroup.WithContext(ctx)
	if l.Count != nil && !r.Uncounted {
		reads.Go(func() error {
			n, err := l.Count(ctx)
			result.Total = page.Count(n)
			return err
		})
	}
	var read reading[T]
	reads.Go(func() (err error) {
		read, err = l.read(ctx, r.After, r.Skipped()+r.Size+1)
		return err
	})
	if err := reads.Wait(); err != nil {
		return page.Of[T]{}, err
	}
	if read.stopped && r.Skipped() > 0 && r.Skipped() >= len(read.kept) {
		return page.Of[T]{}, page.ErrTooFar
	}
	return l.cut(result, read, r), nil
}

// beyond answers for a page beyond the reach of its number: if the list is short, the
// page is empty.
func (l List[T]) beyond(ctx context.Context) (page.Of[T], error) {
	count, total := l.Count, -1
	if count == nil {
		count = l.countUp
	}
	n, err := count(ctx)
	switch {
	case err != nil:
		return page.Of[T]{}, err
	case n > page.CountLimit:
		return page.Of[T]{}, page.ErrTooFar
	case l.Count != nil:
		total = n
	}
	return page.Of[T]{Items: []T{}, Total: total}, nil
}

// countUp counts the first entries, one more than page.CountLimit at most.
func (l List[T]) countUp(ctx context.Context) (int, error) {
	found, err := l.merged(ctx, page.Position{}, page.CountLimit+1)
	return len(found), err
}

// cut puts the requested page into the result.
func (l List[T]) cut(result page.Of[T], read reading[T], r page.Request) page.Of[T] {
	start := min(r.Skipped(), len(read.kept))
	end := min(start+r.Size, len(read.kept))
	result.Items = read.kept[start:end]
	result.Unnumbered = l.Search != nil && r.After.Some() // the pages before it may be short
	switch {
	case end < len(read.kept) && end > 0:
		result.More, result.Next = true, l.Position(read.kept[end-1])
	case read.stopped:
		result.More, result.Next, result.SearchedUntil = true, l.Position(read.last), l.Time(read.last)
		result.Unnumbered = true
	}
	return result
}

// reading is how far a list was read.
type reading[T any] struct {
	kept    []T
	looked  int
	last    T    // of those looked at
	stopped bool // at the limit, and not at the end of the list
}

// growth is how many times as many entries each further look of a search takes.
const growth = 8

// read returns the first entries after the position that are kept: n of them,
// unless the list or the search ends before.
func (l List[T]) read(ctx context.Context, after page.Position, n int) (reading[T], error) {
	if l.Search == nil {
		kept, err := l.merged(ctx, after, n)
		return reading[T]{kept: kept}, err
	}
	var read reading[T]
	limit := cmp.Or(l.Limit, SearchLimit)
	for look := max(n, l.Look); ; look *= growth {
		look = min(look, limit-read.looked)
		found, err := l.merged(ctx, after, look)
		if err != nil {
			return read, err
		}
		looked, err := l.completed(ctx, found)
		if err != nil {
			return read, err
		}
		read.add(looked, l.Search)
		cut := len(looked) < len(found)
		switch {
		case !cut && len(found) < look || len(read.kept) >= n:
			return read, nil
		case cut || read.looked >= limit:
			read.stopped = true
			return read, nil
		}
		after = l.Position(read.last)
	}
}

func (l List[T]) completed(ctx context.Context, found []T) ([]T, error) {
	if l.Complete == nil || len(found) == 0 {
		return found, nil
	}
	return l.Complete(ctx, found)
}

func (r *reading[T]) add(found []T, keep func(T) bool) {
	for _, entry := range found {
		if keep(entry) {
			r.kept = append(r.kept, entry)
		}
		r.last = entry
	}
	r.looked += len(found)
}

// maxParallel is how many sources are read at once.
const maxParallel = 16

// merged returns the first n entries of all sources after the position.
func (l List[T]) merged(ctx context.Context, after page.Position, n int) ([]T, error) {
	if len(l.Sources) == 1 {
		return l.Sources[0](ctx, after, n)
	}
	found := make([][]T, len(l.Sources))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(maxParallel)
	for i, source := range l.Sources {
		reads.Go(func() (err error) {
			found[i], err = source(ctx, after, n)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	all := l.compact(inOrder(slices.Concat(found...), l.Position, l.order))
	return all[:min(n, len(all))], nil
}

// inOrder returns the entries in the order of what key returns for each, and those with
// the same as they were. It asks for each key once.
func inOrder[T, K any](entries []T, key func(T) K, compare func(a, b K) int) []T {
	keys, order := make([]K, len(entries)), make([]int, len(entries))
	for n, e := range entries {
		keys[n], order[n] = key(e), n
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(keys[a], keys[b]) })
	sorted := entries[:0:0]
	for _, n := range order {
		sorted = append(sorted, entries[n])
	}
	return sorted
}

// Source returns the list as one source, for a list that it is a part of. It has no
// Search.
func (l List[T]) Source() Source[T] { return l.merged }

// compact leaves one of the entries with the same position, which follow each other.
func (l List[T]) compact(all []T) []T {
	kept := all[:0]
	for _, entry := range all {
		last := len(kept) - 1
		switch {
		case last < 0 || l.Position(kept[last]) != l.Position(entry):
			kept = append(kept, entry)
		case l.Merge != nil:
			kept[last] = l.Merge(kept[last], entry)
		}
	}
	return kept
}

func (l List[T]) order(a, b page.Position) int {
	if l.Order == nil {
		return page.Falling(a, b)
	}
	return l.Order(a, b)
}
