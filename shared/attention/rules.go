package attention

import (
	"context"
	"errors"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/incident"
	"gatehouse/shared/oncall"
	"gatehouse/shared/project"
)

// Rules count what is open in projects, and tell people what needs them.
type Rules struct {
	store     Store
	projects  *project.Rules
	alerts    *alert.Rules
	incidents *incident.Rules
	onCall    *oncall.Rules
	now       func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, projects *project.Rules, alerts *alert.Rules, incidents *incident.Rules, onCall *oncall.Rules, now func() time.Time) *Rules {
	return &Rules{store, projects, alerts, incidents, onCall, now}
}

// Of returns the summaries of these projects that have one.
func (r *Rules) Of(ctx context.Context, projectIDs []int64) (map[int64]Summary, error) {
	return r.store.ProjectSummaries(ctx, projectIDs)
}

// Count renews the summary of the project. It may be called again at any time, and by
// several at once: what was counted before another one stored is counted again.
func (r *Rules) Count(ctx context.Context, p project.Project) error {
	for {
		err := r.count(ctx, p)
		if !errors.Is(err, ErrChanged) {
			return err
		}
	}
}

// count reads the summary before it counts, so that it never replaces a later count.
func (r *Rules) count(ctx context.Context, p project.Project) error {
	found, err := r.store.ProjectSummaries(ctx, []int64{p.ID})
	if err != nil {
		return err
	}
	was, next := found[p.ID], Summary{CountedAt: r.now().UTC().Truncate(time.Microsecond)}
	if next.Alerts, err = r.alerts.Waiting(ctx, p.ID); err != nil {
		return err
	}
	if next.Incidents, err = r.incidents.Waiting(ctx, p); err != nil {
		return err
	}
	if next.OnCall, err = r.duties(ctx, p); err != nil {
		return err
	}
	if next.says(was) {
		return nil
	}
	return r.store.SaveProjectSummary(ctx, p, was, next)
}

// A summary has the shifts of so long and so many of them. A handover renews it long before.
const (
	dutiesAhead = 24 * time.Hour
	mostDuties  = 20
)

// duties returns who is on call in the project now and next.
func (r *Rules) duties(ctx context.Context, p project.Project) (all []Duty, err error) {
	turns, err := r.onCall.Turns(ctx, p, dutiesAhead)
	for _, t := range turns[:min(mostDuties, len(turns))] {
		all = append(all, Duty{t.ScheduleID, t.Schedule, t.UserID, t.StartsAt, t.EndsAt})
	}
	return all, err
}
