package storagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/incident"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
)

var incidents = []promise{
	{"of one alert are made once", openIncidentRace},
	{"have an alert of which there are two", linkAlertRace},
	{"are closed by the last of many recoveries", recoverRace},
	{"lose no note and no change", timelineRace},
}

// everybody is a developer, and nobody wants to be told of alerts.
type everybody struct{}

func (everybody) RoleIn(context.Context, project.Project, int64) (project.Role, error) {
	return project.Developer, nil
}

func (everybody) AlertPolicy(context.Context, project.Project) (alert.Policy, error) {
	return alert.Policy{}, nil
}

// desk is a project with the rules for its incidents.
type desk struct {
	*incident.Rules
	alerts *alert.Rules
	store  storage.Store
	p      project.Project
}

func addDesk(t *testing.T, s storage.Store) desk {
	t.Helper()
	clock := func() time.Time { return now }
	alerts := alert.NewRules(s, everybody{}, everybody{}, clock)
	rules := incident.NewRules(s, alerts, audit.NewTrail(s, clock), incident.Config{
		Members: everybody{}, Retention: func(context.Context, project.Project) (int, error) { return 1, nil }, Now: clock,
	})
	return desk{rules, alerts, s, addProject(t, s, addGroup(t, s, addUser(t, s).ID))}
}

// fire opens an alert.
func (d desk) fire(t *testing.T) alert.Current {
	t.Helper()
	o := alert.Occurrence{Title: "Down", Severity: alert.SeverityHigh, StartedAt: now, Payload: []byte("{}"), Count: 1}
	recorded := must[[][]alert.Recorded](t)(d.store.RecordOccurrences(t.Context(), d.p.ID, [][]alert.Occurrence{{o}}, now))
	return d.alert(t, recorded[0][0].IID)
}

func (d desk) alert(t *testing.T, iid int64) alert.Current {
	t.Helper()
	return must[alert.Current](t)(d.alerts.Current(t.Context(), d.p, iid))
}

func (d desk) create(t *testing.T, alerts ...int64) incident.Stored {
	t.Helper()
	draft := incident.Draft{Title: "a", Severity: alert.SeverityLow, Alerts: alerts}
	return must[incident.Stored](t)(d.Create(t.Context(), incident.Gatehouse, d.p, draft))
}

func openIncidentRace(t *testing.T, s storage.Store) {
	d := addDesk(t, s)
	a := d.fire(t)
	numbers, made := make([]int64, 8), make([]bool, 8)
	errs := race(len(numbers), func(n int) error {
		opened, won, err := d.OpenFor(t.Context(), d.p, a, "")
		numbers[n], made[n] = opened.Number, won
		return err
	})
	wantOK(t, "OpenFor", errors.Join(errs...))
	won := slices.Index(made, true)
	if won < 0 || slices.Contains(made[won+1:], true) || len(slices.Compact(numbers)) != 1 {
		t.Errorf("OpenFor made %v with the numbers %v, want one", made, numbers)
	}
	all := must[page.Of[incident.Stored]](t)(d.List(t.Context(), d.p, incident.Query{}, page.First))
	if len(all.Items) != 1 || d.alert(t, a.IID).IncidentIID != all.Items[0].Number {
		t.Errorf("there are %d incidents, and the alert has %d", len(all.Items), d.alert(t, a.IID).IncidentIID)
	}
}

func linkAlertRace(t *testing.T, s storage.Store) {
	d := addDesk(t, s)
	a, both := d.fire(t), []incident.Stored{d.create(t), d.create(t)}
	errs := race(2, func(n int) error {
		_, err := d.Link(t.Context(), incident.Gatehouse, d.p, both[n], a.IID)
		return err
	})
	won := wantOneWinner(t, "Link", errs, is(incident.ErrHasIncident))
	if got := d.alert(t, a.IID).IncidentIID; got != both[won].Number {
		t.Errorf("the alert has the incident %d, want %d", got, both[won].Number)
	}
}

func recoverRace(t *testing.T, s storage.Store) {
	d := addDesk(t, s)
	var iids []int64
	for range 4 {
		iids = append(iids, d.fire(t).IID)
	}
	i, resolved := d.create(t, iids...), alert.Resolved
	closed := make([]bool, len(iids))
	errs := race(len(iids), func(n int) error {
		found, err := d.alerts.Current(t.Context(), d.p, iids[n])
		if err != nil {
			return err
		}
		recovered, err := d.alerts.Change(t.Context(), incident.Gatehouse, d.p, found, alert.Change{Status: &resolved})
		if err == nil {
			_, closed[n], err = d.RecoverFor(t.Context(), d.p, recovered)
		}
		return err
	})
	wantOK(t, "RecoverFor", errors.Join(errs...))
	found := must[incident.Stored](t)(d.Find(t.Context(), d.p, i.Number))
	closings := slices.DeleteFunc(slices.Clone(found.Thing.Changes), func(e incident.Entry) bool { return e.Kind != incident.WasClosed })
	if found.Thing.State != incident.Closed || len(closings) != 1 {
		t.Errorf("the incident is %s after the closings %+v of %v, want one", found.Thing.State, closings, closed)
	}
}

func timelineRace(t *testing.T, s storage.Store) {
	d := addDesk(t, s)
	i := d.create(t)
	errs := race(8, func(n int) (err error) {
		if n%2 == 0 {
			_, err = d.Note(t.Context(), incident.Gatehouse, d.p, i, fmt.Sprint(n))
			return err
		}
		title := fmt.Sprint(n)
		_, err = d.Change(t.Context(), incident.Gatehouse, d.p, i, incident.Change{Title: &title})
		return err
	})
	wantOK(t, "Note and Change", errors.Join(errs...))
	i = must[incident.Stored](t)(d.Find(t.Context(), d.p, i.Number))
	for _, size := range []int{2, 20} {
		n := map[incident.EntryKind]int{}
		for r := (page.Request{Number: 1, Size: size}); ; r.Number++ {
			found := must[page.Of[incident.Entry]](t)(d.Timeline(t.Context(), d.p, i, r))
			for _, e := range found.Items {
				n[e.Kind]++
			}
			if r.After = found.Next; !found.More {
				break
			}
		}
		wantSame(t, "Timeline", n, map[incident.EntryKind]int{incident.WasOpened: 1, incident.WasChanged: 4, incident.Noted: 4})
	}
}
