package alert_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
)

func status(s alert.Status) *alert.Status { return &s }

func user(id int64) *int64 { return &id }

func TestChanged(t *testing.T) {
	ended, later := now.Add(-time.Minute), now.Add(time.Minute)
	open := alert.Alert{Title: "Disk full", Status: alert.Triggered, AssigneeID: 7, UpdatedAt: now, Version: 1}
	resolved := open
	resolved.Status, resolved.EndedAt = alert.Resolved, now
	changed := func(a alert.Alert, activity ...alert.Activity) alert.Alert {
		a.Activity, a.UpdatedAt, a.Version = activity, later, 2
		return a
	}
	ignored := open
	ignored.Status = alert.Ignored
	given := resolved
	given.EndedAt = ended
	silent, linked := open, open
	silent.SilencedUntil, linked.IncidentIID = later, 3
	atOnce := resolved
	atOnce.EndedAt, atOnce.AssigneeID = later, 0

	tests := map[string]struct {
		alert  alert.Alert
		change alert.Change
		want   alert.Alert
	}{
		"ignored": {open, alert.Change{Status: status(alert.Ignored), ActorID: 9, At: later},
			changed(ignored, alert.Activity{At: later, ActorID: 9, Change: alert.StatusChanged, Status: alert.Ignored})},
		"resolved at a time": {open, alert.Change{Status: status(alert.Resolved), EndedAt: ended, At: later},
			changed(given, alert.Activity{At: later, Change: alert.StatusChanged, Status: alert.Resolved})},
		"resolved and taken from somebody": {open,
			alert.Change{Status: status(alert.Resolved), AssigneeID: user(0), At: later},
			changed(atOnce, alert.Activity{At: later, Change: alert.StatusChanged, Status: alert.Resolved},
				alert.Activity{At: later, Change: alert.AssigneeChanged})},
		"opened again": {resolved, alert.Change{Status: status(alert.Triggered), EndedAt: ended, At: later},
			changed(open, alert.Activity{At: later, Change: alert.StatusChanged, Status: alert.Triggered})},
		"silenced": {open, alert.Change{SilencedUntil: &later, ActorID: 9, At: later},
			changed(silent, alert.Activity{At: later, ActorID: 9, Change: alert.SilenceChanged, SilencedUntil: later})},
		"silenced no longer": {silent, alert.Change{SilencedUntil: new(time.Time), At: later},
			changed(open, alert.Activity{At: later, Change: alert.SilenceChanged})},
		"linked": {open, alert.Change{IncidentIID: user(3), At: later},
			changed(linked, alert.Activity{At: later, Change: alert.IncidentChanged, IncidentIID: 3})},
		"silenced already": {silent, alert.Change{SilencedUntil: &later, IncidentIID: user(0), At: later}, silent},
		"nothing":          {open, alert.Change{Status: status(alert.Triggered), AssigneeID: user(7), At: later}, open},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, test.alert.Changed(test.change)); diff != "" {
			t.Errorf("Changed, %s, differs (-want +got):\n%s", name, diff)
		}
	}
}

func TestSilenced(t *testing.T) {
	a := alert.Alert{SilencedUntil: now}
	if !a.Silenced(now.Add(-1)) || a.Silenced(now) || (alert.Alert{}).Silenced(now) {
		t.Error("an alert is not silenced exactly until its time")
	}
}

func TestActivityIsBounded(t *testing.T) {
	a := alert.Alert{Status: alert.Triggered}
	for i := range int64(alert.ActivityKept + 10) {
		before := a
		a = a.Changed(alert.Change{AssigneeID: user(i + 1), At: now})
		if n := len(before.Activity); n > 0 && before.Activity[n-1].UserID != i {
			t.Fatalf("Changed wrote to the alert before it: %v", before.Activity)
		}
	}
	first, last := a.Activity[0].UserID, a.Activity[len(a.Activity)-1].UserID
	if len(a.Activity) != alert.ActivityKept || first != 11 || last != 60 {
		t.Errorf("%d activities are kept, %d to %d, want 50, 11 to 60", len(a.Activity), first, last)
	}
}

func TestResolves(t *testing.T) {
	open := alert.Alert{Status: alert.Acknowledged, StartedAt: now}
	closed := open
	closed.Status = alert.Resolved
	tests := []struct {
		name       string
		occurrence alert.Occurrence
		alert      alert.Alert
		want       bool
	}{
		{"a recovery", alert.Occurrence{Recovery: true, EndedAt: now.Add(time.Second)}, open, true},
		{"one at the very start", alert.Occurrence{Recovery: true, EndedAt: now}, open, true},
		{"one without a time", alert.Occurrence{Recovery: true}, open, true},
		{"a late one", alert.Occurrence{Recovery: true, EndedAt: now.Add(-time.Second)}, open, false},
		{"a late one that ends whatever is open", alert.Occurrence{Recovery: true, EndedAt: now.Add(-time.Second), IgnoreStart: true}, open, true},
		{"a recovery of what is resolved", alert.Occurrence{Recovery: true, EndedAt: now}, closed, false},
		{"no recovery", alert.Occurrence{EndedAt: now}, open, false},
	}
	for _, test := range tests {
		if got := test.occurrence.Resolves(test.alert); got != test.want {
			t.Errorf("Resolves, %s = %v, want %v", test.name, got, test.want)
		}
	}
}
