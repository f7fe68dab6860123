package sqlite

import (
	"context"
	"strings"
	"sync"

	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// kind says how things of type T are kept in a table.
type kind[T any] struct {
	table    string
	join     string // of tables with further columns to read
	notFound error
	changed  error // the stored version is another than the caller read
	columns  func(*T) columns
	complete func(*T) // sets what follows from the columns; nil: nothing

	selected           string // SELECT … FROM table
	inserted, replaced storing[T]
	rows               *sync.Pool
}

func newKind[T any](table string, columns func(*T) columns, notFound, changed error) kind[T] {
	return kind[T]{table: table, columns: columns, notFound: notFound, changed: changed}.prepared()
}

// prepared returns the kind with its statements.
func (k kind[T]) prepared() kind[T] {
	cs := k.columns(new(T))
	stored := cs.names("")
	into := "INTO " + k.table + " (" + stored + ") VALUES (?" + strings.Repeat(", ?", strings.Count(stored, ",")) + ")"
	k.selected = "SELECT " + cs.names(k.table) + " FROM " + k.table + k.join + " "
	k.rows = newRows(k.columns)
	k.inserted = storing[T]{"INSERT " + into, k.rows}
	k.replaced = storing[T]{"INSERT OR REPLACE " + into, k.rows}
	return k
}

func (k kind[T]) scan(r row) (thing T, err error) {
	s := k.rows.Get().(*rowOf[T])
	defer k.rows.Put(s)
	err = r.Scan(s.into...)
	if err == nil && k.complete != nil {
		k.complete(&s.thing)
	}
	thing, s.thing = s.thing, thing
	return thing, err
}

// find returns the only thing that the clause selects, or notFound.
func (k kind[T]) find(ctx context.Context, on statements, clause string, args ...any) (T, error) {
	return find(ctx, on, k.notFound, k.scan, k.selected+clause, args...)
}

// all returns every thing that the clause selects.
func (k kind[T]) all(ctx context.Context, on statements, clause string, args ...any) ([]T, error) {
	return many(ctx, on, k.scan, k.selected+clause, args...)
}

// withIDs returns the things with these ids that exist, by id.
func (k kind[T]) withIDs(ctx context.Context, s *Store, ids []int64, idOf func(T) int64) (map[int64]T, error) {
	found, err := k.all(ctx, s.readers, "WHERE "+k.table+".id IN (SELECT value FROM json_each(?))", text(ids))
	byID := make(map[int64]T, len(found))
	for _, thing := range found {
		byID[idOf(thing)] = thing
	}
	return byID, err
}

// listed returns a page of a list of entries, with the things that they stand for.
func (k kind[T]) listed(ctx context.Context, s *Store, list walk.List[entry], r page.Request, idOf func(T) int64) (page.Of[T], error) {
	found, err := list.Page(ctx, r)
	if err != nil {
		return page.Of[T]{}, err
	}
	ids := idsOf(found.Items)
	byID, err := k.withIDs(ctx, s, ids, idOf)
	things := make([]T, 0, len(ids))
	for _, id := range ids {
		if thing, ok := byID[id]; ok {
			things = append(things, thing)
		}
	}
	return page.With(found, things), err
}

// insert stores a new thing and returns the id of its row.
func (k kind[T]) insert(tx *transaction, thing *T) (id int64, err error) {
	result, err := k.inserted.run(tx, thing)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// put stores a thing, and replaces the one with its key.
func (k kind[T]) put(tx *transaction, thing *T) error {
	_, err := k.replaced.run(tx, thing)
	return err
}

// delete removes the thing that the clause selects, or returns notFound.
func (k kind[T]) delete(tx *transaction, clause string, args ...any) error {
	return tx.changeOne(k.notFound, "DELETE FROM "+k.table+" "+clause, args...)
}

// remove does the same in its own operation.
func (k kind[T]) remove(ctx context.Context, s *Store, clause string, args ...any) error {
	return s.writer.do(ctx, func(tx *transaction) error { return k.delete(tx, clause, args...) })
}

// require returns notFound unless the clause selects something.
func (k kind[T]) require(tx *transaction, clause string, args ...any) error {
	found, err := tx.exists("SELECT 1 FROM "+k.table+" "+clause, args...)
	if err == nil && !found {
		return k.notFound
	}
	return err
}

// requireVersion returns changed when the thing that the clause selects has
// another version, and notFound when there is none.
func (k kind[T]) requireVersion(tx *transaction, version int64, clause string, args ...any) error {
	stored, err := find(context.Background(), tx, k.notFound, scalar[int64], "SELECT version FROM "+k.table+" "+clause, args...)
	if err == nil && stored != version {
		return k.changed
	}
	return err
}
