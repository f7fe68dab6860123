package dynamodb_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/shared/page"
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

// A page of lists costs two steps and the read units of what it shows, and a search
// without a hit in them four steps and some hundred, however many records there are.
func TestBudgetOfListsOfRecords(t *testing.T) {
	o, units := options(t), &readUnits{}
	steps := &dynamodbtest.Steps{Through: units}
	s, kind := openWith(t, o), record.Kind(unique("kind"))
	lists := []record.List{{Place: record.Instance, Name: "one"}, {Place: record.Instance, Name: "two"}, {Place: record.Instance, Name: "three"}}
	var last record.Record
	for n := range 240 {
		r := record.Record{Kind: kind, Data: fmt.Appendf(nil, `{"n":%d}`, n), Lists: lists[n%3 : n%3+1], CreatedAt: now}
		last = must[record.Record](t)(s.CreateRecord(t.Context(), r, false))
	}
	o.HTTPClient = steps
	measured := dynamodb.New(o)
	none := func(record.Record) bool { return false }
	for _, test := range []struct {
		keep  func(record.Record) bool
		r     page.Request
		steps int
		units float64
		found int
	}{
		{nil, page.First, 2, 24, 20},
		{nil, page.Request{Number: 5, Size: 20, After: page.At(last.ID - 80)}, 2, 24, 20},
		{none, page.First, 4, 120, 0},
		{none, page.Request{Number: 1, Size: page.MaxSize}, 2, 120, 0},
	} {
		units.units = 0
		var found page.Of[record.Record]
		taken, _ := steps.During(func() {
			found = must[page.Of[record.Record]](t)(measured.ListedRecords(t.Context(), kind, lists, test.keep, test.r))
		})
		if len(found.Items) != test.found || !found.More || taken > test.steps || units.units == 0 || units.units > test.units {
			t.Errorf("%+v finds %d in %d steps with %.1f read units, want %d in %d with %.1f", test.r, len(found.Items), taken, units.units, test.found, test.steps, test.units)
		}
	}
	taken, _ := steps.During(func() {
		must[record.Record](t)(measured.ListedRecord(t.Context(), kind, lists[2], last.ID))
	})
	if taken != 2 {
		t.Errorf("a record of a list takes %d steps, want 2", taken)
	}
}
