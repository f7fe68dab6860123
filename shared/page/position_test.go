package page_test

import (
	"math"
	"slices"
	"testing"

	"gatehouse/shared/page"
)

func TestPositionsComeBackFromAddresses(t *testing.T) {
	for _, p := range []page.Position{
		page.At(1), {Value: 1_700_000_000_000_000, ID: 42}, {Value: -5, ID: 1}, {Value: math.MinInt64, ID: page.MaxID},
	} {
		if got, err := page.ParsePosition(p.String()); err != nil || got != p {
			t.Errorf("ParsePosition(%q) = %+v, %v, want %+v", p, got, err, p)
		}
	}
	for _, text := range []string{"", ".", "1", "1.", ".1", "1.0", "1.-1", "1.1.1", "!.1", "1.!", "1.zzzzzzzzzzzzzzzz", "0.1y2p0ij32e8e7"} {
		if got, err := page.ParsePosition(text); err == nil {
			t.Errorf("ParsePosition(%q) = %+v, want an error", text, got)
		}
	}
}

func TestEqualValuesHaveTheNewestFirst(t *testing.T) {
	a, b, c := page.Position{Value: 1, ID: 1}, page.Position{Value: 1, ID: 2}, page.Position{Value: 2, ID: 1}
	for name, test := range map[string]struct {
		order func(a, b page.Position) int
		want  []page.Position
	}{
		"falling": {page.Falling, []page.Position{c, b, a}},
		"rising":  {page.Rising, []page.Position{b, a, c}},
	} {
		got := []page.Position{a, b, c}
		slices.SortFunc(got, test.order)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestAPositionSkipsNothing(t *testing.T) {
	if got := (page.Request{Number: 3, Size: 20}).Skipped(); got != 40 {
		t.Errorf("page 3 skips %d items, want 40", got)
	}
	if got := (page.Request{Number: 3, Size: 20, After: page.At(7)}).Skipped(); got != 0 {
		t.Errorf("page 3 after a position skips %d items, want 0", got)
	}
}
