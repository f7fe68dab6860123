package dynamodb

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// atOnce is how many requests one caller has under way at the most.
const atOnce = 16

// sideBySide calls do with each of the things, atOnce at a time. After an
// error it begins no more.
func sideBySide[T any](ctx context.Context, things []T, do func(context.Context, T) error) error {
	calls, ctx := errgroup.WithContext(ctx)
	calls.SetLimit(atOnce)
	for _, thing := range things {
		calls.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(ctx, thing)
		})
	}
	return calls.Wait()
}

// allOf calls all of the functions side by side.
func allOf(ctx context.Context, calls ...func(context.Context) error) error {
	return sideBySide(ctx, calls, func(ctx context.Context, call func(context.Context) error) error { return call(ctx) })
}
