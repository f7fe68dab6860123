package intake

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/integration"
)

func TestWhenHealthIsWritten(t *testing.T) {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	fine, wrong := integration.Health{Received: 1}, integration.Health{Rejected: 1}
	stranger := integration.Health{WrongKeys: 1}
	steps := []struct {
		name  string
		id    int64
		at    time.Duration
		add   integration.Health
		due   integration.Health
		write bool
	}{
		{"the first", 1, 0, fine, fine, true},
		{"just within the minute", 1, time.Minute - 1, fine, integration.Health{}, false},
		{"another integration", 2, time.Minute - 1, fine, fine, true},
		{"after a minute", 1, time.Minute, fine, integration.Health{Received: 2}, true},
		{"something wrong at that moment", 1, time.Minute, wrong, wrong, true},
		{"again wrong at that moment", 1, time.Minute, wrong, integration.Health{}, false},
		{"fine, but wrong before, just within the minute", 1, 2*time.Minute - 1, fine, integration.Health{}, false},
		{"again wrong after a minute", 1, 2 * time.Minute, wrong, integration.Health{Received: 1, Rejected: 2}, true},
		{"fine after a minute", 1, 3 * time.Minute, fine, fine, true},
		{"wrong a minute after the last time", 1, 3 * time.Minute, wrong, wrong, true},
		{"a wrong key at that moment", 1, 3 * time.Minute, stranger, stranger, true},
		{"a flood of wrong keys", 1, 3*time.Minute + 1, integration.Health{WrongKeys: 1000}, integration.Health{}, false},
		{"just within the minute", 1, 4*time.Minute - 1, stranger, integration.Health{}, false},
		{"after a minute", 1, 4 * time.Minute, stranger, integration.Health{WrongKeys: 1002}, true},
		{"wrong amid the flood", 1, 4*time.Minute + 1, wrong, wrong, true},
	}
	m := newMeter()
	for _, step := range steps {
		due, write := m.add(step.id, integration.Health{}, step.add, start.Add(step.at))
		if diff := cmp.Diff(step.due, due); write != step.write || diff != "" {
			t.Errorf("%s: add wants a write: %v, want %v; due (-want +got):\n%s", step.name, write, step.write, diff)
		}
	}
}

// The first payload after an error ends it at once, and the next error begins it at once
// again. Whoever sends good and bad payloads in turn causes few writes all the same.
func TestWhenTheEndOfAnErrorIsWritten(t *testing.T) {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	m, stored := newMeter(), integration.Health{}
	for _, step := range []struct {
		name    string
		at      time.Duration
		wrong   bool
		write   bool
		trouble string
	}{
		{"fine", 0, false, true, ""},
		{"an error", time.Second, true, true, "not JSON"},
		{"fine after it", 2 * time.Second, false, true, ""},
		{"fine again", 3 * time.Second, false, false, ""},
		{"another error", 4 * time.Second, true, true, "not JSON"},
		{"fine after that, too soon", 5 * time.Second, false, false, "not JSON"},
		{"a third error", 6 * time.Second, true, false, "not JSON"},
		{"fine a minute after the end of the first", time.Minute + 2*time.Second, false, true, ""},
	} {
		at := start.Add(step.at)
		h := integration.Health{Received: 1, LastReceivedAt: at}
		if step.wrong {
			h = integration.Health{Rejected: 1, LastError: "not JSON", LastErrorAt: at}
		}
		due, write := m.add(1, stored, h, at)
		stored = stored.Plus(due)
		if write != step.write || stored.Trouble() != step.trouble {
			t.Errorf("%s: written: %v, want %v; the trouble is %q, want %q", step.name, write, step.write, stored.Trouble(), step.trouble)
		}
	}
	if stored.Received != 5 || stored.Rejected != 3 {
		t.Errorf("the sum is %+v, want all 5 received and 3 rejected", stored)
	}
}
