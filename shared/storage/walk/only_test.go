package walk_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/page"
)

func TestOnly(t *testing.T) {
	odd := func(id int64) bool { return id%2 == 1 }
	tests := []struct {
		name  string
		all   []int64
		after page.Position
		n     int
		want  []int64
	}{
		{"nothing", nil, page.Position{}, 3, nil},
		{"fewer than asked for", []int64{5, 4, 3}, page.Position{}, 3, []int64{5, 3}},
		{"as many as asked for", down(9, 1, 1), page.Position{}, 3, []int64{9, 7, 5}},
		{"after a position", down(9, 1, 1), page.At(7), 2, []int64{5, 3}},
		{"far away", append(down(2000, 2, 2), 1), page.Position{}, 1, []int64{1}},
		{"none of many", down(2000, 2, 2), page.Position{}, 1, nil},
	}
	for _, test := range tests {
		got, err := newNumbers(test.all).Sources[0].Only(odd, page.At)(t.Context(), test.after, test.n)
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", test.name, err, diff)
		}
	}
}
