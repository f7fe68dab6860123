package dynamodb

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/storage/walk"
)

var recordEntry = shape{directory, "RECORDS#<place>", "ENTRY#<list>#<kind>#<id>", "a record in a list of the place", ""}

// listedRecords are records with an entry in a list.
var listedRecords = kind[record.Record]{
	noun: "record", notFound: record.ErrNotFound, key: recordKey, fields: recordFields,
	entry: func(r *record.Record) fields {
		return fields{
			{"kind", (*string)(&r.Kind)}, {"place_kind", (*string)(&r.Place.Kind)}, {"place_id", &r.Place.ID}, {"number", &r.Number},
			{"id", &r.ID}, {"created_at", &r.CreatedAt},
		}
	},
}

func listKey(k record.Kind, in record.List) key {
	return recordEntry.key(recordsIn(in.Place), in.Name, string(k))
}

// ListedRecord returns a record of a list.
func (s *Store) ListedRecord(ctx context.Context, k record.Kind, in record.List, id int64) (record.Record, error) {
	return listedRecords.numbered(ctx, s, listKey(k, in), id)
}

// listedRead is how many records of lists a search looks at for a page. Each takes a
// read unit, because it is read by itself.
const listedRead = 100

// ListedRecords returns a page of the records of some lists.
func (s *Store) ListedRecords(ctx context.Context, k record.Kind, in []record.List, keep func(record.Record) bool, r page.Request) (page.Of[record.Record], error) {
	list := walk.List[record.Record]{Position: func(r record.Record) page.Position { return page.At(r.ID) }}
	for _, one := range in {
		list.Sources = append(list.Sources, listedRecords.newest(s, listKey(k, one)))
	}
	if keep == nil {
		return listedRecords.pageOf(ctx, s, list, r)
	}
	list.Search = func(r record.Record) bool { return r.Version > 0 && keep(r) }
	list.Complete, list.Time = s.completeRecords, func(r record.Record) time.Time { return r.CreatedAt }
	list.Limit, list.Look = listedRead, listedRead/2
	return list.Page(ctx, r)
}

// completeRecords returns the records of the entries. An entry stands for one that was
// removed since.
func (s *Store) completeRecords(ctx context.Context, entries []record.Record) ([]record.Record, error) {
	found, err := listedRecords.complete(ctx, s, entries)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(entries)
	for n := range all {
		if len(found) > 0 && found[0].ID == all[n].ID {
			all[n], found = found[0], found[1:]
		}
	}
	return all, nil
}

// enlist returns the changes that take a record out of lists and put it into others,
// whose places must exist.
func enlist(was, next record.Record) (changes []change) {
	for _, in := range was.Lists {
		if !slices.Contains(next.Lists, in) {
			changes = append(changes, remove(listKey(was.Kind, in).entry(was.ID)))
		}
	}
	required := map[project.Place]bool{record.Instance: true, next.Place: true}
	for _, in := range next.Lists {
		if slices.Contains(was.Lists, in) {
			continue
		}
		changes = append(changes, replace(listKey(next.Kind, in).entry(next.ID), listedRecords.entry(&next)))
		if !required[in.Place] {
			changes = append(changes, requirePlace(in.Place))
		}
		required[in.Place] = true
	}
	return changes
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

// entriesOf returns the changes that take the record that the item is out of its lists.
func entriesOf(it item) (changes []change, err error) {
	var names []string
	var r record.Record
	if err := (fields{{"lists", &names}, {"id", &r.ID}, {"kind", (*string)(&r.Kind)}}).read(it); err != nil {
		return nil, fmt.Errorf("read the lists of a record: %w", err)
	}
	for _, name := range names {
		place, list, _ := strings.Cut(name, "#")
		changes = append(changes, remove(recordEntry.key(place, list, string(r.Kind)).entry(r.ID)))
	}
	return changes, nil
}
