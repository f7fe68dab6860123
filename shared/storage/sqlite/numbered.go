package sqlite

import (
	"context"

	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// numbered is the list of what the clause selects, by descending number: the
// column of an index that begins with the clause's columns.
func (k kind[T]) numbered(s *Store, column string, number func(T) int64, clause string, args ...any) walk.List[T] {
	return walk.List[T]{
		Sources:  []walk.Source[T]{k.newest(s, column, clause, args...)},
		Position: func(thing T) page.Position { return page.At(number(thing)) },
		Count:    k.count(s, clause, args...),
	}
}

// from returns the list, from the end that the request asks for.
func (k kind[T]) from(s *Store, r page.Request, column string, number func(T) int64, clause string, args ...any) walk.List[T] {
	list := k.numbered(s, column, number, clause, args...)
	if r.Oldest {
		list.Sources = []walk.Source[T]{k.oldest(s, column, clause, args...)}
		list.Order = r.Order()
	}
	return list
}

// count returns the function that counts what the clause selects, up to one beyond
// page.CountLimit.
func (k kind[T]) count(s *Store, clause string, args ...any) func(context.Context) (int, error) {
	query := "SELECT count(*) FROM (SELECT 1 FROM " + k.table + " " + clause + " LIMIT ?)"
	return func(ctx context.Context) (int, error) {
		n, err := one(ctx, s.readers, scalar[int64], query, append(args[:len(args):len(args)], page.CountLimit+1)...)
		return int(n), err
	}
}
