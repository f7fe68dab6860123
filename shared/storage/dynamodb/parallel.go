package dynamodb

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// maxParallel is how many requests of one caller are under way at most.
const maxParallel = 16

// inParallel calls do with each of the things, maxParallel at a time. After an
// error it starts no more calls.
func inParallel[T any](ctx context.Context, things []T, do func(context.Context, T) error) error {
	calls, ctx := errgroup.WithContext(ctx)
	calls.SetLimit(maxParallel)
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

// callAll calls all of the functions in parallel.
func callAll(ctx context.Context, calls ...func(context.Context) error) error {
	return inParallel(ctx, calls, func(ctx context.Context, call func(context.Context) error) error { return call(ctx) })
}
