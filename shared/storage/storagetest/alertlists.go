package storagetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/page"
	"gatehouse/shared/storage"
)

// pick returns one of the things.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// newRandom returns the same numbers in every run.
func newRandom() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// randomOccurrence has few different times, texts and severities, so that alerts
// have much in common.
func randomOccurrence(r *rand.Rand) alert.Occurrence {
	o := newOccurrence()
	o.Title, o.Description = pick(r, "Disk full", "Queue is LONG", "Straße gesperrt"), pick(r, "", "the disk of web-1", "100%")
	o.Service, o.MonitoringTool = pick(r, "", "Database"), pick(r, "", "Probe", "disk watch")
	o.Severity, o.Count, o.IntegrationID = pick(r, alert.Severities...), pick[int64](r, 1, 1, 2, 7), pick[int64](r, 1, 2)
	o.Hosts, o.Environment = pick(r, nil, []string{"web-1"}, []string{"db-1", "web-1"}), pick(r, "", "production", "Production")
	o.Labels = pick(r, nil, alert.Labels{"team": "web"}, alert.Labels{"team": "web", "a\"b.c": "%"}, alert.Labels{"web": "team", "team": "7"})
	o.StartedAt = now.Add(-time.Duration(r.IntN(5)) * time.Hour)
	if r.IntN(3) == 0 {
		o.Ungrouped = true
	}
	return o
}

// addRandomAlerts opens n alerts and changes most of them.
func addRandomAlerts(t *testing.T, s storage.Store, projectID int64, n int) (all []alert.Alert) {
	t.Helper()
	r := newRandom()
	for i := range n {
		o := randomOccurrence(r)
		at := now.Add(time.Duration(i-n) * time.Minute)
		iid := report(t, s, projectID, o, at)[0].IID
		for range r.IntN(3) {
			c := to(pick(r, alert.Statuses...), now.Add(time.Duration(r.IntN(4))*time.Minute))
			c.EndedAt = now.Add(time.Duration(r.IntN(3)) * time.Minute)
			must[alert.Alert](t)(s.ChangeAlert(t.Context(), readAlert(t, s, projectID, iid), c))
		}
		if r.IntN(4) == 0 {
			somebody := int64(5)
			c := alert.Change{AssigneeID: &somebody, At: now.Add(time.Duration(r.IntN(4)) * time.Minute)}
			must[alert.Alert](t)(s.ChangeAlert(t.Context(), readAlert(t, s, projectID, iid), c))
		}
	}
	for iid := range int64(n) {
		a := readAlert(t, s, projectID, iid+1)
		a.Activity = nil
		all = append(all, a)
	}
	return all
}

// inMemory answers a query from all alerts.
func inMemory(all []alert.Alert, q alert.Query) []alert.Alert {
	all = slices.DeleteFunc(slices.Clone(all), func(a alert.Alert) bool { return !q.Matches(a) })
	slices.SortFunc(all, func(a, b alert.Alert) int { return q.Compare(q.Position(a), q.Position(b)) })
	return all
}

// alertPages returns everything on all pages, from one to the next. Windowed tells
// whether only a part of the list was sorted for a page.
func alertPages(t *testing.T, s storage.Store, projectID int64, q alert.Query, size int) (all []alert.Alert, windowed bool) {
	t.Helper()
	for r := (page.Request{Number: 1, Size: size}); ; r.Number++ {
		found, err := s.Alerts(t.Context(), projectID, q, r, now)
		wantOK(t, fmt.Sprintf("Alerts(%+v, %+v)", q, r), err)
		if found.Total != -1 || len(found.Items) > size {
			t.Errorf("a page has %d items of %d in all, want %d at most, uncounted", len(found.Items), found.Total, size)
		}
		all = append(all, found.Items...)
		windowed = windowed || !found.SearchedUntil.IsZero()
		if !found.More {
			return all, windowed
		}
		r.After = found.Next
	}
}

// wantAlertList checks a list in pages and by a page's number.
func wantAlertList(t *testing.T, s storage.Store, projectID int64, q alert.Query, want []alert.Alert) {
	t.Helper()
	for _, size := range []int{4, 100} {
		got, windowed := alertPages(t, s, projectID, q, size)
		if windowed { // then the parts follow each other
			got = inMemory(got, q)
		}
		wantSame(t, fmt.Sprintf("Alerts(%+v) in pages of %d", q, size), got, want)
		if second, err := s.Alerts(t.Context(), projectID, q, page.Request{Number: 2, Size: size}, now); !windowed {
			wantOK(t, "Alerts", err)
			wantSame(t, fmt.Sprintf("Alerts(%+v), the second page of %d", q, size), second.Items,
				want[min(size, len(want)):min(2*size, len(want))])
		}
	}
}

func listAlerts(t *testing.T, s storage.Store) {
	p := newProjectID()
	all := addRandomAlerts(t, s, p, 16)
	filters := []alert.Filter{
		{}, {Statuses: []alert.Status{alert.Resolved}}, {Statuses: []alert.Status{alert.Ignored, alert.Triggered}},
		{Severities: []alert.Severity{alert.SeverityLow}},
		{Severities: []alert.Severity{alert.SeverityInfo, alert.SeverityCritical}, Statuses: []alert.Status{}},
		{Statuses: []alert.Status{alert.Triggered, alert.Acknowledged}, Severities: []alert.Severity{alert.SeverityHigh, alert.SeverityUnknown}},
	}
	for _, order := range append(alert.Orders, "") {
		for _, descending := range []bool{false, true} {
			for _, filter := range filters {
				q := alert.Query{Filter: filter, Order: order, Descending: descending}
				wantAlertList(t, s, p, q, inMemory(all, q))
			}
			q := alert.Query{Filter: filters[2], Search: " DISK ", Order: order, Descending: descending}
			wantAlertList(t, s, p, q, inMemory(all, q))
		}
	}
	for _, search := range []string{"full", "straße", "STRASSE", "%", "_", "database", "fullthe", "long\x1f", "nowhere", "  "} {
		q := alert.Query{Search: search, Descending: true}
		wantAlertList(t, s, p, q, inMemory(all, q))
	}
}

func label(name, value string) alert.Label { return alert.Label{Name: name, Value: value} }

func alertsWithTraits(t *testing.T, s storage.Store) {
	p := newProjectID()
	all := addRandomAlerts(t, s, p, 12)
	open := alert.Filter{Statuses: []alert.Status{alert.Triggered, alert.Acknowledged}}
	for _, q := range []alert.Query{
		{IntegrationID: 1}, {IntegrationID: 2, Order: alert.BySeverity}, {IntegrationID: 3}, {Host: "web-1"}, {Host: "db-1", Filter: open}, {Host: "web"},
		{Host: "%"}, {Environment: "production"}, {Environment: "Production", Search: "disk"}, {Environment: "prod"}, {AssigneeID: 5}, {AssigneeID: 6},
		{Label: label("team", "web")}, {Label: label("a\"b.c", "%"), Filter: open}, {Label: label("team", "7")}, {Label: label("team", "team")}, {Label: label("team", "")},
		{Label: label("te_m", "web")}, {Label: label("team", "web"), Host: "web-1", Order: alert.BySeverity},
		{AssigneeID: 5, Host: "web-1", Environment: "production", IntegrationID: 2, Filter: open, Order: alert.ByUpdate},
	} {
		q.Descending = true
		wantAlertList(t, s, p, q, inMemory(all, q))
	}
	for _, integration := range []int64{1, 2, 3} {
		q := alert.Query{IntegrationID: integration, Descending: true}
		wanted := iidsOf(inMemory(all, q))
		wanted = wanted[:min(2, len(wanted))]
		var got []int64
		for _, a := range must[[]alert.Whole](t)(s.WholeAlertsFrom(t.Context(), p, integration, 2, now)) {
			got = append(got, a.IID)
		}
		wantSame(t, "WholeAlertsFrom", got, wanted)
	}
}

// manyListed has more alerts than are sorted for one page where no key has their
// order. Each is on one page all the same.
func manyListed(t *testing.T, s storage.Store) {
	p, r := newProjectID(), newRandom()
	const many = 1000
	var batch [][]alert.Occurrence
	for range many {
		o := randomOccurrence(r)
		o.Ungrouped = false
		batch = append(batch, []alert.Occurrence{o})
	}
	for chunk := range slices.Chunk(batch, 100) {
		_, err := s.RecordOccurrences(t.Context(), p, chunk, now)
		wantOK(t, "RecordOccurrences", err)
	}
	for _, q := range []alert.Query{
		{}, {Order: alert.ByStart}, {Order: alert.ByStart, Descending: true}, {Order: alert.ByEnd}, {Order: alert.BySeverity},
		{Order: alert.ByStatus, Descending: true}, {Order: alert.ByEvents, Descending: true}, {Search: "disk watch", Descending: true},
		{Order: alert.ByUpdate, Filter: alert.Filter{Severities: []alert.Severity{alert.SeverityLow}}},
		{Order: alert.ByUpdate, Search: "disk watch"},
		{Order: alert.ByEvents, Filter: alert.Filter{Statuses: []alert.Status{alert.Triggered, alert.Resolved}}},
		{Order: alert.ByEvents, Filter: alert.Filter{Severities: []alert.Severity{alert.SeverityLow, alert.SeverityHigh}}},
		{Order: alert.BySeverity, Descending: true, Filter: alert.Filter{Statuses: []alert.Status{alert.Triggered, alert.Acknowledged}}},
		{Order: alert.BySeverity, Filter: alert.Filter{Statuses: []alert.Status{alert.Triggered}, Severities: alert.Severities[1:4]}},
		{Order: alert.ByStatus, Filter: alert.Filter{Severities: alert.Severities[1:4]}},
		{Descending: true, Filter: alert.Filter{Statuses: []alert.Status{alert.Triggered}, Severities: []alert.Severity{alert.SeverityInfo}}},
	} {
		got, windowed := alertPages(t, s, p, q, 100)
		iids := iidsOf(got)
		wantNumbered(t, s, p, q, iids)
		slices.Sort(iids)
		if iids = slices.Compact(iids); len(iids) != len(got) {
			t.Errorf("Alerts(%+v) lists %d alerts more than once", q, len(got)-len(iids))
		}
		want := 0
		for _, o := range batch {
			if q.Matches(o[0].Alert(p, 1, now)) {
				want++
			}
		}
		if len(got) != want {
			t.Errorf("Alerts(%+v) lists %d alerts, want %d", q, len(got), want)
		}
		if sorted := slices.IsSortedFunc(got, func(a, b alert.Alert) int { return q.Compare(q.Position(a), q.Position(b)) }); !sorted && !windowed {
			t.Errorf("Alerts(%+v) does not have its order", q)
		}
		if windowed && hasKey(q) {
			t.Errorf("Alerts(%+v) sorts a part of the list at a time", q)
		}
	}
	wantCounted(t, s, p)
}

// hasKey reports whether the whole list has its order however long it is
// (Interface: "Alerts").
func hasKey(q alert.Query) bool {
	return !q.Searches() && slices.Contains([]alert.Order{alert.ByCreation, alert.BySeverity, alert.ByStatus}, q.SortedBy())
}

// wantNumbered checks that the pages by their numbers alone are those by positions,
// up to the last one that has a number. Only a search may have others.
func wantNumbered(t *testing.T, s storage.Store, projectID int64, q alert.Query, want []int64) {
	t.Helper()
	var got []int64
	for r := (page.Request{Number: 1, Size: 100}); ; r.Number++ {
		found, err := s.Alerts(t.Context(), projectID, q, r, now)
		wantOK(t, fmt.Sprintf("Alerts(%+v, %+v)", q, r), err)
		got = append(got, iidsOf(found.Items)...)
		if _, next := found.Neighbours(r); next == 0 {
			wantSame(t, fmt.Sprintf("Alerts(%+v) by numbers", q), got, want[:min(len(got), len(want))])
			r.Number++
			_, err := s.Alerts(t.Context(), projectID, q, r, now)
			switch {
			case found.More && !errors.Is(err, page.ErrTooFar):
				t.Errorf("Alerts(%+v), page %d = %v, want %v", q, r.Number, err, page.ErrTooFar)
			case len(got) != len(want) && (!found.More || !q.Searches()):
				t.Errorf("Alerts(%+v) by numbers lists %d alerts, want %d", q, len(got), len(want))
			}
			return
		}
	}
}

// wantCounted checks the numbers of a project's alerts.
func wantCounted(t *testing.T, s storage.Store, projectID int64) {
	t.Helper()
	want := alert.Counts{}
	for _, a := range allAlerts(t, s, projectID) {
		want[a.Class()]++
	}
	var beside []alert.Alert
	keep := func(_ context.Context, of []alert.Alert) error { beside = of; return nil }
	found, counted, err := s.CountedAlerts(t.Context(), projectID, alert.Query{Descending: true}, page.Request{Number: 1, Size: 1000}, now, keep)
	if err != nil || len(beside) != len(found.Items) {
		t.Errorf("CountedAlerts = %v, and what is beside it knows %d alerts, want %d", err, len(beside), len(found.Items))
	}
	wantSame(t, "the alerts of CountedAlerts", found.Items, allAlerts(t, s, projectID))
	got := must[alert.Counts](t)(s.AlertCounts(t.Context(), projectID, now))
	wantSame(t, "the numbers of CountedAlerts", counted, got)
	if got == nil {
		t.Error("AlertCounts = nil, want the numbers")
	}
	for class, n := range got {
		if n == 0 {
			delete(got, class)
		}
	}
	wantSame(t, "AlertCounts", got, want)
}

func countAlerts(t *testing.T, s storage.Store) {
	p := newProjectID()
	wantCounted(t, s, p)
	addRandomAlerts(t, s, p, 20)
	wantCounted(t, s, p)

	q, o := newProjectID(), newOccurrence()
	wantReport(t, s, q, o, did(alert.Opened, 1, o))
	for _, again := range []alert.Occurrence{o, recovery(o), o, recovery(o), ungrouped(o)} {
		report(t, s, q, again, now)
		wantCounted(t, s, q)
	}
	first := readAlert(t, s, q, 1)
	_, err := s.ChangeAlert(t.Context(), first, resolve(now)) // it is
	wantOK(t, "ChangeAlert", err)
	_, err = s.ChangeAlert(t.Context(), first, reopen(now))
	wantOK(t, "ChangeAlert", err)
	_, err = s.ChangeAlert(t.Context(), readAlert(t, s, q, 2), reopen(now))
	wantError(t, "ChangeAlert", err, alert.ErrDuplicateOpen)
	_, err = s.ChangeAlert(t.Context(), first, acknowledge(now))
	wantError(t, "ChangeAlert", err, alert.ErrChanged)
	wantCounted(t, s, q)
}

func countRacing(t *testing.T, s storage.Store) {
	p, shared := newProjectID(), []alert.Occurrence{newOccurrence(), newOccurrence(), ungrouped(newOccurrence())}
	for _, err := range race(24, func(i int) error {
		o := shared[i%len(shared)]
		switch i % 4 {
		case 0:
			o = recovery(o)
		case 1:
			found, err := s.Alerts(t.Context(), p, alert.Query{}, page.First, now)
			for _, a := range found.Items {
				if _, changed := s.ChangeAlert(t.Context(), a, to(alert.Statuses[i/4%4], now)); changed != nil &&
					!errors.Is(changed, alert.ErrChanged) && !errors.Is(changed, alert.ErrDuplicateOpen) {
					return changed
				}
			}
			return err
		}
		_, err := s.RecordOccurrences(t.Context(), p, [][]alert.Occurrence{{o}, {newOccurrence()}}, now)
		return err
	}) {
		wantOK(t, "a call", err)
	}
	wantCounted(t, s, p)
	days := must[[]alert.Day](t)(s.AlertDays(t.Context(), p, today()))
	if all := len(allAlerts(t, s, p)); len(days) != 1 || days[0].Total != all || days[0].Grave != all {
		t.Errorf("AlertDays = %+v, want all of %d grave alerts on one day", days, all)
	}
}

func today() time.Time { return now.Truncate(24 * time.Hour) }

func countDays(t *testing.T, s storage.Store) {
	p := newProjectID()
	for _, opened := range []struct {
		at       time.Time
		severity alert.Severity
	}{
		{today().AddDate(0, 0, -9), alert.SeverityCritical}, {today().AddDate(0, 0, -2), alert.SeverityLow},
		{today().Add(-time.Microsecond), alert.SeverityCritical}, {today(), alert.SeverityMedium},
		{today().Add(time.Hour), alert.SeverityHigh}, {today().AddDate(0, 0, 1), alert.SeverityUnknown},
	} {
		o := newOccurrence()
		o.Severity = opened.severity
		report(t, s, p, o, opened.at)
		report(t, s, p, o, opened.at.AddDate(0, 0, 1)) // is no other alert
		report(t, s, p, recovery(o), opened.at.AddDate(0, 0, 1))
	}
	got := must[[]alert.Day](t)(s.AlertDays(t.Context(), p, today().AddDate(0, 0, -2)))
	wantSame(t, "AlertDays", got, []alert.Day{
		{Date: today().AddDate(0, 0, -2), Total: 1}, {Date: today().AddDate(0, 0, -1), Total: 1, Grave: 1},
		{Date: today(), Total: 2, Grave: 1}, {Date: today().AddDate(0, 0, 1), Total: 1},
	})
	none := must[[]alert.Day](t)(s.AlertDays(t.Context(), newProjectID(), today()))
	wantSame(t, "AlertDays of another project", none, []alert.Day{})
}

func findOpenAlert(t *testing.T, s storage.Store) {
	p, o, alone := newProjectID(), newOccurrence(), ungrouped(newOccurrence())
	wantNone := func(f alert.Fingerprint) {
		t.Helper()
		_, err := s.OpenAlert(t.Context(), p, f)
		wantError(t, "OpenAlert", err, alert.ErrNotFound)
	}
	wantNone(o.Fingerprint)
	wantReport(t, s, p, o, did(alert.Opened, 1, o))
	wantReport(t, s, p, alone, did(alert.Opened, 2, alone))
	wantReport(t, s, p, o, did(alert.Repeated, 1, o))
	want := wantAlert(p, 1, o)
	want.Events = 2
	wantSame(t, "OpenAlert", must[alert.Alert](t)(s.OpenAlert(t.Context(), p, o.Fingerprint)), want)
	wantNone(alone.Fingerprint)
	wantNone("")
	wantReport(t, s, p, recovery(o), did(alert.Recovered, 1, o))
	wantNone(o.Fingerprint)
}
