package dispatch

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Run sweeps again and again until the context ends, with a pause if nothing was due.
func (d *Dispatcher) Run(ctx context.Context, pause time.Duration) {
	var groups sync.WaitGroup
	groups.Go(func() { d.repeat(ctx, pause, d.sweepPrompt) })
	groups.Go(func() { d.repeat(ctx, pause, d.sweepSlow) })
	groups.Wait()
}

func (d *Dispatcher) repeat(ctx context.Context, pause time.Duration, sweep func(context.Context) (int, error)) {
	for ctx.Err() == nil {
		if _, err := sweep(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "messages not swept", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-d.source.After(pause):
		}
	}
}
