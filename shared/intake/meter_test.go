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
		due, write := m.add(step.id, step.add, start.Add(step.at))
		if diff := cmp.Diff(step.due, due); write != step.write || diff != "" {
			t.Errorf("%s: add wants a write: %v, want %v; due (-want +got):\n%s", step.name, write, step.write, diff)
		}
	}
}
