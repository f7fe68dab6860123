package walk_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// Groups follow each other in the order of their values. In each the newest come
// first, in both directions.
func TestGroups(t *testing.T) {
	groups := map[int64][]int64{1: {9, 5, 1}, 2: nil, 3: {8, 4}, 4: {7}}
	valueOf := func(id int64) (value int64) {
		for v, all := range groups {
			if slices.Contains(all, id) {
				value = v
			}
		}
		return value
	}
	for descending, want := range map[bool][]int64{true: {7, 8, 4, 9, 5, 1}, false: {9, 5, 1, 8, 4, 7}} {
		list := walk.List[int64]{Position: func(id int64) page.Position { return page.Position{Value: valueOf(id), ID: id} }, Order: page.Rising}
		if descending {
			list.Order = page.Falling
		}
		for value, all := range groups {
			list.Sources = append(list.Sources, walk.Group(value, descending, newNumbers(all).Sources[0]))
		}
		for size := 1; size <= 7; size++ {
			var got []int64
			for r := (page.Request{Number: 1, Size: size}); ; r.Number++ {
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
				t.Errorf("descending: %t, in pages of %d (-want +got):\n%s", descending, size, diff)
			}
		}
	}
}
