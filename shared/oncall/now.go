package oncall

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/user"
)

// Turn is a time in which somebody is on call in a schedule of a project.
type Turn struct {
	Shift
	ScheduleID int64
	Schedule   string
	ProjectID  int64
	User       user.User
}

// SchedulesOf returns the newest n schedules, in any project, that the user is in.
func (r *Rules) SchedulesOf(ctx context.Context, userID int64, n int) ([]Stored, error) {
	found, err := schedules.Listed(ctx, r.store, []record.List{listOf(userID)}, record.Find[Schedule]{}, page.Request{Number: 1, Size: n})
	return found.Items, err
}

// SchedulesIn returns the schedules of these projects, in one step.
func (r *Rules) SchedulesIn(ctx context.Context, projectIDs []int64) ([]Stored, error) {
	found := make([][]Stored, len(projectIDs))
	reads, ctx := errgroup.WithContext(ctx)
	for n, id := range projectIDs {
		reads.Go(func() error {
			at := project.Place{Kind: project.InProject, ID: id}
			some, err := schedules.List(ctx, r.store, at, page.Request{Number: 1, Size: maxSchedules, Uncounted: true})
			found[n] = some.Items
			return err
		})
	}
	err := reads.Wait()
	return slices.Concat(found...), err
}

// Turns returns who is on call now in these schedules, by when their turns end. It leaves out
// schedules of other projects. However many there are, it takes one step, and it reads the
// people of a project once.
func (r *Rules) Turns(ctx context.Context, projects map[int64]project.Project, of []Stored) ([]Turn, error) {
	byProject := map[int64][]Stored{}
	for _, s := range of {
		if len(s.Thing.people()) > 0 {
			byProject[s.Place.ID] = append(byProject[s.Place.ID], s)
		}
	}
	var mu sync.Mutex
	var all []Turn
	reads, ctx := errgroup.WithContext(ctx)
	for id, some := range byProject {
		p, there := projects[id]
		if !there {
			continue
		}
		reads.Go(func() error {
			found, err := r.turnsIn(ctx, p, some)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, found...)
			return err
		})
	}
	err := reads.Wait()
	slices.SortFunc(all, func(a, b Turn) int {
		return cmp.Or(a.EndsAt.Compare(b.EndsAt), cmp.Compare(a.ScheduleID, b.ScheduleID), cmp.Compare(a.RotationID, b.RotationID))
	})
	return all, err
}

// turnsIn returns who is on call now in these schedules of a project.
func (r *Rules) turnsIn(ctx context.Context, p project.Project, of []Stored) (all []Turn, err error) {
	each := make([]Schedule, len(of))
	for n, s := range of {
		each[n] = s.Thing
	}
	who, err := r.People(ctx, p, each...)
	for _, s := range of {
		for _, shift := range s.Thing.At(r.now(), who.Present) {
			u, _ := who.User(shift.UserID)
			all = append(all, Turn{shift, s.ID, s.Thing.Name, p.ID, u})
		}
	}
	return all, err
}
