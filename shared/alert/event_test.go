package alert_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/outbox"
)

var told = alert.Alert{
	ProjectID: 5, IID: 17, Severity: alert.SeverityLow, PeakSeverity: alert.SeverityHigh, Status: alert.Triggered,
	CreatedAt: time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC), Version: 4,
}

// wantTold checks the kinds of messages and that those of the alert follow each other in
// its lane.
func wantTold(t *testing.T, got []outbox.Message, want ...outbox.Kind) {
	t.Helper()
	got = slices.DeleteFunc(got, func(m outbox.Message) bool { return m.Kind == alert.KindCounts })
	var kinds []outbox.Kind
	for _, m := range got {
		kinds = append(kinds, m.Kind)
		if m.Lane != "alert/5/17" || m.ProjectID != 5 {
			t.Errorf("a message is in lane %s of project %d", m.Lane, m.ProjectID)
		}
	}
	if !slices.Equal(kinds, want) {
		t.Errorf("told %v, want %v", kinds, want)
	}
	if !slices.IsSortedFunc(got, func(a, b outbox.Message) int {
		if a.Seq < b.Seq {
			return -1
		}
		return 1
	}) {
		t.Errorf("the messages are not in order: %v", got)
	}
}

// asked is an occurrence in a project where somebody wants to be told.
var asked = alert.Occurrence{Tell: true}

func TestNobodyIsToldWhoDidNotAsk(t *testing.T) {
	acknowledged := alert.Acknowledged
	c := alert.Change{Status: &acknowledged, At: told.CreatedAt}
	wantTold(t, told.ToldOpened(alert.Occurrence{}))
	wantTold(t, told.ToldGraver(alert.Occurrence{}, told.CreatedAt))
	wantTold(t, told.Changed(c).ToldChanged(told, c))

	linked := told
	linked.IncidentIID = 3
	wantTold(t, linked.Changed(c).ToldChanged(linked, c), alert.EventAcknowledged)
}

func TestANewAlertIsTold(t *testing.T) {
	got := told.ToldOpened(asked)
	wantTold(t, got, alert.EventOpened)
	var event alert.Event
	if err := json.Unmarshal(got[0].Data, &event); err != nil {
		t.Fatal(err)
	}
	want := alert.Event{
		ProjectID: 5, IID: 17, Version: 4, Status: alert.Triggered, Severity: alert.SeverityHigh, At: told.CreatedAt,
	}
	if diff := cmp.Diff(want, event); diff != "" {
		t.Errorf("the event differs (-want +got):\n%s", diff)
	}
}

// The numbers of open alerts change whether or not somebody wants to be told.
func TestTheNumbersAreTold(t *testing.T) {
	resolved, someone := alert.Resolved, int64(3)
	assigned := alert.Change{AssigneeID: &someone, At: told.CreatedAt}
	for name, test := range map[string]struct {
		got  []outbox.Message
		want int
	}{
		"opened":   {told.ToldOpened(alert.Occurrence{}), 1},
		"resolved": {told.Changed(alert.Change{Status: &resolved, At: told.CreatedAt}).ToldChanged(told, alert.Change{}), 1},
		"assigned": {told.Changed(assigned).ToldChanged(told, assigned), 0},
	} {
		if len(test.got) != test.want {
			t.Errorf("%s: told %v, want %d messages", name, test.got, test.want)
		}
		for _, m := range test.got {
			if m.Kind != alert.KindCounts || m.Lane != "counts/5" || m.ProjectID != 5 {
				t.Errorf("%s: told %s in lane %s of project %d, want the numbers", name, m.Kind, m.Lane, m.ProjectID)
			}
		}
	}
	if a, b := alert.Recount(5, "alert-1-1", told.CreatedAt), alert.Recount(5, "alert-2-1", told.CreatedAt); a.ID() == b.ID() {
		t.Errorf("two changes at one time have one message: %s", a.ID())
	}
}

func TestChangesAreTold(t *testing.T) {
	status := func(s alert.Status) alert.Change { return alert.Change{Status: &s} }
	someone, both := int64(3), status(alert.Acknowledged)
	both.AssigneeID = &someone
	silence := told.CreatedAt.Add(time.Hour)
	for name, test := range map[string]struct {
		was    alert.Status
		change alert.Change
		want   []outbox.Kind
	}{
		"acknowledged":                        {alert.Triggered, status(alert.Acknowledged), []outbox.Kind{alert.EventAcknowledged}},
		"resolved":                            {alert.Triggered, status(alert.Resolved), []outbox.Kind{alert.EventResolved}},
		"ignored":                             {alert.Acknowledged, status(alert.Ignored), []outbox.Kind{alert.EventIgnored}},
		"reopened":                            {alert.Resolved, status(alert.Triggered), []outbox.Kind{alert.EventTriggered}},
		"assigned":                            {alert.Triggered, alert.Change{AssigneeID: &someone}, []outbox.Kind{alert.EventAssigned}},
		"acknowledged by whoever is assigned": {alert.Triggered, both, []outbox.Kind{alert.EventAcknowledged, alert.EventAssigned}},
		"silenced":                            {alert.Triggered, alert.Change{SilencedUntil: &silence}, nil},
		"as it was":                           {alert.Triggered, status(alert.Triggered), nil},
	} {
		t.Run(name, func(t *testing.T) {
			was := told
			was.Status = test.was
			test.change.Tell, test.change.At = true, told.CreatedAt.Add(time.Minute)
			wantTold(t, was.Changed(test.change).ToldChanged(was, test.change), test.want...)
		})
	}
}

func TestWhatGetsGraverIsToldInOrder(t *testing.T) {
	var all []outbox.Message
	for _, s := range slices.Backward(alert.Severities) {
		graver := told
		graver.PeakSeverity = s
		all = append(all, graver.ToldGraver(asked, told.CreatedAt)...)
	}
	wantTold(t, all, slices.Repeat([]outbox.Kind{alert.EventGraver}, len(alert.Severities))...)
}
