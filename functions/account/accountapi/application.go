package accountapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/batch"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// desk is where applications are managed: by their owners, or by administrators.
type desk struct {
	list   string // address
	render renderer
	admin  bool
}

func (d desk) address(c oauth.Client) string { return d.list + "/" + strconv.FormatInt(c.ID, 10) }

func (a *api) ownDesk() desk { return desk{list: applicationsPath, render: a.renderSettings} }
func (a *api) adminDesk() desk {
	return desk{list: adminApplicationsPath, render: a.renderAdmin, admin: true}
}

// clientHandler serves a page about an application to who may manage it.
type clientHandler = func(http.ResponseWriter, *http.Request, user.User, oauth.Client) error

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
		body.Rows = append(body.Rows, applicationRow{c, a.ownDesk().address(c)})
	}
	return a.renderSettings(w, r, site.Page{Template: "applications", Title: "Applications", Body: body})
}

// applicationBody is the data of an application's page.
type applicationBody struct {
	oauth.Client
	Scopes                      []scope.Described
	Settings                    []string
	List, Address, Owner        string
	OwnerAddress                string // of the page of another user who owns it
	Issuer, Discovery, TokenURL string
	AuthorizeURL, APIURL        string
	Example                     oauth.AuthorizationExample
	Use                         oauth.Use
	Deprecated                  []useRow // what it uses, the latest days
}

// People says how many people authorized the application.
func (b applicationBody) People() string {
	switch {
	case b.Use.People == 1:
		return "1 person"
	case b.Use.People < oauth.MaxPeople:
		return strconv.Itoa(b.Use.People) + " people"
	}
	return "1,000 people or more"
}

func (a *api) showApplication(d desk) clientHandler {
	return func(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
		endpoint := a.app.BaseURL + authorizePath
		body := applicationBody{
			Client: c, Scopes: scope.Describe(c.Scopes), Settings: settingsOf(c), List: d.list, Address: d.address(c),
			Issuer: a.app.BaseURL, Discovery: a.app.BaseURL + "/.well-known/openid-configuration",
			AuthorizeURL: endpoint, TokenURL: a.app.BaseURL + "/oauth/token", APIURL: a.app.BaseURL + "/api/v4",
			Example: a.app.OAuth.Example(c, endpoint),
		}
		if err := a.readApplication(r.Context(), u, &body); err != nil {
			return err
		}
		return d.render(w, r, site.Page{Template: "application", Title: c.Name, Body: body})
	}
}

// readApplication reads what the page shows beside the application, all at once: the day of the
// last use and the owner in one request.
func (a *api) readApplication(ctx context.Context, u user.User, b *applicationBody) error {
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		b.Deprecated, err = a.usesOf(ctx, b.Client)
		return err
	})
	reads.Go(func() error {
		return batch.Together(ctx, func(ctx context.Context) (err error) {
			b.Use, err = a.app.OAuth.UseOf(ctx, b.Client)
			return err
		}, func(ctx context.Context) (err error) {
			b.Owner, b.OwnerAddress, err = a.ownerOf(ctx, u, b.Client)
			return err
		})
	})
	return reads.Wait()
}

// ownerOf names the owner of the application for the reader, with the address of a page
// about another user.
func (a *api) ownerOf(ctx context.Context, reader user.User, c oauth.Client) (name, address string, err error) {
	switch c.OwnerID {
	case reader.ID:
		return "You", "", nil
	case 0:
		return instanceItself, "", nil
	}
	found, err := a.app.Users.UsersByID(ctx, []int64{c.OwnerID})
	if err != nil {
		return "", "", err
	}
	owner, there := found[c.OwnerID]
	if !there {
		return deletedUser, "", nil
	}
	return "@" + owner.Username, "/users/" + owner.Username, nil
}

// How an owner is called who has no name.
const (
	instanceItself = "This instance of Gatehouse"
	deletedUser    = "A deleted user"
)

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

func (a *api) deleteApplication(d desk) clientHandler {
	return func(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
		err := a.app.OAuth.DeleteClient(r.Context(), audit.ByUser(u.ID), c)
		return a.site.Done(w, r, err, "deleted", d.list)
	}
}

func (a *api) renewSecret(d desk) clientHandler {
	return func(w http.ResponseWriter, r *http.Request, u user.User, c oauth.Client) error {
		c, text, err := a.app.OAuth.RenewSecret(r.Context(), audit.ByUser(u.ID), c)
		if err != nil {
			return err
		}
		return d.renderSecret(w, r, http.StatusOK, "The new secret", c, text)
	}
}

// secretBody is the data of the page that reveals a new secret.
type secretBody struct {
	oauth.Client
	Heading, Address string
	Secret           secret.Text
}

// renderSecret reveals a secret in the answer to the form that made it, because
// a redirect would have to put it into an address or a cookie, or store it.
func (d desk) renderSecret(w http.ResponseWriter, r *http.Request, status int, heading string, c oauth.Client, text secret.Text) error {
	return d.render(w, r, site.Page{
		Template: "application_secret", Secret: true, Title: heading, Status: status,
		Body: secretBody{c, heading, d.address(c), text},
	})
}
