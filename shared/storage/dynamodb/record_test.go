package dynamodb_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// A search without a hit costs at most three steps and sixty read units, however many
// records there are.
func TestBudgetOfSearchAmongRecords(t *testing.T) {
	o, units := options(t), &readUnits{}
	steps := &dynamodbtest.Steps{Through: units}
	s, kind := openWith(t, o), record.Kind(unique("kind"))
	data := []byte(`{"title":"` + strings.Repeat("What it changes. ", 50) + `"}`)
	for range 250 {
		must[record.Record](t)(s.CreateRecord(t.Context(), record.Record{Kind: kind, Data: data, CreatedAt: now}, true))
	}
	o.HTTPClient = steps
	measured := dynamodb.New(o)
	for _, r := range []page.Request{page.First, {Number: 1, Size: page.MaxSize}} {
		units.units = 0
		var found page.Of[record.Record]
		taken, _ := steps.During(func() {
			none := func(record.Record) bool { return false }
			found = must[page.Of[record.Record]](t)(measured.Records(t.Context(), kind, record.Instance, none, r))
		})
		if len(found.Items) > 0 || !found.More || found.SearchedUntil.IsZero() {
			t.Errorf("found %+v, want nothing and more to look at", found)
		}
		if taken > 3 || units.units == 0 || units.units > 60 {
			t.Errorf("the search takes %d steps and %.1f read units, want at most 3 and 60", taken, units.units)
		}
	}
}

// A page of lists costs two steps and the read units of what it shows. A search
// without a hit looks at a thousand entries of a list, and reads no record that its
// hint excludes, however many records there are.
func TestBudgetOfListsOfRecords(t *testing.T) {
	o, units := options(t), &readUnits{}
	steps := &dynamodbtest.Steps{Through: units}
	s, kind := openWith(t, o), record.Kind(unique("kind"))
	lists := []record.List{{Place: record.Instance, Name: "one"}, {Place: record.Instance, Name: "two"}, {Place: record.Instance, Name: "three"}}
	records := make([]record.Record, 1020)
	add := func(n int) (err error) {
		r := record.Record{Kind: kind, Data: fmt.Appendf(nil, `{"n":%d}`, n), Hint: `{"t":13835058055282163712,"d":20000,"a":[1,22,333]}`, CreatedAt: now}
		r.Lists = lists[n%3 : n%3+1]
		if n%3 > 0 && n > 240 {
			r.Lists = lists[:1]
		}
		records[n], err = s.CreateRecord(t.Context(), r, false)
		return err
	}
	inParallel(t, len(records), add)
	o.HTTPClient = steps
	measured := dynamodb.New(o)
	none := func(record.Record) bool { return false }
	last := slices.MaxFunc(records, func(a, b record.Record) int { return cmp.Compare(a.ID, b.ID) })
	for name, test := range map[string]struct {
		in    []record.List
		find  record.Search
		r     page.Request
		steps int
		units float64
		found int
	}{
		"the first page":         {lists, record.Search{}, page.First, 2, 26, 20},
		"a page after it":        {lists, record.Search{}, page.Request{Number: 5, Size: 20, After: page.At(last.ID - 80)}, 2, 26, 20},
		"all are excluded":       {lists, record.Search{May: none, Keep: none}, page.First, 2, 80, 0},
		"a large page":           {lists, record.Search{May: none, Keep: none}, page.Request{Number: 1, Size: page.MaxSize}, 2, 80, 0},
		"none is excluded":       {lists, record.Search{Keep: none}, page.First, 3, 140, 0},
		"far more than one page": {slices.Repeat(lists[:1], 40), record.Search{May: none, Keep: none}, page.First, 6, 320, 0},
	} {
		units.units = 0
		var found page.Of[record.Record]
		taken, _ := steps.During(func() {
			found = must[page.Of[record.Record]](t)(measured.ListedRecords(t.Context(), kind, test.in, test.find, test.r))
		})
		if len(found.Items) != test.found || !found.More || found.Next == (page.Position{}) || taken > test.steps || units.units == 0 || units.units > test.units {
			t.Errorf("%s finds %d in %d steps with %.1f read units, want %d in %d with %.1f and more", name, len(found.Items), taken, units.units, test.found, test.steps, test.units)
		}
	}
	far := last.ID - 900
	only := func(r record.Record) bool { return r.ID == far }
	found := must[page.Of[record.Record]](t)(measured.ListedRecords(t.Context(), kind, lists, record.Search{May: only, Keep: only}, page.First))
	if len(found.Items) != 1 || found.Items[0].ID != far || len(found.Items[0].Data) == 0 {
		t.Errorf("behind 900 records that are excluded the search finds %+v, want one", found.Items)
	}
	taken, _ := steps.During(func() {
		must[record.Record](t)(measured.ListedRecord(t.Context(), kind, last.Lists[0], last.ID))
	})
	if taken != 2 {
		t.Errorf("a record of a list takes %d steps, want 2", taken)
	}
}

// inParallel calls do with the numbers below n, sixteen at a time: a loaded machine
// answers more too late.
func inParallel(t *testing.T, n int, do func(int) error) {
	t.Helper()
	var calls errgroup.Group
	calls.SetLimit(16)
	for i := range n {
		calls.Go(func() error { return do(i) })
	}
	if err := calls.Wait(); err != nil {
		t.Fatal(err)
	}
}

// Whatever request the deletion of a project ends at: once the project is gone, no
// list has its records.
func TestRecordsOfDeletedPlacesAreNotListed(t *testing.T) {
	t.Parallel()
	o := options(t)
	s, kind := openWith(t, o), record.Kind(unique("kind"))
	g := addGroup(t, s, project.Group{}, unique("group"), addUser(t, s).ID)
	onInstance, inGroup := record.List{Place: record.Instance, Name: "all"}, record.List{Place: g.Place(), Name: "below"}
	kept := must[record.Record](t)(s.CreateRecord(t.Context(), record.Record{Kind: kind, Data: []byte("{}"), Lists: []record.List{onInstance}, CreatedAt: now}, false))
	each := record.Search{Keep: func(record.Record) bool { return true }}
	left := 0
	for at, crashed := 1, true; crashed; at++ {
		p := must[project.Project](t)(s.CreateProject(t.Context(), newProject(g)))
		r := record.Record{Kind: kind, Place: p.Place(), Data: []byte("{}"), Lists: []record.List{onInstance, inGroup}, CreatedAt: now}
		r = must[record.Record](t)(s.CreateRecord(t.Context(), r, false))
		crashed = deleteUntil(t, o, at, p.ID)
		if _, err := s.Project(t.Context(), p.ID); err == nil {
			if err := s.DeleteProject(t.Context(), p.ID); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Record(t.Context(), kind, p.Place(), r.Number); err == nil {
			left++
		}
		for _, in := range r.Lists {
			if found, err := s.ListedRecord(t.Context(), kind, in, r.ID); !errors.Is(err, record.ErrNotFound) {
				t.Errorf("after a crash at request %d %s has %+v, %v", at, in.Name, found, err)
			}
		}
		for _, find := range []record.Search{{}, each} {
			found := must[page.Of[record.Record]](t)(s.ListedRecords(t.Context(), kind, r.Lists, find, page.Request{Number: 1, Size: page.MaxSize}))
			if len(found.Items) != 1 || found.Items[0].ID != kept.ID {
				t.Errorf("after a crash at request %d the lists have %+v, want only the record of the instance", at, found.Items)
			}
		}
	}
	if left == 0 {
		t.Error("no crash left a record of a deleted project")
	}
}

// The deletion of a place removes each item once, however many there are.
func TestRecordsOfADeletedPlaceAreRemovedOnce(t *testing.T) {
	t.Parallel()
	o := options(t)
	s, kind := openWith(t, o), record.Kind(unique("kind"))
	g := addGroup(t, s, project.Group{}, unique("group"), addUser(t, s).ID)
	lists := []record.List{{Place: record.Instance, Name: "all"}, {Place: g.Place(), Name: "all"}}
	const n = 120
	inParallel(t, n, func(int) error {
		_, err := s.CreateRecord(t.Context(), record.Record{Kind: kind, Place: g.Place(), Data: []byte("{}"), Lists: lists, CreatedAt: now}, false)
		return err
	})
	wire := &wire{}
	o.HTTPClient = wire
	var err error
	removed := 0
	for _, operation := range wire.during(func() { err = dynamodb.New(o).DeleteGroup(t.Context(), g.ID, now) }) {
		if operation == "DeleteItem" {
			removed++
		}
	}
	if err != nil || removed != 3*n+1 {
		t.Errorf("DeleteGroup = %v and removes %d items, want each record, its two entries, and their count", err, removed)
	}
	if found := must[page.Of[record.Record]](t)(s.ListedRecords(t.Context(), kind, lists, record.Search{}, page.First)); found.More {
		t.Errorf("the lists still have %+v", found)
	}
}

// A record that expires has the attribute by which DynamoDB removes it, and so have its
// word and its entry in a list, until it expires no more.
func TestExpiringRecordsHaveATTL(t *testing.T) {
	t.Parallel()
	o := options(t)
	s, kind := openWith(t, o), record.Kind(unique("kind"))
	expires := now.Add(time.Hour)
	r := must[record.Record](t)(s.CreateRecord(t.Context(), record.Record{
		Kind: kind, Words: record.Words{"name": "Berlin"}, Lists: []record.List{{Place: record.Instance, Name: "all"}},
		Data: []byte("{}"), CreatedAt: now, ExpiresAt: expires,
	}, false))
	wantTTLs(t, o, 3, expires.Unix())
	next := r
	next.ExpiresAt = time.Time{}
	next = must[record.Record](t)(s.ChangeRecord(t.Context(), r, next))
	wantTTLs(t, o, 0, 0)
	again := next
	again.ExpiresAt = expires.Add(time.Hour)
	must[record.Record](t)(s.ChangeRecord(t.Context(), next, again))
	wantTTLs(t, o, 3, expires.Add(time.Hour).Unix())
}

// wantTTLs checks how many items of the directory DynamoDB will remove, and when.
func wantTTLs(t *testing.T, o dynamodb.Options, want int, at int64) {
	t.Helper()
	out := must[*sdk.ScanOutput](t)(o.Client().Scan(t.Context(), &sdk.ScanInput{TableName: aws.String(o.Prefix + "-directory")}))
	n := 0
	for _, it := range out.Items {
		ttl, there := it["ttl"].(*types.AttributeValueMemberN)
		if there {
			n++
		}
		if there && ttl.Value != fmt.Sprint(at) {
			t.Errorf("the item %v ends at %s, want %d", it["sk"], ttl.Value, at)
		}
	}
	if n != want {
		t.Errorf("%d items have an end, want %d", n, want)
	}
}
