package platformapi

import (
	"net/http"
	"strings"

	"gatehouse/shared/auth"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/web"
)

// applicationBody is a registered application on the wire.
type applicationBody struct {
	ID              int64     `json:"id"`
	ApplicationID   string    `json:"application_id"`
	ApplicationName string    `json:"application_name"`
	Secret          string    `json:"secret,omitempty"` // only in the answer that made it
	CallbackURL     string    `json:"callback_url"`     // the redirect URIs, one a line
	Confidential    bool      `json:"confidential"`
	RefreshRetry    *int64    `json:"refresh_retry_seconds"` // null: as the instance says
	Scopes          scope.Set `json:"scopes"`
}

func newApplicationBody(c oauth.Client) applicationBody {
	return applicationBody{
		ID: c.ID, ApplicationID: c.ClientID, ApplicationName: c.Name,
		CallbackURL: strings.Join(c.RedirectURIs, "\n"), Confidential: c.Confidential,
		Scopes: c.Scopes, RefreshRetry: c.Registration(true).RefreshRetry,
	}
}

func (a *api) listApplications(w http.ResponseWriter, r *http.Request, _ auth.Caller) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	clients, err := a.app.OAuth.Clients(r.Context(), req)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, clients, newApplicationBody)
}

// createApplication registers an application of the instance.
func (a *api) createApplication(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	registration := oauth.Registration{
		ByAdmin: true, Name: params.String("name"), RedirectURIs: params.String("redirect_uri"),
		Scopes:       scope.Of(params.Words("scopes")...),
		Confidential: params.BoolOr("confidential", true), Trusted: params.BoolOr("trusted", false),
		PasswordGrant: params.BoolOr("password_grant", true), RequireSecret: params.BoolOr("require_secret", false),
		RefreshRetry: params.OptionalInt("refresh_retry_seconds"),
	}
	if err := params.Err(); err != nil {
		return err
	}
	client, text, err := a.app.OAuth.Register(r.Context(), c.Actor(), 0, registration)
	if err != nil {
		return err
	}
	return showSecret(w, client, text)
}

func showSecret(w http.ResponseWriter, c oauth.Client, text secret.Text) error {
	body := newApplicationBody(c)
	body.Secret = text.Reveal()
	return web.JSON(w, http.StatusCreated, body)
}

func (a *api) deleteApplication(w http.ResponseWriter, r *http.Request, c auth.Caller, client oauth.Client) error {
	err := a.app.OAuth.DeleteClient(r.Context(), c.Actor(), client)
	return web.Deleted(w, "Application", err)
}

func (a *api) renewSecret(w http.ResponseWriter, r *http.Request, c auth.Caller, client oauth.Client) error {
	client, text, err := a.app.OAuth.RenewSecret(r.Context(), c.Actor(), client)
	if err != nil {
		return web.NotFound("Application", err)
	}
	return showSecret(w, client, text)
}
