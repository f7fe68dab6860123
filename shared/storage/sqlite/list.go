package sqlite

import (
	"context"
	"math"

	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// newest is the source of what the clause selects, by descending number. The
// clause is one that an index answers in this order: its columns are those of the
// index up to the number.
func (k kind[T]) newest(s *Store, number, clause string, args ...any) walk.Source[T] {
	ordered := clause + " AND " + number + " < ? ORDER BY " + number + " DESC LIMIT ?"
	return func(ctx context.Context, after page.Position, n int) ([]T, error) {
		return k.all(ctx, s.readers, ordered, append(args[:len(args):len(args)], numberBelow(after), n)...)
	}
}

// oldest is the source of that by ascending number.
func (k kind[T]) oldest(s *Store, number, clause string, args ...any) walk.Source[T] {
	ordered := clause + " AND " + number + " > ? ORDER BY " + number + " LIMIT ?"
	return func(ctx context.Context, after page.Position, n int) ([]T, error) {
		return k.all(ctx, s.readers, ordered, append(args[:len(args):len(args)], after.ID, n)...)
	}
}

// numberBeyond is the number that those after the position are less than, or more than if
// the oldest come first.
func numberBeyond(oldest bool, after page.Position) int64 {
	if oldest {
		return after.ID
	}
	return numberBelow(after)
}

// numberBelow is the number that those after the position are less than.
func numberBelow(after page.Position) int64 {
	if !after.Some() {
		return math.MaxInt64
	}
	return after.ID
}
