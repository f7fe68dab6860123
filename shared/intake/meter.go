package intake

import (
	"sync"
	"time"

	"gatehouse/shared/integration"
)

// writeEvery is the shortest time between two writes of an integration's
// health. Something wrong is written at once if nothing wrong was written for
// that time, so that people who set up a tool see their mistake. So is a wrong key,
// by itself: whoever floods the address with wrong keys delays no real error.
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
	keys    time.Time // when wrong keys were written last
}

func newMeter() *meter { return &meter{tally: map[int64]*tally{}} }

// add adds to the integration's health, and returns everything since the last
// write if it is time for the next.
func (m *meter) add(integrationID int64, h integration.Health, now time.Time) (_ integration.Health, write bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tally[integrationID]
	if t == nil {
		t = &tally{}
		m.tally[integrationID] = t
	}
	t.health = t.health.Plus(h)
	wrong, wrongKeys := !t.health.Fine(), t.health.WrongKeys > 0
	due := func(last time.Time) bool { return now.Sub(last) >= writeEvery }
	if !due(t.written) && !(wrong && due(t.warned)) && !(wrongKeys && due(t.keys)) {
		return integration.Health{}, false
	}
	if wrong {
		t.warned = now
	}
	if wrongKeys {
		t.keys = now
	}
	all := t.health
	t.health, t.written = integration.Health{}, now
	return all, true
}
