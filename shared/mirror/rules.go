package mirror

import (
	"context"
	"errors"
	"slices"
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
	return stored.Thing.State, err
}

func (r *Rules) find(ctx context.Context, p project.Project) (record.Stored[kept], error) {
	return states.FindOr(ctx, r.store, p.Place(), theOne, kept{State: State{Status: None}}, r.now())
}

// ChangeProject changes a project and its settings. What was reported of a former
// mirror does not stay. Its credentials do until a pull is finished, because a report of
// a pull that began before the change can have them. They are stored before the change,
// so that no report comes in between.
func (r *Rules) ChangeProject(ctx context.Context, by audit.Actor, p project.Project, c project.Change, edits ...project.Edit[project.ProjectSettings]) (project.Project, error) {
	next := p.Settings
	if _, err := project.EditSettings(&next, edits...); err != nil || !left(p.Settings.Mirror, next.Mirror) {
		return r.projects.ChangeProject(ctx, by, p, c, edits...)
	}
	was, err := r.remember(ctx, p)
	if err != nil {
		return project.Project{}, err
	}
	changed, err := r.projects.ChangeProject(ctx, by, p, c, edits...)
	if err != nil {
		return project.Project{}, err
	}
	return changed, r.forget(ctx, was, p.Settings.Mirror.URL != changed.Settings.Mirror.URL)
}

// left reports whether a mirror has another repository or other credentials now.
func left(was, next project.Mirror) bool {
	return was.URL != "" && (was.URL != next.URL || was.Sealed != next.Sealed)
}

// remember keeps the credentials that are about to be replaced.
func (r *Rules) remember(ctx context.Context, p project.Project) (record.Stored[kept], error) {
	was, err := r.find(ctx, p)
	if sealed := p.Settings.Mirror.Sealed; err != nil || sealed == "" || slices.Contains(was.Thing.Former, sealed) {
		return was, err
	}
	return states.Change(ctx, r.store, was, func(k *kept) error {
		k.remember(p.Settings.Mirror.Sealed)
		return nil
	})
}

// forget removes what was reported of the former mirror.
func (r *Rules) forget(ctx context.Context, was record.Stored[kept], elsewhere bool) error {
	if next := was.Thing.State; was.Version == 0 || next.forget(elsewhere) == was.Thing.State {
		return nil
	}
	_, err := states.Change(ctx, r.store, was, func(k *kept) error {
		k.State = k.forget(elsewhere)
		return nil
	})
	return err
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
	var next record.Stored[kept]
	event := by.Event(EventScheduled, audit.Details{"in": p.Where()}).In(p.ID)
	err = r.trail.Do(ctx, event, func(ctx context.Context) (err error) {
		next, err = states.Change(ctx, r.store, was, func(k *kept) error {
			k.Status = Scheduled
			return nil
		})
		return err
	})
	return next.Thing.State, err
}

// Report stores what the platform says of a pull. It reports often, so the trail does
// not have it.
func (r *Rules) Report(ctx context.Context, p project.Project, report Report) (State, error) {
	if err := report.check(r.now()); err != nil {
		return State{}, err
	}
	was, err := r.find(ctx, p)
	if err != nil {
		return State{}, err
	}
	next, err := states.Change(ctx, r.store, was, func(k *kept) error {
		own, err := r.known(p, *k)
		if err != nil {
			return err
		}
		report.apply(&k.State, own, r.now().UTC().Truncate(time.Microsecond))
		if report.Status == Finished {
			k.forgetFormer(p.Settings.Mirror.Sealed)
		}
		return nil
	})
	return next.Thing.State, err
}

// known returns the credentials of the mirror, and the former ones that a pull may have
// begun with.
func (r *Rules) known(p project.Project, k kept) (all []Credentials, err error) {
	for _, sealed := range append([]string{p.Settings.Mirror.Sealed}, k.Former...) {
		c, err := r.vault.open(sealed, p.FullPath)
		if err != nil && !errors.Is(err, secret.ErrSealed) { // nobody pulls with lost credentials
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// Reseal seals the credentials of the project's mirror, and former ones, under the
// instance's present key, unless they are already or there are none, and reports whether
// it did. The error is secret.ErrSealed if the instance has lost the key that sealed
// those of the mirror. Such former ones are removed.
func (r *Rules) Reseal(ctx context.Context, p project.Project) (bool, error) {
	former, err := r.resealFormer(ctx, p)
	if err != nil {
		return false, err
	}
	present, err := r.resealPresent(ctx, p)
	return former || present, err
}

func (r *Rules) resealFormer(ctx context.Context, p project.Project) (bool, error) {
	was, err := r.find(ctx, p)
	if err != nil {
		return false, err
	}
	if _, changed, err := r.vault.allAnew(was.Thing.Former, p.FullPath); err != nil || !changed {
		return false, err
	}
	_, err = states.Change(ctx, r.store, was, func(k *kept) (err error) {
		k.Former, _, err = r.vault.allAnew(k.Former, p.FullPath)
		return err
	})
	return err == nil, err
}

func (r *Rules) resealPresent(ctx context.Context, p project.Project) (bool, error) {
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
