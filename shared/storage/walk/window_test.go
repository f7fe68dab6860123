package walk_test

import (
	"cmp"
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
	second, err := w.Page(t.Context(), page.Request{Number: 4, Size: 4})
	if diff := gocmp.Diff([]int64{12, 13, 14, 15}, second.Items); err != nil || diff != "" {
		t.Errorf("the page behind twelve: %v (-want +got):\n%s", err, diff)
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

// A page costs a window, also if nothing is found in it.
func TestAPageOfASearchIsOneWindow(t *testing.T) {
	w, list := byLastDigit(10, down(100, 1, 1))
	w.Newest.Search = func(int64) bool { return false }
	for number := 1; number <= 3; number++ {
		list.given.Store(0)
		got, err := w.Page(t.Context(), page.Request{Number: number, Size: 20})
		if err != nil || len(got.Items) > 0 || !got.More || list.given.Load() != int64(10*number) {
			t.Errorf("page %d: %+v, %v, read %d entries, want %d", number, got, err, list.given.Load(), 10*number)
		}
	}
}
