package dispatch_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/shared/dispatch"
	"gatehouse/shared/outbox"
	"gatehouse/shared/storage"
)

// delays counts how often a lane is delayed. It finds the lane "a", due or not.
type delays struct {
	storage.Store
	found atomic.Int64
	count atomic.Int64
}

func (d *delays) AnyMessages(context.Context) (bool, error) { return true, nil }

func (d *delays) DueLanes(context.Context, outbox.Group, time.Time, int) ([]outbox.Lane, error) {
	if d.found.Add(1) > 2 {
		return nil, nil
	}
	return []outbox.Lane{"a"}, nil
}

func (d *delays) DelayLane(ctx context.Context, l outbox.Lane, now, until time.Time) error {
	d.count.Add(1)
	return d.Store.DelayLane(ctx, l, now, until)
}

// Only messages behind the first one need a delay.
func TestALaneOfOneMessageIsNotDelayed(t *testing.T) {
	for _, c := range []struct {
		seqs []string
		want bool
	}{{[]string{"1"}, false}, {[]string{"1", "2"}, true}} {
		d := newDesk(t)
		d.put("a", c.seqs...)
		first := d.waiting("a")[0]
		if _, err := d.store.ClaimMessage(t.Context(), first, "other", begin, begin.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		counted := &delays{Store: d.store}
		by := dispatch.New(counted, dispatch.Handlers{"note": done}, d.source())
		if _, err := by.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := counted.count.Load(); (n > 0) != c.want {
			t.Errorf("with the messages %v the lane was delayed %d times", c.seqs, n)
		}
	}
}
