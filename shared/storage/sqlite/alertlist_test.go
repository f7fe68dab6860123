package sqlite

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// Whatever a list is narrowed and sorted by, an index leads to what a page shows.
func TestListsOfAlertsStandOnIndexes(t *testing.T) {
	s := openInternal(t)
	fillAlerts(t, s, walk.SearchLimit+1)
	few := []alert.Status{alert.Ignored}
	for _, filter := range []alert.Filter{{}, {Statuses: few}, {Severities: []alert.Severity{alert.SeverityLow}}} {
		for _, order := range alert.Orders {
			for _, search := range []string{"", "disk"} {
				for _, descending := range []bool{false, true} {
					q := alert.Query{Filter: filter, Search: search, Order: order, Descending: descending}
					listTwice(t, s, q)
				}
			}
		}
	}
	planned := 0
	for _, query := range slices.Collect(maps.Keys(s.readers.prepared)) {
		if strings.Contains(query, "FROM alerts") {
			planned++
			wantIndexed(t, s, query)
		}
	}
	if planned < 20 {
		t.Errorf("only %d queries were checked", planned)
	}
}

// fillAlerts opens alerts of low severity.
func fillAlerts(t *testing.T, s *Store, n int) {
	t.Helper()
	var lists [][]alert.Occurrence
	for range n {
		lists = append(lists, []alert.Occurrence{{Title: "Slow", Severity: alert.SeverityLow, StartedAt: time.Now(), Count: 1}})
	}
	if _, err := s.RecordOccurrences(t.Context(), 1, lists, time.Now()); err != nil {
		t.Fatal(err)
	}
}

// listTwice asks for the first page and the next.
func listTwice(t *testing.T, s *Store, q alert.Query) {
	t.Helper()
	r := page.First
	for range 2 {
		found, err := s.Alerts(t.Context(), 1, q, r, time.Now())
		if err != nil {
			t.Fatalf("Alerts(%+v) = %v", q, err)
		}
		if r.After = found.Next; !found.More {
			return
		}
	}
}

// wantIndexed checks that a query neither scans alerts nor sorts them.
func wantIndexed(t *testing.T, s *Store, query string) {
	t.Helper()
	plan, err := many(context.Background(), s.readers, func(r row) (step string, err error) {
		var id, parent, unused int
		return step, r.Scan(&id, &parent, &unused, &step)
	}, "EXPLAIN QUERY PLAN "+query, slices.Repeat([]any{1}, strings.Count(query, "?"))...)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range plan {
		if strings.Contains(step, "TEMP B-TREE") || strings.HasPrefix(step, "SCAN alerts") ||
			strings.HasPrefix(step, "SEARCH alerts") && !strings.Contains(step, "INDEX") {
			t.Errorf("%s\nis answered by\n%s", query, strings.Join(plan, "\n"))
			return
		}
	}
}

// A search looks at so many alerts, and says how far that was.
func TestASearchOfAlertsEndsSoon(t *testing.T) {
	s := openInternal(t)
	fillAlerts(t, s, walk.SearchLimit+20)
	found, err := s.Alerts(t.Context(), 1, alert.Query{Search: "nowhere", Descending: true}, page.First, time.Now())
	if err != nil || !found.More || found.SearchedUntil.IsZero() || found.Next.ID != 21 {
		t.Fatalf("the first page: %+v, %v, want none down to alert 21", found, err)
	}
	found, err = s.Alerts(t.Context(), 1, alert.Query{Search: "nowhere", Descending: true}, page.Request{Number: 2, Size: 20, After: found.Next}, time.Now())
	if err != nil || found.More || !found.SearchedUntil.IsZero() || len(found.Items) > 0 {
		t.Errorf("the second page: %+v, %v, want the end of the list", found, err)
	}
}

// The sweep removes the counter of a deleted project last, and the numbers of its
// alerts go with it.
func TestNumbersOfAlertsGoWithTheirCounter(t *testing.T) {
	s := openInternal(t)
	fillAlerts(t, s, 3)
	if err := s.exec(t.Context(), "DELETE FROM alert_counters WHERE project_id = 1"); err != nil {
		t.Fatal(err)
	}
	counts, err := s.AlertCounts(t.Context(), 1, time.Now())
	if err != nil || len(counts) > 0 {
		t.Errorf("AlertCounts = %v, %v, want none", counts, err)
	}
	days, err := s.AlertDays(t.Context(), 1, time.Unix(0, 0))
	if err != nil || len(days) > 0 {
		t.Errorf("AlertDays = %v, %v, want none", days, err)
	}
}
