package storagetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/storage"
)

var records = []promise{
	{"are stored as they are, below every kind of place", createRecords},
	{"have ids of their kind", numberRecords},
	{"have numbers of their place, if it counts them", numberInPlace},
	{"have the number that a caller gives", storeNumberedRecords},
	{"with one number are stored once", storeNumberedRecordRace},
	{"are of a place and a kind", recordsElsewhere},
	{"need a place", recordsOfNoPlace},
	{"have words that no other has", recordWords},
	{"keep and free their words", changeWords},
	{"with one word are created once", createRecordRace},
	{"racing for slots are never more than these", raceForSlots},
	{"are changed as they were read", changeRecords},
	{"changed by many at once are changed once", changeRecordRace},
	{"tell what follows from them", tellOfRecords},
	{"are removed", removeRecords},
	{"are removed once", removeRecordRace},
	{"are listed by the page", listRecords},
	{"are searched", searchRecords},
	{"go with their place", deletePlaceOfRecords},
	{"are gone when they have expired", expireRecords},
	{"expire later or never after a change", changeExpiry},
	{"that have expired are not listed", listUnexpired},
}

// kindOf returns a kind that nothing else in the store has.
func kindOf() record.Kind { return record.Kind(unique("kind")) }

func newRecord(k record.Kind, at project.Place, words record.Words) record.Record {
	return record.Record{Kind: k, Place: at, Words: words, Data: []byte(`{"name":"Käse 🧀"}`), CreatedAt: now}
}

func addRecord(t *testing.T, s storage.Store, r record.Record) record.Record {
	t.Helper()
	return must[record.Record](t)(s.CreateRecord(t.Context(), r, false))
}

// addPlaces returns the instance, a group and a project.
func addPlaces(t *testing.T, s storage.Store) []project.Place {
	t.Helper()
	g := addGroup(t, s, addUser(t, s).ID)
	return []project.Place{record.Instance, g.Place(), addProject(t, s, g).Place()}
}

// wantRecord checks what is stored, which has no words.
func wantRecord(t *testing.T, s storage.Store, want record.Record) {
	t.Helper()
	want.Words = nil
	wantSame(t, "Record", must[record.Record](t)(s.Record(t.Context(), want.Kind, want.Place, want.Number)), want)
}

func wantNoRecord(t *testing.T, s storage.Store, r record.Record) {
	t.Helper()
	_, err := s.Record(t.Context(), r.Kind, r.Place, r.Number)
	wantError(t, "Record", err, record.ErrNotFound)
	for field, word := range r.Words {
		_, err := s.RecordByWord(t.Context(), r.Kind, r.Place, field, word)
		wantError(t, "RecordByWord", err, record.ErrNotFound)
	}
}

func createRecords(t *testing.T, s storage.Store) {
	k := kindOf()
	for _, at := range addPlaces(t, s) {
		r := addRecord(t, s, newRecord(k, at, nil))
		want := newRecord(k, at, nil)
		want.ID, want.Number, want.Version = r.ID, r.ID, r.Version
		wantSame(t, "CreateRecord", r, want)
		wantRecord(t, s, want)
	}
}

func numberRecords(t *testing.T, s storage.Store) {
	k := kindOf()
	places := addPlaces(t, s)
	for want := int64(1); want <= 6; want++ {
		r := addRecord(t, s, newRecord(k, places[want%3], nil))
		if r.ID != want {
			t.Errorf("record %d of the kind has the id %d", want, r.ID)
		}
		if want == 5 { // its id is not used again
			wantOK(t, "RemoveRecord", s.RemoveRecord(t.Context(), r))
		}
	}
	if r := addRecord(t, s, newRecord(kindOf(), places[0], nil)); r.ID != 1 {
		t.Errorf("the first record of another kind has the id %d, want 1", r.ID)
	}
}

func numberInPlace(t *testing.T, s storage.Store) {
	k := kindOf()
	for n, at := range addPlaces(t, s) {
		errs := race(4, func(int) error {
			_, err := s.CreateRecord(t.Context(), newRecord(k, at, record.Words{"name": unique("name")}), true)
			return err
		})
		wantOK(t, "CreateRecord", errors.Join(errs...))
		found := must[page.Of[record.Record]](t)(s.Records(t.Context(), k, at, nil, page.First))
		var numbers []int64
		for _, r := range found.Items {
			numbers = append(numbers, r.Number)
			wantRecord(t, s, r)
			if r.ID <= int64(4*n) || r.ID > int64(4*n+4) {
				t.Errorf("a record of place %d has the id %d", n, r.ID)
			}
		}
		wantSame(t, "the numbers", numbers, []int64{4, 3, 2, 1})
	}
}

func storeNumberedRecords(t *testing.T, s storage.Store) {
	for _, at := range addPlaces(t, s) {
		r := newRecord(kindOf(), at, nil)
		for _, r.Number = range []int64{0, 7} {
			stored := must[record.Record](t)(s.ChangeRecord(t.Context(), r, r))
			wantRecord(t, s, stored)
			_, err := s.ChangeRecord(t.Context(), r, r)
			wantError(t, "ChangeRecord of what is there", err, record.ErrChanged)
			next := stored
			next.Data = []byte("{}")
			wantRecord(t, s, must[record.Record](t)(s.ChangeRecord(t.Context(), stored, next)))
		}
	}
	gone := newRecord(kindOf(), project.Place{Kind: project.InProject, ID: unknownID}, nil)
	_, err := s.ChangeRecord(t.Context(), gone, gone)
	wantError(t, "ChangeRecord", err, project.ErrNotFound)
	wantNoRecord(t, s, gone)
}

func storeNumberedRecordRace(t *testing.T, s storage.Store) {
	r := newRecord(kindOf(), addPlaces(t, s)[2], nil)
	errs := race(8, func(int) error {
		_, err := s.ChangeRecord(t.Context(), r, r)
		return err
	})
	wantOneWinner(t, "ChangeRecord", errs, is(record.ErrChanged))
}

func recordsElsewhere(t *testing.T, s storage.Store) {
	places := addPlaces(t, s)
	words := record.Words{"name": "berlin"}
	r := addRecord(t, s, newRecord(kindOf(), places[2], words))
	for _, other := range []record.Record{
		{Kind: kindOf(), Place: r.Place, Number: r.ID, Words: words}, {Kind: r.Kind, Place: places[0], Number: r.ID, Words: words},
		{Kind: r.Kind, Place: places[1], Number: r.ID, Words: words}, {Kind: r.Kind, Place: r.Place, Number: unknownID},
		{Kind: r.Kind, Place: r.Place, Number: -1, Words: record.Words{"name": "paris", "title": "berlin", "code": strings.Repeat("x", 5000)}},
	} {
		wantNoRecord(t, s, other)
	}
	for _, at := range places[:2] { // where the word is free
		addRecord(t, s, newRecord(r.Kind, at, words))
	}
	addRecord(t, s, newRecord(kindOf(), r.Place, words))
}

func recordsOfNoPlace(t *testing.T, s storage.Store) {
	_, err := s.CreateRecord(t.Context(), newRecord(kindOf(), project.Place{Kind: project.InProject, ID: unknownID}, nil), false)
	wantError(t, "CreateRecord", err, project.ErrNotFound)
	_, err = s.CreateRecord(t.Context(), newRecord(kindOf(), project.Place{Kind: project.InGroup, ID: unknownID}, nil), false)
	wantError(t, "CreateRecord", err, project.ErrGroupNotFound)
}

// wantWord checks which record has the word.
func wantWord(t *testing.T, s storage.Store, r record.Record, field, word string) {
	t.Helper()
	r.Words = nil
	wantSame(t, "RecordByWord "+word, must[record.Record](t)(s.RecordByWord(t.Context(), r.Kind, r.Place, field, word)), r)
}

func recordWords(t *testing.T, s storage.Store) {
	k, at := kindOf(), addPlaces(t, s)[2]
	long := strings.Repeat("Ä", 255)
	first := addRecord(t, s, newRecord(k, at, record.Words{"name": "Berlin", "code": "10"}))
	second := addRecord(t, s, newRecord(k, at, record.Words{"name": long, "code": "20"}))
	for _, word := range []string{"Berlin", "BERLIN"} {
		wantWord(t, s, first, "name", word)
	}
	wantWord(t, s, first, "code", "10")
	wantWord(t, s, second, "name", strings.ToLower(long))
	for field, words := range map[string]record.Words{
		"name": {"name": "berlin", "code": "30"}, "code": {"name": "Paris", "code": "20"},
	} {
		_, err := s.CreateRecord(t.Context(), newRecord(k, at, words), false)
		wantTaken(t, "CreateRecord", err, field)
	}
	wantNoRecord(t, s, record.Record{Kind: k, Place: at, Number: unknownID, Words: record.Words{"name": "Paris", "code": "30"}})
}

func changeWords(t *testing.T, s storage.Store) {
	k, at := kindOf(), record.Instance
	first := addRecord(t, s, newRecord(k, at, record.Words{"name": "Berlin", "primary": "true"}))
	second := addRecord(t, s, newRecord(k, at, record.Words{"name": "Paris"}))
	change := func(was record.Record, words record.Words) (record.Record, error) {
		next := was
		next.Words = words
		return s.ChangeRecord(t.Context(), was, next)
	}
	_, err := change(second, record.Words{"name": "BERLIN"})
	wantTaken(t, "ChangeRecord", err, "name")
	_, err = change(second, record.Words{"name": "Paris", "primary": "true"})
	wantTaken(t, "ChangeRecord", err, "primary")
	wantRecord(t, s, second)

	first = must[record.Record](t)(change(first, record.Words{"name": "berlin"}))
	wantWord(t, s, first, "name", "Berlin")
	first = must[record.Record](t)(change(first, record.Words{"name": "Rome"}))
	wantWord(t, s, first, "name", "Rome")
	second = must[record.Record](t)(change(second, record.Words{"name": "Berlin", "primary": "true"}))
	wantWord(t, s, second, "name", "Berlin")
	wantWord(t, s, second, "primary", "true")
	wantNoRecord(t, s, record.Record{Kind: k, Place: at, Number: unknownID, Words: record.Words{"name": "Paris"}})
}

// tellOfRecords stores a record, changes it, and is refused a change. Its messages are
// stored with the first two.
func tellOfRecords(t *testing.T, s storage.Store) {
	for _, at := range addPlaces(t, s) {
		l := newLane()
		telling := newRecord(kindOf(), at, nil)
		telling.Tell = func(r record.Record) []outbox.Message {
			m := newMessage(l, int(r.Version))
			m.Data = fmt.Appendf(nil, `{"number":%d}`, r.Number)
			return []outbox.Message{m}
		}
		was := addRecord(t, s, telling)
		wantWaiting(t, s, l, telling.Tell(was)...)

		next := was
		next.Data, next.Tell = []byte(`{"name":"new"}`), telling.Tell
		is := must[record.Record](t)(s.ChangeRecord(t.Context(), was, next))
		told := append(telling.Tell(was), telling.Tell(is)...)
		wantWaiting(t, s, l, told...)

		_, err := s.ChangeRecord(t.Context(), was, next)
		wantError(t, "ChangeRecord as it was before", err, record.ErrChanged)
		wantWaiting(t, s, l, told...)

		unstored := record.Record{Kind: kindOf(), Place: at, Number: 7, Data: []byte(`{}`), CreatedAt: now, Tell: telling.Tell}
		l = newLane()
		first := must[record.Record](t)(s.ChangeRecord(t.Context(), record.Record{}, unstored))
		wantWaiting(t, s, l, telling.Tell(first)...)
		_, err = s.ChangeRecord(t.Context(), record.Record{}, unstored)
		wantError(t, "ChangeRecord of one that is stored", err, record.ErrChanged)
		wantWaiting(t, s, l, telling.Tell(first)...)
	}
}

func createRecordRace(t *testing.T, s storage.Store) {
	k := kindOf()
	errs := race(8, func(int) error {
		_, err := s.CreateRecord(t.Context(), newRecord(k, record.Instance, record.Words{"name": "Berlin"}), false)
		return err
	})
	wantOneWinner(t, "CreateRecord", errs, isTaken("name"))
	found := must[page.Of[record.Record]](t)(s.Records(t.Context(), k, record.Instance, nil, page.First))
	if len(found.Items) != 1 || found.Total != 1 {
		t.Errorf("there are %d records, and a total of %d, want 1", len(found.Items), found.Total)
	}
}

// slotted is a thing that holds a slot.
type slotted struct {
	Slot int `json:"slot,omitempty"`
}

func raceForSlots(t *testing.T, s storage.Store) {
	full := errors.New("full")
	slots := record.Slots[slotted]{Most: 3, Full: full, Of: func(thing *slotted) *int { return &thing.Slot }}
	for _, at := range addPlaces(t, s) {
		k := record.Of[slotted]{Kind: kindOf(), Words: func(thing slotted) record.Words {
			if thing.Slot == 0 {
				return nil
			}
			return record.Words{record.Slot: record.SlotWord("holder/", thing.Slot)}
		}}
		must[record.Stored[slotted]](t)(k.Create(t.Context(), s, at, slotted{}, now)) // of an earlier release
		has := func() []record.Stored[slotted] {
			return must[page.Of[record.Stored[slotted]]](t)(k.List(t.Context(), s, at, page.First)).Items
		}
		create := func(int) error {
			_, err := k.CreateIn(t.Context(), s, at, slotted{}, now, slots, slots.Free(has()))
			return err
		}
		for _, err := range race(8, create) {
			if err != nil && !errors.Is(err, full) {
				t.Errorf("CreateIn: %v", err)
			}
		}
		all := has()
		if len(all) != slots.Most {
			t.Fatalf("%d things hold %d slots", len(all), slots.Most)
		}
		wantOK(t, "Remove", k.Remove(t.Context(), s, all[0]))
		wantOK(t, "CreateIn after a removal", create(0))
		wantError(t, "CreateIn without a free slot", create(0), full)
	}
}

func changeRecords(t *testing.T, s storage.Store) {
	for _, at := range addPlaces(t, s) {
		was := addRecord(t, s, newRecord(kindOf(), at, nil))
		next := was
		next.Data = []byte(`{"name":"new"}`)
		changed := must[record.Record](t)(s.ChangeRecord(t.Context(), was, next))
		if changed.Version == was.Version {
			t.Error("the version is still the same")
		}
		next.Version = changed.Version
		wantSame(t, "ChangeRecord", changed, next)
		wantRecord(t, s, next)

		_, err := s.ChangeRecord(t.Context(), was, was)
		wantError(t, "ChangeRecord as it was before", err, record.ErrChanged)
		wantError(t, "RemoveRecord as it was before", s.RemoveRecord(t.Context(), was), record.ErrChanged)
		wantRecord(t, s, next)
	}
	missing := newRecord(kindOf(), record.Instance, nil)
	missing.Number, missing.Version = unknownID, 1
	_, err := s.ChangeRecord(t.Context(), missing, missing)
	wantError(t, "ChangeRecord of none", err, record.ErrNotFound)
	wantError(t, "RemoveRecord of none", s.RemoveRecord(t.Context(), missing), record.ErrNotFound)
}

func changeRecordRace(t *testing.T, s storage.Store) {
	was := addRecord(t, s, newRecord(kindOf(), record.Instance, record.Words{"name": "Berlin"}))
	nexts := make([]record.Record, 8)
	errs := race(len(nexts), func(i int) (err error) {
		next := was
		next.Words = record.Words{"name": fmt.Sprint("Berlin ", i)}
		next.Data = fmt.Appendf(nil, `{"n":%d}`, i)
		nexts[i], err = s.ChangeRecord(t.Context(), was, next)
		return err
	})
	won := wantOneWinner(t, "ChangeRecord", errs, is(record.ErrChanged))
	wantRecord(t, s, nexts[won])
	wantWord(t, s, nexts[won], "name", nexts[won].Words["name"])
}

func removeRecords(t *testing.T, s storage.Store) {
	words := record.Words{"name": "Berlin"}
	for _, at := range addPlaces(t, s) {
		k := kindOf()
		gone, kept := addRecord(t, s, newRecord(k, at, words)), addRecord(t, s, newRecord(k, at, nil))
		wantOK(t, "RemoveRecord", s.RemoveRecord(t.Context(), gone))
		wantNoRecord(t, s, gone)
		wantRecord(t, s, kept)
		wantError(t, "RemoveRecord again", s.RemoveRecord(t.Context(), gone), record.ErrNotFound)
		addRecord(t, s, newRecord(k, at, words))
	}
}

func removeRecordRace(t *testing.T, s storage.Store) {
	r := addRecord(t, s, newRecord(kindOf(), record.Instance, record.Words{"name": "Berlin"}))
	errs := race(8, func(int) error { return s.RemoveRecord(t.Context(), r) })
	wantOneWinner(t, "RemoveRecord", errs, is(record.ErrNotFound))
	wantNoRecord(t, s, r)
}

// addRecords adds as many records as lists are tested with, and returns them as they
// are listed.
func addRecords(t *testing.T, s storage.Store, k record.Kind, at project.Place) (all []record.Record) {
	t.Helper()
	for i := range listed {
		r := newRecord(k, at, nil)
		r.Data, r.CreatedAt = fmt.Appendf(nil, `{"n":%d}`, i), now.Add(time.Duration(i)*time.Second)
		all = append(all, addRecord(t, s, r))
	}
	slices.Reverse(all)
	return all
}

func listRecords(t *testing.T, s storage.Store) {
	k := kindOf()
	for _, at := range addPlaces(t, s) {
		list := func(r page.Request) (page.Of[record.Record], error) {
			return s.Records(t.Context(), k, at, nil, r)
		}
		wantListed(t, "Records", nil, list)
		want := addRecords(t, s, k, at)
		addRecord(t, s, newRecord(kindOf(), at, nil))
		wantListed(t, "Records", want, list)
		wantOK(t, "RemoveRecord", s.RemoveRecord(t.Context(), want[2]))
		wantListed(t, "Records after one is gone", slices.Delete(slices.Clone(want), 2, 3), list)
	}
}

func searchRecords(t *testing.T, s storage.Store) {
	k, at := kindOf(), addPlaces(t, s)[2]
	all := addRecords(t, s, k, at)
	odd := func(r record.Record) bool { return r.ID%2 == 1 }
	want := slices.DeleteFunc(all, func(r record.Record) bool { return !odd(r) })
	wantWalk(t, "Records that are kept", want, func(r page.Request) (page.Of[record.Record], error) {
		return s.Records(t.Context(), k, at, odd, r)
	})
	first := must[page.Of[record.Record]](t)(s.Records(t.Context(), k, at, odd, page.First))
	if first.Total != -1 {
		t.Errorf("the total is %d, want none", first.Total)
	}
}

func deletePlaceOfRecords(t *testing.T, s storage.Store) {
	g := addGroup(t, s, addUser(t, s).ID)
	p := addProject(t, s, g)
	k, words := kindOf(), record.Words{"name": "Berlin"}
	kept := addRecord(t, s, newRecord(k, record.Instance, words))
	ofGroup, ofProject := addRecord(t, s, newRecord(k, g.Place(), words)), addRecord(t, s, newRecord(k, p.Place(), words))
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), p.ID))
	wantNoRecord(t, s, ofProject)
	wantRecord(t, s, ofGroup)
	wantOK(t, "DeleteGroup", s.DeleteGroup(t.Context(), g.ID, now))
	wantNoRecord(t, s, ofGroup)
	wantRecord(t, s, kept)
	_, err := s.CreateRecord(t.Context(), newRecord(k, p.Place(), nil), false)
	wantError(t, "CreateRecord in a deleted project", err, fault.NotFound)
}
