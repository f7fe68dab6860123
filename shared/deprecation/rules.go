package deprecation

import (
	"context"
	"log/slog"
	"time"

	"gatehouse/shared/page"
)

// Rules count uses and list them.
type Rules struct {
	store Store
	now   func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, now func() time.Time) *Rules { return &Rules{store, now} }

// Count has what the request uses counted for its caller. It does not wait, and
// whether it succeeds is not the client's concern.
func (r *Rules) Count(ctx context.Context, by Caller) {
	uses := Of(ctx)
	if uses == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	uses.CountBy(func(id string) {
		if err := r.store.AddDeprecatedUse(ctx, id, by, r.now()); err != nil {
			slog.ErrorContext(ctx, "use of a deprecated name not counted", "row", id, "error", err)
		}
	})
}

// Uses returns a page of the selected uses, the newest first. The zero To is today,
// and the zero From the first day that is kept.
func (r *Rules) Uses(ctx context.Context, f Filter, req page.Request) (page.Of[Use], error) {
	now := r.now()
	if oldest := OldestKept(now); f.From.Before(oldest) {
		f.From = oldest
	}
	if today := DayOf(now); f.To.IsZero() || f.To.After(today) {
		f.To = today
	}
	return r.store.DeprecatedUses(ctx, f, req)
}
