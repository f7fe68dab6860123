package accesstoken

import "gatehouse/shared/audit"

// Event returns an event about the token, in the trail of its user.
func (t Token) Event(name audit.Name, actorID int64) audit.Event {
	return audit.Event{
		Name: name, ActorID: actorID, UserID: t.UserID,
		Details: audit.Details{"name": t.Name, "scopes": t.Scopes.String()},
	}
}
