package accountapi

import (
	"net/http"
	"strconv"

	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

func applicationAddress(c oauth.Client) string {
	return applicationsPath + "/" + strconv.FormatInt(c.ID, 10)
}

// applicationHandler serves a page about an application that the user may
// manage.
type applicationHandler func(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error

var errNoApplication = fault.New(fault.NotFound, "no such application")

// owned lets through who registered the application that {id} names. Those of
// the instance are the administrators'. To everybody else it does not exist.
func (a *api) owned(h applicationHandler) http.Handler {
	return a.site.SignedIn(func(w http.ResponseWriter, r *http.Request, u user.User) error {
		id, err := web.PathID(r, "id")
		if err != nil {
			return err
		}
		c, err := a.app.Store.ClientByID(r.Context(), id)
		switch {
		case err != nil:
			return err
		case c.OwnerID != u.ID && !(c.OwnerID == 0 && u.Admin):
			return errNoApplication
		}
		return h(w, r, u, c)
	})
}

// applicationsBody is what the list of applications shows.
type applicationsBody struct {
	Rows   []applicationRow
	Paging site.Paging
}

type applicationRow struct {
	oauth.Client
	Address string
}

func (a *api) listApplications(w http.ResponseWriter, r *http.Request, u user.User) error {
	wanted := site.PageOf(r)
	clients, err := a.app.Store.ClientsOf(r.Context(), u.ID, wanted)
	if err != nil {
		return err
	}
	body := applicationsBody{Paging: site.NewPaging(applicationsPath, wanted, clients.More)}
	for _, c := range clients.Items {
		body.Rows = append(body.Rows, applicationRow{c, applicationAddress(c)})
	}
	return a.renderSettings(w, r, site.Page{Template: "applications", Title: "Applications", Body: body})
}

// applicationBody is what the page of an application shows.
type applicationBody struct {
	oauth.Client
	Scopes                         []scope.Described
	Settings                       []string
	Address, Owner                 string
	AuthorizeURL, TokenURL, APIURL string
}

func (a *api) showApplication(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
	owner := "You"
	if c.OwnerID == 0 {
		owner = "This instance of Gatehouse"
	}
	return a.renderSettings(w, r, site.Page{Template: "application", Title: c.Name, Body: applicationBody{
		Client: c, Scopes: scope.Describe(c.Scopes), Settings: settingsOf(c), Address: applicationAddress(c), Owner: owner,
		AuthorizeURL: a.app.BaseURL + authorizePath, TokenURL: a.app.BaseURL + "/oauth/token", APIURL: a.app.BaseURL + "/api/v4",
	}})
}

// settingsOf says in plain words how an application is set up.
func settingsOf(c oauth.Client) []string {
	settings := []string{"Public: must use PKCE"}
	if c.Confidential {
		settings[0] = "Confidential: runs on a server that keeps its secret"
	}
	if c.RequireSecret {
		settings = append(settings, "Always needs its secret")
	}
	if c.PasswordGrant {
		settings = append(settings, "May use the password grant")
	}
	if c.Trusted {
		settings = append(settings, "Trusted: people are not asked")
	}
	return settings
}

func (a *api) deleteApplication(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
	if err := a.app.Store.DeleteClient(r.Context(), c); err != nil {
		return err
	}
	a.app.Trail.Record(r.Context(), c.Event(oauth.EventApplicationDeleted, u.ID))
	a.site.Notify(w, "deleted")
	return site.Redirect(w, r, applicationsPath)
}

func (a *api) renewSecret(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
	c, text, err := a.app.OAuth.RenewSecret(r.Context(), c)
	if err != nil {
		return err
	}
	a.app.Trail.Record(r.Context(), c.Event(oauth.EventSecretRenewed, u.ID))
	return a.renderSecret(w, r, http.StatusOK, "The new secret", c, text)
}

// secretBody is what the page shows that shows a secret.
type secretBody struct {
	oauth.Client
	Heading, Address string
	Secret           secret.Text
}

// renderSecret shows a secret, in the answer to the form that made it: a
// redirect would have to carry it in an address or a cookie, or to keep it.
func (a *api) renderSecret(w http.ResponseWriter, r *http.Request, status int, heading string, c oauth.Client, text secret.Text) error {
	return a.renderSettings(w, r, site.Page{
		Template: "application_secret", Title: heading, Status: status,
		Body: secretBody{c, heading, applicationAddress(c), text},
	})
}
