package dynamodb_test

import (
	"testing"

	"gatehouse/shared/alert"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// What a webhook costs rests on what its occurrences cost, one after the other.
// Whoever takes it in adds the one step that finds the integration.
func TestBudgetOfAlerts(t *testing.T) {
	t.Parallel()
	o, w := options(t), &dynamodbtest.Steps{}
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
		{"Alerts", func() { alertsOf(t, measured, p) }, 3, 1}, // a hundred slots come in one request
		{"ChangeAlert to acknowledged", change(&acknowledged), 1, 1},
		{"ChangeAlert to what it is", change(&acknowledged), 2, 1},
		{"ChangeAlert to resolved", change(&resolved), 1, 1},
		{"ChangeAlert to open again", change(&triggered), 1, 1},
	}
	for _, test := range tests {
		if steps, widest := w.During(test.call); steps != test.steps || widest != test.widest {
			t.Errorf("%s takes %d steps of at most %d requests, want %d of %d", test.name, steps, widest, test.steps, test.widest)
		}
	}
}
