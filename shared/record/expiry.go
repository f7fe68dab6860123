package record

import (
	"context"
	"slices"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// WithoutExpired returns the store as it is without the records that have expired. Its
// lists have no totals. A page of Records lacks no others, and one of ListedRecords that
// is not searched may be short by those that have expired.
func WithoutExpired(s Store, now func() time.Time) Store { return fresh{s, now} }

// fresh leaves out what has expired.
type fresh struct {
	store Store
	now   func() time.Time
}

// Expired reports whether the record is gone at a time.
func (r Record) Expired(now time.Time) bool { return !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt) }

func (f fresh) unlessExpired(r Record, err error) (Record, error) {
	if err == nil && r.Expired(f.now()) {
		return Record{}, ErrNotFound
	}
	return r, err
}

func (f fresh) Record(ctx context.Context, k Kind, at project.Place, number int64) (Record, error) {
	return f.unlessExpired(f.store.Record(ctx, k, at, number))
}

func (f fresh) RecordByWord(ctx context.Context, k Kind, at project.Place, field, word string) (Record, error) {
	return f.unlessExpired(f.store.RecordByWord(ctx, k, at, field, word))
}

func (f fresh) ListedRecord(ctx context.Context, k Kind, in List, id int64) (Record, error) {
	return f.unlessExpired(f.store.ListedRecord(ctx, k, in, id))
}

func (f fresh) Records(ctx context.Context, k Kind, at project.Place, keep func(Record) bool, r page.Request) (page.Of[Record], error) {
	return f.store.Records(ctx, k, at, f.keeping(keep), r)
}

func (f fresh) ListedRecords(ctx context.Context, k Kind, in []List, find Search, r page.Request) (page.Of[Record], error) {
	if find.Keep != nil {
		find.Keep = f.keeping(find.Keep)
		return f.store.ListedRecords(ctx, k, in, find, r)
	}
	found, err := f.store.ListedRecords(ctx, k, in, find, r)
	now := f.now()
	found.Items = slices.DeleteFunc(found.Items, func(r Record) bool { return r.Expired(now) })
	return found, err
}

// keeping returns what keeps those of the records that have not expired; nil keeps all of
// them.
func (f fresh) keeping(keep func(Record) bool) func(Record) bool {
	now := f.now()
	return func(r Record) bool { return !r.Expired(now) && (keep == nil || keep(r)) }
}

func (f fresh) CreateRecord(ctx context.Context, r Record, perPlace bool) (Record, error) {
	return f.store.CreateRecord(ctx, r, perPlace)
}

func (f fresh) ChangeRecord(ctx context.Context, was, next Record) (Record, error) {
	return f.store.ChangeRecord(ctx, was, next)
}

func (f fresh) RemoveRecord(ctx context.Context, was Record) error {
	return f.store.RemoveRecord(ctx, was)
}
