package storagetest

import (
	"slices"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/outbox"
	"gatehouse/shared/storage"
)

var alertEvents = []promise{
	{"are told with what opens, changes and resolves an alert", tellAlert},
	{"are told of what becomes graver", tellGraver},
	{"are told once however many fire at once", tellOnce},
	{"are told of alerts that are not grouped", tellUngrouped},
	{"are not told of a change that is refused", tellNoRefused},
	{"are told where nobody asks, if there is an incident", tellIncident},
}

// telling returns an occurrence in a project where somebody wants to be told.
func telling() alert.Occurrence {
	o := newOccurrence()
	o.Tell = true
	return o
}

// wantTold checks the kinds of the messages about an alert.
func wantTold(t *testing.T, s storage.Store, projectID, iid int64, want ...outbox.Kind) {
	t.Helper()
	var got []outbox.Kind
	for _, m := range must[[]outbox.Message](t)(s.Waiting(t.Context(), alert.Lane(projectID, iid), 100)) {
		got = append(got, m.Kind)
	}
	if !slices.Equal(got, want) {
		t.Errorf("told of alert %d: %v, want %v", iid, got, want)
	}
}

func tellAlert(t *testing.T, s storage.Store) {
	p, o := newProjectID(), telling()
	report(t, s, p, o, now)
	report(t, s, p, o, now.Add(time.Second)) // a repeat
	wantTold(t, s, p, 1, alert.EventOpened)

	c := acknowledge(now.Add(time.Minute))
	c.Tell = true
	must[alert.Alert](t)(s.ChangeAlert(t.Context(), must[alert.Alert](t)(s.Alert(t.Context(), p, 1, now)), c))
	report(t, s, p, recovery(o), now.Add(time.Hour))
	report(t, s, p, recovery(o), now.Add(time.Hour)) // of nothing
	wantTold(t, s, p, 1, alert.EventOpened, alert.EventAcknowledged, alert.EventResolved)

	report(t, s, p, newOccurrence(), now) // where nobody asks
	wantTold(t, s, p, 2)
}

func tellGraver(t *testing.T, s storage.Store) {
	p, o := newProjectID(), telling()
	o.Severity = alert.SeverityLow
	for _, severity := range []alert.Severity{
		alert.SeverityLow, alert.SeverityHigh, alert.SeverityMedium, alert.SeverityCritical, alert.SeverityCritical,
	} {
		o.Severity = severity
		report(t, s, p, o, now)
	}
	wantTold(t, s, p, 1, alert.EventOpened, alert.EventGraver, alert.EventGraver)

	quiet := newOccurrence() // where nobody asks
	quiet.Severity = alert.SeverityLow
	report(t, s, p, quiet, now)
	quiet.Severity = alert.SeverityHigh
	report(t, s, p, quiet, now)
	wantTold(t, s, p, 2)
}

func tellOnce(t *testing.T, s storage.Store) {
	p, o := newProjectID(), telling()
	fireAtOnce(t, s, 8, p, o)
	wantTold(t, s, p, 1, alert.EventOpened)
	race(4, func(int) error {
		_, err := s.RecordOccurrences(t.Context(), p, [][]alert.Occurrence{{recovery(o)}}, now.Add(time.Hour))
		return err
	})
	wantTold(t, s, p, 1, alert.EventOpened, alert.EventResolved)
}

func tellUngrouped(t *testing.T, s storage.Store) {
	p, o := newProjectID(), ungrouped(telling())
	report(t, s, p, o, now)
	report(t, s, p, o, now)
	report(t, s, p, recovery(o), now.Add(time.Hour))
	for iid := range int64(2) {
		wantTold(t, s, p, iid+1, alert.EventOpened, alert.EventResolved)
	}
}

func tellNoRefused(t *testing.T, s storage.Store) {
	p, o := newProjectID(), telling()
	report(t, s, p, o, now)
	stale := must[alert.Alert](t)(s.Alert(t.Context(), p, 1, now))
	must[alert.Alert](t)(s.ChangeAlert(t.Context(), stale, resolve(now.Add(time.Minute))))
	c := acknowledge(now.Add(time.Hour))
	c.Tell = true
	_, err := s.ChangeAlert(t.Context(), stale, c)
	wantError(t, "ChangeAlert of another version", err, alert.ErrChanged)

	report(t, s, p, o, now.Add(2*time.Hour)) // opens the next alert
	c = reopen(now.Add(3 * time.Hour))
	c.Tell = true
	_, err = s.ChangeAlert(t.Context(), must[alert.Alert](t)(s.Alert(t.Context(), p, 1, now)), c)
	wantError(t, "ChangeAlert that reopens beside an open one", err, alert.ErrDuplicateOpen)
	wantTold(t, s, p, 1, alert.EventOpened)
}

func tellIncident(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	report(t, s, p, o, now)
	incident := int64(3)
	link := alert.Change{IncidentIID: &incident, At: now}
	must[alert.Alert](t)(s.ChangeAlert(t.Context(), must[alert.Alert](t)(s.Alert(t.Context(), p, 1, now)), link))
	report(t, s, p, recovery(o), now.Add(time.Hour))
	wantTold(t, s, p, 1, alert.EventResolved)
}
