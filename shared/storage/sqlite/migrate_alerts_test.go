package sqlite

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/page"
)

var oldAlertsFrom = time.Date(2026, 5, 4, 22, 30, 0, 0, time.UTC)

// oldAlerts are eight alerts of project 1, an hour apart, as a release stored them
// that kept no counts.
func oldAlerts() (statements []string) {
	for n := range 8 {
		at := micros(oldAlertsFrom.Add(time.Duration(n) * time.Hour))
		status, ended := alert.Statuses[n%4], int64(0)
		if status == alert.Resolved {
			ended = at + 1
		}
		statements = append(statements, fmt.Sprintf(`INSERT INTO alerts (project_id, iid, fingerprint, grouped, title, description, severity, status,
			service, monitoring_tool, hosts, environment, runbook, started_at, ended_at, events, last_event_at, integration_id, assignee_id,
			activity, created_at, updated_at, version)
			VALUES (1, %d, '%d', 1, 'Größe', 'Zu GROSS', '%s', '%s', 'web', '', '[]', '', '', %d, %d, 1, %[5]d, 1, 0, '[]', %[5]d, %[5]d, 1)`,
			n+1, n, alert.Severities[n%2], status, at, ended))
	}
	return append(statements, "INSERT INTO alert_counters VALUES (1, 8)")
}

func TestAlertsOfAnEarlierReleaseAreCountedAndListed(t *testing.T) {
	s, err := Open(before(t, "_alert_lists.sql", oldAlerts()...))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wantOldCounts(t, s, 0)

	for _, test := range []struct {
		q    alert.Query
		want []int64
	}{
		{alert.Query{Search: "größe", Order: alert.BySeverity, Descending: true}, []int64{7, 5, 3, 1, 8, 6, 4, 2}},
		{alert.Query{Search: "zu gross"}, []int64{1, 2, 3, 4, 5, 6, 7, 8}},
		{alert.Query{Order: alert.ByEnd, Descending: true}, []int64{7, 3, 8, 6, 5, 4, 2, 1}},
		{alert.Query{Filter: alert.Filter{Statuses: []alert.Status{alert.Ignored}}}, []int64{4, 8}},
	} {
		found, err := s.Alerts(t.Context(), 1, test.q, page.First, oldAlertsFrom)
		var got []int64
		for _, a := range found.Items {
			got = append(got, a.IID)
			if a.PeakSeverity != a.Severity {
				t.Errorf("the gravest severity of alert %d is %q, want %q, that of its first occurrence", a.IID, a.PeakSeverity, a.Severity)
			}
		}
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("Alerts(%+v): %v (-want +got):\n%s", test.q, err, diff)
		}
	}

	// Recoveries and new alerts go on from there.
	fired := alert.Occurrence{Fingerprint: "0", Severity: alert.SeverityCritical, Recovery: true, EndedAt: oldAlertsFrom.Add(time.Hour)}
	if _, err := s.RecordOccurrences(t.Context(), 1, [][]alert.Occurrence{{fired}}, oldAlertsFrom); err != nil {
		t.Fatal(err)
	}
	wantOldCounts(t, s, 1)
}

// wantOldCounts checks the counts of the old alerts, of which so many were resolved
// since.
func wantOldCounts(t *testing.T, s *Store, resolved int) {
	t.Helper()
	want := alert.Counts{
		{Status: alert.Triggered, Severity: alert.SeverityCritical}: 2 - resolved, {Status: alert.Acknowledged, Severity: alert.SeverityHigh}: 2,
		{Status: alert.Resolved, Severity: alert.SeverityCritical}: 2 + resolved, {Status: alert.Ignored, Severity: alert.SeverityHigh}: 2,
	}
	got, err := s.AlertCounts(context.Background(), 1, oldAlertsFrom)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("AlertCounts: %v (-want +got):\n%s", err, diff)
	}
	midnight := oldAlertsFrom.Truncate(24 * time.Hour)
	days, err := s.AlertDays(context.Background(), 1, midnight)
	if diff := cmp.Diff([]alert.Day{{Date: midnight, Total: 2, Grave: 2}, {Date: midnight.AddDate(0, 0, 1), Total: 6, Grave: 6}}, days); err != nil || diff != "" {
		t.Errorf("AlertDays: %v (-want +got):\n%s", err, diff)
	}
}
