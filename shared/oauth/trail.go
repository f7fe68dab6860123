package oauth

import "gatehouse/shared/audit"

// Event returns an event about the client, in the trail of its owner; of one
// that is the instance's, in that of the actor.
func (c Client) Event(name audit.Name, actorID int64) audit.Event {
	e := audit.Event{Name: name, ActorID: actorID, UserID: c.OwnerID, Details: c.details()}
	if e.UserID == 0 {
		e.UserID = actorID
	}
	return e
}

// details name the client; there are none of the zero Client.
func (c Client) details() audit.Details {
	return audit.Details{"application": c.Name, "client_id": c.ClientID}
}

// event returns an event about what a user lets a client do, that nobody but
// the client did.
func event(name audit.Name, g Grant, c Client) audit.Event {
	e := audit.Event{Name: name, UserID: g.UserID, Details: c.details()}
	e.Details["scopes"] = g.Scopes.String()
	return e
}

// opened returns an event about an attempt at the password grant.
func opened(name audit.Name, x exchange) audit.Event {
	e := audit.Event{Name: name, UserID: x.user.ID, Outcome: audit.Refused, Details: x.client.details()}
	e.Details["by"] = "password grant"
	return e
}
