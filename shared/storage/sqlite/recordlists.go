package sqlite

import (
	"context"
	"slices"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/record"
	"gatehouse/shared/storage/walk"
)

// listedRecords are records with an entry in a list.
var listedRecords = kind[record.Record]{
	table: "records",
	join: ` JOIN record_lists ON record_lists.place_kind = records.place_kind AND record_lists.place_id = records.place_id
		AND record_lists.kind = records.kind AND record_lists.number = records.number`,
	notFound: record.ErrNotFound, columns: recordColumns,
}.prepared()

const listedIn = "WHERE list_kind = ? AND list_id = ? AND list = ? AND record_lists.kind = ?"

func listKey(k record.Kind, in record.List) []any {
	return []any{in.Place.Kind, in.Place.ID, in.Name, k}
}

// ListedRecord returns a record of a list.
func (s *Store) ListedRecord(ctx context.Context, k record.Kind, in record.List, id int64) (record.Record, error) {
	return listedRecords.find(ctx, s.readers, listedIn+" AND record_lists.id = ?", append(listKey(k, in), id)...)
}

// ListedRecords returns a page of the records of some lists.
func (s *Store) ListedRecords(ctx context.Context, k record.Kind, in []record.List, find record.Search, r page.Request) (page.Of[record.Record], error) {
	list := walk.List[record.Record]{
		Position: func(r record.Record) page.Position { return page.At(r.ID) },
		Search:   find.Keep, Time: recordTime,
	}
	for _, one := range in {
		list.Sources = append(list.Sources, listedRecords.newest(s, "record_lists.id", listedIn, listKey(k, one)...))
	}
	return list.Page(ctx, r)
}

// relistRecord takes a record out of lists and puts it into others.
func (tx *transaction) relistRecord(was, next record.Record) error {
	for _, in := range was.Lists {
		if slices.Contains(next.Lists, in) {
			continue
		}
		const left = "DELETE FROM record_lists WHERE list_kind = ? AND list_id = ? AND list = ? AND kind = ? AND id = ?"
		if err := tx.exec(left, append(listKey(was.Kind, in), was.ID)...); err != nil {
			return err
		}
	}
	return tx.listRecord(next, was.Lists)
}

// listRecord puts a record into its lists, but for those that it is in.
func (tx *transaction) listRecord(r record.Record, in []record.List) error {
	for _, list := range r.Lists {
		if slices.Contains(in, list) {
			continue
		}
		if err := tx.requirePlaceOf(record.Record{Place: list.Place}); err != nil {
			return err
		}
		const entered = `INSERT INTO record_lists (list_kind, list_id, list, kind, id, place_kind, place_id, number)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
		if err := tx.exec(entered, append(listKey(r.Kind, list), r.ID, r.Place.Kind, r.Place.ID, r.Number)...); err != nil {
			return err
		}
	}
	return nil
}

func recordTime(r record.Record) time.Time { return r.CreatedAt }
