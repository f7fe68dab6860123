package walk_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// numbers is a list of numbers in several sources, which count what they give.
type numbers struct {
	walk.List[int64]
	given atomic.Int64
	reads atomic.Int64
}

func newNumbers(sources ...[]int64) *numbers {
	n := &numbers{}
	n.Position = page.At
	for _, all := range sources {
		n.Sources = append(n.Sources, func(_ context.Context, after page.Position, most int) ([]int64, error) {
			all := all
			if after.Some() {
				all = all[slices.IndexFunc(append(all, 0), func(id int64) bool { return id < after.ID }):]
			}
			all = all[:min(most, len(all))]
			n.given.Add(int64(len(all)))
			n.reads.Add(1)
			return all, nil
		})
	}
	return n
}

// down returns the numbers from the highest to the lowest, every step.
func down(highest, lowest, step int64) (all []int64) {
	for id := highest; id >= lowest; id -= step {
		all = append(all, id)
	}
	return all
}

func TestPages(t *testing.T) {
	tests := []struct {
		name    string
		sources [][]int64
		r       page.Request
		want    page.Of[int64]
	}{
		{"no source", nil, page.First, page.Of[int64]{}},
		{"an empty source", [][]int64{nil}, page.First, page.Of[int64]{}},
		{"the first page", [][]int64{{5, 4, 3, 2, 1}}, page.Request{Number: 1, Size: 2},
			page.Of[int64]{Items: []int64{5, 4}, More: true, Next: page.At(4)}},
		{"a page by its number", [][]int64{{5, 4, 3, 2, 1}}, page.Request{Number: 2, Size: 2},
			page.Of[int64]{Items: []int64{3, 2}, More: true, Next: page.At(2)}},
		{"a page after a position", [][]int64{{5, 4, 3, 2, 1}}, page.Request{Number: 2, Size: 2, After: page.At(4)},
			page.Of[int64]{Items: []int64{3, 2}, More: true, Next: page.At(2)}},
		{"after a position that is gone", [][]int64{{5, 3, 2, 1}}, page.Request{Number: 9, Size: 2, After: page.At(4)},
			page.Of[int64]{Items: []int64{3, 2}, More: true, Next: page.At(2)}},
		{"the last page", [][]int64{{5, 4, 3, 2, 1}}, page.Request{Number: 3, Size: 2}, page.Of[int64]{Items: []int64{1}}},
		{"a full last page", [][]int64{{2, 1}}, page.Request{Number: 1, Size: 2}, page.Of[int64]{Items: []int64{2, 1}}},
		{"beyond the end", [][]int64{{2, 1}}, page.Request{Number: 9, Size: 2}, page.Of[int64]{Items: []int64{}}},
		{"two sources in turns", [][]int64{{5, 3, 1}, {4, 2}}, page.Request{Number: 1, Size: 4},
			page.Of[int64]{Items: []int64{5, 4, 3, 2}, More: true, Next: page.At(2)}},
		{"an entry in both sources", [][]int64{{5, 3, 1}, {5, 4, 3}}, page.Request{Number: 1, Size: 3},
			page.Of[int64]{Items: []int64{5, 4, 3}, More: true, Next: page.At(3)}},
		{"one source before the other", [][]int64{{9, 8, 7}, {3, 2}}, page.Request{Number: 2, Size: 2, After: page.At(8)},
			page.Of[int64]{Items: []int64{7, 3}, More: true, Next: page.At(3)}},
	}
	for _, test := range tests {
		test.want.Total = -1
		got, err := newNumbers(test.sources...).Page(t.Context(), test.r)
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", test.name, err, diff)
		}
	}
}

// A walk by positions meets each entry once, in order, at the price of its pages.
func TestWalkByPositions(t *testing.T) {
	list := newNumbers(down(1000, 1, 2), down(999, 1, 3), down(400, 1, 1))
	want := slices.Concat(down(1000, 1, 2), down(999, 1, 3), down(400, 1, 1))
	slices.Sort(want)
	want = slices.Compact(want)
	slices.Reverse(want)

	var got []int64
	for r := (page.Request{Number: 1, Size: 7}); ; r.Number++ {
		found, err := list.Page(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, found.Items...); !found.More {
			break
		}
		r.After = found.Next
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the walk differs (-want +got):\n%s", diff)
	}
	if most := int64(len(want)/7+1) * 3 * 8; list.given.Load() > most {
		t.Errorf("the walk read %d entries, want at most %d", list.given.Load(), most)
	}
}

func TestRisingOrder(t *testing.T) {
	list := newNumbers([]int64{1, 3, 5}, []int64{2, 4})
	list.Position = func(n int64) page.Position { return page.Position{Value: n, ID: 100 - n} }
	list.Order = page.Rising
	got, err := list.Page(t.Context(), page.Request{Number: 1, Size: 3})
	if diff := cmp.Diff([]int64{1, 2, 3}, got.Items); err != nil || diff != "" || got.Next != (page.Position{Value: 3, ID: 97}) {
		t.Errorf("%v, next %v (-want +got):\n%s", err, got.Next, diff)
	}
}

func TestEntriesOfOnePositionAreMerged(t *testing.T) {
	type entry struct{ id, weight int64 }
	source := func(all ...entry) walk.Source[entry] {
		return func(_ context.Context, after page.Position, n int) ([]entry, error) {
			left := slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return e.id <= after.ID })
			return left[:min(n, len(left))], nil
		}
	}
	list := walk.List[entry]{
		Sources: []walk.Source[entry]{
			source(entry{1, 1}, entry{2, 1}, entry{4, 1}), source(entry{2, 5}, entry{3, 2}), source(entry{2, 3}, entry{4, 1}),
		},
		Position: func(e entry) page.Position { return page.At(e.id) },
		Order:    page.Ascending,
		Merge:    func(a, b entry) entry { a.weight += b.weight; return a },
	}
	var got []entry
	for r := (page.Request{Number: 1, Size: 1}); ; r.Number++ {
		found, err := list.Page(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, found.Items...); !found.More {
			break
		}
		r.After = found.Next
	}
	if want := []entry{{1, 1}, {2, 9}, {3, 2}, {4, 2}}; !slices.Equal(got, want) {
		t.Errorf("the list is %v, want %v", got, want)
	}
}

// A search says how far it looked, and goes on from there.
func TestSearch(t *testing.T) {
	const length = 10 * walk.SearchLimit
	searching := func(keep func(int64) bool) *numbers {
		list := newNumbers(down(length, 1, 1))
		list.Search = keep
		list.Time = func(id int64) time.Time { return time.Unix(id, 0) }
		return list
	}
	found := func(t *testing.T, list *numbers, r page.Request) page.Of[int64] {
		t.Helper()
		got, err := list.Page(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got.SearchedUntil.IsZero() == (len(got.Items) < r.Size && got.More) {
			t.Errorf("%d items, more %v, searched until %v", len(got.Items), got.More, got.SearchedUntil)
		}
		return got
	}

	t.Run("hits on the first look", func(t *testing.T) {
		list := searching(func(int64) bool { return true })
		got := found(t, list, page.First)
		if len(got.Items) != 20 || got.Next != page.At(length-19) || list.given.Load() != 21 {
			t.Errorf("%d items, next %v, read %d, want 20, %d, 21", len(got.Items), got.Next, list.given.Load(), length-19)
		}
	})
	t.Run("no hit", func(t *testing.T) {
		list := searching(func(int64) bool { return false })
		got := found(t, list, page.First)
		if got.Next != page.At(length-walk.SearchLimit+1) || list.given.Load() != walk.SearchLimit {
			t.Errorf("next %v, read %d, want %d, %d", got.Next, list.given.Load(), length-walk.SearchLimit+1, walk.SearchLimit)
		}
		if want := time.Unix(length-walk.SearchLimit+1, 0); !got.SearchedUntil.Equal(want) {
			t.Errorf("searched until %v, want %v", got.SearchedUntil, want)
		}
	})
	t.Run("everything is found in the end", func(t *testing.T) {
		list := searching(func(id int64) bool { return id%1000 == 1 })
		var all []int64
		pages := 0
		for r := page.First; ; pages++ {
			got := found(t, list, r)
			if all = append(all, got.Items...); !got.More {
				break
			}
			r.After = got.Next
		}
		if diff := cmp.Diff(down(length-999, 1, 1000), all); diff != "" || pages != 10 {
			t.Errorf("%d pages (-want +got):\n%s", pages, diff)
		}
	})
	t.Run("its own limit and first look", func(t *testing.T) {
		list := searching(func(id int64) bool { return id == length-50 })
		list.Limit, list.Look = 100, 60
		if got := found(t, list, page.First); len(got.Items) != 1 || list.given.Load() != 100 || list.reads.Load() != 2 {
			t.Errorf("%d items after %d reads of %d entries, want 1, 2, 100", len(got.Items), list.reads.Load(), list.given.Load())
		}
	})
	t.Run("entries are completed before they are searched", func(t *testing.T) {
		names := map[int64]string{}
		list := searching(func(id int64) bool { return names[id] == fmt.Sprint(length-40) })
		list.Complete = func(_ context.Context, looked []int64) ([]int64, error) {
			for _, id := range looked {
				names[id] = fmt.Sprint(id)
			}
			return looked, nil
		}
		if got := found(t, list, page.First); !slices.Equal(got.Items, []int64{length - 40}) {
			t.Errorf("found %v, want %d", got.Items, length-40)
		}
	})
	t.Run("a page ends where completing ends", func(t *testing.T) {
		for _, most := range []int{1, 10, 21, 22, 100} {
			list, left := searching(func(id int64) bool { return id%10 == 1 }), most
			list.Complete = func(_ context.Context, looked []int64) ([]int64, error) {
				looked = looked[:min(left, len(looked))]
				left -= len(looked)
				return looked, nil
			}
			got := found(t, list, page.First)
			end := int64(length - most + 1)
			if len(got.Items) != most/10 || got.Next != page.At(end) || !got.SearchedUntil.Equal(time.Unix(end, 0)) {
				t.Errorf("of %d entries: %d items, next %v, searched until %v, want %d, %d", most, len(got.Items), got.Next, got.SearchedUntil, most/10, end)
			}
		}
	})
	t.Run("pages by their numbers are within the limit", func(t *testing.T) {
		for number, want := range map[int]struct {
			items               int
			unnumbered, refused bool
		}{
			1: {20, false, false}, 2: {20, false, false}, 3: {10, true, false},
			4: {0, false, true}, 50_000: {0, false, true}, math.MaxInt32: {0, false, true},
		} {
			list := searching(func(id int64) bool { return id%20 == 0 }) // 50 within the limit
			got, err := list.Page(t.Context(), page.Request{Number: number, Size: 20})
			if errors.Is(err, page.ErrTooFar) != want.refused || len(got.Items) != want.items || got.Unnumbered != want.unnumbered {
				t.Errorf("page %d: %d items, unnumbered %t, %v, want %+v", number, len(got.Items), got.Unnumbered, err, want)
			}
			if list.given.Load() > walk.SearchLimit {
				t.Errorf("page %d looked at %d entries, want %d", number, list.given.Load(), walk.SearchLimit)
			}
		}
	})
	t.Run("a full page that ends with the limit", func(t *testing.T) {
		list := searching(func(id int64) bool { return id%50 == 0 }) // 20 within the limit
		got, err := list.Page(t.Context(), page.First)
		if err != nil || len(got.Items) != 20 || !got.More || !got.Unnumbered {
			t.Errorf("%d items, more %t, unnumbered %t, %v, want 20 and a next page without a number", len(got.Items), got.More, got.Unnumbered, err)
		}
	})
	t.Run("a page after a position has no number", func(t *testing.T) {
		list := searching(func(int64) bool { return true })
		if got := found(t, list, page.Request{Number: 3, Size: 20, After: page.At(length - 1000)}); !got.Unnumbered || len(got.Items) != 20 {
			t.Errorf("%d items, unnumbered %t, want 20 of a page without a number", len(got.Items), got.Unnumbered)
		}
	})
	t.Run("the end of the list is no limit", func(t *testing.T) {
		list := newNumbers(down(walk.SearchLimit-1, 1, 1))
		list.Search = func(id int64) bool { return id == 1 }
		if got := found(t, list, page.First); got.More || len(got.Items) != 1 {
			t.Errorf("%+v, want the one item and no more", got)
		}
	})
}

func TestCount(t *testing.T) {
	for n, want := range map[int]int{0: 0, 5: 5, page.CountLimit: page.CountLimit, page.CountLimit + 1: -1} {
		list := newNumbers([]int64{1})
		list.Count = func(context.Context) (int, error) { return n, nil }
		if got, err := list.Page(t.Context(), page.First); err != nil || got.Total != want {
			t.Errorf("a list with %d entries has the total %d, %v, want %d", n, got.Total, err, want)
		}
	}
}

// A page that is too far for its number is refused, unless the list ends before it.
func TestReachOfNumbers(t *testing.T) {
	last := page.Request{Number: page.Reach / 100, Size: 100}
	beyond := page.Request{Number: last.Number + 1, Size: 100}
	for name, test := range map[string]struct {
		length  int64
		r       page.Request
		items   int
		refused bool
		given   int64 // at most, where the list is not counted
	}{
		"the last page in reach":      {page.Reach + 5, last, 100, false, page.Reach + 1},
		"beyond the reach":            {page.Reach + 5, beyond, 0, true, page.CountLimit + 1},
		"far beyond":                  {page.Reach + 5, page.Request{Number: math.MaxInt32, Size: 100}, 0, true, page.CountLimit + 1},
		"after a position":            {page.Reach + 5, page.Request{Number: beyond.Number, Size: 100, After: page.At(6)}, 5, false, 5},
		"beyond a list that is short": {page.CountLimit, beyond, 0, false, page.CountLimit},
	} {
		for _, counted := range []bool{false, true} {
			list, total := newNumbers(down(test.length, 1, 1)), -1
			if counted {
				list.Count = func(context.Context) (int, error) { return min(int(test.length), page.CountLimit+1), nil }
				if total = page.Count(int(test.length)); test.r.TooFar() {
					test.given = 0
				}
			}
			if test.refused {
				total = 0
			}
			got, err := list.Page(t.Context(), test.r)
			if errors.Is(err, page.ErrTooFar) != test.refused || len(got.Items) != test.items || got.Total != total {
				t.Errorf("%s, counted %t: %d items of %d, %v, want %d of %d, refused %t", name, counted, len(got.Items), got.Total, err, test.items, total, test.refused)
			}
			if list.given.Load() > test.given {
				t.Errorf("%s, counted %t: read %d entries, want %d at most", name, counted, list.given.Load(), test.given)
			}
		}
	}
}

func TestErrorsOfReadsAreReturned(t *testing.T) {
	broken := errors.New("broken")
	source := func(context.Context, page.Position, int) ([]int64, error) { return nil, broken }
	count := func(context.Context) (int, error) { return 0, broken }
	for name, spoil := range map[string]func(*numbers){
		"the only source": func(n *numbers) { n.Sources = []walk.Source[int64]{source} },
		"one of two":      func(n *numbers) { n.Sources = append(n.Sources, source) },
		"the count":       func(n *numbers) { n.Count = count },
		"a search": func(n *numbers) {
			n.Sources, n.Search = []walk.Source[int64]{source}, func(int64) bool { return true }
		},
		"completing": func(n *numbers) {
			n.Search = func(int64) bool { return true }
			n.Complete = func(context.Context, []int64) ([]int64, error) { return nil, broken }
		},
	} {
		list := newNumbers([]int64{1})
		spoil(list)
		if _, err := list.Page(t.Context(), page.First); !errors.Is(err, broken) {
			t.Errorf("%s: %v, want the error", name, err)
		}
	}
}
