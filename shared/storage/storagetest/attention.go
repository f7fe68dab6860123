package storagetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/attention"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

var summaries = []promise{
	{"list a project by how grave it is in the groups above", listInNeed},
	{"are read with their projects, and say who is on call", rowsOfProjects},
	{"list projects below groups by age", listNewest},
	{"name people with what they may", usersWithRoles},
	{"replace only what was read", saveSummaryAsRead},
	{"saved by many at once are saved once", raceSummary},
	{"go with their project", summaryOfDeleted},
}

var assignedAlerts = []promise{
	{"wait for whom they are assigned to while they are open", assignAlerts},
	{"resolved while they are assigned wait for nobody", raceAssignment},
	{"come the newest first, and as many as asked for", assignMany},
	{"of a deleted project wait for nobody", assignedOfDeleted},
}

// wantInNeed checks which projects need attention below the groups, and their ranks.
func wantInNeed(t *testing.T, s storage.Store, groups []int64, n int, want ...attention.Needing) {
	t.Helper()
	got, err := s.ProjectsBelow(t.Context(), groups, false, n)
	wantOK(t, "ProjectsBelow", err)
	got = slices.DeleteFunc(got, func(one attention.Needing) bool { return one.Rank == 0 })
	wantSame(t, "ProjectsBelow that need attention", got, slices.Clip(want))
}

// wantNewest checks which projects are the newest below the groups.
func wantNewest(t *testing.T, s storage.Store, groups []int64, n int, want ...project.Project) {
	t.Helper()
	for _, calm := range []bool{true, false} {
		found, err := s.ProjectsBelow(t.Context(), groups, calm, n)
		wantOK(t, "ProjectsBelow", err)
		var got, ids []int64
		for _, one := range found {
			switch {
			case one.Rank == 0:
				got = append(got, one.ProjectID)
			case calm:
				t.Errorf("ProjectsBelow tells the rank of %d, although only the newest are asked for", one.ProjectID)
			}
		}
		for _, p := range want {
			ids = append(ids, p.ID)
		}
		wantSame(t, "the newest of ProjectsBelow", got, ids)
	}
}

// saveSummary saves a summary with so many open alerts of the severity.
func saveSummary(t *testing.T, s storage.Store, p project.Project, was attention.Summary, severity alert.Severity, n int) attention.Summary {
	t.Helper()
	next := attention.Summary{Alerts: attention.Numbers{severity: n}, OnCall: was.OnCall, CountedAt: now}
	wantOK(t, "SaveProjectSummary", s.SaveProjectSummary(t.Context(), p, was, next))
	found := must[map[int64]attention.Summary](t)(s.ProjectSummaries(t.Context(), []int64{p.ID}))[p.ID]
	next.ProjectID, next.Version = p.ID, was.Version+1
	wantSame(t, "the summary", found, next)
	return found
}

func listInNeed(t *testing.T, s storage.Store) {
	owner := addUser(t, s)
	top := addGroup(t, s, owner.ID)
	below := addSubgroup(t, s, top, owner.ID)
	web, mail, own := addProject(t, s, below), addProject(t, s, top), addProject(t, s, namespaceOf(t, s, owner))
	groups := []int64{top.ID, below.ID, own.NamespaceID}
	wantInNeed(t, s, groups, 9)

	low := saveSummary(t, s, web, attention.Summary{}, alert.SeverityLow, 3)
	saveSummary(t, s, mail, attention.Summary{}, alert.SeverityCritical, 1)
	saveSummary(t, s, own, attention.Summary{}, alert.SeverityLow, 1)
	ofWeb, ofMail, ofOwn := attention.Needing{ProjectID: web.ID, Rank: 3}, attention.Needing{ProjectID: mail.ID, Rank: 6}, attention.Needing{ProjectID: own.ID, Rank: 3}
	wantInNeed(t, s, groups, 9, ofMail, ofOwn, ofWeb)
	wantInNeed(t, s, groups, 1, ofMail)
	wantInNeed(t, s, []int64{below.ID}, 9, ofWeb)

	high := saveSummary(t, s, web, low, alert.SeverityHigh, 2)
	ofWeb.Rank = 5
	wantInNeed(t, s, groups, 9, ofMail, ofWeb, ofOwn)
	saveSummary(t, s, web, high, alert.SeverityHigh, 0)
	wantInNeed(t, s, []int64{top.ID, below.ID}, 9, ofMail)
	found := must[map[int64]attention.Summary](t)(s.ProjectSummaries(t.Context(), []int64{web.ID, mail.ID, 1 << 40}))
	if len(found) != 2 {
		t.Errorf("ProjectSummaries found %d of two that exist and one that does not", len(found))
	}
}

func rowsOfProjects(t *testing.T, s storage.Store) {
	g := addGroup(t, s, addUser(t, s).ID)
	calm, p := addProject(t, s, g), addProject(t, s, g)
	duty := attention.Duty{ScheduleID: 7, Schedule: "Primary", UserID: 5, StartsAt: now.UTC(), EndsAt: now.UTC().Add(time.Hour)}
	of := saveSummary(t, s, p, attention.Summary{OnCall: []attention.Duty{duty}}, alert.SeverityHigh, 1)
	rows, err := s.ProjectRows(t.Context(), []int64{p.ID, calm.ID, p.ID, 1 << 40})
	wantOK(t, "ProjectRows", err)
	wantSame(t, "ProjectRows", rows, map[int64]attention.Row{p.ID: {Project: p, Summary: of}, calm.ID: {Project: calm}})
}

func listNewest(t *testing.T, s storage.Store) {
	owner := addUser(t, s)
	top := addGroup(t, s, owner.ID)
	below := addSubgroup(t, s, top, owner.ID)
	first, second := addProject(t, s, below), addProject(t, s, top)
	own := addProject(t, s, namespaceOf(t, s, owner))
	groups := []int64{top.ID, below.ID, own.NamespaceID}
	wantNewest(t, s, groups, 9, own, second, first)
	wantNewest(t, s, groups, 2, own, second)
	wantNewest(t, s, []int64{below.ID}, 9, first)
	wantNewest(t, s, nil, 9)
	saveSummary(t, s, first, attention.Summary{}, alert.SeverityHigh, 1)
	wantNewest(t, s, groups, 9, own, second, first)
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), second.ID))
	wantNewest(t, s, groups, 9, own, first)
}

func usersWithRoles(t *testing.T, s storage.Store) {
	g := addGroup(t, s, addUser(t, s).ID)
	p, ada, ben := addProject(t, s, g), addUser(t, s), addUser(t, s)
	inProject := project.Member{Place: p.Place(), UserID: ada.ID, Role: project.Developer, CreatedAt: now}
	elsewhere := project.Member{Place: g.Place(), UserID: ben.ID, Role: project.Guest, CreatedAt: now}
	wantOK(t, "AddMember", s.AddMember(t.Context(), inProject))
	wantOK(t, "AddMember", s.AddMember(t.Context(), elsewhere))
	users, roles, err := s.UsersWithRoles(t.Context(), []int64{ada.ID, ada.ID, 1 << 40}, []project.Member{
		{Place: p.Place(), UserID: ada.ID}, {Place: g.Place(), UserID: ada.ID}, {Place: p.Place(), UserID: ben.ID}, {Place: p.Place(), UserID: ada.ID},
	})
	wantOK(t, "UsersWithRoles", err)
	wantSame(t, "the users", users, map[int64]user.User{ada.ID: ada})
	wantSame(t, "their memberships", roles, project.Memberships{inProject})
}

func saveSummaryAsRead(t *testing.T, s storage.Store) {
	p := addProject(t, s, addGroup(t, s, addUser(t, s).ID))
	first := saveSummary(t, s, p, attention.Summary{}, alert.SeverityHigh, 1)
	second := saveSummary(t, s, p, first, alert.SeverityHigh, 2)
	for name, was := range map[string]attention.Summary{"none": {}, "an older one": first, "a later one": {Version: 9}} {
		err := s.SaveProjectSummary(t.Context(), p, was, attention.Summary{CountedAt: now})
		wantError(t, "SaveProjectSummary in place of "+name, err, attention.ErrChanged)
	}
	found := must[map[int64]attention.Summary](t)(s.ProjectSummaries(t.Context(), []int64{p.ID}))[p.ID]
	wantSame(t, "the summary", found, second)
}

func raceSummary(t *testing.T, s storage.Store) {
	p := addProject(t, s, addGroup(t, s, addUser(t, s).ID))
	saved := 0
	for _, err := range race(6, func(i int) error {
		next := attention.Summary{Alerts: attention.Numbers{alert.Severities[i]: 1}, CountedAt: now}
		return s.SaveProjectSummary(t.Context(), p, attention.Summary{}, next)
	}) {
		if err == nil {
			saved++
		} else {
			wantError(t, "SaveProjectSummary at once", err, attention.ErrChanged)
		}
	}
	found := must[map[int64]attention.Summary](t)(s.ProjectSummaries(t.Context(), []int64{p.ID}))[p.ID]
	if saved != 1 || found.Version != 1 {
		t.Errorf("%d of 6 saved a summary, which has the version %d; want one", saved, found.Version)
	}
	wantInNeed(t, s, p.Lineage, 9, attention.Needing{ProjectID: p.ID, Rank: found.Rank()})
}

func summaryOfDeleted(t *testing.T, s storage.Store) {
	p := addProject(t, s, addGroup(t, s, addUser(t, s).ID))
	was := saveSummary(t, s, p, attention.Summary{}, alert.SeverityHigh, 1)
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), p.ID))
	wantInNeed(t, s, p.Lineage, 9)
	err := s.SaveProjectSummary(t.Context(), p, was, attention.Summary{CountedAt: now})
	if err == nil {
		t.Error("a deleted project got a summary")
	}
	wantError(t, "SaveProjectSummary of a deleted project", s.SaveProjectSummary(t.Context(), p, attention.Summary{}, attention.Summary{CountedAt: now}), project.ErrNotFound)
	if found := must[map[int64]attention.Summary](t)(s.ProjectSummaries(t.Context(), []int64{p.ID})); len(found) > 0 {
		t.Errorf("a deleted project has the summary %v", found)
	}
}

// wantAssigned checks the numbers of the alerts that wait for the user.
func wantAssigned(t *testing.T, s storage.Store, userID int64, n int, want ...int64) {
	t.Helper()
	found, err := s.AssignedAlerts(t.Context(), userID, n, now)
	wantOK(t, "AssignedAlerts", err)
	var got []int64
	for _, a := range found {
		got = append(got, a.IID)
	}
	wantSame(t, "the assigned alerts", got, want)
}

// change changes an alert of the project as it is by now.
func change(t *testing.T, s storage.Store, projectID, iid int64, c alert.Change) {
	t.Helper()
	c.At = now
	must[alert.Alert](t)(s.ChangeAlert(t.Context(), readAlert(t, s, projectID, iid), c))
}

func assignAlerts(t *testing.T, s storage.Store) {
	p := addProject(t, s, addGroup(t, s, addUser(t, s).ID))
	ada, ben, nobody := addUser(t, s).ID, addUser(t, s).ID, int64(0)
	o := newOccurrence()
	report(t, s, p.ID, o, now)
	for _, step := range []struct {
		name     string
		change   alert.Change
		ada, ben []int64
	}{
		{"assigned", alert.Change{AssigneeID: &ada}, []int64{1}, nil},
		{"acknowledged", to(alert.Acknowledged, now), []int64{1}, nil},
		{"assigned to another", alert.Change{AssigneeID: &ben}, nil, []int64{1}},
		{"ignored", to(alert.Ignored, now), nil, nil},
		{"reopened", to(alert.Triggered, now), nil, []int64{1}},
		{"resolved", to(alert.Resolved, now), nil, nil},
		{"assigned when resolved", alert.Change{AssigneeID: &ada}, nil, nil},
		{"reopened again", to(alert.Triggered, now), []int64{1}, nil},
		{"unassigned", alert.Change{AssigneeID: &nobody}, nil, nil},
	} {
		t.Run(step.name, func(t *testing.T) {
			change(t, s, p.ID, 1, step.change)
			wantAssigned(t, s, ada, 9, step.ada...)
			wantAssigned(t, s, ben, 9, step.ben...)
		})
	}
	change(t, s, p.ID, 1, alert.Change{AssigneeID: &ada})
	o.Recovery, o.EndedAt = true, now
	report(t, s, p.ID, o, now)
	wantAssigned(t, s, ada, 9)
}

func raceAssignment(t *testing.T, s storage.Store) {
	p := addProject(t, s, addGroup(t, s, addUser(t, s).ID))
	u := addUser(t, s).ID
	for iid := int64(1); iid <= 4; iid++ {
		report(t, s, p.ID, newOccurrence(), now)
		a := readAlert(t, s, p.ID, iid)
		for _, err := range race(2, func(i int) error {
			c := to(alert.Resolved, now)
			if i == 1 {
				c = alert.Change{AssigneeID: &u, At: now}
			}
			for was := a; ; {
				_, err := s.ChangeAlert(t.Context(), was, c)
				if !errors.Is(err, alert.ErrChanged) {
					return err
				}
				if was, err = s.Alert(t.Context(), p.ID, iid, now); err != nil {
					return err
				}
			}
		}) {
			wantOK(t, "ChangeAlert", err)
		}
	}
	wantAssigned(t, s, u, 9)
}

func assignMany(t *testing.T, s storage.Store) {
	g := addGroup(t, s, addUser(t, s).ID)
	web, mail, u := addProject(t, s, g), addProject(t, s, g), addUser(t, s).ID
	for n := range 3 {
		for _, p := range []project.Project{web, mail} {
			iid := report(t, s, p.ID, newOccurrence(), now.Add(time.Duration(n)*time.Minute))[0].IID
			change(t, s, p.ID, iid, alert.Change{AssigneeID: &u})
		}
	}
	wantAssigned(t, s, u, 9, 3, 3, 2, 2, 1, 1)
	wantAssigned(t, s, u, 4, 3, 3, 2, 2)
}

func assignedOfDeleted(t *testing.T, s storage.Store) {
	p := addProject(t, s, addGroup(t, s, addUser(t, s).ID))
	u := addUser(t, s).ID
	report(t, s, p.ID, newOccurrence(), now)
	change(t, s, p.ID, 1, alert.Change{AssigneeID: &u})
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), p.ID))
	wantAssigned(t, s, u, 9)
}
