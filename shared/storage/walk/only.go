package walk

import (
	"context"

	"gatehouse/shared/page"
)

// mostAtOnce is how many entries Only takes at once at most.
const mostAtOnce = 10_000

// Only returns the source of those entries that keep reports true for. It reads on
// until it has enough, and is for sources of which most entries are kept, or for
// which nothing better exists.
func (s Source[T]) Only(keep func(T) bool, position func(T) page.Position) Source[T] {
	return func(ctx context.Context, after page.Position, n int) ([]T, error) {
		var kept []T
		for look := n; ; look = min(look*growth, max(n, mostAtOnce)) {
			found, err := s(ctx, after, look)
			if err != nil {
				return nil, err
			}
			for _, entry := range found {
				if keep(entry) {
					kept = append(kept, entry)
				}
			}
			if len(found) < look || len(kept) >= n {
				return kept[:min(n, len(kept))], nil
			}
			after = position(found[len(found)-1])
		}
	}
}
