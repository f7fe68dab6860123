package walk

import (
	"context"

	"gatehouse/shared/page"
)

// Group is the source of entries that all have the value in the order of a list.
// Newest gives them by descending number.
func Group[T any](value int64, descending bool, newest Source[T]) Source[T] {
	return func(ctx context.Context, after page.Position, n int) ([]T, error) {
		switch {
		case !after.Some() || value == after.Value:
			return newest(ctx, after, n)
		case (value > after.Value) == descending: // all are before the position
			return nil, nil
		default:
			return newest(ctx, page.Position{}, n)
		}
	}
}
