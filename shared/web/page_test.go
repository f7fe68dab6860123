package web_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/page"
	"gatehouse/shared/web"
)

func TestPageParameters(t *testing.T) {
	tests := []struct {
		query   string
		want    page.Request
		wantErr string
	}{
		{"", page.Request{Number: 1, Size: 20}, ""},
		{"page=3&per_page=7", page.Request{Number: 3, Size: 7}, ""},
		{"per_page=100", page.Request{Number: 1, Size: 100}, ""},
		{"per_page=101", page.Request{Number: 1, Size: 100}, ""},
		{"per_page=9223372036854775807", page.Request{Number: 1, Size: 100}, ""},
		{"page=2147483647", page.Request{Number: 2_147_483_647, Size: 20}, ""},
		{"page=x", page.Request{}, "page is invalid"},
		{"page=0", page.Request{}, "page is invalid"},
		{"page=-1", page.Request{}, "page is invalid"},
		{"page=2147483648", page.Request{}, "page is invalid"},
		{"page=1&page=2", page.Request{}, "page is invalid"},
		{"per_page=0", page.Request{}, "per_page has a value not allowed"},
		{"page=2&cursor=rs.9", page.Request{Number: 2, Size: 20, After: page.Position{Value: 1000, ID: 9}}, ""},
		{"cursor=", page.Request{}, "cursor is invalid"},
		{"cursor=9", page.Request{}, "cursor is invalid"},
		{"cursor=0.0", page.Request{}, "cursor is invalid"},
		{"page=x&per_page=0", page.Request{}, "page is invalid, per_page has a value not allowed"},
	}
	for _, test := range tests {
		params := readParams(t, httptest.NewRequest("GET", "/?"+test.query, nil))
		got, err := params.Page(), params.Err()
		switch {
		case test.wantErr == "" && (err != nil || got != test.want):
			t.Errorf("Page() for %q = %+v, %v, want %+v", test.query, got, err, test.want)
		case test.wantErr != "" && (err == nil || err.Error() != test.wantErr):
			t.Errorf("Err() for %q = %v, want %q", test.query, err, test.wantErr)
		}
	}
}

func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

func TestListHeaders(t *testing.T) {
	tests := []struct {
		name, target string
		of           int
		req          page.Request
		want         map[string]string
	}{
		{"first of three", "/api/v4/users?per_page=2&username=a%26b", 5, page.Request{Number: 1, Size: 2}, map[string]string{
			"X-Page": "1", "X-Per-Page": "2", "X-Prev-Page": "", "X-Next-Page": "2", "X-Total": "5", "X-Total-Pages": "3",
			"Link": `<http://g/api/v4/users?page=2&per_page=2&username=a%26b>; rel="next", ` +
				`<http://g/api/v4/users?page=1&per_page=2&username=a%26b>; rel="first", ` +
				`<http://g/api/v4/users?page=3&per_page=2&username=a%26b>; rel="last"`,
		}},
		{"middle", "/l", 5, page.Request{Number: 2, Size: 2}, map[string]string{
			"X-Page": "2", "X-Per-Page": "2", "X-Prev-Page": "1", "X-Next-Page": "3", "X-Total": "5", "X-Total-Pages": "3",
			"Link": `<http://g/l?page=1&per_page=2>; rel="prev", <http://g/l?page=3&per_page=2>; rel="next", ` +
				`<http://g/l?page=1&per_page=2>; rel="first", <http://g/l?page=3&per_page=2>; rel="last"`,
		}},
		{"empty", "/l?access_token=secret&private_token=secret", 0, page.First, map[string]string{
			"X-Page": "1", "X-Per-Page": "20", "X-Prev-Page": "", "X-Next-Page": "", "X-Total": "0", "X-Total-Pages": "0",
			"Link": `<http://g/l?page=1&per_page=20>; rel="first", <http://g/l?page=1&per_page=20>; rel="last"`,
		}},
		{"too long to count", "/l", page.CountLimit + 1, page.First, map[string]string{
			"X-Page": "1", "X-Per-Page": "20", "X-Prev-Page": "", "X-Next-Page": "2", "X-Total": "", "X-Total-Pages": "",
			"Link": `<http://g/l?page=2&per_page=20>; rel="next", <http://g/l?page=1&per_page=20>; rel="first"`,
		}},
		{"reference with a slash", "/api/v4/projects/acme%2Fweb/members", 1, page.First, map[string]string{
			"X-Page": "1", "X-Per-Page": "20", "X-Prev-Page": "", "X-Next-Page": "", "X-Total": "1", "X-Total-Pages": "1",
			"Link": `<http://g/api/v4/projects/acme%2Fweb/members?page=1&per_page=20>; rel="first", ` +
				`<http://g/api/v4/projects/acme%2Fweb/members?page=1&per_page=20>; rel="last"`,
		}},
	}
	for _, test := range tests {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", test.target, nil)
		if err := web.List(w, r, "http://g", test.req, page.Cut(numbers(test.of), test.req), strconv.Itoa); err != nil {
			t.Fatalf("List() = %v, want no error", err)
		}
		got := map[string]string{}
		for name := range test.want {
			got[name] = w.Header().Get(name)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: headers differ (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestLinkGoesOnWhereThePageEnded(t *testing.T) {
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/l?search=a&page=2&cursor=0.z", nil)
	found := page.Of[int]{Total: -1, More: true, Next: page.At(12), SearchedUntil: time.Date(2026, 11, 21, 13, 0, 0, 0, time.FixedZone("", 3600))}
	if err := web.List(w, r, "http://g", page.Request{Number: 2, Size: 20, After: page.At(35)}, found, strconv.Itoa); err != nil {
		t.Fatal(err)
	}
	want := `<http://g/l?page=1&per_page=20&search=a>; rel="prev", <http://g/l?cursor=0.c&page=3&per_page=20&search=a>; rel="next", ` +
		`<http://g/l?page=1&per_page=20&search=a>; rel="first"`
	if got := w.Header().Get("Link"); got != want {
		t.Errorf("Link is\n%s, want\n%s", got, want)
	}
	if got := w.Header().Get("X-Searched-Until"); got != "2026-11-21T12:00:00.000Z" {
		t.Errorf("X-Searched-Until is %q", got)
	}
}

// Where only a position leads on, no header has a number to go on with.
func TestPagesWithoutNumbers(t *testing.T) {
	far := page.Reach / 20
	for name, test := range map[string]struct {
		req        page.Request
		found      page.Of[int]
		prev, next string
	}{
		"a search that goes on": {page.Request{Number: 1, Size: 20}, page.Of[int]{More: true, Next: page.At(35), Unnumbered: true}, "", ""},
		"a search by position":  {page.Request{Number: 3, Size: 20, After: page.At(36)}, page.Of[int]{More: true, Next: page.At(35), Unnumbered: true}, "", ""},
		"the reach of numbers":  {page.Request{Number: far, Size: 20}, page.Of[int]{More: true, Next: page.At(35)}, strconv.Itoa(far - 1), ""},
		"beyond it":             {page.Request{Number: far + 2, Size: 20, After: page.At(36)}, page.Of[int]{More: true, Next: page.At(35)}, "", ""},
	} {
		w := httptest.NewRecorder()
		if err := web.List(w, httptest.NewRequest("GET", "/l", nil), "", test.req, test.found, strconv.Itoa); err != nil {
			t.Fatal(err)
		}
		h, links := w.Header(), w.Header().Get("Link")
		if h.Get("X-Prev-Page") != test.prev || h.Get("X-Next-Page") != test.next {
			t.Errorf("%s: between %q and %q, want %q and %q", name, h.Get("X-Prev-Page"), h.Get("X-Next-Page"), test.prev, test.next)
		}
		if strings.Contains(links, `rel="prev"`) != (test.prev != "") || !strings.Contains(links, "cursor=0.z&") {
			t.Errorf("%s: Link is %s", name, links)
		}
	}
}

func TestListBody(t *testing.T) {
	tests := map[string]struct {
		req  page.Request
		want string
	}{
		"last page":      {page.Request{Number: 2, Size: 2}, `["3"]`},
		"beyond the end": {page.Request{Number: 9, Size: 2}, `[]`},
	}
	for name, test := range tests {
		w := httptest.NewRecorder()
		web.List(w, httptest.NewRequest("GET", "/l", nil), "", test.req, page.Cut(numbers(3), test.req), strconv.Itoa)
		if w.Code != http.StatusOK || w.Body.String() != test.want {
			t.Errorf("%s: List() answered %d %s, want %s", name, w.Code, w.Body, test.want)
		}
	}
}
