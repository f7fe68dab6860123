package accountapi

import (
	"net/http"
	"strconv"

	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// authorizedBody is the data of the list of applications that can act for the user.
type authorizedBody struct {
	Rows   []authorizedRow
	Paging site.Paging
}

// authorizedRow is an application that can act for the user.
type authorizedRow struct {
	oauth.Authorized
	Owner, Revoke string
	Scopes        []scope.Described
}

func (a *api) listAuthorized(w http.ResponseWriter, r *http.Request, u user.User) error {
	wanted := site.PageOf(r)
	authorized, err := a.app.OAuth.Authorized(r.Context(), u, wanted)
	if err != nil {
		return err
	}
	var clients []oauth.Client
	for _, x := range authorized.Items {
		clients = append(clients, x.Client)
	}
	owners, err := a.owners(r.Context(), clients...)
	if err != nil {
		return err
	}
	body := authorizedBody{Paging: site.NewPaging(authorizedPath, wanted, authorized)}
	for _, x := range authorized.Items {
		body.Rows = append(body.Rows, authorizedRow{
			Authorized: x, Scopes: scope.Describe(x.Scopes), Owner: owners.of(x.Client),
			Revoke: authorizedPath + "/" + strconv.FormatInt(x.ID, 10) + "/revoke",
		})
	}
	return a.renderSettings(w, r, site.Page{Template: "authorized", Title: "Authorized applications", Body: body})
}

func (a *api) revokeAuthorized(w http.ResponseWriter, r *http.Request, u user.User) error {
	id, err := web.PathID(r, "id")
	if err != nil {
		return err
	}
	err = a.app.OAuth.RevokeAuthorization(r.Context(), audit.ByUser(u.ID), id)
	return a.site.Done(w, r, err, "access-ended", authorizedPath)
}
