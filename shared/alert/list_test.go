package alert_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
)

// store has the alerts of a project, the newest first, and changes them; that
// the real ones keep their promises is tested elsewhere.
type store struct {
	alert.Store
	all      []alert.Alert
	reads    int // of single alerts
	changes  int // how many there were
	disturbs int // how many of them somebody else comes before
}

func (s *store) RecentAlerts(_ context.Context, _ int64, f alert.Filter, limit int) ([]alert.Alert, bool, error) {
	passed := slices.DeleteFunc(slices.Clone(s.all), func(a alert.Alert) bool { return !f.Passes(a) })
	return passed[:min(limit, len(passed))], len(passed) > limit, nil
}

func (s *store) Alert(_ context.Context, _, iid int64) (alert.Alert, error) {
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
	if s.changes <= s.disturbs {
		return alert.Alert{}, fmt.Errorf("change: %w", alert.ErrChanged)
	}
	return a.Changed(c), nil
}

var day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func after(hours int) time.Time { return day.Add(time.Duration(hours) * time.Hour) }

var four = []alert.Alert{
	{IID: 4, Title: "Slow again", Severity: alert.SeverityLow, Status: alert.Triggered, StartedAt: after(1), UpdatedAt: after(9), CreatedAt: after(4), Events: 1, IntegrationID: 2},
	{IID: 3, Title: "Slow", Description: "The DISK waits", Severity: alert.SeverityUnknown, Status: alert.Ignored, StartedAt: after(3), UpdatedAt: after(3), CreatedAt: after(3), Events: 7, IntegrationID: 1},
	{IID: 2, Title: "Disk full", Severity: alert.SeverityCritical, Status: alert.Resolved, StartedAt: after(2), EndedAt: after(8), UpdatedAt: after(8), CreatedAt: after(2), Events: 2, IntegrationID: 1},
	{IID: 1, Title: "Down", Service: "disks", MonitoringTool: "Probe", Severity: alert.SeverityCritical, Status: alert.Acknowledged, StartedAt: after(1), UpdatedAt: after(7), CreatedAt: after(1), Events: 1, IntegrationID: 1},
}

func iids(alerts []alert.Alert) []int64 {
	ids := []int64{}
	for _, a := range alerts {
		ids = append(ids, a.IID)
	}
	return ids
}

func TestOrdersOfAList(t *testing.T) {
	r := alert.NewRules(&store{all: four}, nil, time.Now)
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
		for _, descending := range []bool{false, true} {
			want := tests[order].ascending
			if descending {
				want = tests[order].descending
			}
			l, err := r.List(t.Context(), 1, alert.Query{Order: order, Descending: descending}, page.First)
			if diff := cmp.Diff(want, iids(l.Items)); err != nil || diff != "" {
				t.Errorf("by %q, descending %v: %v (-want +got):\n%s", order, descending, err, diff)
			}
		}
	}
}

func TestWhatAListFinds(t *testing.T) {
	r := alert.NewRules(&store{all: four}, nil, time.Now)
	counts := func(triggered, acknowledged, resolved, ignored int) map[alert.Status]int {
		all := map[alert.Status]int{alert.Triggered: triggered, alert.Acknowledged: acknowledged, alert.Resolved: resolved, alert.Ignored: ignored}
		for status, n := range all {
			if n == 0 {
				delete(all, status)
			}
		}
		return all
	}
	tests := map[string]struct {
		q      alert.Query
		want   []int64
		counts map[alert.Status]int
	}{
		"everything":         {alert.Query{}, []int64{4, 3, 2, 1}, counts(1, 1, 1, 1)},
		"a status":           {alert.Query{Filter: alert.Filter{Statuses: []alert.Status{alert.Resolved}}}, []int64{2}, counts(1, 1, 1, 1)},
		"two severities":     {alert.Query{Filter: alert.Filter{Severities: []alert.Severity{alert.SeverityLow, alert.SeverityCritical}}}, []int64{4, 2, 1}, counts(1, 1, 1, 0)},
		"since":              {alert.Query{Filter: alert.Filter{Since: after(3)}}, []int64{4, 3}, counts(1, 0, 0, 1)},
		"a word":             {alert.Query{Search: " disk "}, []int64{3, 2, 1}, counts(0, 1, 1, 1)},
		"a tool":             {alert.Query{Search: "PROBE"}, []int64{1}, counts(0, 1, 0, 0)},
		"a word in a status": {alert.Query{Search: "disk", Filter: alert.Filter{Statuses: []alert.Status{alert.Ignored}}}, []int64{3}, counts(0, 1, 1, 1)},
		"nothing":            {alert.Query{Search: "%"}, []int64{}, counts(0, 0, 0, 0)},
	}
	for name, test := range tests {
		test.q.Descending = true
		l, err := r.List(t.Context(), 1, test.q, page.First)
		if diff := cmp.Diff(test.want, iids(l.Items)); err != nil || diff != "" || l.Total != len(test.want) {
			t.Errorf("%s: total %d, %v (-want +got):\n%s", name, l.Total, err, diff)
		}
		if diff := cmp.Diff(test.counts, l.Counts); diff != "" {
			t.Errorf("%s: counts (-want +got):\n%s", name, diff)
		}
	}
	l, err := r.List(t.Context(), 1, alert.Query{Descending: true}, page.Request{Number: 2, Size: 3})
	if diff := cmp.Diff([]int64{1}, iids(l.Items)); err != nil || diff != "" || l.Total != 4 || l.More {
		t.Errorf("the second page: total %d, more %v, %v (-want +got):\n%s", l.Total, l.More, err, diff)
	}
}

// many are alerts of which every hundredth is resolved and none but the oldest
// is critical.
func many(n int) []alert.Alert {
	all := make([]alert.Alert, n)
	for i := range all {
		all[i] = alert.Alert{IID: int64(n - i), Title: "Slow", Status: alert.Triggered, Severity: alert.SeverityLow}
		if all[i].IID%100 == 0 {
			all[i].Status = alert.Resolved
		}
	}
	all[n-1].Severity = alert.SeverityCritical
	return all
}

func TestListOfTooMany(t *testing.T) {
	const n = 60_000
	r := alert.NewRules(&store{all: many(n)}, nil, time.Now)
	resolved := alert.Filter{Statuses: []alert.Status{alert.Resolved}}
	triggered := alert.Filter{Statuses: []alert.Status{alert.Triggered}}
	critical := alert.Filter{Severities: []alert.Severity{alert.SeverityCritical}}
	tests := map[string]struct {
		q      alert.Query
		wanted page.Request
		first  int64 // the first alert on the page; zero: refused
		total  int
		more   bool
	}{
		"the newest":                {alert.Query{Descending: true}, page.First, n, -1, true},
		"the newest, by its name":   {alert.Query{Order: alert.ByCreation, Descending: true}, page.First, n, -1, true},
		"a page beyond the count":   {alert.Query{Descending: true}, page.Request{Number: 301, Size: 100}, n - 30_000, -1, true},
		"the last page in reach":    {alert.Query{Descending: true}, page.Request{Number: 500, Size: 100}, n - 49_900, -1, true},
		"a page out of reach":       {alert.Query{Descending: true}, page.Request{Number: 501, Size: 100}, 0, 0, false},
		"a page far out of reach":   {alert.Query{Descending: true}, page.Request{Number: 1 << 31, Size: 100}, 0, 0, false},
		"the oldest":                {alert.Query{}, page.First, 0, 0, false},
		"another order":             {alert.Query{Order: alert.ByStart, Descending: true}, page.First, 0, 0, false},
		"a search":                  {alert.Query{Search: "slow", Descending: true}, page.First, 0, 0, false},
		"a status of most":          {alert.Query{Filter: triggered, Descending: true}, page.First, n - 1, -1, true},
		"an order of most":          {alert.Query{Filter: triggered, Order: alert.ByUpdate}, page.First, 0, 0, false},
		"a status of few":           {alert.Query{Filter: resolved, Descending: true}, page.First, n, n / 100, true},
		"a status of few, oldest":   {alert.Query{Filter: resolved}, page.First, 100, n / 100, true},
		"a search in few":           {alert.Query{Filter: resolved, Search: "slow", Order: alert.ByUpdate, Descending: true}, page.First, n, n / 100, true},
		"a severity of few, sorted": {alert.Query{Filter: critical, Order: alert.ByStart}, page.First, 1, 1, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			l, err := r.List(t.Context(), 1, test.q, test.wanted)
			switch {
			case test.first == 0:
				if !fault.Is(err, fault.Invalid) {
					t.Errorf("List gave %d alerts, %v, want fault.Invalid", len(l.Items), err)
				}
			case err != nil || len(l.Items) == 0:
				t.Errorf("List gave %d alerts, %v", len(l.Items), err)
			case l.Items[0].IID != test.first || l.Total != test.total || l.More != test.more:
				t.Errorf("List begins with %d, has the total %d, more %v, want %d, %d, %v", l.Items[0].IID, l.Total, l.More, test.first, test.total, test.more)
			}
		})
	}
	exactly := alert.NewRules(&store{all: many(page.CountLimit)}, nil, time.Now)
	l, err := exactly.List(t.Context(), 1, alert.Query{Order: alert.BySeverity, Descending: true}, page.First)
	if err != nil || l.Total != page.CountLimit || l.Items[0].IID != 1 {
		t.Errorf("a list of exactly as many as can be sorted: total %d, %v", l.Total, err)
	}
}

func TestLastFrom(t *testing.T) {
	r := alert.NewRules(&store{all: four}, nil, time.Now)
	for integration, want := range map[int64]int64{1: 3, 2: 4} {
		if got, err := r.LastFrom(t.Context(), 1, integration); err != nil || got.IID != want {
			t.Errorf("LastFrom(%d) = %d, %v, want %d", integration, got.IID, err, want)
		}
	}
	if _, err := r.LastFrom(t.Context(), 1, 3); !fault.Is(err, fault.NotFound) {
		t.Errorf("LastFrom without an alert gave %v, want fault.NotFound", err)
	}
}
