package project

import (
	"slices"
	"strings"
	"time"

	"gatehouse/shared/audit"
)

// The audit events of groups, projects, members and environments.
var (
	EventGroupCreated = audit.Declare("group.created", "Group made")
	EventGroupChanged = audit.Declare("group.changed", "Group changed")
	EventGroupDeleted = audit.Declare("group.deleted", "Group deleted")

	EventProjectCreated = audit.Declare("project.created", "Project made")
	EventProjectChanged = audit.Declare("project.changed", "Project changed")
	EventProjectDeleted = audit.Declare("project.deleted", "Project deleted")

	EventMemberAdded   = audit.Declare("member.added", "Became a member")
	EventMemberChanged = audit.Declare("member.role_changed", "Membership changed")
	EventMemberRemoved = audit.Declare("member.removed", "Membership ended")

	EventEnvironmentCreated = audit.Declare("environment.created", "Environment added")
	EventEnvironmentDeleted = audit.Declare("environment.deleted", "Environment deleted")
)

func (p Project) details() audit.Details {
	return audit.Details{"in": p.Where(), "visibility": string(p.Visibility)}
}

// event returns an event about the project.
func (p Project) event(name audit.Name, by audit.Actor) audit.Event {
	return by.Event(name, p.details()).In(p.ID)
}

func (g Group) details() audit.Details {
	return audit.Details{"in": g.Where(), "visibility": string(g.Visibility)}
}

// changes names what a change changed.
func changes[S Settings](name, visibility bool, was, next S) (changed []string) {
	if name {
		changed = append(changed, "name")
	}
	if visibility {
		changed = append(changed, "visibility")
	}
	return append(changed, changedSettings(was, next)...)
}

// changeEvents returns e with the changes and the former visibility added, or nothing
// when there are none.
func changeEvents(e audit.Event, changed []string, former Visibility) []audit.Event {
	if changed == nil {
		return nil
	}
	if slices.Contains(changed, "visibility") {
		e.Details["formerly"] = string(former)
	}
	e.Details["changed"] = strings.Join(changed, ", ")
	return []audit.Event{e}
}

// event returns an event for the account of the member. The former role is
// NoRole unless the membership was changed.
func (m Member) event(name audit.Name, by audit.Actor, at GroupOrProject, former Role) audit.Event {
	d := audit.Details{"in": at.Where(), "role": m.Role.String(), "formerly": former.String()}
	if !m.ExpiresAt.IsZero() {
		d["until"] = m.ExpiresAt.UTC().Format(time.DateOnly)
	}
	e := audit.Event{Name: name, ActorID: by.ID, UserID: m.UserID, Details: d}
	if place := at.Place(); place.Kind == InProject {
		return e.In(place.ID)
	}
	return e
}

func (e Environment) event(name audit.Name, by audit.Actor, p Project) audit.Event {
	return by.Event(name, audit.Details{"in": p.Where(), "environment": e.Name}).In(p.ID)
}
