package oauth

import (
	"cmp"

	"gatehouse/shared/audit"
)

// Events of the access that applications have.
var (
	EventConsent              = audit.Declare("oauth.consent", "Application authorized")
	EventTokenIssued          = audit.Declare("oauth.token_issued", "Application got access")
	EventTokenRefreshed       = audit.Declare("oauth.token_refreshed", "Application renewed its access", audit.LogOnly)
	EventTokenRevoked         = audit.Declare("oauth.token_revoked", "Application gave up its access")
	EventCodeReused           = audit.Declare("oauth.code_reused", "Authorization code reused, access revoked", audit.Warning)
	EventRefreshTokenReused   = audit.Declare("oauth.refresh_token_reused", "Refresh token reused, access revoked", audit.Warning)
	EventAuthorizationRevoked = audit.Declare("oauth.authorization_revoked", "Application’s access revoked")
)

// Events of applications.
var (
	EventApplicationCreated = audit.Declare("application.created", "Application registered")
	EventApplicationChanged = audit.Declare("application.changed", "Application changed")
	EventApplicationDeleted = audit.Declare("application.deleted", "Application deleted")
	EventSecretRenewed      = audit.Declare("application.secret_renewed", "Application’s secret renewed")
)

// event returns an event about the client, in the trail of its owner, or in the
// actor's if the instance owns it.
func (c Client) event(name audit.Name, actor audit.Actor) audit.Event {
	return audit.Event{Name: name, ActorID: actor.ID, UserID: cmp.Or(c.OwnerID, actor.ID), Details: c.details()}
}

// details name the client; the zero Client has none.
func (c Client) details() audit.Details {
	return audit.Details{"application": c.Name, "client_id": c.ClientID}
}

// event returns an event about a grant. Its actor is the client alone.
func event(name audit.Name, g Grant, c Client) audit.Event {
	e := audit.Event{Name: name, UserID: g.UserID, Details: c.details()}
	e.Details["scopes"] = g.Scopes.String()
	return e
}

// attemptEvent returns an event about an attempt at the password grant that
// failed.
func attemptEvent(name audit.Name, x exchange) audit.Event {
	e := audit.Event{Name: name, UserID: x.user.ID, Outcome: audit.Refused, Details: x.client.details()}
	e.Details["by"] = "password grant"
	return e
}
