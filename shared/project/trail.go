package project

import (
	"strings"

	"gatehouse/shared/audit"
)

// What happens to groups.
var (
	EventGroupCreated = audit.Declare("group.created", "Group made")
	EventGroupChanged = audit.Declare("group.changed", "Group changed")
	EventGroupDeleted = audit.Declare("group.deleted", "Group deleted")
)

// What happens to projects.
var (
	EventProjectCreated = audit.Declare("project.created", "Project made")
	EventProjectChanged = audit.Declare("project.changed", "Project changed")
	EventProjectDeleted = audit.Declare("project.deleted", "Project deleted")
)

// What happens to members.
var (
	EventMemberAdded   = audit.Declare("member.added", "Became a member")
	EventMemberChanged = audit.Declare("member.role_changed", "Membership changed")
	EventMemberRemoved = audit.Declare("member.removed", "Membership ended")
)

// Event returns an event about the project.
func (p Project) Event(name audit.Name, by audit.Actor) audit.Event {
	return by.Event(name, details(p.Where(), p.Visibility))
}

// Event returns an event about the group.
func (g Group) Event(name audit.Name, by audit.Actor) audit.Event {
	return by.Event(name, details(g.Where(), g.Visibility))
}

func details(where string, v Visibility) audit.Details {
	return audit.Details{"in": where, "visibility": string(v)}
}

// ChangeEvents returns the events about what was made of the project: none
// where it is as it was.
func (p Project) ChangeEvents(was Project, by audit.Actor) []audit.Event {
	return changeEvents(p.Event(EventProjectChanged, by), p.Name != was.Name, p.Visibility, was.Visibility)
}

// ChangeEvents returns the events about what was made of the group: none where
// it is as it was.
func (g Group) ChangeEvents(was Group, by audit.Actor) []audit.Event {
	return changeEvents(g.Event(EventGroupChanged, by), g.Name != was.Name, g.Visibility, was.Visibility)
}

func changeEvents(e audit.Event, renamed bool, v, was Visibility) []audit.Event {
	var changed []string
	if renamed {
		changed = append(changed, "name")
	}
	if v != was {
		changed = append(changed, "visibility")
		e.Details["formerly"] = string(was)
	}
	if changed == nil {
		return nil
	}
	e.Details["changed"] = strings.Join(changed, ", ")
	return []audit.Event{e}
}
