package paging_test

import (
	"testing"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/incident"
)

// wantOpen checks what the summary of the scene's project says is open of each severity,
// and that no message about it is left.
func (x *scene) wantOpen(severity alert.Severity, alerts, incidents int) {
	x.t.Helper()
	s := must(x.Attention.Of(x.t.Context(), []int64{x.p.ID}))[x.p.ID]
	if s.Alerts[severity] != alerts || s.Incidents[severity] != incidents {
		x.t.Errorf("the summary has %d alerts and %d incidents that are %s, want %d and %d", s.Alerts[severity], s.Incidents[severity], severity, alerts, incidents)
	}
	left := must(x.Store.Waiting(x.t.Context(), alert.Recount(x.p.ID, "", x.Now()).Lane, 1))
	if len(left) > 0 {
		x.t.Errorf("the message %s is left", left[0].ID())
	}
}

// Nobody asks to be told of these alerts. Three changes are counted at once.
func TestWhatIsOpenIsCountedAfterChanges(t *testing.T) {
	x := newScene(t)
	first := x.fire("one", alert.SeverityHigh)
	x.fire("two", alert.SeverityHigh)
	made := must(x.Incidents.Create(t.Context(), audit.Setup, x.p, incident.Draft{Title: "Both", Severity: alert.SeverityHigh}))
	x.sweep()
	x.wantOpen(alert.SeverityHigh, 2, 1)

	ignored, resolved := alert.Ignored, incident.Resolved
	x.change(first, alert.Change{Status: &ignored})
	x.recover("two")
	must(x.Incidents.Change(t.Context(), audit.Setup, x.p, made, incident.Change{Status: &resolved}))
	x.sweep()
	x.wantOpen(alert.SeverityHigh, 0, 0)
}
