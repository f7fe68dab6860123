package approval

import (
	"context"
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

// The events about approvals.
var (
	EventSettings = audit.Declare("approval_settings.changed", "Approval settings changed")
	EventCreated  = audit.Declare("approval_rule.created", "Approval rule added")
	EventChanged  = audit.Declare("approval_rule.changed", "Approval rule changed")
	EventDeleted  = audit.Declare("approval_rule.deleted", "Approval rule deleted")
)

// Store keeps settings and rules, and finds the users and groups that rules name.
type Store interface {
	record.Store
	participant.Store
	GroupsByID(ctx context.Context, ids []int64) (map[int64]project.Group, error)
	Members(ctx context.Context, now time.Time, r page.Request, places ...project.Place) (page.Of[project.Member], error)
}

// Rules keep settings and rules.
type Rules struct {
	store Store
	trail *audit.Trail
	now   func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, trail *audit.Trail, now func() time.Time) *Rules {
	return &Rules{store, trail, now}
}

// Settings returns the project's settings.
func (r *Rules) Settings(ctx context.Context, p project.Project) (Settings, error) {
	stored, err := r.settings(ctx, p)
	return stored.Thing, err
}

func (r *Rules) settings(ctx context.Context, p project.Project) (record.Stored[Settings], error) {
	return settings.FindOr(ctx, r.store, p.Place(), 0, defaultSettings, r.now())
}

// ChangeSettings changes the project's settings.
func (r *Rules) ChangeSettings(ctx context.Context, by audit.Actor, p project.Project, c SettingsChange) (Settings, error) {
	was, err := r.settings(ctx, p)
	if err != nil {
		return Settings{}, err
	}
	next := was.Thing
	if err := c.apply(&next); err != nil {
		return Settings{}, err
	}
	e := by.Event(EventSettings, audit.Details{"in": p.Where()}).In(p.ID)
	err = r.trail.Do(ctx, e, func(ctx context.Context) error {
		stored, err := settings.Change(ctx, r.store, was, c.apply)
		next = stored.Thing
		return err
	})
	return next, err
}

// Scope is what rules are for: a project or, if it has a number, one of its merge
// requests.
type Scope struct {
	Project      project.Project
	MergeRequest int64
	AuthorID     int64 // of the merge request
}

// List returns the rules of the scope alone: those of its project are not in the list
// of a merge request.
func (r *Rules) List(ctx context.Context, at Scope) ([]Rule, error) {
	stored, err := ruleSets.Find(ctx, r.store, at.Project.Place(), at.MergeRequest)
	return stored.Thing.Rules, fault.IgnoreNotFound(err)
}

// Rule returns the rule of the scope with this id, or a fault.NotFound error.
func (r *Rules) Rule(ctx context.Context, at Scope, id int64) (Rule, error) {
	rules, err := r.List(ctx, at)
	if err != nil {
		return Rule{}, err
	}
	return RuleSet{Rules: rules}.find(id)
}

// Create adds a rule. One of a merge request can be a copy of a rule of its project,
// with the id sourceID.
func (r *Rules) Create(ctx context.Context, by audit.Actor, at Scope, rule Rule, sourceID int64) (made Rule, err error) {
	was, err := r.readToChange(ctx, at)
	if err != nil {
		return Rule{}, err
	}
	if err := r.checkUsers(ctx, at, rule.UserIDs); err != nil {
		return Rule{}, err
	}
	if sourceID != 0 {
		source, err := r.Rule(ctx, Scope{Project: at.Project}, sourceID)
		if fault.Is(err, fault.NotFound) {
			return Rule{}, fault.Field("approval_project_rule_id", "does not exist")
		}
		if err != nil {
			return Rule{}, err
		}
		rule = rule.copying(source)
	}
	return r.edit(ctx, by, EventCreated, at, was, func(s *RuleSet) (Rule, error) { return s.add(at.Project, rule) })
}

// Change changes the rule with this id.
func (r *Rules) Change(ctx context.Context, by audit.Actor, at Scope, id int64, c Change) (Rule, error) {
	was, err := r.readToChange(ctx, at)
	if err != nil {
		return Rule{}, err
	}
	rule, err := was.Thing.find(id)
	if err != nil {
		return Rule{}, err
	}
	named := func(id int64) bool { return slices.Contains(rule.UserIDs, id) }
	if err := r.checkUsers(ctx, at, slices.DeleteFunc(slices.Clone(c.UserIDs), named)); err != nil {
		return Rule{}, err
	}
	return r.edit(ctx, by, EventChanged, at, was, func(s *RuleSet) (Rule, error) { return s.change(at.Project, id, c) })
}

// Delete deletes the rule with this id.
func (r *Rules) Delete(ctx context.Context, by audit.Actor, at Scope, id int64) error {
	was, err := r.readToChange(ctx, at)
	if err != nil {
		return err
	}
	_, err = r.edit(ctx, by, EventDeleted, at, was, func(s *RuleSet) (Rule, error) {
		rule, err := s.find(id)
		if err != nil {
			return Rule{}, err
		}
		return rule, s.remove(id)
	})
	return err
}

// readToChange returns the rules of the scope as they are stored, or ErrNoOverriding if
// they are those of a merge request that may have none.
func (r *Rules) readToChange(ctx context.Context, at Scope) (was record.Stored[RuleSet], err error) {
	var s Settings
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		was, err = ruleSets.FindOr(ctx, r.store, at.Project.Place(), at.MergeRequest, RuleSet{}, r.now())
		return err
	})
	if at.MergeRequest != 0 {
		reads.Go(func() (err error) {
			s, err = r.Settings(ctx, at.Project)
			return err
		})
	}
	if err = reads.Wait(); err == nil && s.NoOverriding && at.MergeRequest != 0 {
		err = ErrNoOverriding
	}
	return was, err
}

// checkUsers returns a complaint unless the users that a rule begins to name take part
// in the project.
func (r *Rules) checkUsers(ctx context.Context, at Scope, ids []int64) error {
	if len(ids) > maxUsers {
		return fault.Field("user_ids", "has too many (all rules together may name 100 users)")
	}
	complaint, err := participant.Check(ctx, r.store, at.Project, ids, r.now())
	if err == nil && complaint != "" {
		err = fault.Field("user_ids", complaint)
	}
	return err
}

// edit stores the rules as change makes them, and returns the rule that it is about.
func (r *Rules) edit(
	ctx context.Context, by audit.Actor, name audit.Name, at Scope, was record.Stored[RuleSet], change func(*RuleSet) (Rule, error),
) (Rule, error) {
	set := was.Thing
	rule, err := change(&set)
	if err != nil {
		return Rule{}, err
	}
	err = r.trail.Do(ctx, event(by, name, at, rule), func(ctx context.Context) error {
		_, err := ruleSets.Change(ctx, r.store, was, func(s *RuleSet) (err error) {
			rule, err = change(s)
			return err
		})
		return err
	})
	return rule, err
}

func event(by audit.Actor, name audit.Name, at Scope, rule Rule) audit.Event {
	details := audit.Details{"in": at.Project.Where(), "rule": rule.Name, "approvals_required": strconv.FormatInt(rule.Required, 10)}
	if at.MergeRequest != 0 {
		details["merge_request"] = strconv.FormatInt(at.MergeRequest, 10)
	}
	return by.Event(name, details).In(at.Project.ID)
}
