package dynamodb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/storage/walk"
)

var recordEntry = shape{directory, "RECORDS#<place>", "ENTRY#<list>#<kind>#<id>", "a record in a list of the place", "with the record"}

// listedRecords are records with an entry in a list.
var listedRecords = kind[record.Record]{
	noun: "record", notFound: record.ErrNotFound,
	entry: func(r *record.Record) fields {
		return fields{
			{"kind", (*string)(&r.Kind)}, {"place_kind", (*string)(&r.Place.Kind)}, {"place_id", &r.Place.ID}, {"number", &r.Number},
			{"id", &r.ID}, {"created_at", &r.CreatedAt}, {"hint", &r.Hint},
		}
	},
}

func listKey(k record.Kind, in record.List) key {
	return recordEntry.key(recordsIn(in.Place), in.Name, string(k))
}

// ListedRecord returns a record of a list.
func (s *Store) ListedRecord(ctx context.Context, k record.Kind, in record.List, id int64) (record.Record, error) {
	entry, err := listedRecords.listed(ctx, s, listKey(k, in), id)
	if err != nil {
		return record.Record{}, err
	}
	found, err := s.completeRecords(ctx, []record.Record{entry})
	switch {
	case err != nil:
		return record.Record{}, err
	case len(found) == 0:
		return record.Record{}, records.notFound
	}
	return found[0], nil
}

// A search of lists looks at so many entries for a page: some sixty read units. It reads
// the records that it may keep, each for a read unit.
const (
	listedLook = 1000
	listedRead = 120
)

// manyLists is from how many lists on a search looks at fewer entries, because it reads as
// many of each list.
const manyLists = 4

// ListedRecords returns a page of the records of some lists.
func (s *Store) ListedRecords(ctx context.Context, k record.Kind, in []record.List, find record.Search, r page.Request) (page.Of[record.Record], error) {
	list := walk.List[record.Record]{Position: func(r record.Record) page.Position { return page.At(r.ID) }}
	for _, one := range in {
		list.Sources = append(list.Sources, listedRecords.newest(s, listKey(k, one)))
	}
	if find.Keep == nil {
		found, err := list.Page(ctx, r)
		if err == nil {
			found.Items, err = s.completeRecords(ctx, found.Items)
		}
		return found, err
	}
	list.Search = func(r record.Record) bool { return r.Version > 0 && find.Keep(r) }
	list.Complete, list.Time = s.completing(find.May), func(r record.Record) time.Time { return r.CreatedAt }
	list.Limit = listedLook * manyLists / max(manyLists, len(in))
	list.Look = list.Limit / 8
	return list.Page(ctx, r)
}

// completing returns the function that completes the entries that a page looks at: those
// of records that may be kept become the records. The others, and entries of records
// that were removed since, stay entries.
func (s *Store) completing(may func(record.Record) bool) func(context.Context, []record.Record) ([]record.Record, error) {
	left := listedRead
	return func(ctx context.Context, entries []record.Record) ([]record.Record, error) {
		looked := slices.Clone(entries)
		var wanted []record.Record
		var at []int // where they are
		for n, e := range entries {
			if may != nil && e.Hint != "" && !may(e) {
				continue
			}
			if left == 0 {
				looked = looked[:n]
				break
			}
			left--
			wanted, at = append(wanted, e), append(at, n)
		}
		found, err := s.completeRecords(ctx, wanted)
		for n, e := range wanted {
			if len(found) > 0 && found[0].ID == e.ID {
				looked[at[n]], found = found[0], found[1:]
			}
		}
		return looked, err
	}
}

// completeRecords returns the records that the entries list, without those that were
// removed since or whose place was.
func (s *Store) completeRecords(ctx context.Context, entries []record.Record) (all []record.Record, err error) {
	needed := map[key]bool{}
	for _, e := range entries {
		needed[recordKey(e)] = true
		if e.Place != record.Instance {
			needed[placeKey(e.Place)] = true
		}
	}
	found, err := s.getAll(ctx, slices.Collect(maps.Keys(needed)))
	if err != nil {
		return nil, fmt.Errorf("get records: %w", err)
	}
	all = make([]record.Record, 0, len(entries))
	for _, e := range entries {
		it := found[recordKey(e)]
		if it == nil || e.Place != record.Instance && found[placeKey(e.Place)] == nil {
			continue
		}
		r, err := records.read(it)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func placeKey(p project.Place) key {
	if p.Kind == project.InProject {
		return projectItem.key(p.ID)
	}
	return groupItem.key(p.ID)
}

// enlist returns the changes that take a record out of lists and put it into others,
// whose places must exist. A new hint or expiry goes into the lists that have the record. One that was
// deleted with its place then has an entry that nobody reads, and that goes with the
// record.
func enlist(was, next record.Record) (changes []change) {
	for _, in := range was.Lists {
		if !slices.Contains(next.Lists, in) {
			changes = append(changes, remove(listKey(was.Kind, in).entry(was.ID)))
		}
	}
	required := map[project.Place]bool{record.Instance: true, next.Place: true}
	for _, in := range next.Lists {
		has := slices.Contains(was.Lists, in)
		if has && was.Hint == next.Hint && was.ExpiresAt.Equal(next.ExpiresAt) {
			continue
		}
		changes = append(changes, replace(listKey(next.Kind, in).entry(next.ID), append(listedRecords.entry(&next), expiryOf(next))))
		if !has && !required[in.Place] {
			changes = append(changes, requirePlace(in.Place))
		}
		required[in.Place] = required[in.Place] || !has
	}
	return changes
}

// ListRecord puts a record that an earlier release stored into all of its lists, unless it
// changed since it was read.
func (s *Store) ListRecord(ctx context.Context, r record.Record) error {
	listed := set(recordKey(r), fields{listsOfRecord(r)}).keepNonce().version(r.Version)
	err := s.write(ctx, append([]change{listed}, enlist(record.Record{}, r)...)...)
	if _, unmet := failed(err, 0); unmet {
		return nil
	}
	return err
}

// listsOfRecord is the field that names the lists of a record, "project-5#name", so
// that it can be taken out of them when its place is deleted.
func listsOfRecord(r record.Record) field {
	names := make([]string, len(r.Lists))
	for n, in := range r.Lists {
		names[n] = recordsIn(in.Place) + "#" + in.Name
	}
	return field{"lists", &names}
}

// entriesElsewhere returns the changes that take the record that the item is out of the
// lists of other places than its own.
func entriesElsewhere(it item, own project.Place) (changes []change, err error) {
	var names []string
	var r record.Record
	if err := (fields{{"lists", &names}, {"id", &r.ID}, {"kind", (*string)(&r.Kind)}}).read(it); err != nil {
		return nil, fmt.Errorf("read the lists of a record: %w", err)
	}
	for _, name := range names {
		place, list, _ := strings.Cut(name, "#")
		if place == recordsIn(own) {
			continue
		}
		changes = append(changes, remove(recordEntry.key(place, list, string(r.Kind)).entry(r.ID)))
	}
	return changes, nil
}
