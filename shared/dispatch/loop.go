package dispatch

import (
	"context"
	"log/slog"
	"time"
)

// Run sweeps again and again until the context ends, with a pause if nothing was due.
func (d *Dispatcher) Run(ctx context.Context, pause time.Duration) {
	for ctx.Err() == nil {
		if _, err := d.Sweep(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "messages not swept", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
