package sqlite

import (
	"context"
	"errors"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/storage/archive"
)

// Archive returns the store as one that can be exported and imported. It is a function,
// and no method, so that programs that do neither are smaller.
func Archive(s *Store) archive.Store { return &archived{s, shelves()} }

type archived struct {
	*Store
	shelves map[string]shelf
}

// shelf is where the things of a kind are.
type shelf interface {
	some(ctx context.Context, on statements, after any, now time.Time) ([]any, error)
	load(tx *transaction, thing any) error
}

// dumpedAtOnce is how many things one query of an export reads.
const dumpedAtOnce = 200

// shelfOf keeps things of type T, which an export has as A.
type shelfOf[T, A any] struct {
	kind[T]
	order     string // the columns of a position, which an index or the primary key has
	condition string
	limits    func(now time.Time) []any // the arguments of the condition; nil: none
	position  func(A) []any             // the values of the columns
	complete  func(ctx context.Context, on statements, thing T) (A, error)
	stored    func(A) T
	added     func(tx *transaction, thing A, row int64) error // what follows from a new one
	restored  storing[T]
}

// plainShelf is for things that an export has as they are.
func plainShelf[T any](k kind[T], order, condition string, limits func(time.Time) []any, position func(T) []any, added func(*transaction, T, int64) error) shelf {
	return completeShelf(shelfOf[T, T]{
		kind: k, order: order, condition: condition, limits: limits, position: position, added: added,
		complete: func(_ context.Context, _ statements, thing T) (T, error) { return thing, nil },
		stored:   func(thing T) T { return thing },
	})
}

func completeShelf[T, A any](s shelfOf[T, A]) shelf {
	list := func(thing *T) columns { return withIDs(s.columns(thing)) }
	names := list(new(T)).names("")
	s.restored = storing[T]{
		"INSERT OR IGNORE INTO " + s.table + " (" + names + ") VALUES (?" + strings.Repeat(", ?", strings.Count(names, ",")) + ")",
		newRows(list),
	}
	return s
}

// withIDs returns the columns with those stored that a new row gets by itself.
func withIDs(cs columns) columns {
	for n, c := range cs {
		if own, ok := c.variable.(given); ok && !strings.Contains(c.name, ".") {
			cs[n].variable = own.any
		}
	}
	return cs
}

func (s shelfOf[T, A]) some(ctx context.Context, on statements, after any, now time.Time) ([]any, error) {
	var conditions []string
	var args []any
	if s.condition != "" {
		conditions = append(conditions, s.condition)
	}
	if s.limits != nil {
		args = s.limits(now)
	}
	if after != nil {
		values := s.position(after.(A))
		conditions = append(conditions, "("+s.order+") > (?"+strings.Repeat(", ?", len(values)-1)+")")
		args = append(args, values...)
	}
	clause := "ORDER BY " + s.order + " LIMIT ?"
	if len(conditions) > 0 {
		clause = "WHERE " + strings.Join(conditions, " AND ") + " " + clause
	}
	found, err := s.all(ctx, on, clause, append(args, dumpedAtOnce)...)
	if err != nil {
		return nil, err
	}
	things := make([]any, len(found))
	for n, one := range found {
		if things[n], err = s.complete(ctx, on, one); err != nil {
			return nil, err
		}
	}
	return things, nil
}

func (s shelfOf[T, A]) load(tx *transaction, thing any) error {
	one := thing.(A)
	stored := s.stored(one)
	result, err := s.restored.run(tx, &stored)
	added, err := changed(result, err)
	if err != nil || !added || s.added == nil {
		return err
	}
	row, err := result.LastInsertId()
	return errors.Join(err, s.added(tx, one, row))
}

// Dump calls yield with the things of a kind.
func (a *archived) Dump(ctx context.Context, k archive.Kind, after any, now time.Time, yield func(any) error) error {
	for {
		found, err := a.shelves[k.Name()].some(ctx, a.readers, after, now)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, thing := range found {
			if err := yield(thing); err != nil {
				return err
			}
		}
		after = found[len(found)-1]
	}
}

// Load stores things of a kind.
func (a *archived) Load(ctx context.Context, k archive.Kind, things []any) error {
	return a.writer.do(ctx, func(tx *transaction) error {
		for _, thing := range things {
			if err := a.shelves[k.Name()].load(tx, thing); err != nil {
				return err
			}
		}
		return nil
	})
}

// Empty reports whether there are no users.
func (a *archived) Empty(ctx context.Context) (bool, error) {
	n, err := one(ctx, a.readers, scalar[int], "SELECT count(*) FROM (SELECT 1 FROM users LIMIT 1)")
	return n == 0, err
}

// The table importing is only there during an import.
const (
	isImporting    = "SELECT count(*) FROM sqlite_schema WHERE name = 'importing'"
	beginImporting = "CREATE TABLE IF NOT EXISTS importing (id INTEGER PRIMARY KEY CHECK (id = 1), file TEXT NOT NULL, line INTEGER NOT NULL) STRICT"
)

// Unfinished returns the import that has begun.
func (a *archived) Unfinished(ctx context.Context) (p archive.Progress, err error) {
	some, err := one(ctx, a.readers, scalar[int], isImporting)
	if err != nil || some == 0 {
		return p, err
	}
	p, err = find(ctx, a.readers, fault.NotFound, func(r row) (p archive.Progress, err error) {
		return p, r.Scan(&p.File, &p.Line)
	}, "SELECT file, line FROM importing")
	return p, fault.IgnoreNotFound(err)
}

// Note keeps how far an import has come.
func (a *archived) Note(ctx context.Context, p archive.Progress) error {
	if p == (archive.Progress{}) {
		return a.exec(ctx, "DROP TABLE IF EXISTS importing")
	}
	if err := a.exec(ctx, beginImporting); err != nil {
		return err
	}
	return a.exec(ctx, "INSERT OR REPLACE INTO importing (id, file, line) VALUES (1, ?, ?)", p.File, p.Line)
}
