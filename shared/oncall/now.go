package oncall

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// Turn is a time in which somebody is on call in a schedule.
type Turn struct {
	Shift
	ScheduleID int64
	Schedule   string
}

// SchedulesOf returns the newest n schedules, in any project, that the user is in.
func (r *Rules) SchedulesOf(ctx context.Context, userID int64, n int) ([]Stored, error) {
	found, err := schedules.Listed(ctx, r.store, []record.List{listOf(userID)}, record.Find[Schedule]{}, page.Request{Number: 1, Size: n})
	return found.Items, err
}

// Turns returns who is on call in the project now and for so long, by when their turns begin.
func (r *Rules) Turns(ctx context.Context, p project.Project, ahead time.Duration) (all []Turn, err error) {
	found, err := schedules.List(ctx, r.store, p.Place(), page.Request{Number: 1, Size: maxSchedules, Uncounted: true})
	if err != nil || len(found.Items) == 0 {
		return nil, err
	}
	each := make([]Schedule, len(found.Items))
	for n, s := range found.Items {
		each[n] = s.Thing
	}
	who, err := r.People(ctx, p, each...)
	for _, s := range found.Items {
		for _, shift := range s.Thing.ShiftsBetween(r.now(), r.now().Add(ahead), who.Present) {
			all = append(all, Turn{shift, s.ID, s.Thing.Name})
		}
	}
	slices.SortFunc(all, func(a, b Turn) int {
		return cmp.Or(a.StartsAt.Compare(b.StartsAt), cmp.Compare(a.ScheduleID, b.ScheduleID), cmp.Compare(a.RotationID, b.RotationID))
	})
	return all, err
}
