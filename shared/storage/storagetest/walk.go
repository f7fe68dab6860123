package storagetest

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/page"
)

// pages reads a page of the list under test.
type pages[T any] func(page.Request) (page.Of[T], error)

// wantListed checks a list that goes on from a position: by numbers, beyond its
// end too, and by positions in pages of several sizes.
func wantListed[T any](t *testing.T, call string, want []T, list pages[T]) {
	t.Helper()
	ignoreNext := cmpopts.IgnoreFields(page.Of[T]{}, "Next")
	for _, r := range []page.Request{
		{Number: 1, Size: 2}, {Number: 2, Size: 2}, {Number: 4, Size: 2}, {Number: 50, Size: 100},
		{Number: 1, Size: max(len(want), 1)}, {Number: 2, Size: max(len(want), 1)}, page.First,
	} {
		wantSame(t, call, must[page.Of[T]](t)(list(r)), page.Cut(want, r), ignoreNext)
	}
	wantWalk(t, call, want, list)
}

// wantWalk checks a list by positions, in pages of several sizes, and beyond its end.
func wantWalk[T any](t *testing.T, call string, want []T, list pages[T]) {
	t.Helper()
	for _, size := range []int{1, 2, 3, len(want) + 1} {
		wantSame(t, call+" by positions", walkOver(t, size, list), want)
	}
	beyond := must[page.Of[T]](t)(list(page.Request{Number: math.MaxInt32, Size: page.MaxSize}))
	wantSame(t, call+" beyond the end", beyond.Items, []T{})
}

// wantWhole checks the first page with the total, the second one by its number, and
// the list by positions, all in pages of one size.
func wantWhole[T any](t *testing.T, call string, size int, want []T, list pages[T]) {
	t.Helper()
	ignoreNext := cmpopts.IgnoreFields(page.Of[T]{}, "Next")
	for number := 1; number <= 2; number++ {
		r := page.Request{Number: number, Size: size}
		wantSame(t, call, must[page.Of[T]](t)(list(r)), page.Cut(want, r), ignoreNext)
	}
	wantSame(t, call+" by positions", walkOver(t, size, list), want)
}

// walkOver returns the whole list, read by positions.
func walkOver[T any](t *testing.T, size int, list pages[T]) (all []T) {
	t.Helper()
	for r := (page.Request{Number: 1, Size: size}); ; r.Number++ {
		found := must[page.Of[T]](t)(list(r))
		all = append(all, found.Items...)
		if !found.More {
			return all
		}
		if r.After = found.Next; !r.After.Some() || len(found.Items) > size {
			t.Fatalf("a page of %d with %d items has no position to go on from", size, len(found.Items))
		}
	}
}

// wantUndisturbed walks over the list while others add to it. What was there
// before is met once, in its order.
func wantUndisturbed[T any](t *testing.T, call string, want []T, add func() error, list pages[T], id func(T) any) {
	t.Helper()
	was := map[any]bool{}
	for _, thing := range want {
		was[id(thing)] = true
	}
	errs := make([]error, 4)
	var writers sync.WaitGroup
	for i := range errs {
		writers.Go(func() { errs[i] = add() })
	}
	var met []any
	for _, thing := range walkOver(t, 2, list) {
		if was[id(thing)] {
			met = append(met, id(thing))
		}
	}
	writers.Wait()
	wantOK(t, "add beside a walk", errors.Join(errs...))
	wanted := make([]any, len(want))
	for i, thing := range want {
		wanted[i] = id(thing)
	}
	wantSame(t, call+" beside writers", met, wanted)
}
