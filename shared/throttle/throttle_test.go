package throttle_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/fault"
	"gatehouse/shared/throttle"
)

var start = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

// at is so many minutes after the start.
func at(minutes float64) time.Time { return start.Add(time.Duration(minutes * float64(time.Minute))) }

func TestNextCounter(t *testing.T) {
	limit := throttle.Limit{Failures: 3, Window: 10 * time.Minute}
	tests := []struct {
		name    string
		counter throttle.Counter
		now     time.Time
		want    throttle.Counter
		wait    time.Duration // not zero: refused
	}{
		{"the first", throttle.Counter{}, at(0), throttle.Counter{1, at(0), at(0)}, 0},
		{"the second", throttle.Counter{1, at(0), at(0)}, at(4), throttle.Counter{2, at(0), at(4)}, 0},
		{"the last", throttle.Counter{2, at(0), at(4)}, at(9.9), throttle.Counter{3, at(0), at(9.9)}, 0},
		{"after all were withdrawn", throttle.Counter{0, at(0), at(4)}, at(5), throttle.Counter{1, at(0), at(5)}, 0},
		{"a window after the first", throttle.Counter{2, at(0), at(9)}, at(10), throttle.Counter{1, at(10), at(10)}, 0},
		{"one too many", throttle.Counter{3, at(0), at(9)}, at(9), throttle.Counter{3, at(0), at(9)}, 10 * time.Minute},
		{"a window after the first, but full", throttle.Counter{3, at(0), at(9)}, at(10), throttle.Counter{3, at(0), at(9)}, 9 * time.Minute},
		{"shortly before its end", throttle.Counter{3, at(0), at(9)}, at(18.5), throttle.Counter{3, at(0), at(9)}, 30 * time.Second},
		{"a window after the last", throttle.Counter{3, at(0), at(9)}, at(19), throttle.Counter{1, at(19), at(19)}, 0},
		{"full under a higher limit", throttle.Counter{7, at(0), at(1)}, at(2), throttle.Counter{7, at(0), at(1)}, 9 * time.Minute},
		{"by a clock that is behind", throttle.Counter{1, at(1), at(1)}, at(0), throttle.Counter{2, at(1), at(0)}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.counter.Next(limit, test.now)
			var refused *throttle.Refused
			var wait time.Duration
			if errors.As(err, &refused) {
				wait = refused.RetryAfter()
			}
			if wait != test.wait || (wait != 0) != fault.Is(err, fault.TooMany) {
				t.Errorf("Next() = %v with a wait of %s, want %s", err, wait, test.wait)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Next() differs (-want +got):\n%s", diff)
			}
		})
	}
}
