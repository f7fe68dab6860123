package user

import (
	"strings"

	"gatehouse/shared/audit"
)

// Events of accounts.
var (
	EventCreated         = audit.Declare("user.created", "Account created")
	EventChanged         = audit.Declare("user.changed", "Account changed")
	EventDeleted         = audit.Declare("user.deleted", "Account deleted")
	EventBlocked         = audit.Declare("user.blocked", "Account blocked")
	EventUnblocked       = audit.Declare("user.unblocked", "Account unblocked")
	EventAdminGranted    = audit.Declare("user.admin_granted", "Became an administrator")
	EventAdminRevoked    = audit.Declare("user.admin_revoked", "Stopped being an administrator")
	EventPasswordChanged = audit.Declare("user.password_changed", "Password changed")
	EventSessionsEnded   = audit.Declare("user.sessions_ended", "Signed out everywhere by an administrator", audit.Warning)
	EventPasswordRefused = audit.Declare("user.password_refused", "Wrong password in the settings", audit.Warning)
)

// Event returns an event about the user's account.
func (u User) Event(name audit.Name, actorID int64) audit.Event {
	return audit.Event{Name: name, ActorID: actorID, UserID: u.ID, Details: audit.Details{"user": u.Username}}
}

// events returns the events of an actor's change to the user.
func (c Change) events(was, next User, actorID int64) []audit.Event {
	var events []audit.Event
	for _, e := range []struct {
		happened bool
		name     audit.Name
	}{
		{next.Blocked() && !was.Blocked(), EventBlocked},
		{!next.Blocked() && was.Blocked(), EventUnblocked},
		{next.Admin && !was.Admin, EventAdminGranted},
		{!next.Admin && was.Admin, EventAdminRevoked},
		{c.Password != nil, EventPasswordChanged},
		{c.EndSessions, EventSessionsEnded},
	} {
		if e.happened {
			events = append(events, was.Event(e.name, actorID))
		}
	}
	if fields := changedFields(was, next); len(fields) > 0 {
		changed := was.Event(EventChanged, actorID)
		changed.Details["changed"] = strings.Join(fields, ", ")
		events = append(events, changed)
	}
	return events
}

func changedFields(was, next User) (fields []string) {
	if next.Name != was.Name {
		fields = append(fields, "name")
	}
	if next.Email != was.Email {
		fields = append(fields, "e-mail address")
	}
	if next.ConfirmedAt.After(was.ConfirmedAt) {
		fields = append(fields, "confirmed e-mail address")
	}
	if next.PrivateProfile != was.PrivateProfile {
		fields = append(fields, "private profile")
	}
	return fields
}
