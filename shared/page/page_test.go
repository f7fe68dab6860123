package page_test

import (
	"math"
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

func TestNeighboursHaveNumbers(t *testing.T) {
	const last = page.Reach / 20
	for name, test := range map[string]struct {
		of         page.Of[int]
		number     int
		after      page.Position
		prev, next int
	}{
		"the only page":                  {page.Of[int]{}, 1, page.Position{}, 0, 0},
		"the first":                      {page.Of[int]{More: true}, 1, page.Position{}, 0, 2},
		"one between":                    {page.Of[int]{More: true}, 3, page.Position{}, 2, 4},
		"one between, by its position":   {page.Of[int]{More: true}, 3, page.At(9), 2, 4},
		"the last":                       {page.Of[int]{}, 3, page.Position{}, 2, 0},
		"the last in reach":              {page.Of[int]{More: true}, last, page.Position{}, last - 1, 0},
		"the first beyond the reach":     {page.Of[int]{More: true}, last + 1, page.At(9), last, 0},
		"beyond the reach":               {page.Of[int]{More: true}, last + 2, page.At(9), 0, 0},
		"far beyond":                     {page.Of[int]{More: true}, math.MaxInt32, page.At(9), 0, 0},
		"where the numbers end":          {page.Of[int]{More: true, Unnumbered: true}, 3, page.Position{}, 2, 0},
		"without a number":               {page.Of[int]{More: true, Unnumbered: true}, 3, page.At(9), 0, 0},
		"the second, without its number": {page.Of[int]{More: true, Unnumbered: true}, 2, page.At(9), 1, 0},
	} {
		prev, next := test.of.Neighbours(page.Request{Number: test.number, Size: 20, After: test.after})
		if prev != test.prev || next != test.next {
			t.Errorf("%s: %d, %d, want %d, %d", name, prev, next, test.prev, test.next)
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
