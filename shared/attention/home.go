package attention

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/incident"
	"gatehouse/shared/oncall"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// How much a home shows and looks at. It is bounded by these alone, and not by how many
// projects, groups, alerts or schedules there are.
const (
	shownProjects  = 10 // in need of attention, and of the newest
	shownAssigned  = 10 // alerts, and incidents
	shownSchedules = 20
	lookedGroups   = 50  // of which the user is a direct member
	lookedProjects = 100 // the newest of which the user is a direct member
)

// Row is a project of the user with what is open in it.
type Row struct {
	project.Project
	Summary
}

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
	oncall.Turn
	Project project.Project
	Own     bool
}

// Home returns what needs the viewer. It takes three steps beside the memberships and
// reading the projects, whatever the size of the instance.
func (r *Rules) Home(ctx context.Context, v project.Viewer) (Home, error) {
	one := &reading{Rules: r, viewer: v}
	for _, step := range []func(context.Context) error{one.find, one.places, one.people} {
		if err := step(ctx); err != nil {
			return Home{}, err
		}
	}
	return one.Home, nil
}

// reading is a Home that is being read.
type reading struct {
	*Rules
	Home
	viewer project.Viewer
	joined []int64 // groups that are looked at
	groups []int64 // those of them in which the viewer has the role Developer or above
	direct []int64 // projects that the viewer joined

	needing   []Needing
	summaries map[int64]Summary
	alerts    []alert.Alert
	incidents []incident.Stored
	own, near []oncall.Stored // schedules that the viewer is in, and those of projects shown
	newest    []project.Project
	projects  map[int64]project.Project
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
		return all(ctx, r.findNeeding, r.findNewest)
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
	if r.viewer.NamespaceID != 0 {
		r.joined, r.groups = append(r.joined, r.viewer.NamespaceID), append(r.groups, r.viewer.NamespaceID)
	}
	for _, m := range r.viewer.Memberships {
		works := m.Role >= project.Developer
		switch {
		case !m.Active(r.now()):
		case m.Kind == project.InProject && works:
			r.direct = append(r.direct, m.ID)
		case m.Kind == project.InProject:
		case len(r.joined) == lookedGroups:
			r.Unread = true
		case works:
			r.joined, r.groups = append(r.joined, m.ID), append(r.groups, m.ID)
		default:
			r.joined = append(r.joined, m.ID)
		}
	}
	r.Unread = r.Unread || inProjects.More
	return err
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
		r.own, err = r.onCall.SchedulesOf(ctx, r.viewer.UserID, shownSchedules)
		return err
	})
}

// findNewest finds the newest projects, also those in which the viewer only looks on.
func (r *reading) findNewest(ctx context.Context) error {
	concern := project.Selection{MembersOnly: true, LeastRole: project.Guest, In: r.joined, MemberID: r.viewer.UserID, Now: r.now()}
	found, err := r.Rules.projects.Projects(ctx, concern, page.Request{Number: 1, Size: shownProjects, Uncounted: true})
	r.newest, r.MoreProjects = found.Items, found.More
	return err
}

// findNeeding finds the projects that need attention.
func (r *reading) findNeeding(ctx context.Context) error {
	var below []Needing
	var direct map[int64]Summary
	err := all(ctx, func(ctx context.Context) (err error) {
		below, err = r.store.ProjectsInNeed(ctx, r.groups, shownProjects+1)
		return err
	}, func(ctx context.Context) (err error) {
		direct, err = r.store.ProjectSummaries(ctx, r.direct)
		return err
	})
	for id, s := range direct {
		if s.Rank() > 0 {
			below = append(below, Needing{id, s.Rank()})
		}
	}
	slices.SortFunc(below, Needing.Compare)
	below = slices.CompactFunc(below, func(a, b Needing) bool { return a.ProjectID == b.ProjectID })
	r.needing, r.MoreNeeding = below[:min(shownProjects, len(below))], len(below) > shownProjects
	return err
}

// places reads the projects of all that, and what else is known of those that are shown.
func (r *reading) places(ctx context.Context) error {
	var shown, others []int64
	for _, n := range r.needing {
		shown = append(shown, n.ProjectID)
	}
	for _, p := range r.newest {
		shown = append(shown, p.ID)
	}
	for _, a := range r.alerts {
		others = append(others, a.ProjectID)
	}
	for _, s := range r.own {
		others = append(others, s.Place.ID)
	}
	for _, i := range r.incidents {
		others = append(others, i.Place.ID)
	}
	slices.Sort(shown)
	shown = slices.Compact(shown)
	return all(ctx, func(ctx context.Context) (err error) {
		r.projects, err = r.Rules.projects.ProjectsByID(ctx, slices.Concat(shown, others))
		return err
	}, func(ctx context.Context) (err error) {
		r.summaries, err = r.store.ProjectSummaries(ctx, shown)
		return err
	}, func(ctx context.Context) (err error) {
		r.near, err = r.onCall.SchedulesIn(ctx, shown)
		return err
	})
}

// people reads who is on call, and which of the projects the viewer may work on: one may have
// been assigned before one's role ended.
func (r *reading) people(ctx context.Context) error {
	var places []project.Place
	for id := range r.projects {
		places = append(places, project.Place{Kind: project.InProject, ID: id})
	}
	var turns []oncall.Turn
	var direct project.Memberships
	err := all(ctx, func(ctx context.Context) (err error) {
		turns, err = r.onCall.Turns(ctx, r.projects, r.schedules())
		return err
	}, func(ctx context.Context) (err error) {
		if len(places) > 0 {
			direct, err = r.Rules.projects.MembershipsAt(ctx, r.viewer.UserID, places...)
		}
		return err
	})
	r.viewer.Memberships = append(r.viewer.Memberships, direct...)
	r.show(turns)
	return err
}

// schedules returns each of the schedules once.
func (r *reading) schedules() (each []oncall.Stored) {
	for _, s := range slices.Concat(r.own, r.near) {
		if !slices.ContainsFunc(each, func(other oncall.Stored) bool { return other.ID == s.ID }) {
			each = append(each, s)
		}
	}
	return each[:min(shownSchedules, len(each))]
}

// show puts together what the viewer may see.
func (r *reading) show(turns []oncall.Turn) {
	for _, n := range r.needing {
		if p, works := r.worksOn(n.ProjectID); works {
			r.Needing = append(r.Needing, Row{p, r.summaries[p.ID]})
		}
	}
	for _, p := range r.newest {
		row := Row{Project: p}
		if _, works := r.worksOn(p.ID); works {
			row.Summary = r.summaries[p.ID]
		}
		r.Projects = append(r.Projects, row)
	}
	for _, a := range r.alerts {
		if p, works := r.worksOn(a.ProjectID); works {
			r.Alerts = append(r.Alerts, Assigned[alert.Alert]{p, a})
		}
	}
	for _, i := range r.incidents {
		if p, works := r.worksOn(i.Place.ID); works {
			r.Incidents = append(r.Incidents, Assigned[incident.Stored]{p, i})
		}
	}
	r.showTurns(turns)
}

// showTurns shows the turns, those of the viewer first.
func (r *reading) showTurns(turns []oncall.Turn) {
	for _, own := range []bool{true, false} {
		for _, t := range turns {
			if p, works := r.worksOn(t.ProjectID); works && own == (t.UserID == r.viewer.UserID) {
				r.OnCall = append(r.OnCall, Turn{t, p, own})
			}
		}
	}
}

// worksOn returns the project if the viewer has the role Developer or above in it.
func (r *reading) worksOn(projectID int64) (project.Project, bool) {
	p, there := r.projects[projectID]
	return p, there && r.viewer.RoleIn(p, r.now()) >= project.Developer
}
