package storagetest

import (
	"testing"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/storage"
)

// expiry is far enough ahead that no store removes what a test looks for.
var expiry = now.Add(48 * time.Hour)

// at returns the store as it is without what has expired by then.
func at(s storage.Store, then time.Time) record.Store {
	return record.WithoutExpired(s, func() time.Time { return then })
}

func newExpiring(k record.Kind, in project.Place, until time.Time) record.Record {
	r := newListed(k, in, listOf(in))
	r.Words, r.ExpiresAt = record.Words{"name": "Berlin"}, until
	return r
}

// wantThere checks in every way in which a record is found whether it is there then.
func wantThere(t *testing.T, s storage.Store, r record.Record, then time.Time, want bool) {
	t.Helper()
	store, wantErr := at(s, then), error(nil)
	if !want {
		wantErr = record.ErrNotFound
	}
	in := listOf(r.Place)
	_, byNumber := store.Record(t.Context(), r.Kind, r.Place, r.Number)
	_, byWord := store.RecordByWord(t.Context(), r.Kind, r.Place, "name", "Berlin")
	_, inList := store.ListedRecord(t.Context(), r.Kind, in, r.ID)
	for call, err := range map[string]error{"Record": byNumber, "RecordByWord": byWord, "ListedRecord": inList} {
		if want != (err == nil) {
			t.Errorf("at %v %s = %v, want %v", then, call, err, wantErr)
		}
	}
	all := must[page.Of[record.Record]](t)(store.Records(t.Context(), r.Kind, r.Place, nil, page.First))
	each := record.Search{Keep: func(record.Record) bool { return true }}
	listed := must[page.Of[record.Record]](t)(store.ListedRecords(t.Context(), r.Kind, []record.List{in}, record.Search{}, page.First))
	searched := must[page.Of[record.Record]](t)(store.ListedRecords(t.Context(), r.Kind, []record.List{in}, each, page.First))
	for call, found := range map[string]page.Of[record.Record]{"Records": all, "ListedRecords": listed, "a search": searched} {
		if (len(found.Items) == 1) != want || found.Total != -1 {
			t.Errorf("at %v %s has %d records and the total %d, want the record: %t, and no total", then, call, len(found.Items), found.Total, want)
		}
	}
}

func expireRecords(t *testing.T, s storage.Store) {
	for _, in := range addPlaces(t, s) {
		r := addRecord(t, s, newExpiring(kindOf(), in, expiry))
		r.Lists = nil
		wantRecord(t, s, r)
		wantThere(t, s, r, expiry.Add(-time.Microsecond), true)
		wantThere(t, s, r, expiry, false)
		numbered := newRecord(kindOf(), in, nil)
		numbered.Number, numbered.ExpiresAt = 7, expiry
		wantRecord(t, s, must[record.Record](t)(s.ChangeRecord(t.Context(), numbered, numbered)))
	}
}

func changeExpiry(t *testing.T, s storage.Store) {
	was := addRecord(t, s, newExpiring(kindOf(), addPlaces(t, s)[2], expiry))
	for _, until := range []time.Time{expiry.Add(time.Hour), {}, expiry} {
		next := was
		next.ExpiresAt = until
		was = must[record.Record](t)(s.ChangeRecord(t.Context(), was, next))
		stored := was
		stored.Lists = nil
		wantRecord(t, s, stored)
		wantThere(t, s, was, expiry, !until.Equal(expiry))
	}
	taken := newExpiring(was.Kind, was.Place, time.Time{})
	_, err := s.CreateRecord(t.Context(), taken, false)
	wantTaken(t, "CreateRecord", err, "name")
}

func listUnexpired(t *testing.T, s storage.Store) {
	k, in := kindOf(), addPlaces(t, s)[2]
	var want []record.Record
	for n := range 9 {
		r := newListed(k, in, listOf(in))
		if n%3 > 0 {
			r.ExpiresAt = expiry
		}
		r = addRecord(t, s, r)
		if r.Lists = nil; n%3 == 0 {
			want = append([]record.Record{r}, want...)
		}
	}
	store := at(s, expiry)
	wantSame(t, "Records", walkOver(t, 2, func(r page.Request) (page.Of[record.Record], error) {
		return store.Records(t.Context(), k, in, nil, r)
	}), want)
	lists := []record.List{listOf(in)}
	for _, find := range []record.Search{{}, {Keep: func(record.Record) bool { return true }}} {
		var got []record.Record
		for r := (page.Request{Number: 1, Size: 4}); ; r.Number++ {
			found := must[page.Of[record.Record]](t)(store.ListedRecords(t.Context(), k, lists, find, r))
			got = append(got, found.Items...)
			if r.After = found.Next; !found.More {
				break
			}
		}
		wantSame(t, "ListedRecords", got, want)
	}
}
