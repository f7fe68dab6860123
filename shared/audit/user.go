package audit

import (
	"strings"

	"gatehouse/shared/user"
)

// OfUser returns an event about the user's account.
func OfUser(u user.User, name Name, actorID int64) Event {
	return Event{Name: name, ActorID: actorID, UserID: u.ID, Details: Details{"user": u.Username}}
}

// OfChange returns what an actor's change means for the user, as it was.
func OfChange(was user.User, c user.Change, actorID int64) []Event {
	next := c.Applied(was)
	var events []Event
	for _, e := range []struct {
		happened bool
		name     Name
	}{
		{next.Blocked() && !was.Blocked(), UserBlocked},
		{!next.Blocked() && was.Blocked(), UserUnblocked},
		{next.Admin && !was.Admin, AdminGranted},
		{!next.Admin && was.Admin, AdminRevoked},
		{c.Password != nil, PasswordChanged},
	} {
		if e.happened {
			events = append(events, OfUser(was, e.name, actorID))
		}
	}
	if fields := changedFields(was, next); len(fields) > 0 {
		changed := OfUser(was, UserChanged, actorID)
		changed.Details["changed"] = strings.Join(fields, ", ")
		events = append(events, changed)
	}
	return events
}

func changedFields(was, next user.User) (fields []string) {
	if next.Name != was.Name {
		fields = append(fields, "name")
	}
	if next.Email != was.Email {
		fields = append(fields, "e-mail address")
	}
	if next.PrivateProfile != was.PrivateProfile {
		fields = append(fields, "private profile")
	}
	return fields
}
