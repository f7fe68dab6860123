package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// world holds everything that the checks use.
type world struct {
	*site
	manager   *manager
	gate      *gate
	receivers []*receiver // the truncating one first
}

type check struct {
	promise string
	check   func(ctx context.Context, w *world) error
}

var checks = []check{
	{"an alert fires for every way to authorize", fires},
	{"its repeats are counted on it", repeats},
	{"a recovery and a new alert in one request are told apart", mixed},
	{"a hundred alerts in one request all open", hundred},
	{"what was truncated is told", truncates},
	{"a request that was refused with 503 comes again, and so does its recovery", refused},
	{"an alert fires again after it was resolved", again},
	{"what is open is exactly what fires", exactly},
}

// each waits until the condition holds of the alerts of every project that
// gets all of them.
func (w *world) each(ctx context.Context, condition func(alerts map[string]alert) error) error {
	for _, r := range w.receivers[1:] {
		err := eventually(ctx, func() error {
			alerts, err := w.alerts(ctx, r)
			if err != nil {
				return err
			}
			return condition(alerts)
		})
		if err != nil {
			return fmt.Errorf("receiver %s: %w", r.name, err)
		}
	}
	return nil
}

func wantStatus(alerts map[string]alert, title, status string) error {
	if got := alerts[title].Status; got != status {
		return fmt.Errorf("%q is %q, want %q", title, got, status)
	}
	return nil
}

func fires(ctx context.Context, w *world) error {
	if err := w.manager.fire(ctx, "web", "a"); err != nil {
		return err
	}
	return w.each(ctx, func(alerts map[string]alert) error { return wantStatus(alerts, "web a", "triggered") })
}

func repeats(ctx context.Context, w *world) error {
	return w.each(ctx, func(alerts map[string]alert) error {
		if len(alerts) != 1 || alerts["web a"].Events < 2 {
			return fmt.Errorf("alerts are %v, want one with two events", alerts)
		}
		return nil
	})
}

func mixed(ctx context.Context, w *world) error {
	if err := w.manager.resolve(ctx, "web", "a"); err != nil {
		return err
	}
	if err := w.manager.fire(ctx, "web", "b"); err != nil {
		return err
	}
	return w.each(ctx, func(alerts map[string]alert) error {
		if err := wantStatus(alerts, "web a", "resolved"); err != nil {
			return err
		}
		return wantStatus(alerts, "web b", "triggered")
	})
}

func hundred(ctx context.Context, w *world) error {
	var names []string
	for n := range 100 {
		names = append(names, strconv.Itoa(n))
	}
	if err := w.manager.fire(ctx, "batch", names...); err != nil {
		return err
	}
	return w.each(ctx, func(alerts map[string]alert) error {
		for _, name := range names {
			if err := wantStatus(alerts, title("batch", name), "triggered"); err != nil {
				return err
			}
		}
		return nil
	})
}

func truncates(ctx context.Context, w *world) error {
	r := w.receivers[0]
	return eventually(ctx, func() error {
		alerts, err := w.alerts(ctx, r)
		if err != nil {
			return err
		}
		if got := len(alerts) - 2; got != r.maxAlerts { // "web a" and "web b" besides
			return fmt.Errorf("%d alerts of the batch, want %d", got, r.maxAlerts)
		}
		// What repeats the batch is counted again, some time within a minute.
		left, err := w.truncated(ctx, r)
		if want := 100 - r.maxAlerts; err == nil && (left < want || left%want != 0) {
			err = fmt.Errorf("the integration says that %d alerts were left out, want %d for each notification", left, want)
		}
		return err
	})
}

func refused(ctx context.Context, w *world) error {
	w.gate.refuseNext("by-basic")
	if err := w.manager.fire(ctx, "refused", "a"); err != nil {
		return err
	}
	fired := func(alerts map[string]alert) error { return wantStatus(alerts, "refused a", "triggered") }
	if err := w.each(ctx, fired); err != nil {
		return err
	}
	if err := w.gate.wantRefused(); err != nil {
		return err
	}
	w.gate.refuseNext("by-basic")
	if err := w.manager.resolve(ctx, "refused", "a"); err != nil {
		return err
	}
	resolved := func(alerts map[string]alert) error { return wantStatus(alerts, "refused a", "resolved") }
	if err := w.each(ctx, resolved); err != nil {
		return err
	}
	return w.gate.wantRefused()
}

func again(ctx context.Context, w *world) error {
	if err := w.manager.fire(ctx, "web", "a"); err != nil {
		return err
	}
	return w.each(ctx, func(alerts map[string]alert) error { return wantStatus(alerts, "web a", "triggered") })
}

func exactly(ctx context.Context, w *world) error {
	if err := w.manager.resolve(ctx, "batch", "1", "2", "3"); err != nil {
		return err
	}
	return w.each(ctx, func(alerts map[string]alert) error {
		firing, err := w.manager.firing(ctx)
		if err != nil {
			return err
		}
		open := map[string]bool{}
		for name, a := range alerts {
			if a.Status != "resolved" {
				open[name] = true
			}
		}
		if !maps.Equal(open, firing) {
			return fmt.Errorf("open are %v, firing %v", slices.Sorted(maps.Keys(open)), slices.Sorted(maps.Keys(firing)))
		}
		return nil
	})
}
