package incident_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/incident"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// setup is a project of Ada, in which Ben is a developer.
type setup struct {
	*apptest.App
	p   project.Project
	ada audit.Actor
	ben user.User
}

func arrange(t *testing.T) setup {
	t.Helper()
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	p := a.Project("web", a.Namespace(ada), project.Private)
	a.Member(p.Place(), ben, project.Developer)
	return setup{a, p, audit.ByUser(ada.ID), ben}
}

// fire opens an alert.
func (s setup) fire(t *testing.T, title string, payload string) alert.Current {
	t.Helper()
	o := alert.Occurrence{
		Title: title, Severity: alert.SeverityHigh, StartedAt: s.Now(), Environment: "production", Payload: []byte(payload), Count: 1,
	}
	recorded := must[[][]alert.Recorded](t)(s.Store.RecordOccurrences(t.Context(), s.p.ID, [][]alert.Occurrence{{o}}, s.Now()))
	return s.alert(t, recorded[0][0].IID)
}

func (s setup) alert(t *testing.T, iid int64) alert.Current {
	t.Helper()
	return must[alert.Current](t)(s.Alerts.Current(t.Context(), s.p, iid))
}

// resolve resolves an alert as a recovery does.
func (s setup) resolve(t *testing.T, a alert.Current) alert.Alert {
	t.Helper()
	resolved := alert.Resolved
	return must[alert.Alert](t)(s.Alerts.Change(t.Context(), incident.Gatehouse, s.p, s.alert(t, a.IID), alert.Change{Status: &resolved}))
}

// open makes the incident of an alert.
func (s setup) open(t *testing.T, a alert.Current) incident.Stored {
	t.Helper()
	opened, made, err := s.Incidents.OpenFor(t.Context(), s.p, a, "")
	if err != nil || !made {
		t.Fatalf("OpenFor = %+v, %t, %v, want a new incident", opened, made, err)
	}
	return opened
}

// create makes an incident by hand.
func (s setup) create(t *testing.T, title string, alerts ...int64) incident.Stored {
	t.Helper()
	d := incident.Draft{Title: title, Severity: alert.SeverityLow, Alerts: alerts}
	return must[incident.Stored](t)(s.Incidents.Create(t.Context(), s.ada, s.p, d))
}

func (s setup) find(t *testing.T, iid int64) incident.Stored {
	t.Helper()
	return must[incident.Stored](t)(s.Incidents.Find(t.Context(), s.p, iid))
}

func (s setup) change(t *testing.T, was incident.Stored, c incident.Change) incident.Stored {
	t.Helper()
	return must[incident.Stored](t)(s.Incidents.Change(t.Context(), s.ada, s.p, was, c))
}

// told returns the kinds of the messages about an incident, in their order.
func (s setup) told(t *testing.T, iid int64) (kinds []string) {
	t.Helper()
	lane := outbox.Lane(fmt.Sprintf("incident/%d/%d", s.p.ID, iid))
	for _, m := range must[[]outbox.Message](t)(s.Store.Waiting(t.Context(), lane, 100)) {
		kinds = append(kinds, strings.TrimPrefix(string(m.Kind), "incident."))
	}
	return kinds
}

// timeline returns the kinds in the timeline, the oldest first, in pages of this size.
func (s setup) timeline(t *testing.T, iid int64, size int) (kinds []string) {
	t.Helper()
	for _, e := range s.entries(t, iid, size) {
		kinds = append([]string{string(e.Kind)}, kinds...)
	}
	return kinds
}

func (s setup) entries(t *testing.T, iid int64, size int) (all []incident.Entry) {
	t.Helper()
	for r := (page.Request{Number: 1, Size: size}); ; r.Number++ {
		found := must[page.Of[incident.Entry]](t)(s.Incidents.Timeline(t.Context(), s.p, s.find(t, iid), r))
		if all = append(all, found.Items...); !found.More {
			return all
		}
		r.After = found.Next
	}
}

func ptr[T any](v T) *T { return &v }

func wantKinds(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestAnAlertGetsOneIncident(t *testing.T) {
	s := arrange(t)
	first := s.fire(t, "Disk full", `{"a":1}`)
	opened := s.open(t, first)
	i := opened.Thing
	if opened.Number != 1 || incident.TitleOf(opened) != "Disk full" || i.Severity != alert.SeverityHigh || i.Status != incident.Triggered ||
		i.State != incident.Opened || i.AuthorID != 0 || i.Environment != "production" || !i.StartedAt.Equal(first.StartedAt) {
		t.Errorf("the incident is %+v", opened)
	}
	linked := s.alert(t, first.IID)
	if linked.IncidentIID != 1 {
		t.Errorf("the alert has the incident %d, want 1", linked.IncidentIID)
	}
	again, made, err := s.Incidents.OpenFor(t.Context(), s.p, linked, "")
	if err != nil || made || again.Number != 1 {
		t.Errorf("OpenFor again = %d, %t, %v, want the same", again.Number, made, err)
	}
	untitled := s.open(t, s.fire(t, "New: Alert", `{}`))
	if got := incident.TitleOf(untitled); got != "New: Incident 2" {
		t.Errorf("the title is %q, want the number", got)
	}
	wantKinds(t, "the timeline", s.timeline(t, 1, 20), "opened")
	wantKinds(t, "the messages", s.told(t, 1), "opened")
}

func TestAResolvedAlertGetsNoIncident(t *testing.T) {
	s := arrange(t)
	a := s.fire(t, "a", `{}`)
	s.resolve(t, a)
	got, made, err := s.Incidents.OpenFor(t.Context(), s.p, s.alert(t, a.IID), "")
	if err != nil || made || got.Number != 0 {
		t.Errorf("OpenFor = %+v, %t, %v, want none", got, made, err)
	}
}

// What was not noted on the alert when its incident was made is noted by whoever comes next.
func TestALostLinkIsHealed(t *testing.T) {
	s := arrange(t)
	a := s.fire(t, "a", `{}`)
	heal := map[string]func() error{
		"OpenFor": func() error { _, _, err := s.Incidents.OpenFor(t.Context(), s.p, s.alert(t, a.IID), ""); return err },
		"Settle": func() error {
			return s.Incidents.Settle(t.Context(), s.p, incident.Told{IncidentIID: 1, Kind: incident.WasOpened})
		},
	}
	s.open(t, a)
	for name, deed := range heal {
		must[alert.Alert](t)(s.Alerts.Change(t.Context(), incident.Gatehouse, s.p, s.alert(t, a.IID), alert.Change{IncidentIID: ptr(int64(0))}))
		if err := deed(); err != nil || s.alert(t, a.IID).IncidentIID != 1 {
			t.Errorf("after %s = %v the alert has the incident %d", name, err, s.alert(t, a.IID).IncidentIID)
		}
	}
}

func TestClosingResolvesAlertsAndReopeningLeavesThem(t *testing.T) {
	s := arrange(t)
	a, b := s.fire(t, "a", `{}`), s.fire(t, "b", `{}`)
	i := s.create(t, "Both", a.IID, b.IID, a.IID)
	i = s.change(t, i, incident.Change{Status: ptr(incident.Resolved)})
	if i.Thing.State != incident.Opened || !s.alert(t, a.IID).Open() || i.Thing.EndedAt.IsZero() {
		t.Errorf("a resolved incident is %+v, and its alert open: %t, want it open too", i.Thing, s.alert(t, a.IID).Open())
	}
	i = s.change(t, i, incident.Change{Status: ptr(incident.Acknowledged)})
	i = s.change(t, i, incident.Change{State: ptr(incident.Closed)})
	if i.Thing.Status != incident.Resolved || i.Thing.ClosedAt.IsZero() || s.alert(t, a.IID).Open() || s.alert(t, b.IID).Open() {
		t.Errorf("a closed incident is %+v, and its alerts open: %t, %t", i.Thing, s.alert(t, a.IID).Open(), s.alert(t, b.IID).Open())
	}
	s.Pass(time.Minute)
	i = s.change(t, i, incident.Change{State: ptr(incident.Opened)})
	if i.Thing.Status != incident.Triggered || !i.Thing.ClosedAt.IsZero() || !i.Thing.EndedAt.IsZero() || !i.Thing.ExpiresAt.IsZero() || s.alert(t, a.IID).Open() {
		t.Errorf("a reopened incident is %+v, and its alert open: %t", i.Thing, s.alert(t, a.IID).Open())
	}
	kinds := []string{"opened", "resolved", "acknowledged", "closed", "reopened"}
	wantKinds(t, "the timeline", s.timeline(t, i.Number, 2), kinds...)
	wantKinds(t, "the messages", s.told(t, i.Number), kinds...)
}

// Whoever closed the incident died before its alerts were resolved. An alert that people
// opened again since is left alone.
func TestSettleResolvesTheAlertsOfAClosedIncident(t *testing.T) {
	s := arrange(t)
	a, b := s.fire(t, "a", `{}`), s.fire(t, "b", `{}`)
	i := s.create(t, "Both", a.IID, b.IID)
	s.change(t, i, incident.Change{State: ptr(incident.Closed)})
	for iid, later := range map[int64]time.Duration{a.IID: 0, b.IID: time.Minute} {
		at := s.App.At(s.Now().Add(later))
		must[alert.Alert](t)(at.Alerts.Change(t.Context(), s.ada, s.p, s.alert(t, iid), alert.Change{Status: ptr(alert.Triggered)}))
	}
	told := incident.Told{IncidentIID: i.Number, Kind: incident.WasClosed, ActorID: s.ada.UserID}
	if err := s.Incidents.Settle(t.Context(), s.p, told); err != nil || s.alert(t, a.IID).Open() || !s.alert(t, b.IID).Open() {
		t.Errorf("after Settle = %v the alerts are open: %t, %t, want only the second", err, s.alert(t, a.IID).Open(), s.alert(t, b.IID).Open())
	}
	if err := s.Incidents.Settle(t.Context(), s.p, incident.Told{IncidentIID: 99, Kind: incident.WasClosed}); err != nil {
		t.Errorf("Settle of no incident = %v", err)
	}
}

func TestARecoveryClosesTheIncidentOfResolvedAlerts(t *testing.T) {
	s := arrange(t)
	a, b := s.fire(t, "a", `{}`), s.fire(t, "b", `{}`)
	i := s.open(t, a)
	must[incident.Stored](t)(s.Incidents.Link(t.Context(), s.ada, s.p, i, b.IID))
	recover := func(a alert.Alert, want bool) {
		t.Helper()
		_, closed, err := s.Incidents.RecoverFor(t.Context(), s.p, a)
		if err != nil || closed != want {
			t.Errorf("RecoverFor = %t, %v, want %t", closed, err, want)
		}
	}
	recover(s.alert(t, a.IID).Alert, false)
	first := s.resolve(t, a)
	recover(first, false)
	second := s.resolve(t, b)
	recover(second, true)
	recover(second, false)
	if got := s.find(t, i.Number).Thing; got.State != incident.Closed || got.Status != incident.Resolved {
		t.Errorf("the incident is %s and %s", got.State, got.Status)
	}
	last := s.entries(t, i.Number, 1)[0]
	if last.Kind != incident.WasClosed || last.ActorID != 0 || last.Text != "alert 2 recovered" || last.AlertIID != b.IID {
		t.Errorf("the last entry is %+v", last)
	}
	s.Pass(time.Minute)
	s.change(t, s.find(t, i.Number), incident.Change{State: ptr(incident.Opened)})
	recover(second, false) // is late
	s.Pass(410 * 24 * time.Hour)
	third := s.fire(t, "c", `{}`)
	must[incident.Stored](t)(s.Incidents.Link(t.Context(), s.ada, s.p, s.find(t, i.Number), third.IID))
	recover(s.resolve(t, third), true) // the others have expired
	alone, _, err := s.Incidents.RecoverFor(t.Context(), s.p, s.resolve(t, s.fire(t, "c", `{}`)))
	if err != nil || alone.Number != 0 {
		t.Errorf("RecoverFor an alert without incident = %+v, %v", alone, err)
	}
}

func TestAnAlertBelongsToOneIncident(t *testing.T) {
	s := arrange(t)
	a := s.fire(t, "a", `{}`)
	first, second := s.create(t, "First", a.IID), s.create(t, "Second")
	_, err := s.Incidents.Link(t.Context(), s.ada, s.p, second, a.IID)
	if err != incident.ErrHasIncident {
		t.Errorf("Link = %v, want %v", err, incident.ErrHasIncident)
	}
	_, err = s.Incidents.Create(t.Context(), s.ada, s.p, incident.Draft{Title: "Third", Severity: alert.SeverityLow, Alerts: []int64{a.IID}})
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "alert_iids has an alert that belongs to another incident") {
		t.Errorf("Create = %v, want a complaint", err)
	}
	if _, err := s.Incidents.Link(t.Context(), s.ada, s.p, second, 99); !fault.Is(err, fault.NotFound) {
		t.Errorf("Link of no alert = %v", err)
	}
	linked := must[incident.Stored](t)(s.Incidents.Link(t.Context(), s.ada, s.p, first, a.IID))
	if linked.Version != first.Version {
		t.Error("linking an alert again changes the incident")
	}
	left := must[incident.Stored](t)(s.Incidents.Unlink(t.Context(), s.ada, s.p, first, a.IID))
	if s.alert(t, a.IID).IncidentIID != 0 || len(left.Thing.Alerts) != 0 {
		t.Errorf("after Unlink the alert has the incident %d, and that has %v", s.alert(t, a.IID).IncidentIID, left.Thing.Alerts)
	}
	if _, err := s.Incidents.Unlink(t.Context(), s.ada, s.p, left, a.IID); !fault.Is(err, fault.NotFound) {
		t.Errorf("Unlink again = %v", err)
	}
	must[incident.Stored](t)(s.Incidents.Link(t.Context(), s.ada, s.p, second, a.IID))
	if got := s.alert(t, a.IID).IncidentIID; got != second.Number {
		t.Errorf("the alert has the incident %d, want %d", got, second.Number)
	}
	// A late message about the first incident leaves the second alone.
	if err := s.Incidents.Settle(t.Context(), s.p, incident.Told{IncidentIID: first.Number, Kind: incident.WasUnlinked, AlertIID: a.IID}); err != nil || s.alert(t, a.IID).IncidentIID != second.Number {
		t.Errorf("Settle = %v, and the alert has the incident %d", err, s.alert(t, a.IID).IncidentIID)
	}
	wantKinds(t, "the messages", s.told(t, first.Number), "opened", "unlinked")
	wantKinds(t, "the messages", s.told(t, second.Number), "opened", "linked")
}

func TestAnIncidentHasOnlySoManyAlerts(t *testing.T) {
	s := arrange(t)
	i := s.create(t, "Storm")
	for range incident.MaxAlerts {
		i = must[incident.Stored](t)(s.Incidents.Link(t.Context(), s.ada, s.p, i, s.fire(t, "a", `{}`).IID))
	}
	if _, err := s.Incidents.Link(t.Context(), s.ada, s.p, i, s.fire(t, "a", `{}`).IID); err != incident.ErrTooManyAlerts {
		t.Errorf("Link = %v, want %v", err, incident.ErrTooManyAlerts)
	}
	if got := s.timeline(t, i.Number, 20); len(got) != 50 {
		t.Errorf("the timeline has %d changes, want the latest 50", len(got))
	}
	_, err := s.Incidents.Create(t.Context(), s.ada, s.p, incident.Draft{Title: "Many", Severity: alert.SeverityLow, Alerts: make([]int64, 21)})
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("Create = %v, want a complaint", err)
	}
}

func TestChangesAreChecked(t *testing.T) {
	s := arrange(t)
	open := s.create(t, "Open")
	closed := s.change(t, s.create(t, "Closed"), incident.Change{State: ptr(incident.Closed)})
	reporter := s.User("reporter")
	s.Member(s.p.Place(), reporter, project.Reporter)
	for want, test := range map[string]struct {
		was incident.Stored
		c   incident.Change
	}{
		"title can't be blank":                                                        {open, incident.Change{Title: ptr(" ")}},
		"title is too long (maximum is 255 characters)":                               {open, incident.Change{Title: ptr(strings.Repeat("ä", 256))}},
		"title contains a control character":                                          {open, incident.Change{Title: ptr("a\nb")}},
		"description is too long (maximum is 50000 characters)":                       {open, incident.Change{Description: ptr(strings.Repeat("ä", 50_001))}},
		"severity does not have a valid value":                                        {open, incident.Change{Severity: ptr(alert.Severity("bad"))}},
		"status does not have a valid value":                                          {open, incident.Change{Status: ptr(incident.Status("ignored"))}},
		"state does not have a valid value":                                           {open, incident.Change{State: ptr(incident.State("gone"))}},
		"status must be resolved while the incident is closed":                        {closed, incident.Change{Status: ptr(incident.Triggered)}},
		"assignee_id is not somebody with the role Developer or above in the project": {open, incident.Change{AssigneeID: &reporter.ID, Status: ptr(incident.Resolved)}},
	} {
		_, err := s.Incidents.Change(t.Context(), s.ada, s.p, test.was, test.c)
		if !fault.Is(err, fault.Invalid) || err.Error() != want {
			t.Errorf("Change = %v, want %s", err, want)
		}
		if got := s.find(t, test.was.Number); got.Version != test.was.Version {
			t.Errorf("a refused change is stored: %+v", got)
		}
	}
}

func TestAChangeWithoutEffectWritesNothing(t *testing.T) {
	s := arrange(t)
	was := s.create(t, "a")
	same := s.change(t, was, incident.Change{Title: ptr("a"), State: ptr(incident.Opened), Status: ptr(incident.Triggered), AssigneeID: ptr(int64(0)), Severity: ptr(alert.SeverityLow)})
	if same.Version != was.Version || s.find(t, 1).Version != was.Version {
		t.Errorf("the version is %d, want %d", same.Version, was.Version)
	}
	changed := s.change(t, was, incident.Change{Title: ptr("b"), Severity: ptr(alert.SeverityHigh), AssigneeID: &s.ben.ID})
	entries := s.entries(t, 1, 20)
	if changed.Thing.Title != "b" || entries[0].Text != "severity from low to high, title" || entries[1].UserID != s.ben.ID || entries[0].ActorID != s.ada.UserID {
		t.Errorf("the incident is %+v, its timeline %+v", changed.Thing, entries)
	}
	wantKinds(t, "the messages", s.told(t, 1), "opened", "assigned")
	if _, err := s.Incidents.Change(t.Context(), s.ada, s.p, was, incident.Change{Title: ptr("c"), Seen: was.Version}); err != incident.ErrChanged {
		t.Errorf("Change of what was changed since = %v, want %v", err, incident.ErrChanged)
	}
	if got := s.change(t, was, incident.Change{Title: ptr("c")}); got.Thing.Title != "c" || got.Thing.Severity != alert.SeverityHigh {
		t.Errorf("after a change of any version the incident is %+v", got.Thing)
	}
}

func TestNotesAreInTheTimeline(t *testing.T) {
	s := arrange(t)
	i := s.create(t, "a")
	for n := range 45 { // at one instant
		e := must[incident.Entry](t)(s.Incidents.Note(t.Context(), s.ada, s.p, i, fmt.Sprint("note ", n)))
		if e.Kind != incident.Noted || e.Text != fmt.Sprint("note ", n) {
			t.Errorf("Note = %+v", e)
		}
	}
	s.Pass(time.Second)
	i = s.change(t, i, incident.Change{Status: ptr(incident.Acknowledged)})
	s.Pass(time.Second)
	must[incident.Entry](t)(s.Incidents.Note(t.Context(), s.ada, s.p, i, "last"))
	want := slices.Concat([]string{"opened"}, slices.Repeat([]string{"noted"}, 45), []string{"acknowledged", "noted"})
	for _, size := range []int{1, 7, 20, 100} {
		wantKinds(t, fmt.Sprint("the timeline by ", size), s.timeline(t, 1, size), want...)
	}
	wantKinds(t, "the messages", s.told(t, 1), want...)
	second := must[page.Of[incident.Entry]](t)(s.Incidents.Timeline(t.Context(), s.p, i, page.Request{Number: 2, Size: 40}))
	if len(second.Items) != 8 || second.More || second.Items[7].Kind != incident.WasOpened {
		t.Errorf("the second page is %+v", second)
	}
	for _, bad := range []string{"", " \n", strings.Repeat("ä", 10_001)} {
		if _, err := s.Incidents.Note(t.Context(), s.ada, s.p, i, bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("Note of %d bytes = %v, want a complaint", len(bad), err)
		}
	}
}

func TestClosedIncidentsExpire(t *testing.T) {
	s := arrange(t)
	i := s.create(t, "a", s.fire(t, "a", `{}`).IID)
	must[incident.Entry](t)(s.Incidents.Note(t.Context(), s.ada, s.p, i, "before"))
	closed := s.change(t, i, incident.Change{State: ptr(incident.Closed)})
	if want := s.Now().AddDate(0, 0, 400); !closed.Thing.ExpiresAt.Equal(want) {
		t.Errorf("the incident expires at %v, want %v", closed.Thing.ExpiresAt, want)
	}
	must[incident.Entry](t)(s.Incidents.Note(t.Context(), s.ada, s.p, closed, "after"))
	settle := func(k incident.EntryKind) {
		t.Helper()
		if err := s.Incidents.Settle(t.Context(), s.p, incident.Told{IncidentIID: 1, Kind: k}); err != nil {
			t.Fatal(err)
		}
	}
	settle(incident.WasClosed)
	later := s.App.At(s.Now().AddDate(0, 0, 401))
	if _, err := later.Incidents.Find(t.Context(), s.p, 1); !fault.Is(err, fault.NotFound) {
		t.Errorf("Find later = %v", err)
	}
	if _, err := later.Incidents.OfAlert(t.Context(), s.p, 1); !fault.Is(err, fault.NotFound) {
		t.Errorf("OfAlert later = %v", err)
	}
	listed := must[page.Of[incident.Stored]](t)(later.Incidents.List(t.Context(), s.p, incident.Query{}, page.First))
	notes := must[page.Of[incident.Entry]](t)(later.Incidents.Timeline(t.Context(), s.p, closed, page.First))
	if len(listed.Items) != 0 || len(notes.Items) != 2 {
		t.Errorf("later there are %d incidents, and %+v, want none and the changes alone", len(listed.Items), notes.Items)
	}
	reopened := s.change(t, closed, incident.Change{State: ptr(incident.Opened)})
	settle(incident.WasReopened)
	kept := must[page.Of[incident.Entry]](t)(later.Incidents.Timeline(t.Context(), s.p, reopened, page.First))
	if _, err := later.Incidents.Find(t.Context(), s.p, 1); err != nil || len(kept.Items) != 5 {
		t.Errorf("of a reopened incident are left: %v, %+v", err, kept.Items)
	}
}

func TestList(t *testing.T) {
	s := arrange(t)
	for n, c := range []incident.Change{
		{}, {Status: ptr(incident.Acknowledged)}, {Status: ptr(incident.Resolved), Severity: ptr(alert.SeverityHigh)},
		{State: ptr(incident.Closed)}, {AssigneeID: &s.ben.ID, Severity: ptr(alert.SeverityHigh)},
	} {
		s.change(t, s.create(t, fmt.Sprint("Disk ", n+1)), c)
	}
	s.open(t, s.fire(t, "New: Alert", `{}`))
	for name, test := range map[string]struct {
		q    incident.Query
		want []int64
	}{
		"all":                  {incident.Query{}, []int64{6, 5, 4, 3, 2, 1}},
		"open":                 {incident.Query{States: []incident.State{incident.Opened}}, []int64{6, 5, 3, 2, 1}},
		"closed":               {incident.Query{States: []incident.State{incident.Closed}}, []int64{4}},
		"resolved":             {incident.Query{Statuses: []incident.Status{incident.Resolved}}, []int64{4, 3}},
		"open, resolved":       {incident.Query{States: []incident.State{incident.Opened}, Statuses: []incident.Status{incident.Resolved}}, []int64{3}},
		"closed, not resolved": {incident.Query{States: []incident.State{incident.Closed}, Statuses: []incident.Status{incident.Triggered}}, nil},
		"two statuses":         {incident.Query{Statuses: []incident.Status{incident.Triggered, incident.Acknowledged}}, []int64{6, 5, 2, 1}},
		"high":                 {incident.Query{Severities: []alert.Severity{alert.SeverityHigh}}, []int64{6, 5, 3}},
		"high, triggered":      {incident.Query{Severities: []alert.Severity{alert.SeverityHigh}, Statuses: []incident.Status{incident.Triggered}}, []int64{6, 5}},
		"of Ben":               {incident.Query{AssigneeID: &s.ben.ID}, []int64{5}},
		"of nobody":            {incident.Query{AssigneeID: ptr(int64(0))}, []int64{6, 4, 3, 2, 1}},
		"by title":             {incident.Query{Search: " DISK "}, []int64{5, 4, 3, 2, 1}},
		"by number":            {incident.Query{Search: "incident 6"}, []int64{6}},
		"by what is not there": {incident.Query{Search: "x"}, nil},
	} {
		found := must[page.Of[incident.Stored]](t)(s.Incidents.List(t.Context(), s.p, test.q, page.First))
		var got []int64
		for _, i := range found.Items {
			got = append(got, i.Number)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The largest incident fits into an item of DynamoDB, whatever its texts are made of.
func TestTheLargestIncidentFits(t *testing.T) {
	i := incident.Incident{Title: strings.Repeat("\u2028", 255), Description: strings.Repeat("\u2028", incident.MaxDescription)}
	for range incident.MaxAlerts {
		i.Alerts = append(i.Alerts, 1<<50)
	}
	for range 50 {
		i.Changes = append(i.Changes, incident.Entry{ID: 1 << 52, At: time.Now(), ActorID: 1 << 50, Kind: incident.WasUnlinked, Text: strings.Repeat("x", 60), UserID: 1 << 50, AlertIID: 1 << 50})
	}
	if text, err := json.Marshal(i); len(text) > 350_000 || err != nil {
		t.Errorf("the incident has %d bytes, %v", len(text), err)
	}
}

// Messages say what the dispatcher has to know.
func TestMessages(t *testing.T) {
	s := arrange(t)
	i := s.change(t, s.create(t, "a"), incident.Change{AssigneeID: &s.ben.ID})
	messages := must[[]outbox.Message](t)(s.Store.Waiting(context.Background(), outbox.Lane(fmt.Sprintf("incident/%d/1", s.p.ID)), 10))
	last := messages[len(messages)-1]
	var told incident.Told
	if err := json.Unmarshal(last.Data, &told); err != nil {
		t.Fatal(err)
	}
	e := s.entries(t, 1, 1)[0]
	want := incident.Told{IncidentIID: i.Number, EntryID: e.ID, Kind: incident.WasAssigned, At: e.At, ActorID: s.ada.UserID, UserID: s.ben.ID}
	if diff := cmp.Diff(want, told); diff != "" || last.ProjectID != s.p.ID || !last.DueAt.Equal(e.At) {
		t.Errorf("the message is %+v (-want +got):\n%s", last, diff)
	}
}
