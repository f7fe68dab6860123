package accesstoken

import "gatehouse/shared/audit"

// Events of personal access tokens.
var (
	EventCreated = audit.Declare("access_token.created", "Access token made")
	EventRotated = audit.Declare("access_token.rotated", "Access token rotated")
	EventRevoked = audit.Declare("access_token.revoked", "Access token revoked")
)

// event returns an event about the token, in the trail of its user.
func (t Token) event(name audit.Name, actor audit.Actor) audit.Event {
	return audit.Event{
		Name: name, ActorID: actor.ID, UserID: t.UserID,
		Details: audit.Details{"name": t.Name, "scopes": t.Scopes.String()},
	}
}
