package sqlite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/alert"
)

// Of what expires, more than a portion goes on one day, with its payloads. What expires on
// another day stays.
func TestSweepForgetsExpiredAlerts(t *testing.T) {
	s, now := openInternal(t), time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	const most = 501
	for _, step := range []struct{ recovery bool }{{false}, {false}, {true}} {
		var batch [][]alert.Occurrence
		for n := range most + 2 {
			batch = append(batch, []alert.Occurrence{{
				Fingerprint: alert.Fingerprint(fmt.Sprint(n)), Severity: alert.Severities[n%3], StartedAt: now, EndedAt: now,
				Payload: []byte("{}"), Count: 1, Recovery: step.recovery, KeptDays: 1 + n/most,
			}})
		}
		if _, err := s.RecordOccurrences(t.Context(), 1, batch, now); err != nil {
			t.Fatal(err)
		}
	}
	for days, want := range []int64{most + 2, most + 2, 2, 0} {
		if err := s.Sweep(t.Context(), now.Truncate(24*time.Hour).AddDate(0, 0, days)); err != nil {
			t.Fatal(err)
		}
		for _, count := range []string{
			"count(*) FROM alerts", "count(*) FROM alert_payloads", "count(*) FROM alert_latest_payloads",
			"coalesce(sum(alerts), 0) FROM alert_counts", "last_iid - 503 + (SELECT count(*) FROM alerts) FROM alert_counters",
		} {
			if got, err := numberIn(t, s, "SELECT "+count); err != nil || got != want {
				t.Errorf("after %d days %s = %d, %v, want %d", days, count, got, err, want)
			}
		}
	}
}

func numberIn(t *testing.T, s *Store, query string) (int64, error) {
	t.Helper()
	return one(t.Context(), s.readers, scalar[int64], query)
}

// The sweep of alerts reads what has expired and nothing else, like the counts.
func TestExpiredAlertsAreFoundByIndexes(t *testing.T) {
	s := openInternal(t)
	for query, index := range map[string]string{
		uncountAlerts: "alerts USING INDEX alerts_by_expiry", sweepAlerts: "USING COVERING INDEX alerts_by_expiry",
		countedAlerts: "USING COVERING INDEX alerts_by_class_expiry",
	} {
		args := []any{1, 1}[:strings.Count(query, "?")]
		steps, err := many(t.Context(), s.readers, scanStep, "EXPLAIN QUERY PLAN "+query, args...)
		if plan := strings.Join(steps, "\n"); err != nil || !strings.Contains(plan, index) || strings.Contains(plan, "SCAN alerts") {
			t.Errorf("%v: %s\nhas the plan\n%s\nwant %q", err, query, plan, index)
		}
	}
}
