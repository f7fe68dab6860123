package storagetest

import (
	"slices"
	"testing"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/storage"
)

var recordLists = []promise{
	{"have records of other places, each once", listElsewhere},
	{"are searched", searchLists},
	{"are searched by hints", searchHints},
	{"keep the hint of a record that changes", changeHint},
	{"change with a record", changeLists},
	{"change once when many change a record at once", changeListsRace},
	{"lose a record that is removed", removeListed},
	{"lose the records of a deleted place", deletePlaceOfListed},
	{"are deleted with their place, and their records are not", deletePlaceOfList},
	{"need a place", listsOfNoPlace},
}

// listOf returns a list of the place.
func listOf(at project.Place) record.List { return record.List{Place: at, Name: "below"} }

func newListed(k record.Kind, at project.Place, in ...record.List) record.Record {
	r := newRecord(k, at, nil)
	r.Lists = in
	return r
}

// wantLists checks what the lists have together, the last record first.
func wantLists(t *testing.T, s storage.Store, k record.Kind, in []record.List, want ...record.Record) {
	t.Helper()
	found := must[page.Of[record.Record]](t)(s.ListedRecords(t.Context(), k, in, record.Search{}, page.First))
	for n := range want {
		want[n].Words, want[n].Lists = nil, nil
	}
	wantSame(t, "ListedRecords", slices.Concat(found.Items), slices.Concat(want))
	if found.Total != -1 || found.More {
		t.Errorf("ListedRecords has the total %d and more: %t, want neither", found.Total, found.More)
	}
}

func wantListedRecord(t *testing.T, s storage.Store, in record.List, want record.Record) {
	t.Helper()
	want.Words, want.Lists = nil, nil
	wantSame(t, "ListedRecord", must[record.Record](t)(s.ListedRecord(t.Context(), want.Kind, in, want.ID)), want)
}

func wantUnlisted(t *testing.T, s storage.Store, in record.List, r record.Record) {
	t.Helper()
	_, err := s.ListedRecord(t.Context(), r.Kind, in, r.ID)
	wantError(t, "ListedRecord", err, record.ErrNotFound)
	wantLists(t, s, r.Kind, []record.List{in})
}

func listElsewhere(t *testing.T, s storage.Store) {
	places, k := addPlaces(t, s), kindOf()
	onInstance, inGroup, inProject := listOf(places[0]), listOf(places[1]), listOf(places[2])
	first := addRecord(t, s, newListed(k, places[0], inGroup))
	second := addRecord(t, s, newListed(k, places[2], onInstance, inGroup, inProject))
	third := addRecord(t, s, newListed(k, places[1], onInstance, record.List{Place: places[1], Name: "other"}))
	addRecord(t, s, newListed(kindOf(), places[0], inGroup))
	wantLists(t, s, k, []record.List{onInstance}, third, second)
	wantLists(t, s, k, []record.List{inGroup}, second, first)
	wantLists(t, s, k, []record.List{onInstance, inGroup, inProject}, third, second, first)
	wantLists(t, s, k, nil)
	wantListedRecord(t, s, onInstance, second)
	wantListedRecord(t, s, inGroup, first)
	_, err := s.ListedRecord(t.Context(), k, inGroup, third.ID)
	wantError(t, "ListedRecord in another list", err, record.ErrNotFound)
}

func searchLists(t *testing.T, s storage.Store) {
	places, k := addPlaces(t, s), kindOf()
	one, other := listOf(places[1]), listOf(places[2])
	var all []record.Record
	for n := range listed {
		in := [][]record.List{{one}, {other}, {one, other}}[n%3]
		r := addRecord(t, s, newListed(k, places[n%2], in...))
		r.Lists = nil
		all = append(all, r)
	}
	slices.Reverse(all)
	wantWalk(t, "ListedRecords", all, func(r page.Request) (page.Of[record.Record], error) {
		return s.ListedRecords(t.Context(), k, []record.List{one, other}, record.Search{}, r)
	})
	odd := func(r record.Record) bool { return len(r.Data) > 0 && r.ID%2 == 1 }
	want := slices.DeleteFunc(all, func(r record.Record) bool { return !odd(r) })
	wantWalk(t, "ListedRecords that are kept", want, func(r page.Request) (page.Of[record.Record], error) {
		return s.ListedRecords(t.Context(), k, []record.List{one, other}, record.Search{Keep: odd}, r)
	})
}

// hinted returns the search for records whose data is the hint.
func hinted(hint string) record.Search {
	return record.Search{
		May:  func(r record.Record) bool { return r.Hint == hint },
		Keep: func(r record.Record) bool { return string(r.Data) == hint },
	}
}

func searchHints(t *testing.T, s storage.Store) {
	places, k := addPlaces(t, s), kindOf()
	var want []record.Record
	for n := range listed * 2 {
		r := newListed(k, places[n%3], listOf(places[n%2]))
		r.Hint = []string{`"odd"`, `"even"`}[n%2]
		r.Data = []byte(r.Hint)
		r = addRecord(t, s, r)
		if r.Lists, r.Hint = nil, ""; n%2 == 0 {
			want = append(want, r)
		}
	}
	slices.Reverse(want)
	wantWalk(t, "ListedRecords with a hint", want, func(r page.Request) (page.Of[record.Record], error) {
		return s.ListedRecords(t.Context(), k, []record.List{listOf(places[0]), listOf(places[1])}, hinted(`"odd"`), r)
	})
}

func changeHint(t *testing.T, s storage.Store) {
	places, k := addPlaces(t, s), kindOf()
	lists := []record.List{listOf(places[0]), listOf(places[1]), listOf(places[2])}
	was := newListed(k, places[0], lists...)
	was.Hint, was.Data = `"one"`, []byte(`"one"`)
	was = addRecord(t, s, was)
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), places[2].ID))
	next := was
	next.Hint, next.Data = `"two"`, []byte(`"two"`)
	next = must[record.Record](t)(s.ChangeRecord(t.Context(), was, next))
	for _, in := range lists[:2] {
		for hint, want := range map[string]int{was.Hint: 0, next.Hint: 1} {
			found := must[page.Of[record.Record]](t)(s.ListedRecords(t.Context(), k, []record.List{in}, hinted(hint), page.First))
			if len(found.Items) != want || want == 1 && found.Items[0].Hint != "" {
				t.Errorf("with the hint %s %v has %+v, want %d records without a hint", hint, in, found.Items, want)
			}
		}
	}
	wantOK(t, "RemoveRecord", s.RemoveRecord(t.Context(), next))
	for _, in := range lists {
		wantUnlisted(t, s, in, next)
	}
}

func changeLists(t *testing.T, s storage.Store) {
	places, k := addPlaces(t, s), kindOf()
	left, kept, joined := listOf(places[0]), listOf(places[1]), listOf(places[2])
	was := addRecord(t, s, newListed(k, places[0], left, kept))
	next := was
	next.Lists, next.Data = []record.List{kept, joined}, []byte(`{"name":"Brot"}`)
	next = must[record.Record](t)(s.ChangeRecord(t.Context(), was, next))
	wantUnlisted(t, s, left, next)
	wantListedRecord(t, s, kept, next)
	wantListedRecord(t, s, joined, next)
	stale := was
	stale.Lists = []record.List{left}
	_, err := s.ChangeRecord(t.Context(), was, stale)
	wantError(t, "ChangeRecord of another version", err, record.ErrChanged)
	wantUnlisted(t, s, left, next)
	wantListedRecord(t, s, joined, next)
}

func changeListsRace(t *testing.T, s storage.Store) {
	places, k := addPlaces(t, s), kindOf()
	was := addRecord(t, s, newListed(k, places[0]))
	errs := race(8, func(n int) error {
		next := was
		next.Lists = []record.List{listOf(places[1+n%2])}
		_, err := s.ChangeRecord(t.Context(), was, next)
		return err
	})
	wantOneWinner(t, "ChangeRecord", errs, is(record.ErrChanged))
	found := must[page.Of[record.Record]](t)(s.ListedRecords(t.Context(), k, []record.List{listOf(places[1]), listOf(places[2])}, record.Search{}, page.First))
	if len(found.Items) != 1 {
		t.Errorf("the lists have %d records, want that of the winner", len(found.Items))
	}
}

func removeListed(t *testing.T, s storage.Store) {
	places, k := addPlaces(t, s), kindOf()
	lists := []record.List{listOf(places[0]), listOf(places[1]), listOf(places[2])}
	gone := addRecord(t, s, newListed(k, places[1], lists...))
	wantOK(t, "RemoveRecord", s.RemoveRecord(t.Context(), gone))
	for _, in := range lists {
		wantUnlisted(t, s, in, gone)
	}
}

func deletePlaceOfListed(t *testing.T, s storage.Store) {
	places, k := addPlaces(t, s), kindOf()
	lists := []record.List{listOf(places[0]), listOf(places[1])}
	was := addRecord(t, s, newListed(k, places[2], lists[0]))
	next := was
	next.Lists = append(lists, listOf(places[2]))
	next = must[record.Record](t)(s.ChangeRecord(t.Context(), was, next))
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), places[2].ID))
	for _, in := range next.Lists {
		wantUnlisted(t, s, in, next)
	}
	wantNoRecord(t, s, next)
}

func deletePlaceOfList(t *testing.T, s storage.Store) {
	places, k := addPlaces(t, s), kindOf()
	gone, kept := listOf(places[2]), listOf(places[1])
	r := addRecord(t, s, newListed(k, places[0], gone, kept))
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), places[2].ID))
	wantUnlisted(t, s, gone, r)
	wantListedRecord(t, s, kept, r)
	next := r // says that it is still in the list
	next.Lists = []record.List{gone}
	next = must[record.Record](t)(s.ChangeRecord(t.Context(), r, next))
	wantOK(t, "RemoveRecord", s.RemoveRecord(t.Context(), next))
}

func listsOfNoPlace(t *testing.T, s storage.Store) {
	places, k := addPlaces(t, s), kindOf()
	nowhere := listOf(project.Place{Kind: project.InProject, ID: unknownID})
	_, err := s.CreateRecord(t.Context(), newListed(k, places[0], listOf(places[0]), nowhere), false)
	wantError(t, "CreateRecord", err, project.ErrNotFound)
	wantLists(t, s, k, []record.List{listOf(places[0]), nowhere})
	was := addRecord(t, s, newListed(k, places[0]))
	next := was
	next.Lists = []record.List{nowhere}
	_, err = s.ChangeRecord(t.Context(), was, next)
	wantError(t, "ChangeRecord", err, project.ErrNotFound)
	wantRecord(t, s, was)
}
