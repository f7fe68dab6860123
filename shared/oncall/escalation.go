package oncall

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/participant"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// Escalation is the escalation policy of a project with what it names.
type Escalation struct {
	Policy    Policy
	Version   int64    // of the policy
	Schedules []Stored // all of the project
	People    People   // whom the policy may notify
}

// Escalation reads the escalation policy of the project with what it names.
func (r *Rules) Escalation(ctx context.Context, p project.Project) (Escalation, error) {
	var stored storedPolicy
	var all page.Of[Stored]
	reads, group := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		stored, err = policies.FindOr(group, r.store, p.Place(), 0, Policy{}, r.now())
		return err
	})
	reads.Go(func() (err error) {
		all, err = r.Schedules(group, p, page.Request{Number: 1, Size: maxSchedules, Uncounted: true})
		return err
	})
	if err := reads.Wait(); err != nil {
		return Escalation{}, err
	}
	e := Escalation{Policy: stored.Thing, Version: stored.Version, Schedules: all.Items}
	ids := e.Policy.UserIDs()
	for _, s := range all.Items {
		if slices.Contains(e.Policy.scheduleIDs(), s.ID) {
			ids = append(ids, s.Thing.people()...)
		}
	}
	who, err := participant.Find(ctx, r.store, p, ids, r.now())
	e.People = who
	return e, err
}

// Schedule returns the schedule of the project with this id, if there is one.
func (e Escalation) Schedule(id int64) (Stored, bool) {
	i := slices.IndexFunc(e.Schedules, func(s Stored) bool { return s.ID == id })
	if i < 0 {
		return Stored{}, false
	}
	return e.Schedules[i], true
}

// Step is a rule of a policy with the users whom it notifies, by the schedules as they are
// now.
type Step struct {
	Rule
	UserIDs []int64 // none: nobody can be notified
}

// Steps returns what happens to an alert that opens at an instant, if nobody looks after it.
func (e Escalation) Steps(opened time.Time) (steps []Step) {
	for _, rule := range e.Policy.Rules {
		steps = append(steps, Step{rule, e.notified(rule, opened.Add(time.Duration(rule.ElapsedMinutes)*time.Minute))})
	}
	return steps
}

// notified returns the users whom the rule notifies at an instant, each once.
func (e Escalation) notified(rule Rule, at time.Time) (ids []int64) {
	if rule.UserID != 0 && e.People.Present(rule.UserID) {
		return []int64{rule.UserID}
	}
	s, _ := e.Schedule(rule.ScheduleID)
	for _, shift := range s.Thing.At(at, e.People.Present) {
		if !slices.Contains(ids, shift.UserID) {
			ids = append(ids, shift.UserID)
		}
	}
	return ids
}

// Policy returns the escalation policy of the project; one without rules notifies nobody.
func (r *Rules) Policy(ctx context.Context, p project.Project) (Policy, error) {
	stored, err := policies.Find(ctx, r.store, p.Place(), 0)
	return stored.Thing, fault.IgnoreNotFound(err)
}

// SetPolicy replaces the escalation policy of the project.
func (r *Rules) SetPolicy(ctx context.Context, by Who, p project.Project, policy Policy) (Policy, error) {
	return r.setPolicy(ctx, by, p, policy, func(storedPolicy, Policy) bool { return true })
}

// ReplacePolicy replaces the escalation policy of the project if it still has the version of
// an Escalation. Otherwise it returns ErrChanged.
func (r *Rules) ReplacePolicy(ctx context.Context, by Who, p project.Project, seen int64, policy Policy) (Policy, error) {
	return r.setPolicy(ctx, by, p, policy, func(was storedPolicy, stored Policy) bool {
		return was.Version == seen && was.Thing.equal(stored)
	})
}

type storedPolicy = record.Stored[Policy]

// setPolicy replaces the policy if replaces agrees: it gets the policy as it was found, and
// what is stored when it is replaced.
func (r *Rules) setPolicy(ctx context.Context, by Who, p project.Project, policy Policy, replaces func(storedPolicy, Policy) bool) (Policy, error) {
	if err := by.maintains(); err != nil {
		return Policy{}, err
	}
	if err := policy.check(); err != nil {
		return Policy{}, err
	}
	if err := r.checkNamed(ctx, p, policy); err != nil {
		return Policy{}, err
	}
	was, err := policies.FindOr(ctx, r.store, p.Place(), 0, Policy{}, r.now())
	if err != nil {
		return Policy{}, err
	}
	if !replaces(was, was.Thing) {
		return Policy{}, ErrChanged
	}
	if len(policy.Rules) > 0 {
		if err := r.watcher.Watch(ctx, p); err != nil {
			return Policy{}, err
		}
	}
	details := audit.Details{"in": p.Where(), "rules": strconv.Itoa(len(policy.Rules)), "repeat": strconv.Itoa(policy.Repeat)}
	err = r.trail.Do(ctx, by.Event(EventPolicy, details).In(p.ID), func(ctx context.Context) error {
		_, err := policies.Change(ctx, r.store, was, func(stored *Policy) error {
			if !replaces(was, *stored) {
				return ErrChanged
			}
			*stored = policy.sorted()
			return nil
		})
		return err
	})
	return policy.sorted(), err
}

// checkNamed returns a complaint unless the project has the schedules and users of the
// policy.
func (r *Rules) checkNamed(ctx context.Context, p project.Project, policy Policy) error {
	reads, ctx := errgroup.WithContext(ctx)
	for _, id := range policy.scheduleIDs() {
		reads.Go(func() error {
			_, err := r.Find(ctx, p, id)
			if errors.Is(err, fault.NotFound) {
				return fault.Field("rules", "has a schedule that the project does not have")
			}
			return err
		})
	}
	reads.Go(func() error { return r.requirePresent(ctx, p, "rules", policy.UserIDs()) })
	return reads.Wait()
}
