package attention

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/incident"
	"gatehouse/shared/oncall"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// How much a home shows and looks at. It is bounded by these alone, and not by how many
// projects, groups, alerts or schedules there are.
const (
	shownProjects  = 10 // in need of attention, and of the newest
	shownAssigned  = 10 // alerts, and incidents
	shownTurns     = 20
	ownSchedules   = 20  // the newest that the user is in
	lookedGroups   = 50  // of which the user is a direct member
	lookedProjects = 100 // the newest of which the user is a direct member
)

// Assigned is something that waits for the user in a project.
type Assigned[T any] struct {
	Project project.Project
	Thing   T
}

// Home is what needs a user across the projects in which the user has the role Developer
// or above, because of memberships or as the owner of the namespace.
type Home struct {
	Needing     []Row // the gravest first
	MoreNeeding bool
	// Unread means that there are groups or projects of the user that were not looked at.
	Unread bool

	Alerts        []Assigned[alert.Alert]
	MoreAlerts    bool
	Incidents     []Assigned[incident.Stored]
	MoreIncidents bool

	OnCall []Turn // the user's own turns first

	Projects     []Row // the newest, with whatever role
	MoreProjects bool
}

// Needs reports whether the project is among those that need attention.
func (h Home) Needs(projectID int64) bool {
	return slices.ContainsFunc(h.Needing, func(row Row) bool { return row.Project.ID == projectID })
}

// Turn is somebody's turn on call.
type Turn struct {
	Duty
	User    user.User
	Project project.Project
	Own     bool
}

// Home returns what needs the viewer. Beside the memberships it takes three steps, and a
// request for each of the viewer's groups, whatever the size of the instance.
func (r *Rules) Home(ctx context.Context, v project.Viewer) (Home, error) {
	one := &reading{Rules: r, viewer: v}
	for _, step := range []func(context.Context) error{one.find, one.places, one.people} {
		if err := step(ctx); err != nil {
			return Home{}, err
		}
	}
	one.show()
	return one.Home, nil
}

// reading is a Home that is being read.
type reading struct {
	*Rules
	Home
	viewer  project.Viewer
	worked  []int64 // groups in which the viewer has the role Developer or above
	watched []int64 // the other groups that the viewer joined
	direct  []int64 // projects that the viewer joined with the role Developer or above
	visited []int64 // the other ones
	// moreDirect means that the viewer joined more projects than were read.
	moreDirect bool

	needing, newest []int64 // projects
	alerts          []alert.Alert
	incidents       []incident.Stored
	own             []oncall.Stored // schedules that the viewer is in

	rows  map[int64]Row
	users map[int64]user.User           // who may be on call
	roles map[int64]project.Memberships // theirs, by user
}

// all calls the functions at once.
func all(ctx context.Context, calls ...func(context.Context) error) error {
	reads, ctx := errgroup.WithContext(ctx)
	for _, call := range calls {
		reads.Go(func() error { return call(ctx) })
	}
	return reads.Wait()
}

// find finds what the home is about.
func (r *reading) find(ctx context.Context) error {
	return all(ctx, r.assigned, func(ctx context.Context) error {
		if err := r.memberships(ctx); err != nil {
			return err
		}
		return r.findProjects(ctx)
	})
}

// memberships reads in which groups and projects the viewer has a say.
func (r *reading) memberships(ctx context.Context) error {
	var inGroups project.Memberships
	var inProjects page.Of[project.Member]
	err := all(ctx, func(ctx context.Context) (err error) {
		inGroups, err = r.Rules.projects.MembershipsIn(ctx, project.InGroup, r.viewer.UserID)
		return err
	}, func(ctx context.Context) (err error) {
		inProjects, err = r.Rules.projects.MembershipPage(ctx, project.InProject, r.viewer.UserID, page.Request{Number: 1, Size: lookedProjects})
		return err
	})
	r.viewer.Memberships = slices.Concat(inGroups, inProjects.Items)
	r.moreDirect, r.Unread = inProjects.More, inProjects.More
	if r.viewer.NamespaceID != 0 {
		r.worked = append(r.worked, r.viewer.NamespaceID)
	}
	for _, m := range r.viewer.Memberships {
		r.join(m)
	}
	return err
}

// join adds a place of the viewer to those that are looked at.
func (r *reading) join(m project.Member) {
	works := m.Role >= project.Developer
	switch {
	case !m.Active(r.now()):
	case m.Kind == project.InProject && works:
		r.direct = append(r.direct, m.ID)
	case m.Kind == project.InProject:
		r.visited = append(r.visited, m.ID)
	case len(r.worked)+len(r.watched) >= lookedGroups:
		r.Unread = true
	case works:
		r.worked = append(r.worked, m.ID)
	default:
		r.watched = append(r.watched, m.ID)
	}
}

// assigned reads what waits for the viewer.
func (r *reading) assigned(ctx context.Context) error {
	return all(ctx, func(ctx context.Context) (err error) {
		r.alerts, r.MoreAlerts, err = r.Rules.alerts.AssignedTo(ctx, r.viewer.UserID, shownAssigned)
		return err
	}, func(ctx context.Context) (err error) {
		r.incidents, r.MoreIncidents, err = r.Rules.incidents.AssignedTo(ctx, r.viewer.UserID, shownAssigned)
		return err
	}, func(ctx context.Context) (err error) {
		r.own, err = r.onCall.SchedulesOf(ctx, r.viewer.UserID, ownSchedules)
		return err
	})
}

// findProjects finds the projects that need attention, and the newest, also those in which
// the viewer only looks on: of these it does not look at what is open.
func (r *reading) findProjects(ctx context.Context) error {
	var worked, watched []Needing
	var direct map[int64]Summary
	err := all(ctx, func(ctx context.Context) (err error) {
		worked, err = r.store.ProjectsBelow(ctx, r.worked, false, shownProjects+1)
		return err
	}, func(ctx context.Context) (err error) {
		watched, err = r.store.ProjectsBelow(ctx, r.watched, true, shownProjects+1)
		return err
	}, func(ctx context.Context) (err error) {
		direct, err = r.store.ProjectSummaries(ctx, r.direct)
		return err
	})
	found := slices.Concat(worked, watched)
	for _, id := range slices.Concat(r.direct, r.visited) {
		found = append(found, Needing{ProjectID: id})
		if rank := direct[id].Rank(); rank > 0 {
			found = append(found, Needing{id, rank})
		}
	}
	r.pick(First(found, shownProjects+1))
	return err
}

// pick takes the projects that are shown.
func (r *reading) pick(found []Needing) {
	for _, one := range found {
		if one.Rank > 0 {
			r.needing = append(r.needing, one.ProjectID)
		} else {
			r.newest = append(r.newest, one.ProjectID)
		}
	}
	r.MoreNeeding, r.needing = len(r.needing) > shownProjects, r.needing[:min(shownProjects, len(r.needing))]
	r.MoreProjects, r.newest = len(r.newest) > shownProjects, r.newest[:min(shownProjects, len(r.newest))]
}

// places reads the projects of all that with their summaries.
func (r *reading) places(ctx context.Context) (err error) {
	ids := slices.Concat(r.needing, r.newest)
	for _, a := range r.alerts {
		ids = append(ids, a.ProjectID)
	}
	for _, i := range r.incidents {
		ids = append(ids, i.Place.ID)
	}
	for _, s := range r.own {
		ids = append(ids, s.Place.ID)
	}
	r.rows, err = r.store.ProjectRows(ctx, ids)
	return err
}

// people reads who is on call, and whether they and the viewer may work on the projects: one
// may have been assigned before one's role ended.
func (r *reading) people(ctx context.Context) error {
	var ids []int64
	var wanted []project.Member
	ask := func(userID int64, places ...project.Place) {
		for _, at := range places {
			wanted = append(wanted, project.Member{UserID: userID, Place: at})
		}
	}
	for _, row := range r.rows {
		if r.moreDirect {
			ask(r.viewer.UserID, row.Project.Place())
		}
		for _, d := range r.turnsIn(row) {
			ids = append(ids, d.UserID)
			ask(d.UserID, row.Project.Places()...)
		}
	}
	found, memberships, err := r.store.UsersWithRoles(ctx, ids, wanted)
	r.users, r.roles = found, map[int64]project.Memberships{}
	for _, m := range memberships {
		r.roles[m.UserID] = append(r.roles[m.UserID], m)
	}
	r.viewer.Memberships = append(r.viewer.Memberships, r.roles[r.viewer.UserID]...)
	return err
}

// turnsIn returns who is on call now, of a project that is not shown only in the viewer's
// schedules.
func (r *reading) turnsIn(row Row) (now []Duty) {
	id := row.Project.ID
	shown := slices.Contains(r.needing, id) || slices.Contains(r.newest, id)
	for _, d := range row.OnCall {
		own := slices.ContainsFunc(r.own, func(s oncall.Stored) bool { return s.ID == d.ScheduleID })
		if d.holds(r.now()) && (shown || own) {
			now = append(now, d)
		}
	}
	return now
}

// show puts together what the viewer may see.
func (r *reading) show() {
	for _, id := range r.needing {
		if row, works := r.worksOn(id); works {
			r.Needing = append(r.Needing, row)
		}
	}
	for _, id := range r.newest {
		if row, works := r.worksOn(id); works {
			r.Projects = append(r.Projects, row)
		} else if row.Project.ID != 0 {
			r.Projects = append(r.Projects, Row{Project: row.Project})
		}
	}
	for _, a := range r.alerts {
		if row, works := r.worksOn(a.ProjectID); works {
			r.Alerts = append(r.Alerts, Assigned[alert.Alert]{row.Project, a})
		}
	}
	for _, i := range r.incidents {
		if row, works := r.worksOn(i.Place.ID); works {
			r.Incidents = append(r.Incidents, Assigned[incident.Stored]{row.Project, i})
		}
	}
	r.showTurns()
}

// showTurns shows who is on call: the viewer's turns first, and then those that end first.
func (r *reading) showTurns() {
	for id := range r.rows {
		row, works := r.worksOn(id)
		if !works {
			continue
		}
		for _, d := range r.turnsIn(row) {
			if u, there := r.users[d.UserID]; there && r.takesPart(u, row.Project) {
				r.OnCall = append(r.OnCall, Turn{d, u, row.Project, u.ID == r.viewer.UserID})
			}
		}
	}
	slices.SortFunc(r.OnCall, func(a, b Turn) int {
		switch {
		case a.Own && !b.Own:
			return -1
		case b.Own && !a.Own:
			return 1
		}
		return cmp.Or(a.EndsAt.Compare(b.EndsAt), cmp.Compare(a.ScheduleID, b.ScheduleID), cmp.Compare(a.UserID, b.UserID))
	})
	r.OnCall = r.OnCall[:min(shownTurns, len(r.OnCall))]
}

// takesPart reports whether the user can still be on call in the project.
func (r *reading) takesPart(u user.User, p project.Project) bool {
	as := project.Viewer{UserID: u.ID, Memberships: r.roles[u.ID]}
	return !u.Blocked() && as.RoleIn(p, r.now()) >= project.Developer
}

// worksOn returns the project, and whether the viewer has the role Developer or above in it.
func (r *reading) worksOn(projectID int64) (Row, bool) {
	row, there := r.rows[projectID]
	return row, there && r.viewer.RoleIn(row.Project, r.now()) >= project.Developer
}
