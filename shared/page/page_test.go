package page_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/page"
)

func TestCut(t *testing.T) {
	all := []int{1, 2, 3, 4, 5}
	tests := map[page.Request]page.Of[int]{
		{Number: 1, Size: 2}: {Items: []int{1, 2}, Total: 5, More: true},
		{Number: 2, Size: 2}: {Items: []int{3, 4}, Total: 5, More: true},
		{Number: 3, Size: 2}: {Items: []int{5}, Total: 5},
		{Number: 4, Size: 2}: {Items: []int{}, Total: 5},
		{Number: 1, Size: 5}: {Items: all, Total: 5},
		page.First:           {Items: all, Total: 5},
	}
	for r, want := range tests {
		if diff := cmp.Diff(want, page.Cut(all, r)); diff != "" {
			t.Errorf("Cut(%+v) differs (-want +got):\n%s", r, diff)
		}
	}
}

func TestLongListsAreNotCounted(t *testing.T) {
	for n, want := range map[int]int{0: 0, page.CountLimit: page.CountLimit, page.CountLimit + 1: -1} {
		if got := page.Count(n); got != want {
			t.Errorf("Count(%d) = %d, want %d", n, got, want)
		}
	}
}
