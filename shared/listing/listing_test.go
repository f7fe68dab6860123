package listing_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/listing"
	"gatehouse/shared/page"
	"gatehouse/shared/web"
)

// numbers is a list of the numbers from n down to 1, as a store has it. It counts how
// many were read.
type numbers struct{ n, read int }

func (l *numbers) list(_ context.Context, r page.Request) (page.Of[int64], error) {
	all := make([]int64, l.n)
	for i := range all {
		all[i] = int64(l.n - i)
	}
	if r.Oldest {
		slices.Reverse(all)
	}
	if r.After.Some() {
		all = slices.DeleteFunc(all, func(id int64) bool { return r.Order()(page.At(id), r.After) <= 0 })
		r.Number = 1
	}
	found := page.Cut(all, r)
	found.Total = l.n
	l.read += len(found.Items)
	if found.More {
		found.Next = page.At(found.Items[len(found.Items)-1])
	}
	if r.Uncounted {
		found.Total = -1
	}
	return found, nil
}

var even = listing.List[int64]{
	ID:      func(n int64) int64 { return n },
	Time:    func(n int64) time.Time { return time.Unix(n, 0) },
	OrderBy: "id", Sort: listing.Descending, Bounded: true,
	Orders:  map[string]func(a, b int64) int{"id": nil, "digit": func(a, b int64) int { return int(a%10 - b%10) }},
	Filters: []listing.Filter[int64]{listing.If("even", func(n int64) bool { return n%2 == 0 }), listing.If("first", func(n int64) bool { return n == 1 })},
	Parameters: listing.Parameters{
		None: []string{"odd_and_even"}, NoneUnless: []string{"whole"}, NoneIfSent: []string{"color"},
		States:  map[string]listing.States{"state": {All: []string{"here"}, None: []string{"gone"}}},
		Refused: []string{"weight"}, RefusedIfTrue: []string{"heavy"},
	},
}

func query(t *testing.T, parameters string) listing.Query[int64] {
	t.Helper()
	params := web.Params(httptest.NewRequest("GET", "/?"+parameters, nil))
	q := even.Read(params)
	if err := params.Err(); err != nil {
		t.Fatal(err)
	}
	return q
}

func ask(t *testing.T, q listing.Query[int64], r page.Request, lists ...listing.Read[int64]) page.Of[int64] {
	t.Helper()
	found, err := q.Page(t.Context(), r, lists...)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestParametersSelect(t *testing.T) {
	all, none := []int64{6, 5, 4, 3, 2, 1}, []int64{}
	tests := map[string][]int64{
		"": all, "even=true": {6, 4, 2}, "even=false": all, "sort=asc": {1, 2, 3, 4, 5, 6}, "order_by=digit&sort=asc&even=1": {2, 4, 6},
		"odd_and_even=true": none, "odd_and_even=false": all, "whole=true": all, "whole=false": none, "color=red": none, "color=": all,
		"id_after=4": {6, 5}, "id_before=3": {2, 1}, "id_after=2&id_before=5&sort=asc": {3, 4}, "id_after=2&even=true": {6, 4}, "id_before=1": none, "id_after=9": none,
		"id_after=0": all, "id_before=0": none, "sort=asc&id_after=4": {5, 6}, "order_by=digit&sort=desc&id_before=4": {3, 2, 1},
		"state=here": all, "state=gone": none, "heavy=false": all, "weight=": all, "unheard=of": all,
	}
	for parameters, want := range tests {
		found := ask(t, query(t, parameters), page.First, (&numbers{n: 6}).list)
		if diff := cmp.Diff(want, found.Items, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", parameters, diff)
		}
	}
}

func TestParametersAreRefused(t *testing.T) {
	tests := map[string]string{
		"weight=1": "weight is not supported", "heavy=true": "heavy is not supported",
		"state=elsewhere": "state does not have a valid value", "order_by=size": "order_by does not have a valid value",
	}
	for parameters, want := range tests {
		params := web.Params(httptest.NewRequest("GET", "/?"+parameters, nil))
		even.Read(params)
		if err := params.Err(); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", parameters, err, want)
		}
	}
}

// A page looks at the limit, says how far it looked, and the next one goes on from there.
func TestALongSearchEndsAtTheLimit(t *testing.T) {
	l := &numbers{n: 2*listing.Limit + 1}
	q := query(t, "first=true")
	r, looked := page.First, 0
	for {
		l.read = 0
		found := ask(t, q, r, l.list)
		if looked++; l.read > listing.Limit {
			t.Fatalf("page %d looked at %d items", looked, l.read)
		}
		if !found.More {
			if diff := cmp.Diff([]int64{1}, found.Items); diff != "" || !found.SearchedUntil.IsZero() {
				t.Errorf("the last page has %v until %v", found.Items, found.SearchedUntil)
			}
			break
		}
		if last := int64(l.n - looked*listing.Limit + 1); len(found.Items) > 0 || found.SearchedUntil != time.Unix(last, 0) {
			t.Errorf("page %d has %v until %v, want nothing until item %d", looked, found.Items, found.SearchedUntil, last)
		}
		r = page.Request{Number: looked + 1, Size: page.DefaultSize, After: found.Next}
	}
	if looked != 3 {
		t.Errorf("%d pages, want 3", looked)
	}
}

func TestWhatIsFoundAtOnceCostsLittle(t *testing.T) {
	l := &numbers{n: 10_000}
	if found := ask(t, query(t, "even=true"), page.First, l.list); len(found.Items) != page.DefaultSize || l.read > 100 {
		t.Errorf("found %d items by looking at %d", len(found.Items), l.read)
	}
}

// By ids and in the order of creation a list is read by its key, from both ends.
func TestKeysLeadToBoundsAndTheOldest(t *testing.T) {
	for parameters, want := range map[string]int64{"sort=asc": 1, "id_before=100": 99, "id_after=9000&sort=asc": 9001, "id_after=9000": 10_000} {
		l := &numbers{n: 10_000}
		found := ask(t, query(t, parameters), page.First, l.list)
		if found.Items[0] != want || len(found.Items) != page.DefaultSize || l.read > page.DefaultSize+1 || !found.SearchedUntil.IsZero() {
			t.Errorf("%s: %v, by reading %d", parameters, found.Items, l.read)
		}
	}
}

// The whole list is in order if it fits the limit. If it does not, each part says how far
// it goes.
func TestOrders(t *testing.T) {
	const byDigit = "order_by=digit&sort=asc"
	found := ask(t, query(t, byDigit), page.First, (&numbers{n: 499}).list)
	if found.Items[0] != 490 || found.Total != 499 || !found.SearchedUntil.IsZero() {
		t.Errorf("a list within the limit begins with %d, has the total %d and is sorted until %v", found.Items[0], found.Total, found.SearchedUntil)
	}
	l := &numbers{n: 510}
	found = ask(t, query(t, byDigit), page.First, l.list)
	if found.Items[0] != 510 || !found.SearchedUntil.Equal(time.Unix(11, 0)) {
		t.Errorf("a longer list begins with %d and is sorted until %v, want 510 and the time of item 11", found.Items[0], found.SearchedUntil)
	}
	var all []int64
	for r := (page.Request{Number: 1, Size: 100}); ; r = (page.Request{Number: r.Number + 1, Size: 100, After: found.Next}) {
		found = ask(t, query(t, byDigit), r, l.list)
		if all = append(all, found.Items...); !found.More {
			break
		}
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != l.n {
		t.Errorf("the pages have %d items, want each of %d once", len(all), l.n)
	}
}

func TestListsAreMerged(t *testing.T) {
	found := ask(t, query(t, "even=true"), page.First, (&numbers{n: 4}).list, (&numbers{n: 6}).list)
	if diff := cmp.Diff([]int64{6, 4, 2}, found.Items); diff != "" {
		t.Error(diff)
	}
}

func TestSomeComeBeforeAllOthers(t *testing.T) {
	q := query(t, "")
	q.Before(listing.One(int64(3)), func(n int64) bool { return n == 3 })
	var all []int64
	for r := (page.Request{Number: 1, Size: 2}); ; {
		found := ask(t, q, r, (&numbers{n: 5}).list)
		if all = append(all, found.Items...); !found.More {
			break
		}
		r = page.Request{Number: r.Number + 1, Size: 2, After: found.Next}
	}
	if diff := cmp.Diff([]int64{3, 5, 4, 2, 1}, all); diff != "" {
		t.Error(diff)
	}
}
