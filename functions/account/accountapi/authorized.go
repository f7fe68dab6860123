package accountapi

import (
	"net/http"
	"strconv"

	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// authorizedRow is an application that can act for the user.
type authorizedRow struct {
	oauth.Authorized
	Owner, Revoke string
	Scopes        []scope.Described
}

func (a *api) listAuthorized(w http.ResponseWriter, r *http.Request, u user.User) error {
	authorized, err := a.app.OAuth.Authorized(r.Context(), u)
	if err != nil {
		return err
	}
	var clients []oauth.Client
	for _, x := range authorized {
		clients = append(clients, x.Client)
	}
	owners, err := a.owners(r.Context(), clients...)
	if err != nil {
		return err
	}
	var rows []authorizedRow
	for _, x := range authorized {
		rows = append(rows, authorizedRow{
			Authorized: x, Scopes: scope.Describe(x.Scopes), Owner: owners.of(x.Client),
			Revoke: authorizedPath + "/" + strconv.FormatInt(x.ID, 10) + "/revoke",
		})
	}
	return a.renderSettings(w, r, site.Page{Template: "authorized", Title: "Authorized applications", Body: rows})
}

// revokeAuthorized takes back all that the user allowed the application. One
// that can do nothing for the user can do nothing afterwards either.
func (a *api) revokeAuthorized(w http.ResponseWriter, r *http.Request, u user.User) error {
	id, err := web.PathID(r, "id")
	if err != nil {
		return err
	}
	client, err := a.app.Store.ClientByID(r.Context(), id)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if err := a.app.Store.RevokeGrants(r.Context(), u.ID, id, a.app.Now()); err != nil {
		return err
	}
	event := client.Event(oauth.EventAuthorizationRevoked, u.ID)
	event.UserID = u.ID // and not the application's owner
	a.app.Trail.Record(r.Context(), event)
	a.site.Notify(w, "access-ended")
	return site.Redirect(w, r, authorizedPath)
}
