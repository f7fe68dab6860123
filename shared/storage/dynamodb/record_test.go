package dynamodb_test

import (
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
