package walk

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/page"
)

// Window is a list in an order that no key has. It is read in windows: so many of
// the newest entries are sorted, and shown in pages, before the next ones are.
//
// A position in the list has as its ID the number that all entries of a window are
// below, and as its Value how many of them are before the page.
type Window[T any] struct {
	// Newest is the list of the entries by descending number. Its Search keeps what
	// is shown; the Time of the last entry is how far a window goes.
	Newest List[T]
	// Size is how many entries a window has at most.
	Size int
	// Reach is how many entries a page looks at that is asked for by its number alone;
	// 0: one window.
	Reach int
	// Complete returns entries with what their order needs. Nil: they have it.
	Complete func(context.Context, []T) ([]T, error)
	// Compare is the order in a window.
	Compare func(a, b T) int
}

// Page returns a page of the list. Each window has whole pages, at least one, the
// last of which may be short, so that a page has one number whether it is read by
// that or by its position. It returns page.ErrTooFar for a number beyond the Reach.
func (w Window[T]) Page(ctx context.Context, r page.Request) (page.Of[T], error) {
	after, skipped := page.Position{}, r.Skipped()
	if r.After.Some() {
		after, skipped = page.At(r.After.ID), max(0, int(r.After.Value))
	}
	for looked := 0; ; {
		read, err := w.read(ctx, after)
		if err != nil {
			return page.Of[T]{}, err
		}
		looked += read.looked
		inPages := max(1, (len(read.kept)+r.Size-1)/r.Size) * r.Size
		switch {
		case !read.stopped || r.After.Some() || skipped < inPages:
			return w.page(ctx, read, r, skipped, looked)
		case looked >= w.Reach:
			return page.Of[T]{}, page.ErrTooFar
		}
		skipped -= inPages
		after = w.Newest.Position(read.last)
	}
}

// page returns a page of the window with which as many entries were looked at.
func (w Window[T]) page(ctx context.Context, read window[T], r page.Request, skipped, looked int) (result page.Of[T], err error) {
	if w.Complete != nil {
		read.kept, err = w.Complete(ctx, read.kept)
	}
	result = w.cut(read, skipped, r.Size)
	inNextWindow := result.More && result.Next.Value == 0
	if r.After.Some() {
		// How many entries the pages before it looked at is known only if all were shown.
		result.Unnumbered = w.Newest.Search != nil || r.Number*r.Size >= w.Reach
	} else {
		result.Unnumbered = inNextWindow && looked >= w.Reach
	}
	return result, err
}

// cut returns a page of a window.
func (w Window[T]) cut(read window[T], skipped, size int) page.Of[T] {
	read.kept = inOrder(read.kept, func(entry T) T { return entry }, w.Compare)
	start := min(skipped, len(read.kept))
	end := min(start+size, len(read.kept))
	result := page.Of[T]{Items: read.kept[start:end], Total: -1}
	switch {
	case end < len(read.kept):
		result.More, result.Next = true, page.Position{Value: int64(end), ID: read.below}
	case read.stopped:
		result.More, result.Next = true, page.At(w.Newest.Position(read.last).ID)
	}
	if read.stopped {
		result.SearchedUntil = w.Newest.Time(read.last)
	}
	return result
}

// window is what was read of a list.
type window[T any] struct {
	reading[T]
	below int64 // this are the numbers of all entries
}

// read returns the window after the position. Each source gives an equal part of
// it. It ends with the first source that has more, so that it has all entries down
// to its end.
func (w Window[T]) read(ctx context.Context, after page.Position) (window[T], error) {
	list, n := w.Newest, max(1, w.Size/max(1, len(w.Newest.Sources)))
	found := make([][]T, len(list.Sources))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(maxParallel)
	for i, source := range list.Sources {
		reads.Go(func() (err error) {
			found[i], err = source(ctx, after, n)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return window[T]{}, err
	}
	return w.joined(found, n), nil
}

// joined makes a window of what each source gave when it was asked for n entries.
func (w Window[T]) joined(found [][]T, n int) (joined window[T]) {
	end := page.Position{} // of the window; the zero Position is behind all
	for _, entries := range found {
		if len(entries) == n {
			joined.stopped = true
			end = latest(end, w.Newest.Position(entries[n-1]))
		}
	}
	all := slices.Concat(found...)
	all = slices.DeleteFunc(all, func(entry T) bool { return w.Newest.Position(entry).ID < end.ID })
	all = inOrder(all, w.Newest.Position, page.Falling)
	all = slices.CompactFunc(all, func(a, b T) bool { return w.Newest.Position(a) == w.Newest.Position(b) })
	keep := w.Newest.Search
	if keep == nil {
		keep = func(T) bool { return true }
	}
	joined.add(all, keep)
	if len(all) > 0 {
		joined.below = w.Newest.Position(all[0]).ID + 1
	}
	return joined
}

// latest returns the position with the higher number.
func latest(a, b page.Position) page.Position {
	if a.ID > b.ID {
		return a
	}
	return b
}
