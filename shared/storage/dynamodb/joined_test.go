package dynamodb_test

import (
	"testing"

	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// The groups of a person cost a read unit each, and two for each group below them;
// lists in which there is nothing are not read.
func TestBudgetOfGroupsIn(t *testing.T) {
	o, w, u := options(t), &dynamodbtest.Steps{}, &readUnits{}
	s := openWith(t, o)
	creator := addUser(t, s).ID
	var ids []int64
	for range 40 {
		ids = append(ids, addGroup(t, s, project.Group{}, unique("group"), creator).ID)
	}
	stepped, metered := o, o
	stepped.HTTPClient, metered.HTTPClient = w, u
	wantCost := func(name string, most, steps int, units float64) {
		t.Helper()
		read := func(s *dynamodb.Store) {
			if _, _, err := s.GroupsIn(t.Context(), ids, most); err != nil {
				t.Fatal(err)
			}
		}
		u.units = 0
		read(dynamodb.New(metered))
		taken, widest := w.During(func() { read(dynamodb.New(stepped)) })
		if taken != steps || widest > 2 || u.units > units {
			t.Errorf("%s: %d steps of at most %d requests and %.1f read units, want %d of 2 and %.1f", name, taken, widest, u.units, steps, units)
		}
	}
	wantCost("groups without others", 200, 1, 41)
	top := must[project.Group](t)(s.Group(t.Context(), ids[7]))
	addGroup(t, s, top, "below", creator)
	addGroup(t, s, top, "beside", creator)
	wantCost("one with two others", 200, 3, 44)
	wantCost("one with two others, and room for one", 41, 3, 44)
}
