package oauth

import "gatehouse/shared/audit"

// What happens to the access that applications have.
var (
	EventConsent              = audit.Declare("oauth.consent", "Application authorized")
	EventTokenIssued          = audit.Declare("oauth.token_issued", "Application got access")
	EventTokenRefreshed       = audit.Declare("oauth.token_refreshed", "Application renewed its access", audit.LogOnly)
	EventTokenRevoked         = audit.Declare("oauth.token_revoked", "Application gave up its access")
	EventCodeReused           = audit.Declare("oauth.code_reused", "Authorization code reused, access revoked", audit.Warning)
	EventRefreshTokenReused   = audit.Declare("oauth.refresh_token_reused", "Refresh token reused, access revoked", audit.Warning)
	EventAuthorizationRevoked = audit.Declare("oauth.authorization_revoked", "Application’s access revoked")
)

// What happens to applications.
var (
	EventApplicationCreated = audit.Declare("application.created", "Application registered")
	EventApplicationChanged = audit.Declare("application.changed", "Application changed")
	EventApplicationDeleted = audit.Declare("application.deleted", "Application deleted")
	EventSecretRenewed      = audit.Declare("application.secret_renewed", "Application’s secret renewed")
)

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
