package intake

import (
	"sync"
	"time"

	"gatehouse/shared/integration"
)

// writeEvery is the shortest time between two writes of an integration's
// health. Something wrong is written at once if nothing wrong was written for
// that time, so that people who set up a tool see their mistake.
const writeEvery = time.Minute

// meter holds the health of integrations between two writes. Counts that were
// not written when the process ends are lost.
type meter struct {
	mu    sync.Mutex
	tally map[int64]*tally
}

type tally struct {
	health  integration.Health
	written time.Time
	warned  time.Time // when something wrong was written last
}

func newMeter() *meter { return &meter{tally: map[int64]*tally{}} }

// add adds to the integration's health, and returns everything since the last
// write if it is time for the next.
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
