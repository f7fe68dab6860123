package walk_test

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// byLastDigit is a list of numbers, which no key sorts by their last digit.
func byLastDigit(size int, sources ...[]int64) (walk.Window[int64], *numbers) {
	list := newNumbers(sources...)
	list.Time = func(id int64) time.Time { return time.Unix(id, 0) }
	return walk.Window[int64]{
		Newest: list.List, Size: size, Compare: func(a, b int64) int { return cmp.Or(cmp.Compare(a%10, b%10), cmp.Compare(b, a)) },
	}, list
}

func pages(t *testing.T, w walk.Window[int64], size int) (all [][]int64) {
	t.Helper()
	for r := (page.Request{Number: 1, Size: size}); ; r.Number++ {
		found, err := w.Page(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found.Items)
		if !found.More {
			return all
		}
		r.After = found.Next
	}
}

func TestWindowsAreSortedOneAfterTheOther(t *testing.T) {
	w, list := byLastDigit(10, down(25, 1, 1))
	want := [][]int64{{20, 21, 22, 23}, {24, 25, 16, 17}, {18, 19}, {10, 11, 12, 13}, {14, 15, 6, 7}, {8, 9}, {1, 2, 3, 4}, {5}}
	if diff := gocmp.Diff(want, pages(t, w, 4)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	list.given.Store(0)
	first, err := w.Page(t.Context(), page.First)
	if err != nil || list.given.Load() != 10 || !first.SearchedUntil.Equal(time.Unix(16, 0)) {
		t.Errorf("the first page: %v, read %d entries until %v, want 10 until 16", err, list.given.Load(), first.SearchedUntil)
	}
}

func TestAWindowThatHasEverythingIsSortedAsAWhole(t *testing.T) {
	w, _ := byLastDigit(100, down(25, 1, 2), down(24, 2, 2))
	got, err := w.Page(t.Context(), page.Request{Number: 1, Size: 5})
	if diff := gocmp.Diff([]int64{20, 10, 21, 11, 1}, got.Items); err != nil || diff != "" || !got.SearchedUntil.IsZero() {
		t.Errorf("%v, searched until %v (-want +got):\n%s", err, got.SearchedUntil, diff)
	}
	if got, err := w.Page(t.Context(), page.Request{Number: 9, Size: 5}); err != nil || len(got.Items) != 0 || got.More {
		t.Errorf("a page beyond the end is %+v, %v", got, err)
	}
}

// A page has one number, by which it is found up to the reach of numbers.
func TestPagesOfWindowsByTheirNumbers(t *testing.T) {
	for _, size := range []int{1, 3, 4, 10, 11} {
		w, list := byLastDigit(10, down(45, 1, 1))
		want := pages(t, w, size)
		inWindow := (10 + size - 1) / size
		for _, reach := range []int{0, 10, 11, 30, 100} {
			w.Reach = reach
			reachable := min(max(1, (reach+9)/10)*inWindow, len(want))
			for number := 1; number <= reachable; number++ {
				got, err := w.Page(t.Context(), page.Request{Number: number, Size: size})
				if diff := gocmp.Diff(want[number-1], got.Items); err != nil || diff != "" {
					t.Fatalf("page %d of %d within %d: %v (-want +got):\n%s", number, size, reach, err, diff)
				}
				if last := number == reachable && number < len(want); got.Unnumbered != last || got.More != (number < len(want)) {
					t.Errorf("page %d of %d within %d: next %v, unnumbered %t, want %t", number, size, reach, got.Next, got.Unnumbered, last)
				}
			}
			list.given.Store(0)
			beyond, err := w.Page(t.Context(), page.Request{Number: math.MaxInt32, Size: size})
			if whole := reach > 45; errors.Is(err, page.ErrTooFar) == whole || len(beyond.Items) > 0 || list.given.Load() > int64(max(reach+9, 10)) {
				t.Errorf("far beyond the end, within %d: %+v, %v, read %d", reach, beyond, err, list.given.Load())
			}
		}
	}
}

// Read by positions, the number of a page is right only if nothing was left out.
func TestNumbersOfPagesReadByPosition(t *testing.T) {
	for name, test := range map[string]struct {
		search     func(int64) bool
		r          page.Request
		unnumbered bool
	}{
		"everything is shown":    {nil, page.Request{Number: 3, Size: 4, After: page.At(16)}, false},
		"beyond the reach":       {nil, page.Request{Number: 9, Size: 4, After: page.At(16)}, true},
		"some entries are shown": {func(int64) bool { return true }, page.Request{Number: 3, Size: 4, After: page.At(16)}, true},
	} {
		w, _ := byLastDigit(10, down(45, 1, 1))
		w.Reach, w.Newest.Search = 30, test.search
		if got, err := w.Page(t.Context(), test.r); err != nil || got.Unnumbered != test.unnumbered {
			t.Errorf("%s: %+v, %v, want unnumbered %t", name, got, err, test.unnumbered)
		}
	}
}

// Sources of unequal length give each entry once, whatever their shares are.
func TestWindowsOfSeveralSources(t *testing.T) {
	for size := range 40 {
		w, _ := byLastDigit(size, down(90, 1, 1), down(60, 50, 5), nil, down(91, 91, 1), down(30, 2, 2))
		all := slices.Concat(pages(t, w, 7)...)
		slices.Sort(all)
		slices.Reverse(all)
		if diff := gocmp.Diff(down(91, 1, 1), all); diff != "" {
			t.Fatalf("windows of %d (-want +got):\n%s", size, diff)
		}
	}
}

func TestAWindowKeepsWhatIsSearchedFor(t *testing.T) {
	w, _ := byLastDigit(10, down(30, 1, 1))
	w.Newest.Search = func(id int64) bool { return id > 10 && id < 14 || id == 30 }
	want := [][]int64{{30}, {11, 12}, {13}, nil, nil}
	if diff := gocmp.Diff(want, pages(t, w, 2)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

// A page costs a window, also if nothing is found in it. Its number leads no further.
func TestAPageOfASearchIsOneWindow(t *testing.T) {
	w, list := byLastDigit(10, down(100, 1, 1))
	w.Newest.Search = func(int64) bool { return false }
	for _, number := range []int{1, 2, math.MaxInt32} {
		list.given.Store(0)
		got, err := w.Page(t.Context(), page.Request{Number: number, Size: 20})
		first := number == 1
		if errors.Is(err, page.ErrTooFar) == first || got.More != first || len(got.Items) > 0 || list.given.Load() != 10 {
			t.Errorf("page %d: %+v, %v, read %d entries, want 10", number, got, err, list.given.Load())
		}
	}
}
