package site_test

import (
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/page"
	"gatehouse/shared/site"
)

func TestPageOf(t *testing.T) {
	for query, want := range map[string]page.Request{
		"":                          page.First,
		"page=3":                    {Number: 3, Size: 20},
		"page=0":                    page.First,
		"page=x":                    page.First,
		"page=2500":                 {Number: 2500, Size: 20},
		"page=2501":                 {Number: 2500, Size: 20}, // which says that the list ended, or that it is the 2500th
		"page=99999999999999999999": {Number: 2500, Size: 20},
		"page=2501&cursor=0.z":      {Number: 2501, Size: 20, After: page.At(35)},
		"page=2&cursor=nonsense":    {Number: 2, Size: 20},
	} {
		want.Uncounted = true
		if got := site.PageOf(httptest.NewRequest("GET", "/console?"+query, nil)); got != want {
			t.Errorf("PageOf(%q) = %+v, want %+v", query, got, want)
		}
	}
}

func TestPagingLeadsToTheNeighbours(t *testing.T) {
	tests := []struct {
		name    string
		address string
		number  int
		found   page.Of[int]
		want    site.Paging
	}{
		{"a list of one page", "/l", 1, page.Of[int]{}, site.Paging{Number: 1, First: "/l"}},
		{"the first of several", "/l", 1, page.Of[int]{More: true},
			site.Paging{Number: 1, First: "/l", Older: "/l?page=2"}},
		{"with a position", "/l?search=a", 2, page.Of[int]{More: true, Next: page.At(35)},
			site.Paging{Number: 2, First: "/l?search=a", Newer: "/l?search=a&page=1", Older: "/l?search=a&page=3&cursor=0.z"}},
		{"the last page that has a number", "/l", 2500, page.Of[int]{More: true},
			site.Paging{Number: 2500, First: "/l", Newer: "/l?page=2499"}},
		{"beyond it by position", "/l", 2500, page.Of[int]{More: true, Next: page.At(35)},
			site.Paging{Number: 2500, First: "/l", Newer: "/l?page=2499", Older: "/l?page=2501&cursor=0.z"}},
		{"far beyond it", "/l", 2502, page.Of[int]{More: true, Next: page.At(35)},
			site.Paging{Number: 2502, First: "/l", Older: "/l?page=2503&cursor=0.z"}},
		{"a search that goes on", "/l", 3, page.Of[int]{More: true, Next: page.At(35), Unnumbered: true},
			site.Paging{Number: 3, First: "/l", Older: "/l?page=4&cursor=0.z"}},
	}
	for _, test := range tests {
		r := page.Request{Number: test.number, Size: 20}
		if test.number > 2500 || test.found.Unnumbered {
			r.After = page.At(36)
		}
		got := site.NewPaging(test.address, r, test.found)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: paging differs (-want +got):\n%s", test.name, diff)
		}
	}
}
