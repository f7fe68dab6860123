package alert_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
)

func TestDaysCountWhatWasOpened(t *testing.T) {
	a := apptest.New(t)
	web := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	today := a.Now().UTC().Truncate(24 * time.Hour)
	for _, opened := range []struct {
		at       time.Time
		severity alert.Severity
	}{
		{today.AddDate(0, 0, -3), alert.SeverityCritical}, // before the first day
		{today.AddDate(0, 0, -2), alert.SeverityCritical},
		{today.AddDate(0, 0, -1).Add(-time.Millisecond), alert.SeverityLow}, // the end of the same day
		{today, alert.SeverityHigh},
		{today.Add(time.Hour), alert.SeverityMedium},
		{today.AddDate(0, 0, 1), alert.SeverityUnknown}, // by a clock that runs ahead
	} {
		occurrence := alert.Occurrence{Title: "Disk full", Severity: opened.severity, StartedAt: opened.at, Payload: []byte("{}"), Count: 1}
		if _, err := a.Store.RecordOccurrences(t.Context(), web.ID, [][]alert.Occurrence{{occurrence}}, opened.at); err != nil {
			t.Fatal(err)
		}
	}
	want := []alert.Day{
		{Date: today.AddDate(0, 0, -2), Total: 2, Grave: 1},
		{Date: today.AddDate(0, 0, -1)},
		{Date: today, Total: 3, Grave: 1},
	}
	got, err := a.Alerts.Days(t.Context(), web.ID, 3)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Days (-want +got):\n%s", diff)
	}
}
