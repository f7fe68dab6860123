package accountapi

import (
	"fmt"
	"net/http"
	"strconv"

	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

func applicationAddress(c oauth.Client) string {
	return applicationsPath + "/" + strconv.FormatInt(c.ID, 10)
}

// manages reports whether the user may manage the application: users manage
// their own, and administrators those of the instance.
func manages(u user.User, c oauth.Client) bool {
	return c.OwnerID == u.ID || c.OwnerID == 0 && u.Admin
}

// applicationsBody is the data of the list of applications.
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
	clients, err := a.app.OAuth.ClientsOf(r.Context(), u.ID, wanted)
	if err != nil {
		return err
	}
	body := applicationsBody{Paging: site.NewPaging(applicationsPath, wanted, clients)}
	for _, c := range clients.Items {
		body.Rows = append(body.Rows, applicationRow{c, applicationAddress(c)})
	}
	return a.renderSettings(w, r, site.Page{Template: "applications", Title: "Applications", Body: body})
}

// applicationBody is the data of an application's page.
type applicationBody struct {
	oauth.Client
	Scopes                         []scope.Described
	Settings                       []string
	Address, Owner                 string
	AuthorizeURL, TokenURL, APIURL string
	Deprecated                     []useRow // what it uses, the latest days
}

func (a *api) showApplication(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
	deprecated, err := a.usesOf(r.Context(), c)
	if err != nil {
		return err
	}
	owner := "You"
	if c.OwnerID == 0 {
		owner = "This instance of Gatehouse"
	}
	return a.renderSettings(w, r, site.Page{Template: "application", Title: c.Name, Body: applicationBody{
		Client: c, Scopes: scope.Describe(c.Scopes), Settings: settingsOf(c), Address: applicationAddress(c), Owner: owner,
		AuthorizeURL: a.app.BaseURL + authorizePath, TokenURL: a.app.BaseURL + "/oauth/token", APIURL: a.app.BaseURL + "/api/v4",
		Deprecated: deprecated,
	}})
}

// settingsOf describes an application's settings.
func settingsOf(c oauth.Client) []string {
	settings := []string{"Public: must use PKCE"}
	if c.Confidential {
		settings[0] = "Confidential: runs on a server that keeps its secret"
	}
	if c.RequireSecret {
		settings = append(settings, "Always needs its secret")
	}
	if c.OwnRefreshRetry {
		settings = append(settings, fmt.Sprintf("May repeat a refresh for %d seconds", c.RefreshRetry))
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
	err := a.app.OAuth.DeleteClient(r.Context(), audit.ByUser(u.ID), c)
	return a.site.Done(w, r, err, "deleted", applicationsPath)
}

func (a *api) renewSecret(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
	c, text, err := a.app.OAuth.RenewSecret(r.Context(), audit.ByUser(u.ID), c)
	if err != nil {
		return err
	}
	return a.renderSecret(w, r, http.StatusOK, "The new secret", c, text)
}

// secretBody is the data of the page that reveals a new secret.
type secretBody struct {
	oauth.Client
	Heading, Address string
	Secret           secret.Text
}

// renderSecret reveals a secret in the answer to the form that made it, because
// a redirect would have to put it into an address or a cookie, or store it.
func (a *api) renderSecret(w http.ResponseWriter, r *http.Request, status int, heading string, c oauth.Client, text secret.Text) error {
	return a.renderSettings(w, r, site.Page{
		Template: "application_secret", Secret: true, Title: heading, Status: status,
		Body: secretBody{c, heading, applicationAddress(c), text},
	})
}
