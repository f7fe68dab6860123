package intake

import (
	"sync"
	"time"

	"gatehouse/shared/integration"
)

// writeEvery is the shortest time between two writes of an integration's
// health. Something wrong is written at once if nothing wrong was written for
// that time, so that people who set up a tool see their mistake. So is a wrong key,
// by itself: whoever floods the address with wrong keys delays no real error. The first
// payload after an error is written at once too, or the error would look like one that
// lasts, until the next payload; so is the next error after that.
const writeEvery = time.Minute

// meter holds the health of integrations between two writes. Counts that were
// not written when the process ends are lost.
type meter struct {
	mu    sync.Mutex
	tally map[int64]*tally
}

type tally struct {
	health    integration.Health
	written   time.Time
	warned    time.Time // when something wrong was written last, and nothing fine at once since
	recovered time.Time // when the end of an error was written at once last
	keys      time.Time // when wrong keys were written last
}

func newMeter() *meter { return &meter{tally: map[int64]*tally{}} }

// add adds to the health of the integration, for which so much is stored, and returns
// everything since the last write if it is time for the next.
func (m *meter) add(integrationID int64, stored, h integration.Health, now time.Time) (_ integration.Health, write bool) {
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
	recovered := stored.Trouble() != "" && stored.Plus(t.health).Trouble() == ""
	if !due(t.written) && !(wrong && due(t.warned)) && !(wrongKeys && due(t.keys)) && !(recovered && due(t.recovered)) {
		return integration.Health{}, false
	}
	switch {
	case recovered:
		t.recovered, t.warned = now, time.Time{}
	case wrong:
		t.warned = now
	}
	if wrongKeys {
		t.keys = now
	}
	all := t.health
	t.health, t.written = integration.Health{}, now
	return all, true
}
