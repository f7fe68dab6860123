package oncall

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/participant"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/user"
)

// The events about who is on call.
var (
	EventCreated         = audit.Declare("schedule.created", "On-call schedule added")
	EventChanged         = audit.Declare("schedule.changed", "On-call schedule changed")
	EventDeleted         = audit.Declare("schedule.deleted", "On-call schedule deleted")
	EventRotationAdded   = audit.Declare("rotation.created", "Rotation added to a schedule")
	EventRotationChanged = audit.Declare("rotation.changed", "Rotation of a schedule changed")
	EventRotationDeleted = audit.Declare("rotation.deleted", "Rotation of a schedule deleted")
	EventOverrideAdded   = audit.Declare("override.created", "On-call override added")
	EventSwapped         = audit.Declare("override.swapped", "On-call shifts swapped")
	EventOverrideDeleted = audit.Declare("override.deleted", "On-call override deleted")
	EventPolicy          = audit.Declare("escalation_policy.changed", "Escalation policy changed")
	EventFeedRenewed     = audit.Declare("calendar_feed.renewed", "Address of a calendar feed renewed")
	EventFeedEnded       = audit.Declare("calendar_feed.ended", "Calendar feed ended")
)

// Store keeps schedules and finds the people in them.
type Store interface {
	record.Store
	participant.Store
	ProjectsByID(ctx context.Context, ids []int64) (map[int64]project.Project, error)
}

// Watcher has the alerts of a project tell what happens to them.
type Watcher interface {
	Watch(ctx context.Context, p project.Project) error
}

// Rules keep schedules and escalation policies.
type Rules struct {
	store   Store
	watcher Watcher
	trail   *audit.Trail
	now     func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, watcher Watcher, trail *audit.Trail, now func() time.Time) *Rules {
	return &Rules{store, watcher, trail, now}
}

// Stored is a schedule with its id.
type Stored = record.Stored[Schedule]

// schedules are in the list of each of their people, for feeds.
var schedules = record.Of[Schedule]{
	Kind:  "oncall_schedule",
	Words: Schedule.words,
	Lists: func(_ project.Place, s Schedule) (lists []record.List) {
		for _, id := range s.people() {
			lists = append(lists, listOf(id))
		}
		return lists
	},
	Tell: messagesOf,
}

func (s Schedule) words() record.Words {
	words := record.Words{"name": s.Name}
	if s.Slot != 0 {
		words[record.Slot] = record.SlotWord("", s.Slot)
	}
	return words
}

// slots are those that the schedules of a project hold.
var slots = record.Slots[Schedule]{
	Most: maxSchedules,
	Full: fault.New(fault.Conflict, fmt.Sprintf("the project has %d schedules, which is the most", maxSchedules)),
	Of:   func(s *Schedule) *int { return &s.Slot },
}

// listOf is the list of the schedules that the user is in.
func listOf(userID int64) record.List {
	return record.List{Place: record.Instance, Name: "oncall-user-" + strconv.FormatInt(userID, 10)}
}

// Who is who asks for a change, with the role in the project.
type Who struct {
	audit.Actor
	Role project.Role
}

var errNotMaintainer = fault.New(fault.Forbidden, "it takes the role Maintainer")

func (w Who) maintains() error {
	if w.Role < project.Maintainer {
		return errNotMaintainer
	}
	return nil
}

// Schedules returns the schedules of the project, the newest first.
func (r *Rules) Schedules(ctx context.Context, p project.Project, req page.Request) (page.Of[Stored], error) {
	return schedules.List(ctx, r.store, p.Place(), req)
}

// Find returns the project's schedule with this id, or a fault.NotFound error.
func (r *Rules) Find(ctx context.Context, p project.Project, id int64) (Stored, error) {
	return schedules.Find(ctx, r.store, p.Place(), id)
}

// OnCall returns who is on call of a schedule of the project at an instant. Nobody is who
// cannot take part in the project any more.
func (r *Rules) OnCall(ctx context.Context, p project.Project, scheduleID int64, at time.Time) ([]Shift, error) {
	s, err := r.Find(ctx, p, scheduleID)
	if err != nil {
		return nil, err
	}
	who, err := r.People(ctx, p, s.Thing)
	if err != nil {
		return nil, err
	}
	return s.Thing.At(at, who.Present), nil
}

// People are users by their ids, with their roles in a project.
type People map[int64]participant.Participant

// People reads the people of schedules of the project.
func (r *Rules) People(ctx context.Context, p project.Project, of ...Schedule) (People, error) {
	var ids []int64
	for _, s := range of {
		ids = append(ids, s.people()...)
	}
	return participant.Find(ctx, r.store, p, ids, r.now())
}

// Present reports whether the user can be on call: a Developer or above who is not blocked.
func (who People) Present(userID int64) bool { return who[userID].Role >= project.Developer }

// User returns the user, if there is one.
func (who People) User(id int64) (user.User, bool) {
	found, there := who[id]
	return found.User, there
}

const notPresent = "has users who are not members of the project with the role Developer or above"

// requirePresent returns a complaint about the field unless all these users can be on call.
func (r *Rules) requirePresent(ctx context.Context, p project.Project, field string, ids []int64) error {
	if len(ids) > MaxPeople {
		return fault.Field(field, fmt.Sprintf("has too many (maximum is %d)", MaxPeople))
	}
	who, err := participant.Find(ctx, r.store, p, ids, r.now())
	if err == nil && slices.ContainsFunc(ids, func(id int64) bool { return !People(who).Present(id) }) {
		err = fault.Field(field, notPresent)
	}
	return err
}

// Create adds a schedule, which has no rotations yet.
func (r *Rules) Create(ctx context.Context, by Who, p project.Project, c Change) (made Stored, err error) {
	if err := by.maintains(); err != nil {
		return Stored{}, err
	}
	var s Schedule
	if err := c.apply(&s); err != nil {
		return Stored{}, err
	}
	all, err := schedules.List(ctx, r.store, p.Place(), page.Request{Number: 1, Size: maxSchedules})
	if err != nil {
		return Stored{}, err
	}
	free := slots.Free(all.Items)
	if len(free) == 0 {
		return Stored{}, slots.Full
	}
	err = r.trail.Do(ctx, event(by.Actor, EventCreated, p, s, nil), func(ctx context.Context) (err error) {
		made, err = schedules.CreateIn(ctx, r.store, p.Place(), s, r.now(), slots, free)
		return err
	})
	return made, err
}

// Change changes the name or the zone. Another zone leaves the beginnings of rotations at
// their instants. ErrChanged means that the name or the zone was changed since Seen.
func (r *Rules) Change(ctx context.Context, by Who, p project.Project, was Stored, c Change) (Stored, error) {
	if err := by.maintains(); err != nil {
		return Stored{}, err
	}
	return r.edit(ctx, by, EventChanged, p, was, func(s *Schedule) (audit.Details, error) { return nil, c.apply(s) })
}

// Delete deletes a schedule that the escalation policy does not name. A policy that begins to
// name it at the same time names nothing then, and OnCall returns a fault.NotFound error.
func (r *Rules) Delete(ctx context.Context, by Who, p project.Project, was Stored) error {
	if err := by.maintains(); err != nil {
		return err
	}
	policy, err := r.Policy(ctx, p)
	if err != nil {
		return err
	}
	if slices.Contains(policy.scheduleIDs(), was.ID) {
		return fault.New(fault.Conflict, "the escalation policy names the schedule")
	}
	return r.trail.Do(ctx, event(by.Actor, EventDeleted, p, was.Thing, nil), func(ctx context.Context) error {
		return schedules.Remove(ctx, r.store, was, alert.Recount(p.ID, fmt.Sprintf("schedule-%d-gone", was.ID), r.now()))
	})
}

// AddRotation adds a rotation to the schedule.
func (r *Rules) AddRotation(ctx context.Context, by Who, p project.Project, was Stored, c RotationChange) (made Rotation, err error) {
	return r.editRotation(ctx, by, EventRotationAdded, p, was, c, func(s *Schedule) (Rotation, error) { return s.addRotation(c) })
}

// ChangeRotation changes the rotation of the schedule with this id. ErrChanged means that it
// or the zone was changed since Seen.
func (r *Rules) ChangeRotation(ctx context.Context, by Who, p project.Project, was Stored, id int64, c RotationChange) (Rotation, error) {
	return r.editRotation(ctx, by, EventRotationChanged, p, was, c, func(s *Schedule) (Rotation, error) { return s.changeRotation(id, c) })
}

// DeleteRotation deletes the rotation of the schedule with this id.
func (r *Rules) DeleteRotation(ctx context.Context, by Who, p project.Project, was Stored, id int64) error {
	_, err := r.editRotation(ctx, by, EventRotationDeleted, p, was, RotationChange{}, func(s *Schedule) (Rotation, error) { return s.removeRotation(id) })
	return err
}

// TryRotation returns what AddRotation for the id zero, or else ChangeRotation, would store,
// and stores nothing.
func (r *Rules) TryRotation(ctx context.Context, by Who, p project.Project, was Stored, id int64, c RotationChange) (Rotation, error) {
	return r.checkRotation(ctx, by, p, was, c, func(s *Schedule) (Rotation, error) {
		if id == 0 {
			return s.addRotation(c)
		}
		return s.changeRotation(id, c)
	})
}

// checkRotation returns the rotation as it is after the change, if it may be made.
func (r *Rules) checkRotation(
	ctx context.Context, by Who, p project.Project, was Stored, c RotationChange, change func(*Schedule) (Rotation, error),
) (made Rotation, err error) {
	if err := by.maintains(); err != nil {
		return Rotation{}, err
	}
	known := was.Thing.people()
	fresh := slices.DeleteFunc(slices.Clone(c.Participants), func(id int64) bool { return slices.Contains(known, id) })
	if made, err = change(new(was.Thing)); err != nil {
		return Rotation{}, err
	}
	return made, r.requirePresent(ctx, p, "participants", fresh)
}

func (r *Rules) editRotation(
	ctx context.Context, by Who, name audit.Name, p project.Project, was Stored, c RotationChange, change func(*Schedule) (Rotation, error),
) (made Rotation, err error) {
	if _, err := r.checkRotation(ctx, by, p, was, c, change); err != nil {
		return Rotation{}, err
	}
	_, err = r.edit(ctx, by, name, p, was, func(s *Schedule) (audit.Details, error) {
		made, err = change(s)
		return audit.Details{"rotation": made.Name}, err
	})
	return made, err
}

// edit changes the schedule and stores it. What change returns goes into the audit trail.
func (r *Rules) edit(
	ctx context.Context, by Who, name audit.Name, p project.Project, stored Stored, change func(*Schedule) (audit.Details, error),
) (next Stored, err error) {
	trial := stored.Thing
	details, err := change(&trial)
	if err != nil {
		return Stored{}, err
	}
	err = r.trail.Do(ctx, event(by.Actor, name, p, stored.Thing, details), func(ctx context.Context) error {
		next, err = schedules.Change(ctx, r.store, stored, func(s *Schedule) error {
			_, err := change(s)
			return err
		})
		return err
	})
	return next, err
}

func event(by audit.Actor, name audit.Name, p project.Project, s Schedule, more audit.Details) audit.Event {
	details := audit.Details{"in": p.Where(), "schedule": s.Name}
	maps.Copy(details, more)
	return by.Event(name, details).In(p.ID)
}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{schedules, policies, ownFeeds} }
