package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/alert"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
)

var alerts = []promise{
	{"are opened and read back", openAlert},
	{"keep the first occurrence and count the others", repeatAlert},
	{"keep the gravest severity of their repeats", graverRepeats},
	{"become graver once, whoever repeats them at once", graverAtOnce},
	{"keep the newest payload of their repeats, one a minute", latestPayload},
	{"are resolved by a recovery, and a later fire opens another", recoverAlert},
	{"outlive a recovery that is late", lateRecovery},
	{"are acknowledged by their tool, or opened so", acknowledgedByTool},
	{"stay alone where occurrences are not grouped", ungroupedAlerts},
	{"without a fingerprint are never found again", anonymousAlerts},
	{"come many at a time, each with its outcome", mixedBatch},
	{"keep a payload of a megabyte", largePayload},
	{"change", changeAlert},
	{"changed by many at once change once", changeAlertRace},
	{"are not opened again beside another", reopenAlert},
	{"that are not grouped are opened again", reopenUngrouped},
	{"are listed in every order, by every filter", listAlerts},
	{"are found by their host, environment, integration and assignee", alertsWithTraits},
	{"are on one page each, however many there are", manyListed},
	{"are counted as they are opened and changed", countAlerts},
	{"are counted when many change them at once", countRacing},
	{"are counted by the day on which they were opened", countDays},
	{"that are open are found by their fingerprint", findOpenAlert},
	{"keep their latest activity", boundedActivity},
	{"of one project are not those of another", alertsOfProjects},
	{"go with their project", deleteAlerts},
	{"that two report at once are one, each time", twoAtOnce},
	{"that many report at once are one", manyAtOnce},
	{"opened by many at once have numbers of their own", distinctAtOnce},
	{"are never lost between a fire and a recovery", fireRacingRecovery},
	{"count every fire once, where they are resolved while they are opened", openingRacingRecovery},
	{"are resolved once by many recoveries at once", recoveryRace},
	{"opened again by many at once open once", reopenRace},
	{"keep every event when they are changed meanwhile", changeRacingFires},
}

// newProjectID returns the id of a project without alerts. No store checks that
// the project exists; existing ones have lower ids.
func newProjectID() int64 { return 1<<40 + lastProjectID.Add(1) }

var lastProjectID atomic.Int64

func newOccurrence() alert.Occurrence {
	return alert.Occurrence{
		Fingerprint: alert.Fingerprint(unique("fingerprint")), Title: "Disk full: " + unique("host"),
		Description: "Nothing can be written.", Severity: alert.SeverityHigh, Service: "web", MonitoringTool: "Monitor",
		Hosts: []string{"web-1", "web-2"}, Environment: "production", Runbook: "https://runbooks.example/disk",
		Labels:     alert.Labels{"alertname": "DiskFull", "mount.point": "/va\"r, \\ü", "team": "web=1"},
		GroupTitle: "[FIRING:2] Disk full", ExternalURL: "https://tools.example/alerts",
		StartedAt: now.Add(-time.Minute), IntegrationID: 7, Payload: []byte(`{"title":"Disk full"}`), Count: 1,
	}
}

// recovery returns the recovery from an occurrence.
func recovery(o alert.Occurrence) alert.Occurrence {
	o.Recovery, o.EndedAt = true, now.Add(time.Second)
	return o
}

func ungrouped(o alert.Occurrence) alert.Occurrence {
	o.Ungrouped = true
	return o
}

// wantAlert is the alert that an occurrence opens at the suite's present.
func wantAlert(projectID, iid int64, o alert.Occurrence) alert.Alert {
	return alert.Alert{
		ProjectID: projectID, IID: iid, Fingerprint: o.Fingerprint, Grouped: o.Fingerprint != "" && !o.Ungrouped,
		Title: o.Title, Description: o.Description, Severity: o.Severity, PeakSeverity: o.Severity, Status: alert.Triggered,
		Service: o.Service, MonitoringTool: o.MonitoringTool, Hosts: o.Hosts, Environment: o.Environment,
		Runbook: o.Runbook, Labels: o.Labels, GroupTitle: o.GroupTitle, ExternalURL: o.ExternalURL, StartedAt: o.StartedAt, Events: o.Count, LastEventAt: now,
		IntegrationID: o.IntegrationID, CreatedAt: now, UpdatedAt: now, Version: 1,
	}
}

// report records one occurrence at a time and returns what it did.
func report(t *testing.T, s storage.Store, projectID int64, o alert.Occurrence, at time.Time) []alert.Recorded {
	t.Helper()
	recorded, err := s.RecordOccurrences(t.Context(), projectID, [][]alert.Occurrence{{o}}, at)
	wantOK(t, "RecordOccurrences", err)
	return recorded[0]
}

// wantReport reports an occurrence and checks what it did.
func wantReport(t *testing.T, s storage.Store, projectID int64, o alert.Occurrence, want ...alert.Recorded) {
	t.Helper()
	wantSame(t, "RecordOccurrences", report(t, s, projectID, o, now), want)
}

func did(outcome alert.Outcome, iid int64, o alert.Occurrence) alert.Recorded {
	return alert.Recorded{Outcome: outcome, IID: iid, Title: o.Title}
}

var unmatched = alert.Recorded{Outcome: alert.Unmatched}

func readAlert(t *testing.T, s storage.Store, projectID, iid int64) alert.Alert {
	t.Helper()
	return must[alert.Alert](t)(s.Alert(t.Context(), projectID, iid, now))
}

// allAlerts returns every alert of a project, the newest first, as lists show them.
func allAlerts(t *testing.T, s storage.Store, projectID int64) []alert.Alert {
	t.Helper()
	return matching(t, s, projectID, alert.Filter{})
}

// wantByIID checks that all alerts of a project are found by their numbers, as lists show
// them apart from their events, and none that are not there.
func wantByIID(t *testing.T, s storage.Store, projectID int64) {
	t.Helper()
	iids, want := []int64{99}, map[int64]alert.Alert{}
	for _, a := range allAlerts(t, s, projectID) {
		a.Events, a.LastEventAt = 0, time.Time{}
		iids, want[a.IID] = append(iids, a.IID), a
	}
	got := must[map[int64]alert.Alert](t)(s.AlertsByIID(t.Context(), projectID, iids, now))
	for iid, a := range got {
		a.Events, a.LastEventAt = 0, time.Time{}
		got[iid] = a
	}
	wantSame(t, "AlertsByIID", got, want)
}

func matching(t *testing.T, s storage.Store, projectID int64, f alert.Filter) []alert.Alert {
	t.Helper()
	found, err := s.Alerts(t.Context(), projectID, alert.Query{Filter: f, Descending: true}, page.Request{Number: 1, Size: 1000}, now)
	if err != nil || found.More {
		t.Fatalf("Alerts = %d alerts, more: %t, %v, want all of them", len(found.Items), found.More, err)
	}
	return found.Items
}

func iidsOf(all []alert.Alert) (iids []int64) {
	for _, a := range all {
		iids = append(iids, a.IID)
	}
	return iids
}

func openAlert(t *testing.T, s storage.Store) {
	p := newProjectID()
	plain := alert.Occurrence{Fingerprint: "plain", Title: "New: Alert", StartedAt: now, Payload: []byte("{}"), Count: 3}
	for i, o := range []alert.Occurrence{newOccurrence(), newOccurrence(), plain} {
		iid := int64(i) + 1
		wantReport(t, s, p, o, did(alert.Opened, iid, o))
		want := wantAlert(p, iid, o)
		wantSame(t, "Alert", readAlert(t, s, p, iid), want)
		wantSame(t, "Alerts", allAlerts(t, s, p)[0], want)
		got := must[[]byte](t)(s.AlertPayload(t.Context(), p, iid, now))
		wantSame(t, "AlertPayload", string(got), string(o.Payload))
		var beside alert.Alert
		keep := func(_ context.Context, of alert.Alert) error { beside = of; return nil }
		wantSame(t, "WholeAlert", must[alert.Whole](t)(s.WholeAlert(t.Context(), p, iid, now, keep)), alert.Whole{Alert: want, Payload: o.Payload})
		wantSame(t, "what is read beside the alert knows it", beside.Title, want.Title)
		refuse := func(context.Context, alert.Alert) error { return errBeside }
		_, err := s.WholeAlert(t.Context(), p, iid, now, refuse)
		wantError(t, "WholeAlert when what is beside it fails", err, errBeside)
	}
	wantByIID(t, s, p)
	silent, until := to(alert.Acknowledged, now), now.Add(time.Hour)
	silent.SilencedUntil = &until
	a := must[alert.Alert](t)(s.ChangeAlert(t.Context(), wantAlert(p, 3, plain), silent))
	wantSame(t, "Alert", readAlert(t, s, p, 3), a)
	a.Activity = nil
	wantSame(t, "Alerts", allAlerts(t, s, p)[0], a)

	_, err := s.Alert(t.Context(), p, 4, now)
	wantError(t, "Alert of an unknown iid", err, alert.ErrNotFound)
	_, err = s.AlertPayload(t.Context(), p, 4, now)
	wantError(t, "AlertPayload of an unknown iid", err, alert.ErrNotFound)
	_, err = s.WholeAlert(t.Context(), p, 4, now)
	wantError(t, "WholeAlert of an unknown iid", err, alert.ErrNotFound)
	wantByIID(t, s, p)
	_, err = s.ChangeAlert(t.Context(), wantAlert(p, 4, plain), acknowledge(now))
	wantError(t, "ChangeAlert of an unknown iid", err, alert.ErrNotFound)
}

func repeatAlert(t *testing.T, s storage.Store) {
	p, first := newProjectID(), newOccurrence()
	wantReport(t, s, p, first, did(alert.Opened, 1, first))
	a := must[alert.Alert](t)(s.ChangeAlert(t.Context(), wantAlert(p, 1, first), acknowledge(now.Add(time.Second))))

	other := newOccurrence()
	other.Fingerprint, other.Severity, other.Count = first.Fingerprint, alert.SeverityLow, 4
	other.Payload, other.StartedAt, other.IntegrationID = []byte(`{"another":1}`), now.Add(time.Minute), 8
	later := now.Add(time.Hour)
	wantSame(t, "RecordOccurrences", report(t, s, p, other, later), []alert.Recorded{did(alert.Repeated, 1, first)})
	a.Events, a.LastEventAt = 5, later
	wantSame(t, "Alert", readAlert(t, s, p, 1), a)
	a.Activity = nil
	wantSame(t, "Alerts", allAlerts(t, s, p), []alert.Alert{a})
	got := must[[]byte](t)(s.AlertPayload(t.Context(), p, 1, now))
	wantSame(t, "AlertPayload", string(got), string(first.Payload))
}

// graver is how a repeat that is graver than all before is recorded.
func graver(iid int64, o alert.Occurrence) alert.Recorded {
	recorded := did(alert.Repeated, iid, o)
	recorded.Graver = true
	return recorded
}

func graverRepeats(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	o.Severity = alert.SeverityLow
	with := func(severity alert.Severity, count int64) alert.Occurrence {
		again := o
		again.Severity, again.Count, again.Title = severity, count, "Another title"
		return again
	}
	want := wantAlert(p, 1, o)
	check := func(what string) {
		t.Helper()
		wantSame(t, "the alert "+what, readAlert(t, s, p, 1), want)
		listed := want
		listed.Activity = nil
		wantSame(t, "the alert in a list "+what, allAlerts(t, s, p), []alert.Alert{listed})
	}
	wantReport(t, s, p, o, did(alert.Opened, 1, o))
	for _, step := range []struct {
		severity alert.Severity
		count    int64
		want     alert.Recorded
	}{
		{alert.SeverityLow, 1, did(alert.Repeated, 1, o)}, {alert.SeverityUnknown, 2, did(alert.Repeated, 1, o)},
		{alert.SeverityMedium, 3, graver(1, o)}, {alert.SeverityMedium, 1, did(alert.Repeated, 1, o)},
		{alert.SeverityLow, 1, did(alert.Repeated, 1, o)}, {alert.SeverityCritical, 1, graver(1, o)},
		{alert.SeverityHigh, 1, did(alert.Repeated, 1, o)}, {alert.SeverityCritical, 2, did(alert.Repeated, 1, o)},
	} {
		wantReport(t, s, p, with(step.severity, step.count), step.want)
		want.Events += step.count
		if step.want.Graver {
			want.PeakSeverity = step.severity
		}
		check("after a repeat that is " + string(step.severity))
	}
	for _, c := range []alert.Change{acknowledge(now), resolve(now), reopen(now)} {
		got := must[alert.Alert](t)(s.ChangeAlert(t.Context(), want, c))
		want = want.Changed(c)
		wantSame(t, "ChangeAlert", got, want)
		check("after a change")
	}
	wantReport(t, s, p, with(alert.SeverityHigh, 1), did(alert.Repeated, 1, o))
	wantReport(t, s, p, recovery(o), did(alert.Recovered, 1, o))
	if got := readAlert(t, s, p, 1); got.PeakSeverity != alert.SeverityCritical || got.Severity != alert.SeverityLow {
		t.Errorf("the resolved alert was %s and at worst %s, want low and critical", got.Severity, got.PeakSeverity)
	}
	wantReport(t, s, p, o, did(alert.Opened, 2, o))
	if got := readAlert(t, s, p, 2); got.PeakSeverity != alert.SeverityLow {
		t.Errorf("the next alert is at worst %s, want low", got.PeakSeverity)
	}
}

func graverAtOnce(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	o.Severity = alert.SeverityUnknown
	wantReport(t, s, p, o, did(alert.Opened, 1, o))
	var times atomic.Int64
	race(12, func(i int) error {
		again := o
		again.Severity = alert.Severities[i%3]
		recorded, err := s.RecordOccurrences(t.Context(), p, [][]alert.Occurrence{{again}}, now)
		wantOK(t, "RecordOccurrences", err)
		if recorded[0][0].Graver {
			times.Add(1)
		}
		return err
	})
	if n := times.Load(); n < 1 || n > 3 {
		t.Errorf("the alert became graver %d times, want once for each of at most three severities", n)
	}
	if a := readAlert(t, s, p, 1); a.PeakSeverity != alert.SeverityCritical || a.Events != 13 || a.Version != 1 {
		t.Errorf("the alert is %+v, want it critical at worst, with 13 events", a)
	}
}

var errBeside = errors.New("what is beside cannot be read")

func latestPayload(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	wantReport(t, s, p, o, did(alert.Opened, 1, o))
	check := func(what string, want alert.LatestPayload) {
		t.Helper()
		got := must[alert.LatestPayload](t)(s.LatestPayload(t.Context(), p, 1, now))
		if !bytes.Equal(got.Text, want.Text) || !got.At.Equal(want.At) {
			t.Errorf("LatestPayload %s = %d bytes of %v, want %d of %v", what, len(got.Text), got.At, len(want.Text), want.At)
		}
		whole := must[alert.Whole](t)(s.WholeAlert(t.Context(), p, 1, now))
		wantSame(t, "the alert of WholeAlert "+what, whole.Alert, readAlert(t, s, p, 1))
		from := must[[]alert.Whole](t)(s.WholeAlertsFrom(t.Context(), p, o.IntegrationID, 2, now))
		if len(from) != 1 || !bytes.Equal(from[0].Payload, o.Payload) || !bytes.Equal(from[0].Latest.Text, want.Text) || !from[0].Latest.At.Equal(want.At) {
			t.Errorf("WholeAlertsFrom %s has %d alerts, want the one with its payloads", what, len(from))
		}
		if !bytes.Equal(whole.Payload, o.Payload) || !bytes.Equal(whole.Latest.Text, want.Text) || !whole.Latest.At.Equal(want.At) {
			t.Errorf("WholeAlert %s has %d and %d bytes of %v, want %d and %d of %v", what, len(whole.Payload), len(whole.Latest.Text), whole.Latest.At, len(o.Payload), len(want.Text), want.At)
		}
	}
	check("before a repeat", alert.LatestPayload{})
	large := secret.Random(1 << 20)
	for _, step := range []struct {
		after   time.Duration // the opening
		sent    []byte
		kept    []byte
		keptFor time.Duration
	}{
		{0, []byte(`{"n":1}`), []byte(`{"n":1}`), 0},
		{time.Minute - time.Microsecond, large, []byte(`{"n":1}`), 0},
		{time.Minute, large, large, time.Minute},
		{2*time.Minute - 1000, []byte(`{"n":2}`), large, time.Minute},
		{time.Hour, []byte(`{"n":3}`), []byte(`{"n":3}`), time.Hour},
	} {
		again := o
		again.Payload = step.sent
		wantSame(t, "RecordOccurrences", report(t, s, p, again, now.Add(step.after)), []alert.Recorded{did(alert.Repeated, 1, o)})
		check(fmt.Sprintf("after %v", step.after), alert.LatestPayload{Text: step.kept, At: now.Add(step.keptFor)})
	}
	got := must[[]byte](t)(s.AlertPayload(t.Context(), p, 1, now))
	wantSame(t, "AlertPayload", string(got), string(o.Payload))
	wantSame(t, "RecordOccurrences", report(t, s, p, recovery(o), now.Add(time.Hour)), []alert.Recorded{did(alert.Recovered, 1, o)})
	check("of a resolved alert", alert.LatestPayload{Text: []byte(`{"n":3}`), At: now.Add(time.Hour)})
	wantReport(t, s, p, o, did(alert.Opened, 2, o))
	if next := must[alert.LatestPayload](t)(s.LatestPayload(t.Context(), p, 2, now)); next.Text != nil {
		t.Errorf("the next alert has the newest payload %s", next.Text)
	}
}

func recoverAlert(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	wantReport(t, s, p, recovery(o), unmatched)
	wantReport(t, s, p, o, did(alert.Opened, 1, o))
	wantReport(t, s, p, o, did(alert.Repeated, 1, o))
	later := now.Add(time.Minute)
	wantSame(t, "RecordOccurrences", report(t, s, p, recovery(o), later), []alert.Recorded{did(alert.Recovered, 1, o)})

	want := wantAlert(p, 1, o)
	want.Status, want.EndedAt, want.Events, want.Version, want.UpdatedAt = alert.Resolved, now.Add(time.Second), 2, 2, later
	want.Activity = []alert.Activity{{At: later, Change: alert.StatusChanged, Status: alert.Resolved}}
	wantSame(t, "Alert", readAlert(t, s, p, 1), want)

	wantReport(t, s, p, recovery(o), unmatched)
	wantReport(t, s, p, o, did(alert.Opened, 2, o))
	wantSame(t, "the newer alert", readAlert(t, s, p, 2), wantAlert(p, 2, o))
	wantSame(t, "the older alert", readAlert(t, s, p, 1), want)

	without := recovery(o)
	without.EndedAt = time.Time{}
	wantSame(t, "RecordOccurrences", report(t, s, p, without, later), []alert.Recorded{did(alert.Recovered, 2, o)})
	if got := readAlert(t, s, p, 2); !got.EndedAt.Equal(later) {
		t.Errorf("a recovery that tells no time ended the alert at %v, want %v", got.EndedAt, later)
	}
}

func lateRecovery(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	late, just := recovery(o), recovery(o)
	late.EndedAt, just.EndedAt = o.StartedAt.Add(-time.Second), o.StartedAt
	wantReport(t, s, p, o, did(alert.Opened, 1, o))
	wantReport(t, s, p, late, unmatched)
	wantSame(t, "Alert", readAlert(t, s, p, 1), wantAlert(p, 1, o))
	wantReport(t, s, p, just, did(alert.Recovered, 1, o))

	wantReport(t, s, p, o, did(alert.Opened, 2, o))
	late.IgnoreStart = true
	wantReport(t, s, p, late, did(alert.Recovered, 2, o))
	if got := readAlert(t, s, p, 2); !got.EndedAt.Equal(late.EndedAt) {
		t.Errorf("the alert ended at %v, want %v", got.EndedAt, late.EndedAt)
	}
}

func ungroupedAlerts(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	alone := ungrouped(o)
	wantReport(t, s, p, alone, did(alert.Opened, 1, o))
	wantReport(t, s, p, o, did(alert.Opened, 2, o))
	wantReport(t, s, p, alone, did(alert.Opened, 3, o))
	wantReport(t, s, p, o, did(alert.Repeated, 2, o))
	tooYoung := alone
	tooYoung.StartedAt = now.Add(time.Hour)
	wantReport(t, s, p, tooYoung, did(alert.Opened, 4, o))
	wantSame(t, "Alert", readAlert(t, s, p, 3), wantAlert(p, 3, alone))

	wantReport(t, s, p, recovery(o), did(alert.Recovered, 1, o), did(alert.Recovered, 2, o), did(alert.Recovered, 3, o))
	wantReport(t, s, p, recovery(o), unmatched)
	open := matching(t, s, p, alert.Filter{Statuses: []alert.Status{alert.Triggered}})
	wantSame(t, "the open alerts", iidsOf(open), []int64{4})
}

func anonymousAlerts(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	o.Fingerprint = ""
	wantReport(t, s, p, o, did(alert.Opened, 1, o))
	wantReport(t, s, p, o, did(alert.Opened, 2, o))
	wantReport(t, s, p, recovery(o), unmatched)
	wantSame(t, "Alert", readAlert(t, s, p, 1), wantAlert(p, 1, o))
	a := must[alert.Alert](t)(s.ChangeAlert(t.Context(), wantAlert(p, 1, o), resolve(now)))
	wantSame(t, "Alert", readAlert(t, s, p, 1), a)
}

func mixedBatch(t *testing.T, s storage.Store) {
	p := newProjectID()
	open, ended, fresh, brief, unknown, anonymous, again := newOccurrence(), newOccurrence(), newOccurrence(),
		newOccurrence(), newOccurrence(), newOccurrence(), newOccurrence()
	anonymous.Fingerprint = ""
	thrice := open
	thrice.Count = 3
	wantReport(t, s, p, open, did(alert.Opened, 1, open))
	wantReport(t, s, p, ended, did(alert.Opened, 2, ended))
	wantReport(t, s, p, again, did(alert.Opened, 3, again))

	got, err := s.RecordOccurrences(t.Context(), p, [][]alert.Occurrence{
		{thrice}, {recovery(ended)}, {fresh}, {brief, recovery(brief)}, {recovery(unknown)}, {anonymous},
		{recovery(again), again},
	}, now)
	wantOK(t, "RecordOccurrences", err)
	wantSame(t, "RecordOccurrences", got, [][]alert.Recorded{
		{did(alert.Repeated, 1, open)}, {did(alert.Recovered, 2, ended)}, {did(alert.Opened, 0, fresh)},
		{did(alert.Opened, 0, brief), did(alert.Recovered, 0, brief)}, {unmatched}, {did(alert.Opened, 0, anonymous)},
		{did(alert.Recovered, 3, again), did(alert.Opened, 0, again)},
	}, cmpopts.AcyclicTransformer("number", func(r alert.Recorded) alert.Recorded {
		if r.IID > 3 {
			r.IID = 0 // the store chooses the order of the new ones
		}
		return r
	}))
	wantSame(t, "the alerts", iidsOf(allAlerts(t, s, p)), []int64{7, 6, 5, 4, 3, 2, 1})
	if events := readAlert(t, s, p, 1).Events; events != 4 {
		t.Errorf("the repeated alert has %d events, want 4", events)
	}
	nothing, err := s.RecordOccurrences(t.Context(), p, nil, now)
	if err != nil || len(nothing) > 0 {
		t.Errorf("RecordOccurrences of none = %v, %v, want none", nothing, err)
	}
}

func largePayload(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	o.Payload = secret.Random(1 << 20)
	wantReport(t, s, p, o, did(alert.Opened, 1, o))
	alone := ungrouped(o)
	alone.Payload = secret.Random(1 << 20)
	wantReport(t, s, p, alone, did(alert.Opened, 2, o))
	for iid, want := range map[int64][]byte{1: o.Payload, 2: alone.Payload} {
		if got, err := s.AlertPayload(t.Context(), p, iid, now); err != nil || !bytes.Equal(got, want) {
			t.Errorf("AlertPayload = %d bytes, %v, want the %d that were sent", len(got), err, len(want))
		}
	}
}

func to(status alert.Status, at time.Time) alert.Change {
	return alert.Change{Status: &status, ActorID: 9, At: at}
}

func acknowledge(at time.Time) alert.Change { return to(alert.Acknowledged, at) }
func resolve(at time.Time) alert.Change     { return to(alert.Resolved, at) }
func reopen(at time.Time) alert.Change      { return to(alert.Triggered, at) }

func changeAlert(t *testing.T, s storage.Store) {
	for name, o := range map[string]alert.Occurrence{"grouped": newOccurrence(), "ungrouped": ungrouped(newOccurrence())} {
		p, somebody, incident, until := newProjectID(), int64(5), int64(4), now.Add(time.Hour)
		wantReport(t, s, p, o, did(alert.Opened, 1, o))
		a := wantAlert(p, 1, o)
		assignment := alert.Change{AssigneeID: &somebody, ActorID: 9, At: now.Add(time.Second)}
		for i, c := range []alert.Change{
			assignment, {IncidentIID: &incident, ActorID: 9, At: now}, {SilencedUntil: &until, ActorID: 9, At: now}, acknowledge(now), to(alert.Ignored, now), resolve(now), reopen(now), resolve(now.Add(time.Hour)),
			reopen(now), {IncidentIID: new(int64), At: now}, {SilencedUntil: new(time.Time), At: now}, acknowledge(now),
		} {
			stale := a
			got, err := s.ChangeAlert(t.Context(), a, c)
			wantOK(t, fmt.Sprintf("ChangeAlert %d of one that is %s", i, name), err)
			a = a.Changed(c)
			wantSame(t, "ChangeAlert", got, a)
			wantSame(t, "Alert", readAlert(t, s, p, 1), a)
			_, err = s.ChangeAlert(t.Context(), stale, reopen(now))
			wantError(t, "ChangeAlert of an old version", err, alert.ErrChanged)
		}
		same := must[alert.Alert](t)(s.ChangeAlert(t.Context(), a, acknowledge(now.Add(time.Hour))))
		wantSame(t, "ChangeAlert that changes nothing", same, a)
		wantReport(t, s, p, recovery(o), did(alert.Recovered, 1, o))
	}
}

func changeAlertRace(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	wantReport(t, s, p, o, did(alert.Opened, 1, o))
	a := wantAlert(p, 1, o)
	for _, c := range []alert.Change{acknowledge(now), resolve(now), reopen(now)} {
		errs := race(8, func(int) error { _, err := s.ChangeAlert(t.Context(), a, c); return err })
		wantOneWinner(t, "ChangeAlert", errs, is(alert.ErrChanged))
		a = a.Changed(c)
		wantSame(t, "Alert", readAlert(t, s, p, 1), a)
	}
	errs := race(8, func(i int) error {
		_, err := s.ChangeAlert(t.Context(), a, []alert.Change{acknowledge(now), resolve(now)}[i%2])
		return err
	})
	wantOneWinner(t, "ChangeAlert in two ways", errs, is(alert.ErrChanged))
}

func reopenAlert(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	wantReport(t, s, p, o, did(alert.Opened, 1, o))
	wantReport(t, s, p, o, did(alert.Repeated, 1, o))
	wantReport(t, s, p, recovery(o), did(alert.Recovered, 1, o))
	wantReport(t, s, p, o, did(alert.Opened, 2, o))
	old := readAlert(t, s, p, 1)
	for _, status := range []alert.Status{alert.Triggered, alert.Acknowledged, alert.Ignored} {
		_, err := s.ChangeAlert(t.Context(), old, to(status, now))
		wantError(t, "ChangeAlert to "+string(status)+" beside an open one", err, alert.ErrDuplicateOpen)
	}
	wantSame(t, "the alert that stayed resolved", readAlert(t, s, p, 1), old)

	wantReport(t, s, p, recovery(o), did(alert.Recovered, 2, o))
	again := must[alert.Alert](t)(s.ChangeAlert(t.Context(), old, to(alert.Acknowledged, now)))
	if !again.EndedAt.IsZero() || again.Events != 2 {
		t.Errorf("the alert that is open again ended at %v with %d events, want no end and 2", again.EndedAt, again.Events)
	}
	wantReport(t, s, p, o, did(alert.Repeated, 1, o))
	again.Events++
	wantSame(t, "Alert", readAlert(t, s, p, 1), again)
	_, err := s.ChangeAlert(t.Context(), readAlert(t, s, p, 2), reopen(now))
	wantError(t, "ChangeAlert of the newer one beside the older", err, alert.ErrDuplicateOpen)
}

func reopenUngrouped(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	wantReport(t, s, p, ungrouped(o), did(alert.Opened, 1, o))
	wantReport(t, s, p, ungrouped(o), did(alert.Opened, 2, o))
	wantReport(t, s, p, o, did(alert.Opened, 3, o))
	wantReport(t, s, p, recovery(o), did(alert.Recovered, 1, o), did(alert.Recovered, 2, o), did(alert.Recovered, 3, o))
	for _, iid := range []int64{1, 2, 3} { // each beside the ones before
		_, err := s.ChangeAlert(t.Context(), readAlert(t, s, p, iid), reopen(now))
		wantOK(t, "ChangeAlert", err)
	}
	wantReport(t, s, p, recovery(o), did(alert.Recovered, 1, o), did(alert.Recovered, 2, o), did(alert.Recovered, 3, o))
}

func boundedActivity(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	wantReport(t, s, p, o, did(alert.Opened, 1, o))
	a := wantAlert(p, 1, o)
	for i := range alert.ActivityKept + 3 {
		c := []alert.Change{acknowledge(now), reopen(now)}[i%2]
		a = must[alert.Alert](t)(s.ChangeAlert(t.Context(), a, c))
	}
	got := readAlert(t, s, p, 1)
	wantSame(t, "Alert", got, a)
	if len(got.Activity) != alert.ActivityKept {
		t.Errorf("%d activities are kept, want %d", len(got.Activity), alert.ActivityKept)
	}
}

func alertsOfProjects(t *testing.T, s storage.Store) {
	g := addGroup(t, s, addUser(t, s).ID)
	gone, o := addProject(t, s, g), newOccurrence()
	wantReport(t, s, gone.ID, o, did(alert.Opened, 1, o))
	beside := addProject(t, s, g)
	wantReport(t, s, beside.ID, recovery(o), unmatched)
	wantReport(t, s, beside.ID, o, did(alert.Opened, 1, o))

	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), gone.ID))
	next := newProject(g)
	next.Path, next.FullPath = gone.Path, gone.FullPath
	next = must[project.Project](t)(s.CreateProject(t.Context(), next))
	wantSame(t, "the alerts of a project at the place of a deleted one", allAlerts(t, s, next.ID), []alert.Alert{})
	wantReport(t, s, next.ID, recovery(o), unmatched)
	wantReport(t, s, next.ID, o, did(alert.Opened, 1, o))
}

// fireAtOnce reports one occurrence n times at once.
func fireAtOnce(t *testing.T, s storage.Store, n int, projectID int64, o alert.Occurrence) []alert.Recorded {
	t.Helper()
	results := make([]alert.Recorded, n)
	errs := race(n, func(i int) error {
		recorded, err := s.RecordOccurrences(t.Context(), projectID, [][]alert.Occurrence{{o}}, now)
		if err == nil {
			results[i] = recorded[0][0]
		}
		return err
	})
	for _, err := range errs {
		wantOK(t, "RecordOccurrences", err)
	}
	return results
}

// wantOneOpened checks that one of the results opened the alert and that all
// others were counted on it.
func wantOneOpened(t *testing.T, results []alert.Recorded) {
	t.Helper()
	opened := 0
	for _, r := range results {
		if r.Outcome == alert.Opened {
			opened++
		} else if r.Outcome != alert.Repeated {
			t.Errorf("a fire was %s", r.Outcome)
		}
		if r.IID != results[0].IID || r.Title != results[0].Title {
			t.Errorf("fires at once were counted on %+v and %+v", results[0], r)
		}
	}
	if opened != 1 {
		t.Errorf("%d of %d fires at once opened the alert, want 1", opened, len(results))
	}
}

func twoAtOnce(t *testing.T, s storage.Store) {
	p := newProjectID()
	const times = 100
	for range times {
		o := newOccurrence()
		results := fireAtOnce(t, s, 2, p, o)
		wantOneOpened(t, results)
		want := wantAlert(p, results[0].IID, o)
		want.Events = 2
		wantSame(t, "Alert", readAlert(t, s, p, want.IID), want)
	}
	if all := allAlerts(t, s, p); len(all) != times || all[0].IID != times {
		t.Errorf("there are %d alerts up to number %d, want %d", len(all), all[0].IID, times)
	}
}

func manyAtOnce(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	wantOneOpened(t, fireAtOnce(t, s, 200, p, o))
	want := wantAlert(p, 1, o)
	want.Events = 200
	wantSame(t, "Alerts", allAlerts(t, s, p), []alert.Alert{want})
}

func distinctAtOnce(t *testing.T, s storage.Store) {
	p := newProjectID()
	errs := race(10, func(int) error {
		batch := make([][]alert.Occurrence, 10)
		for i := range batch {
			batch[i] = []alert.Occurrence{newOccurrence()}
		}
		_, err := s.RecordOccurrences(t.Context(), p, batch, now)
		return err
	})
	for _, err := range errs {
		wantOK(t, "RecordOccurrences", err)
	}
	for i, a := range allAlerts(t, s, p) {
		if want := int64(100 - i); a.IID != want {
			t.Fatalf("alert %d from the end has the number %d, want %d", i, a.IID, want)
		}
	}
}

// wantNoneLost checks how many events the alerts with one fingerprint have in all,
// and that only the newest of them may be open.
func wantNoneLost(t *testing.T, s storage.Store, projectID, fires int64) {
	t.Helper()
	all, events := allAlerts(t, s, projectID), int64(0)
	for i, a := range all {
		events += a.Events
		if i > 0 && a.Open() {
			t.Errorf("alert %d is open beside alert %d", a.IID, all[0].IID)
		}
		if a.Open() != a.EndedAt.IsZero() {
			t.Errorf("alert %d is %s and ended at %v", a.IID, a.Status, a.EndedAt)
		}
	}
	if events != fires {
		t.Errorf("%d alerts have %d events together, want %d", len(all), events, fires)
	}
}

// fireAndRecover reports n occurrences at once; every third is a recovery.
func fireAndRecover(t *testing.T, s storage.Store, p int64, o alert.Occurrence, n int) {
	t.Helper()
	for _, err := range race(n, func(i int) error {
		mine := o
		if i%3 == 0 {
			mine = recovery(o)
		}
		_, err := s.RecordOccurrences(t.Context(), p, [][]alert.Occurrence{{mine}}, now)
		return err
	}) {
		wantOK(t, "RecordOccurrences", err)
	}
}

func fireRacingRecovery(t *testing.T, s storage.Store) {
	for range 30 {
		p, o := newProjectID(), newOccurrence()
		wantReport(t, s, p, o, did(alert.Opened, 1, o))
		fireAndRecover(t, s, p, o, 6)
		wantNoneLost(t, s, p, 5)
		if a := readAlert(t, s, p, 1); a.Open() {
			t.Errorf("alert 1 is open after a recovery: %+v", a)
		}
	}
}

func openingRacingRecovery(t *testing.T, s storage.Store) {
	for range 10 {
		p, o := newProjectID(), newOccurrence()
		fireAndRecover(t, s, p, o, 12)
		wantNoneLost(t, s, p, 8)
	}
}

func recoveryRace(t *testing.T, s storage.Store) {
	for _, o := range []alert.Occurrence{newOccurrence(), ungrouped(newOccurrence())} {
		p := newProjectID()
		wantReport(t, s, p, o, did(alert.Opened, 1, o))
		var recovered atomic.Int64
		for _, err := range race(8, func(int) error {
			recorded, err := s.RecordOccurrences(t.Context(), p, [][]alert.Occurrence{{recovery(o)}}, now)
			if err == nil && recorded[0][0].Outcome == alert.Recovered {
				recovered.Add(1)
			}
			return err
		}) {
			wantOK(t, "RecordOccurrences", err)
		}
		a := readAlert(t, s, p, 1)
		if recovered.Load() != 1 || a.Status != alert.Resolved || len(a.Activity) != 1 {
			t.Errorf("%d recoveries resolved the alert, which has the activity %v, want one", recovered.Load(), a.Activity)
		}
	}
}

func deleteAlerts(t *testing.T, s storage.Store) {
	p, other := addOwnProject(t, s), addOwnProject(t, s)
	open, ended, alone, anonymous := newOccurrence(), newOccurrence(), ungrouped(newOccurrence()), newOccurrence()
	open.Payload, anonymous.Fingerprint = secret.Random(400<<10), "" // more than an item holds
	for _, in := range []project.Project{p, other} {
		for n, o := range []alert.Occurrence{open, ended, alone, anonymous} {
			wantReport(t, s, in.ID, o, did(alert.Opened, int64(n)+1, o))
		}
		wantReport(t, s, in.ID, recovery(ended), did(alert.Recovered, 2, ended))
	}
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), p.ID))
	wantSame(t, "Alerts of the deleted project", iidsOf(allAlerts(t, s, p.ID)), []int64(nil))
	wantCounted(t, s, p.ID)
	wantCounted(t, s, other.ID)
	for iid := range int64(4) {
		_, err := s.Alert(t.Context(), p.ID, iid+1, now)
		wantError(t, "Alert of the deleted project", err, alert.ErrNotFound)
		_, err = s.AlertPayload(t.Context(), p.ID, iid+1, now)
		wantError(t, "AlertPayload of the deleted project", err, alert.ErrNotFound)
	}
	wantSame(t, "Alerts of the other", iidsOf(allAlerts(t, s, other.ID)), []int64{4, 3, 2, 1})
	got := must[[]byte](t)(s.AlertPayload(t.Context(), other.ID, 1, now))
	wantSame(t, "AlertPayload of the other", bytes.Equal(got, open.Payload), true)
	wantReport(t, s, other.ID, open, did(alert.Repeated, 1, open))
	wantReport(t, s, other.ID, recovery(alone), did(alert.Recovered, 3, alone))
}

func reopenRace(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	for range 8 {
		report(t, s, p, o, now)
		report(t, s, p, recovery(o), now)
	}
	errs := race(8, func(i int) error {
		_, err := s.ChangeAlert(t.Context(), readAlert(t, s, p, int64(i)+1), reopen(now))
		return err
	})
	winner := wantOneWinner(t, "ChangeAlert", errs, is(alert.ErrDuplicateOpen))
	open := matching(t, s, p, alert.Filter{Statuses: []alert.Status{alert.Triggered}})
	wantSame(t, "the open alerts", iidsOf(open), []int64{int64(winner) + 1})
}

func changeRacingFires(t *testing.T, s storage.Store) {
	p, o := newProjectID(), newOccurrence()
	wantReport(t, s, p, o, did(alert.Opened, 1, o))
	errs := race(40, func(i int) error {
		if i%10 > 0 {
			_, err := s.RecordOccurrences(t.Context(), p, [][]alert.Occurrence{{o}}, now)
			return err
		}
		c := []alert.Change{acknowledge(now), resolve(now)}[i/10%2]
		_, err := s.ChangeAlert(t.Context(), readAlert(t, s, p, 1), c)
		if errors.Is(err, alert.ErrChanged) || errors.Is(err, alert.ErrDuplicateOpen) {
			return nil // the alert was resolved meanwhile, and another one may be open
		}
		return err
	})
	for _, err := range errs {
		wantOK(t, "a call", err)
	}
	wantNoneLost(t, s, p, 37)
}
