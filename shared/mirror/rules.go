package mirror

import (
	"context"
	"errors"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
)

// EventScheduled is that somebody asked for a pull. What is pulled is among the
// settings of the project.
var EventScheduled = audit.Declare("pull_mirror.scheduled", "Pull of a mirror asked for")

// ErrNotMirrored means that nothing is pulled into the project.
var ErrNotMirrored = fault.New(fault.Invalid, "the project is not a mirror")

// Rules keep pull mirrors.
type Rules struct {
	store    record.Store
	projects *project.Rules
	trail    *audit.Trail
	vault    vault
	now      func() time.Time
}

// NewRules returns the rules over a store. The settings are those of projects.
func NewRules(store record.Store, projects *project.Rules, trail *audit.Trail, keys secret.Keys, now func() time.Time) *Rules {
	return &Rules{store, projects, trail, vault{keys.Box("pull mirror")}, now}
}

// State returns what is known of the last pull.
func (r *Rules) State(ctx context.Context, p project.Project) (State, error) {
	stored, err := r.find(ctx, p)
	return stored.Thing, err
}

func (r *Rules) find(ctx context.Context, p project.Project) (record.Stored[State], error) {
	return states.FindOr(ctx, r.store, p.Place(), theOne, State{Status: None}, r.now())
}

// Schedule asks whoever runs the platform for a pull.
func (r *Rules) Schedule(ctx context.Context, by audit.Actor, p project.Project) (State, error) {
	if !p.Settings.Mirror.Enabled {
		return State{}, ErrNotMirrored
	}
	was, err := r.find(ctx, p)
	if err != nil {
		return State{}, err
	}
	var next record.Stored[State]
	event := by.Event(EventScheduled, audit.Details{"in": p.Where()}).In(p.ID)
	err = r.trail.Do(ctx, event, func(ctx context.Context) (err error) {
		next, err = states.Change(ctx, r.store, was, func(s *State) error {
			s.Status = Scheduled
			return nil
		})
		return err
	})
	return next.Thing, err
}

// Report stores what the platform says of a pull. It reports often, so the trail does
// not have it.
func (r *Rules) Report(ctx context.Context, p project.Project, report Report) (State, error) {
	if err := report.check(); err != nil {
		return State{}, err
	}
	own, err := r.vault.open(p.Settings.Mirror.Sealed, p.FullPath)
	if err != nil && !errors.Is(err, secret.ErrSealed) { // nobody pulls with lost credentials
		return State{}, err
	}
	was, err := r.find(ctx, p)
	if err != nil {
		return State{}, err
	}
	next, err := states.Change(ctx, r.store, was, func(s *State) error {
		report.apply(s, own, r.now().UTC().Truncate(time.Microsecond))
		return nil
	})
	return next.Thing, err
}

// Reseal seals the credentials of the project's mirror under the instance's present
// key, unless they are already or there are none, and reports whether it did. The error
// is secret.ErrSealed if the instance has lost the key that sealed them.
func (r *Rules) Reseal(ctx context.Context, p project.Project) (bool, error) {
	for {
		anew, err := r.vault.anew(p.Settings.Mirror.Sealed, p.FullPath)
		if err != nil || anew == "" {
			return false, err
		}
		_, err = r.projects.ChangeProject(ctx, audit.Setup, p, project.Change{}, func(s *project.ProjectSettings) error {
			s.Mirror.Sealed = anew
			return nil
		})
		if !errors.Is(err, project.ErrChanged) {
			return err == nil, err
		}
		if p, err = r.projects.Project(ctx, p.ID); err != nil {
			return false, err
		}
	}
}
