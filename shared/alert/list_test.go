package alert_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
)

// store has one alert and changes it, and counts many; that the real ones keep
// their promises is tested elsewhere.
type store struct {
	alert.Store
	all      []alert.Alert
	counts   alert.Counts
	reads    int // of single alerts
	lists    int
	changes  int // how many there were
	disturbs int // how many of them somebody else comes before
	told     bool
}

func (s *store) Alert(_ context.Context, _, iid int64, _ time.Time) (alert.Alert, error) {
	s.reads++
	for _, a := range s.all {
		if a.IID == iid {
			return a, nil
		}
	}
	return alert.Alert{}, fault.New(fault.NotFound, "no such alert")
}

func (s *store) ChangeAlert(_ context.Context, a alert.Alert, c alert.Change) (alert.Alert, error) {
	s.changes++
	s.told = c.Tell
	if s.changes <= s.disturbs {
		return alert.Alert{}, fmt.Errorf("change: %w", alert.ErrChanged)
	}
	return a.Changed(c), nil
}

func (s *store) Alerts(_ context.Context, _ int64, q alert.Query, r page.Request, _ time.Time) (page.Of[alert.Alert], error) {
	s.lists++
	found := page.Of[alert.Alert]{Total: -1}
	for _, a := range s.all {
		if q.Matches(a) && len(found.Items) < r.Size {
			found.Items = append(found.Items, a)
		}
	}
	return found, nil
}

func (s *store) AlertCounts(context.Context, int64, time.Time) (alert.Counts, error) {
	return s.counts, nil
}

func (s *store) CountedAlerts(ctx context.Context, projectID int64, q alert.Query, r page.Request, now time.Time, _ ...alert.BesideList) (page.Of[alert.Alert], alert.Counts, error) {
	found, err := s.Alerts(ctx, projectID, q, r, now)
	if q.Searches() {
		return found, nil, err
	}
	return found, s.counts, err
}

var day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func after(hours int) time.Time { return day.Add(time.Duration(hours) * time.Hour) }

var four = []alert.Alert{
	{IID: 4, Title: "Slow again", Severity: alert.SeverityLow, Status: alert.Triggered, StartedAt: after(1), UpdatedAt: after(9), CreatedAt: after(4), Events: 1, IntegrationID: 2},
	{IID: 3, Title: "Slow", Description: "The DISK waits", Severity: alert.SeverityUnknown, Status: alert.Ignored, StartedAt: after(3), UpdatedAt: after(3), CreatedAt: after(3), Events: 7, IntegrationID: 1},
	{IID: 2, Title: "Disk full", Severity: alert.SeverityCritical, Status: alert.Resolved, StartedAt: after(2), EndedAt: after(8), UpdatedAt: after(8), CreatedAt: after(2), Events: 2, IntegrationID: 1},
	{IID: 1, Title: "Down", Service: "disks", MonitoringTool: "Probe", Severity: alert.SeverityCritical, Status: alert.Acknowledged, StartedAt: after(1), UpdatedAt: after(7), CreatedAt: after(1), Events: 1, IntegrationID: 1},
}

func TestOrders(t *testing.T) {
	tests := map[alert.Order]struct{ ascending, descending []int64 }{
		"":               {[]int64{1, 2, 3, 4}, []int64{4, 3, 2, 1}},
		alert.ByCreation: {[]int64{1, 2, 3, 4}, []int64{4, 3, 2, 1}},
		alert.ByStart:    {[]int64{4, 1, 2, 3}, []int64{3, 2, 4, 1}},
		alert.ByEnd:      {[]int64{4, 3, 1, 2}, []int64{2, 4, 3, 1}},
		alert.ByUpdate:   {[]int64{3, 1, 2, 4}, []int64{4, 2, 1, 3}},
		alert.ByEvents:   {[]int64{4, 1, 2, 3}, []int64{3, 2, 4, 1}},
		alert.BySeverity: {[]int64{3, 4, 2, 1}, []int64{2, 1, 4, 3}},
		alert.ByStatus:   {[]int64{4, 1, 2, 3}, []int64{3, 2, 1, 4}},
	}
	for _, order := range append(alert.Orders, "") {
		for descending, want := range map[bool][]int64{false: tests[order].ascending, true: tests[order].descending} {
			q := alert.Query{Order: order, Descending: descending}
			for i, iid := range want[1:] {
				before, behind := q.Position(four[4-want[i]]), q.Position(four[4-iid])
				if q.Compare(before, behind) >= 0 || q.Compare(behind, before) <= 0 || q.Compare(before, before) != 0 {
					t.Errorf("by %q, descending %t: alert %d at %v is not before alert %d at %v", order, descending, want[i], before, iid, behind)
				}
			}
		}
	}
}

func TestWhatAQueryMatches(t *testing.T) {
	tests := map[string]struct {
		q    alert.Query
		want []int64
	}{
		"everything":         {alert.Query{}, []int64{4, 3, 2, 1}},
		"a status":           {alert.Query{Filter: alert.Filter{Statuses: []alert.Status{alert.Resolved}}}, []int64{2}},
		"two severities":     {alert.Query{Filter: alert.Filter{Severities: []alert.Severity{alert.SeverityLow, alert.SeverityCritical}}}, []int64{4, 2, 1}},
		"a word":             {alert.Query{Search: " disk "}, []int64{3, 2, 1}},
		"a tool":             {alert.Query{Search: "PROBE"}, []int64{1}},
		"a word in a status": {alert.Query{Search: "disk", Filter: alert.Filter{Statuses: []alert.Status{alert.Ignored}}}, []int64{3}},
		"two fields":         {alert.Query{Search: "slowthe"}, nil},
		"an integration":     {alert.Query{IntegrationID: 2}, []int64{4}},
		"nothing":            {alert.Query{Search: "%"}, nil},
	}
	for name, test := range tests {
		var got []int64
		for _, a := range four {
			if test.q.Matches(a) {
				got = append(got, a.IID)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

var many = alert.Counts{
	{Status: alert.Triggered, Severity: alert.SeverityLow}: 59_000, {Status: alert.Triggered, Severity: alert.SeverityHigh}: 10_000,
	{Status: alert.Resolved, Severity: alert.SeverityLow}: 1000,
}

func TestNumbersOfAList(t *testing.T) {
	tests := map[string]struct {
		q      alert.Query
		counts alert.Counts
		total  int
		want   map[alert.Status]int
	}{
		"everything": {alert.Query{}, many, -1, map[alert.Status]int{alert.Triggered: 69_000, alert.Resolved: 1000}},
		"a status": {alert.Query{Filter: alert.Filter{Statuses: []alert.Status{alert.Resolved}}}, many, 1000,
			map[alert.Status]int{alert.Triggered: 69_000, alert.Resolved: 1000}},
		"a severity": {alert.Query{Filter: alert.Filter{Severities: []alert.Severity{alert.SeverityHigh}}}, many, 10_000,
			map[alert.Status]int{alert.Triggered: 10_000}},
		"a search":           {alert.Query{Search: "x"}, many, -1, nil},
		"an integration":     {alert.Query{IntegrationID: 3}, many, -1, nil},
		"no alerts":          {alert.Query{}, alert.Counts{}, 0, map[alert.Status]int{}},
		"not counted so far": {alert.Query{}, nil, -1, nil},
	}
	for name, test := range tests {
		r := alert.NewRules(&store{counts: test.counts}, nil, nil, time.Now)
		l, err := r.List(t.Context(), 1, test.q, page.First)
		if diff := cmp.Diff(test.want, l.Counts); err != nil || diff != "" || l.Total != test.total {
			t.Errorf("%s: total %d, %v, want %d; counts (-want +got):\n%s", name, l.Total, err, test.total, diff)
		}
	}
}

func TestPagesFarFromTheBeginning(t *testing.T) {
	resolved := alert.Filter{Statuses: []alert.Status{alert.Resolved}}
	tests := map[string]struct {
		q       alert.Query
		counts  alert.Counts
		wanted  page.Request
		lists   int
		refused bool
	}{
		"the last in reach":           {alert.Query{}, many, page.Request{Number: 500, Size: 100}, 1, false},
		"out of reach":                {alert.Query{}, many, page.Request{Number: 501, Size: 100}, 0, true},
		"out of reach of a search":    {alert.Query{Search: "x"}, many, page.Request{Number: 501, Size: 100}, 0, true},
		"not counted so far":          {alert.Query{}, nil, page.Request{Number: 501, Size: 100}, 0, true},
		"behind a position":           {alert.Query{}, many, page.Request{Number: 501, Size: 100, After: page.At(5)}, 1, false},
		"far behind a shorter list":   {alert.Query{Filter: resolved}, many, page.Request{Number: 1 << 31, Size: 100}, 0, false},
		"far behind a shorter search": {alert.Query{Filter: resolved, Search: "x"}, many, page.Request{Number: 1 << 31, Size: 100}, 0, false},
	}
	for name, test := range tests {
		s := &store{counts: test.counts}
		l, err := alert.NewRules(s, nil, nil, time.Now).List(t.Context(), 1, test.q, test.wanted)
		if fault.Is(err, fault.Invalid) != test.refused || err != nil && !test.refused || s.lists != test.lists || len(l.Items) > 0 {
			t.Errorf("%s: %v after %d lists, want it refused: %t, after %d", name, err, s.lists, test.refused, test.lists)
		}
	}
}

func TestLastFrom(t *testing.T) {
	r := alert.NewRules(&store{all: four}, nil, nil, time.Now)
	for integration, want := range map[int64]int64{1: 3, 2: 4} {
		if got, err := r.LastFrom(t.Context(), 1, integration); err != nil || got.IID != want {
			t.Errorf("LastFrom(%d) = %d, %v, want %d", integration, got.IID, err, want)
		}
	}
	if _, err := r.LastFrom(t.Context(), 1, 3); !fault.Is(err, fault.NotFound) {
		t.Errorf("LastFrom without an alert gave %v, want fault.NotFound", err)
	}
}
