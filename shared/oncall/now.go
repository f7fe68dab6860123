package oncall

import (
	"context"
	"slices"

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
// schedules of other projects. However many there are, it takes one step.
func (r *Rules) Turns(ctx context.Context, projects map[int64]project.Project, of []Stored) ([]Turn, error) {
	found := make([][]Turn, len(of))
	reads, ctx := errgroup.WithContext(ctx)
	for n, s := range of {
		p, there := projects[s.Place.ID]
		if !there || len(s.Thing.people()) == 0 {
			continue
		}
		reads.Go(func() error {
			who, err := r.People(ctx, p, s.Thing)
			if err != nil {
				return err
			}
			for _, shift := range s.Thing.At(r.now(), who.Present) {
				u, _ := who.User(shift.UserID)
				found[n] = append(found[n], Turn{shift, s.ID, s.Thing.Name, p.ID, u})
			}
			return nil
		})
	}
	err := reads.Wait()
	all := slices.Concat(found...)
	slices.SortStableFunc(all, func(a, b Turn) int { return a.EndsAt.Compare(b.EndsAt) })
	return all, err
}
