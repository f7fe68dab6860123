package dynamodb_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"gatehouse/shared/alert"
)

// waves counts what a call costs in round trips to DynamoDB, one after the
// other. It holds every request back until no other has come for a while, and
// then lets all go at once: those that go together are one step.
type waves struct {
	mu      sync.Mutex
	waiting []chan struct{}
	timer   *time.Timer
	steps   int
	widest  int // how many requests went together
}

// quietFor is how long no other request must come.
const quietFor = 100 * time.Millisecond

func (w *waves) Do(r *http.Request) (*http.Response, error) {
	<-w.wait()
	return http.DefaultClient.Do(r)
}

func (w *waves) wait() chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	turn := make(chan struct{})
	w.waiting = append(w.waiting, turn)
	if w.timer == nil {
		w.timer = time.AfterFunc(quietFor, w.release)
	}
	w.timer.Reset(quietFor)
	return turn
}

func (w *waves) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) > 0 {
		w.steps++
		w.widest = max(w.widest, len(w.waiting))
	}
	for _, turn := range w.waiting {
		close(turn)
	}
	w.waiting = nil
}

// during returns the steps that a call takes, and the most requests in one.
func (w *waves) during(call func()) (steps, widest int) {
	w.mu.Lock()
	w.steps, w.widest = 0, 0
	w.mu.Unlock()
	call()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.steps, w.widest
}

// What a webhook costs rests on what its occurrences cost, one after the other.
// Whoever takes it in adds the one step that finds the integration.
func TestBudgetOfAlerts(t *testing.T) {
	t.Parallel()
	o, w := options(t), &waves{}
	s := openWith(t, o)
	o.HTTPClient = w
	measured, p, ctx := openWith(t, o), newProjectID(), t.Context()

	open, ended, alone, anonymous := newOccurrence(), newOccurrence(), newOccurrence(), newOccurrence()
	alone.Ungrouped, anonymous.Fingerprint = true, ""
	many, fresh := make([]alert.Occurrence, 100), make([]alert.Occurrence, 16)
	for i := range many {
		many[i] = newOccurrence()
	}
	for i := range fresh {
		fresh[i] = newOccurrence()
	}
	report(t, s, p, append(many, open, ended)...)
	acknowledged, resolved, triggered := alert.Acknowledged, alert.Resolved, alert.Triggered
	change := func(to *alert.Status) func() {
		return func() {
			a := must[alert.Alert](t)(s.Alert(ctx, p, 101))
			must[alert.Alert](t)(measured.ChangeAlert(ctx, a, alert.Change{Status: to, At: now}))
		}
	}

	tests := []struct {
		name          string
		call          func()
		steps, widest int
	}{
		{"a repeat", func() { report(t, measured, p, open) }, 1, 1},
		{"a new alert", func() { report(t, measured, p, newOccurrence()) }, 5, 2},
		{"a hundred repeats", func() { report(t, measured, p, many...) }, 7, 16},
		{"sixteen new alerts", func() { report(t, measured, p, fresh...) }, 5, 32},
		{"an alert that does not group", func() { report(t, measured, p, alone) }, 3, 1},
		{"an alert without a fingerprint", func() { report(t, measured, p, anonymous) }, 3, 1},
		{"a recovery", func() { report(t, measured, p, recovery(ended)) }, 4, 1},
		{"a recovery of nothing", func() { report(t, measured, p, recovery(ended)) }, 1, 1},
		{"Alert", func() { must[alert.Alert](t)(measured.Alert(ctx, p, 101)) }, 2, 1},
		{"AlertPayload", func() { must[[]byte](t)(measured.AlertPayload(ctx, p, 101)) }, 2, 1},
		{"RecentAlerts", func() { alertsOf(t, measured, p) }, 3, 1}, // a hundred slots come in one request
		{"ChangeAlert to acknowledged", change(&acknowledged), 1, 1},
		{"ChangeAlert to what it is", change(&acknowledged), 2, 1},
		{"ChangeAlert to resolved", change(&resolved), 1, 1},
		{"ChangeAlert to open again", change(&triggered), 1, 1},
	}
	for _, test := range tests {
		if steps, widest := w.during(test.call); steps != test.steps || widest != test.widest {
			t.Errorf("%s takes %d steps of at most %d requests, want %d of %d", test.name, steps, widest, test.steps, test.widest)
		}
	}
}
