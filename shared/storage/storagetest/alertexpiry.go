package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
)

var alertExpiry = []promise{
	{"are gone at the end of the day on which resolved ones expire", expireAlerts},
	{"are gone from every list and count", expireFromLists},
	{"stay where they are kept for ever", keepAlerts},
	{"that are opened again do not expire, nor do their payloads", reopenExpiring},
	{"that are gone cannot be changed", changeExpired},
	{"that are gone make room for the next with the fingerprint", fireAfterExpiry},
	{"expire or not, whoever resolves and reopens them at once", expiryRacing},
	{"are counted right whatever is done on whatever day", expiryWalk},
}

// sweep removes what has expired by then, where the store has somebody to do so.
func sweep(t *testing.T, s storage.Store, then time.Time) {
	t.Helper()
	if s, ok := s.(interface {
		Sweep(context.Context, time.Time) error
	}); ok {
		wantOK(t, "Sweep", s.Sweep(t.Context(), then))
	}
}

// inDays is the beginning of a day, so many after the suite's present.
func inDays(n int) time.Time { return today().AddDate(0, 0, n) }

// keptFor returns the change for an alert that is kept for so many days.
func keptFor(days int, c alert.Change) alert.Change {
	c.KeptDays = days
	return c
}

// alertsThen returns a page of alerts, as the store tells them at a time.
func alertsThen(t *testing.T, s storage.Store, projectID int64, q alert.Query, r page.Request, then time.Time) page.Of[alert.Alert] {
	t.Helper()
	found, err := s.Alerts(t.Context(), projectID, q, r, then)
	wantOK(t, fmt.Sprintf("Alerts(%+v, %+v)", q, r), err)
	return found
}

// wantAlerts checks which alerts of a project there are at a time, of all that there were.
func wantAlerts(t *testing.T, s storage.Store, projectID int64, then time.Time, all []alert.Alert) {
	t.Helper()
	var want []alert.Alert
	for _, a := range all {
		gone := a.Expired(then)
		wantAlertThen(t, s, a, then, !gone)
		if a.Activity = nil; !gone {
			want = append(want, a)
		}
	}
	found := alertsThen(t, s, projectID, alert.Query{}, page.Request{Number: 1, Size: 1000}, then)
	wantSame(t, fmt.Sprintf("Alerts at %v", then), found.Items, want)
	wantCountedThen(t, s, projectID, then, want)
}

// wantAlertThen checks in every way in which one alert is found whether it is there.
func wantAlertThen(t *testing.T, s storage.Store, a alert.Alert, then time.Time, there bool) {
	t.Helper()
	_, found := s.Alert(t.Context(), a.ProjectID, a.IID, then)
	_, paid := s.AlertPayload(t.Context(), a.ProjectID, a.IID, then)
	_, whole := s.WholeAlert(t.Context(), a.ProjectID, a.IID, then)
	byIID := must[map[int64]alert.Alert](t)(s.AlertsByIID(t.Context(), a.ProjectID, []int64{a.IID}, then))
	if _, listed := byIID[a.IID]; listed != there {
		t.Errorf("at %v AlertsByIID has %d: %t, want it there: %t", then, a.IID, listed, there)
	}
	for call, err := range map[string]error{"Alert": found, "AlertPayload": paid, "WholeAlert": whole} {
		if there && err != nil || !there && !errors.Is(err, alert.ErrNotFound) {
			t.Errorf("at %v %s(%d) = %v, want it there: %t", then, call, a.IID, err, there)
		}
	}
	latest := must[alert.LatestPayload](t)(s.LatestPayload(t.Context(), a.ProjectID, a.IID, then))
	if !there && !latest.At.IsZero() {
		t.Errorf("at %v alert %d is gone and has a latest payload", then, a.IID)
	}
}

// wantCountedThen checks the numbers of the alerts that there are at a time.
func wantCountedThen(t *testing.T, s storage.Store, projectID int64, then time.Time, all []alert.Alert) {
	t.Helper()
	want := alert.Counts{}
	for _, a := range all {
		want[a.Class()]++
	}
	for range 2 { // whoever counts may tidy up
		got := must[alert.Counts](t)(s.AlertCounts(t.Context(), projectID, then))
		for class, n := range got {
			if n == 0 {
				delete(got, class)
			}
		}
		wantSame(t, fmt.Sprintf("AlertCounts at %v", then), got, want)
	}
}

// beforeAndAfterSweeps checks the alerts before and after what has expired by the days is
// removed.
func beforeAndAfterSweeps(t *testing.T, s storage.Store, projectID int64, all []alert.Alert, days ...int) {
	t.Helper()
	for _, n := range days {
		for _, then := range []time.Time{inDays(n).Add(-time.Microsecond), inDays(n)} {
			wantAlerts(t, s, projectID, then, all)
			sweep(t, s, then)
			wantAlerts(t, s, projectID, then, all)
		}
	}
}

// addResolved opens an alert that a recovery resolves, and is kept for so many days.
func addResolved(t *testing.T, s storage.Store, projectID int64, days int, o alert.Occurrence) alert.Alert {
	t.Helper()
	report(t, s, projectID, o, now)
	o = recovery(o)
	o.KeptDays = days
	iid := report(t, s, projectID, o, now)[0].IID
	return readAlert(t, s, projectID, iid)
}

func expireAlerts(t *testing.T, s storage.Store) {
	p := newProjectID()
	report(t, s, p, newOccurrence(), now)
	recovered := addResolved(t, s, p, 3, newOccurrence())
	alone := addResolved(t, s, p, 1, ungrouped(newOccurrence()))
	anonymous := newOccurrence()
	anonymous.Fingerprint = ""
	report(t, s, p, anonymous, now)
	byHand := must[alert.Alert](t)(s.ChangeAlert(t.Context(), readAlert(t, s, p, 4), keptFor(2, resolve(now))))
	last := must[alert.Alert](t)(s.ChangeAlert(t.Context(), addResolved(t, s, p, 0, newOccurrence()), keptFor(1, to(alert.Ignored, now))))
	all := []alert.Alert{readAlert(t, s, p, 1), recovered, alone, byHand, last}
	for n, want := range []time.Time{{}, inDays(4), inDays(2), inDays(3), {}} {
		if got := all[n].ExpiresAt; !got.Equal(want) {
			t.Errorf("alert %d expires at %v, want %v", n+1, got, want)
		}
		wantSame(t, "Alert", readAlert(t, s, p, all[n].IID), all[n])
	}
	// Another change leaves that as it is.
	somebody := int64(5)
	all[1] = must[alert.Alert](t)(s.ChangeAlert(t.Context(), recovered, alert.Change{AssigneeID: &somebody, At: now, KeptDays: 9}))
	beforeAndAfterSweeps(t, s, p, all, 1, 2, 3, 4, 5000)
}

func expireFromLists(t *testing.T, s storage.Store) {
	p, r := newProjectID(), newRandom()
	var all []alert.Alert
	for range 30 {
		o := randomOccurrence(r)
		report(t, s, p, o, now)
		if r.IntN(4) > 0 {
			o = recovery(o)
			o.KeptDays = r.IntN(4)
			report(t, s, p, o, now)
		}
	}
	for iid := range int64(30) {
		a := readAlert(t, s, p, iid+1)
		a.Activity = nil
		all = append(all, a)
	}
	for _, n := range []int{0, 2, 5} { // before some expire, when some have, when all have
		then := inDays(n)
		there := slices.DeleteFunc(slices.Clone(all), func(a alert.Alert) bool { return a.Expired(then) })
		wantAlertLists(t, s, p, then, there)
		if n == 2 {
			sweep(t, s, then)
			wantAlertLists(t, s, p, then, there)
		}
	}
}

// wantAlertLists checks lists of all kinds at a time.
func wantAlertLists(t *testing.T, s storage.Store, projectID int64, then time.Time, all []alert.Alert) {
	t.Helper()
	for _, order := range alert.Orders {
		for _, q := range []alert.Query{
			{}, {Filter: alert.Filter{Statuses: []alert.Status{alert.Resolved}}}, {Search: "disk"}, {IntegrationID: 1},
			{Filter: alert.Filter{Severities: []alert.Severity{alert.SeverityHigh, alert.SeverityInfo, alert.SeverityLow}}},
		} {
			q.Order, q.Descending = order, order != alert.ByStart
			want := inMemory(all, q)
			for _, size := range []int{9, 100} {
				var got []alert.Alert
				windowed := false
				for r := (page.Request{Number: 1, Size: size}); ; r.Number++ {
					found := alertsThen(t, s, projectID, q, r, then)
					got, windowed = append(got, found.Items...), windowed || !found.SearchedUntil.IsZero()
					if !found.More {
						break
					}
					r.After = found.Next
				}
				if windowed {
					got = inMemory(got, q)
				}
				wantSame(t, fmt.Sprintf("Alerts(%+v) at %v in pages of %d", q, then, size), got, want)
			}
			second := alertsThen(t, s, projectID, q, page.Request{Number: 2, Size: 4}, then)
			wantSame(t, fmt.Sprintf("the second page of Alerts(%+v) at %v", q, then), second.Items, want[min(4, len(want)):min(8, len(want))])
		}
	}
	wantCountedThen(t, s, projectID, then, all)
}

func keepAlerts(t *testing.T, s storage.Store) {
	p := newProjectID()
	all := []alert.Alert{addResolved(t, s, p, 0, newOccurrence())}
	for _, status := range []alert.Status{alert.Triggered, alert.Acknowledged, alert.Ignored} {
		iid := report(t, s, p, newOccurrence(), now)[0].IID
		a := must[alert.Alert](t)(s.ChangeAlert(t.Context(), readAlert(t, s, p, iid), keptFor(1, to(status, now))))
		all = append(all, a)
	}
	beforeAndAfterSweeps(t, s, p, all, 1, 2, 5000)
}

// reopenExpiring has payloads that a store may keep in several items.
func reopenExpiring(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	o.Payload = secret.Random(1 << 20)
	newest := o
	report(t, s, p, o, now)
	report(t, s, p, o, now)
	newest.Payload = []byte(`{"newest":1}`)
	report(t, s, p, newest, now.Add(time.Hour))
	alone := ungrouped(newOccurrence())
	report(t, s, p, alone, now)
	for range 2 {
		for _, iid := range []int64{1, 2} {
			a := must[alert.Alert](t)(s.ChangeAlert(t.Context(), readAlert(t, s, p, iid), keptFor(1, resolve(now))))
			a = must[alert.Alert](t)(s.ChangeAlert(t.Context(), a, keptFor(1, reopen(now))))
			if !a.ExpiresAt.IsZero() {
				t.Errorf("alert %d expires at %v after it was opened again", iid, a.ExpiresAt)
			}
		}
	}
	all := []alert.Alert{readAlert(t, s, p, 1), readAlert(t, s, p, 2)}
	beforeAndAfterSweeps(t, s, p, all, 1, 2, 5000)
	wantPayloads := func(then time.Time) {
		t.Helper()
		first := must[[]byte](t)(s.AlertPayload(t.Context(), p, 1, then))
		latest := must[alert.LatestPayload](t)(s.LatestPayload(t.Context(), p, 1, then))
		if !bytes.Equal(first, o.Payload) || string(latest.Text) != string(newest.Payload) {
			t.Errorf("at %v the alert has payloads of %d bytes, and %s", then, len(first), latest.Text)
		}
	}
	wantPayloads(inDays(5000))

	all[0] = must[alert.Alert](t)(s.ChangeAlert(t.Context(), all[0], keptFor(5, resolve(now))))
	wantPayloads(inDays(6).Add(-time.Microsecond))
	beforeAndAfterSweeps(t, s, p, all, 6, 5000)
}

func changeExpired(t *testing.T, s storage.Store) {
	p := newProjectID()
	a := addResolved(t, s, p, 1, newOccurrence())
	for range 2 {
		for name, c := range map[string]alert.Change{
			"reopened": reopen(inDays(2)), "acknowledged": acknowledge(inDays(2)), "resolved again": resolve(inDays(2)),
		} {
			_, err := s.ChangeAlert(t.Context(), a, c)
			wantError(t, "ChangeAlert of an expired alert that is to be "+name, err, alert.ErrNotFound)
		}
		wantAlerts(t, s, p, inDays(2), []alert.Alert{a})
		sweep(t, s, inDays(2))
	}
}

func fireAfterExpiry(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	first := addResolved(t, s, p, 1, o)
	wantSame(t, "a fire after the alert expired", report(t, s, p, o, inDays(2)), []alert.Recorded{did(alert.Opened, 2, o)})
	again := recovery(o)
	again.KeptDays, again.EndedAt = 1, inDays(2)
	wantSame(t, "its recovery", report(t, s, p, again, inDays(2)), []alert.Recorded{did(alert.Recovered, 2, o)})
	second := readAlert(t, s, p, 2)
	beforeAndAfterSweeps(t, s, p, []alert.Alert{first, second}, 3, 4)
	wantSame(t, "a fire after both were removed", report(t, s, p, o, inDays(9)), []alert.Recorded{did(alert.Opened, 3, o)})
}

// expiryRacing has alerts resolved, reopened and fired at once. Then each is open and stays
// with its payloads, or is resolved and goes with them.
func expiryRacing(t *testing.T, s storage.Store) {
	p, shared := newProjectID(), []alert.Occurrence{newOccurrence(), ungrouped(newOccurrence())}
	for _, o := range shared {
		report(t, s, p, o, now)
	}
	for _, err := range race(20, func(i int) error {
		o := shared[i%2]
		if i%5 == 0 {
			o.KeptDays = 1 + i%3
			_, err := s.RecordOccurrences(t.Context(), p, [][]alert.Occurrence{{recovery(o)}, {o}}, now.Add(time.Duration(i)*time.Minute))
			return err
		}
		a, err := s.Alert(t.Context(), p, int64(1+i%2), now)
		for _, status := range []alert.Status{alert.Resolved, alert.Triggered, alert.Statuses[i%4]} {
			var changed alert.Alert
			if changed, err = s.ChangeAlert(t.Context(), a, keptFor(1+i%3, to(status, now))); err == nil {
				a = changed
			}
		}
		if errors.Is(err, alert.ErrChanged) || errors.Is(err, alert.ErrDuplicateOpen) {
			err = nil
		}
		return err
	}) {
		wantOK(t, "a call", err)
	}
	var all []alert.Alert
	for _, listed := range slices.Backward(allAlerts(t, s, p)) {
		all = append(all, readAlert(t, s, p, listed.IID))
	}
	for _, a := range all {
		if a.Open() != a.ExpiresAt.IsZero() {
			t.Errorf("alert %d is %s and expires at %v", a.IID, a.Status, a.ExpiresAt)
		}
	}
	beforeAndAfterSweeps(t, s, p, all, 2, 3, 4, 5, 5000)
}

// expiryWalk lets days pass with random deeds, and compares with what should be there.
func expiryWalk(t *testing.T, s storage.Store) {
	w := &expiryWalker{T: t, s: s, p: newProjectID(), r: newRandom()}
	for range 4 {
		w.known = append(w.known, randomOccurrence(w.r))
	}
	for n := range 12 {
		w.now = now.AddDate(0, 0, n)
		for range 6 {
			w.deed()
		}
		wantAlerts(t, s, w.p, w.now, w.all)
		if w.r.IntN(3) == 0 {
			sweep(t, s, w.now)
			wantAlerts(t, s, w.p, w.now, w.all)
		}
	}
	beforeAndAfterSweeps(t, s, w.p, w.all, 13, 20)
}

type expiryWalker struct {
	*testing.T
	s     storage.Store
	p     int64
	r     *rand.Rand
	now   time.Time
	known []alert.Occurrence
	all   []alert.Alert // by their numbers
}

// deed reports or changes something.
func (w *expiryWalker) deed() {
	o := pick(w.r, w.known...)
	o.KeptDays = w.r.IntN(4)
	switch w.r.IntN(4) {
	case 0, 1:
		w.note(report(w.T, w.s, w.p, o, w.now))
	case 2:
		o = recovery(o)
		o.EndedAt = w.now
		w.note(report(w.T, w.s, w.p, o, w.now))
	default:
		w.change(keptFor(o.KeptDays, to(pick(w.r, alert.Statuses...), w.now)))
	}
}

// note reads what reports touched.
func (w *expiryWalker) note(recorded []alert.Recorded) {
	for _, r := range recorded {
		if r.Outcome == alert.Unmatched {
			continue
		}
		a := must[alert.Alert](w.T)(w.s.Alert(w.Context(), w.p, r.IID, w.now))
		if r.Outcome == alert.Opened {
			if want := int64(len(w.all) + 1); r.IID != want {
				w.Fatalf("a new alert has the number %d, want %d", r.IID, want)
			}
			w.all = append(w.all, a)
		}
		w.all[r.IID-1] = a
	}
}

// change changes one of all alerts.
func (w *expiryWalker) change(c alert.Change) {
	if len(w.all) == 0 {
		return
	}
	a := pick(w.r, w.all...)
	changed, err := w.s.ChangeAlert(w.Context(), a, c)
	switch {
	case a.Expired(w.now):
		wantError(w.T, "ChangeAlert of an expired alert", err, alert.ErrNotFound)
	case !errors.Is(err, alert.ErrDuplicateOpen):
		wantOK(w.T, "ChangeAlert", err)
		w.all[a.IID-1] = changed
	}
}
