package intake

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"gatehouse/shared/integration"
)

// writeEvery is how often the health of an integration is written at most, and
// how often once more because something is wrong: people who set up a tool see
// at once what it is.
const writeEvery = time.Minute

// meter counts how integrations do, between one write of that and the next.
// What it holds when a process ends is lost.
type meter struct {
	mu    sync.Mutex
	tally map[int64]*tally
}

type tally struct {
	health  integration.Health
	written time.Time
	warned  time.Time // when something wrong was written
}

func newMeter() *meter { return &meter{tally: map[int64]*tally{}} }

// add counts, and returns what is to be written, if it is time.
func (m *meter) add(integrationID int64, h integration.Health, now time.Time) (due integration.Health, write bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tally[integrationID]
	if t == nil {
		t = &tally{}
		m.tally[integrationID] = t
	}
	t.health = t.health.Plus(h)
	wrong := !t.health.Fine()
	if now.Sub(t.written) < writeEvery && !(wrong && now.Sub(t.warned) >= writeEvery) {
		return integration.Health{}, false
	}
	if wrong {
		t.warned = now
	}
	due, t.health, t.written = t.health, integration.Health{}, now
	return due, true
}

// note counts how an integration does, and writes it when it is time. That it
// could not be written is no reason to refuse an alert.
func (r *Rules) note(ctx context.Context, projectPath string, i integration.Integration, h integration.Health) {
	due, write := r.meter.add(i.ID, h, r.now())
	if !write {
		return
	}
	if err := r.store.AddHealth(ctx, projectPath, i, due); err != nil {
		slog.ErrorContext(ctx, "health of an integration not written", "error", err, "integration_id", i.ID)
	}
}
