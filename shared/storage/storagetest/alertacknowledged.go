package storagetest

import (
	"testing"

	"gatehouse/shared/alert"
	"gatehouse/shared/storage"
)

// acknowledged returns the occurrence with which a tool says that somebody takes care.
func acknowledged(o alert.Occurrence) alert.Occurrence {
	o.Acknowledged, o.Tell = true, true
	return o
}

// acknowledgedByTool acknowledges what is open, opens what is not, and leaves what people
// decided.
func acknowledgedByTool(t *testing.T, s storage.Store) {
	p, first := newProjectID(), newOccurrence()
	wantReport(t, s, p, first, did(alert.Opened, 1, first))
	wantReport(t, s, p, acknowledged(first), did(alert.Acked, 1, first))
	wantReport(t, s, p, acknowledged(first), did(alert.Acked, 1, first))
	want := wantAlert(p, 1, first)
	want.Status, want.Version = alert.Acknowledged, 2
	want.Activity = []alert.Activity{{At: now, Change: alert.StatusChanged, Status: alert.Acknowledged}}
	wantSame(t, "Alert", readAlert(t, s, p, want.IID), want)
	wantReport(t, s, p, first, did(alert.Repeated, 1, first))
	wantTold(t, s, p, 1, alert.EventAcknowledged)
	wantReport(t, s, p, recovery(first), did(alert.Recovered, 1, first))

	wantReport(t, s, p, acknowledged(first), did(alert.Opened, 2, first))
	want = wantAlert(p, 2, first)
	want.Status = alert.Acknowledged
	want.Activity = []alert.Activity{{At: now, Change: alert.StatusChanged, Status: alert.Acknowledged}}
	wantSame(t, "Alert", readAlert(t, s, p, want.IID), want)
	wantReport(t, s, p, first, did(alert.Repeated, 2, first))
	ignored := alert.Ignored
	_, err := s.ChangeAlert(t.Context(), readAlert(t, s, p, 2), alert.Change{Status: &ignored, At: now})
	wantOK(t, "ChangeAlert", err)
	wantReport(t, s, p, acknowledged(first), did(alert.Acked, 2, first))
	wantSame(t, "Status", readAlert(t, s, p, 2).Status, alert.Ignored)

	alone := ungrouped(newOccurrence())
	wantReport(t, s, p, alone, did(alert.Opened, 3, alone))
	wantReport(t, s, p, alone, did(alert.Opened, 4, alone))
	wantReport(t, s, p, acknowledged(alone), did(alert.Acked, 3, alone), did(alert.Acked, 4, alone))
	nameless := newOccurrence()
	nameless.Fingerprint = ""
	wantReport(t, s, p, acknowledged(nameless), did(alert.Opened, 5, nameless))
	counts, err := s.AlertCounts(t.Context(), p, now)
	wantOK(t, "AlertCounts", err)
	wantSame(t, "acknowledged alerts", counts.Total(alert.Filter{Statuses: []alert.Status{alert.Acknowledged}}), 3)
}
