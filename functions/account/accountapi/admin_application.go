package accountapi

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/fault"
	"gatehouse/shared/listing"
	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

const adminApplicationsPath = "/admin/applications"

func (a *api) routeApplications(mux *web.Mux) {
	admin, all := a.administrator, a.adminDesk()
	one := only(a.site, a.app.OAuth.ClientByID, func(u user.User, _ oauth.Client) bool { return u.Admin })

	mux.Handle("GET /admin/applications", admin(a.listAllApplications))
	mux.Handle("GET /admin/applications/new", admin(a.newApplication(all)))
	mux.Handle("POST /admin/applications", admin(a.createApplication(all)))
	mux.Handle("GET /admin/applications/{id}", one(a.showApplication(all)))
	mux.Handle("POST /admin/applications/{id}", one(a.updateApplication(all)))
	mux.Handle("GET /admin/applications/{id}/edit", one(a.editApplication(all)))
	mux.Handle("POST /admin/applications/{id}/renew_secret", one(a.renewSecret(all)))
	mux.Handle("POST /admin/applications/{id}/delete", one(a.deleteApplication(all)))
}

// allApplicationsBody is the data of the list of all applications.
type allApplicationsBody struct {
	Search, Owner string
	Unknown       bool // there is no such owner
	Rows          []usedApplication
	Paging        site.Paging
}

// usedApplication is an application with its owner and use.
type usedApplication struct {
	oauth.Client
	Address, Owner string
	OwnerAddress   string // of the page of a user who owns it
	LastUse        time.Time
}

// Searched reports whether the list is not that of all.
func (b allApplicationsBody) Searched() bool { return b.Search != "" || b.Owner != "" }

// address returns that of the list with what is searched for.
func (b allApplicationsBody) address() string {
	query := url.Values{}
	for name, value := range map[string]string{"search": b.Search, "owner": b.Owner} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return adminApplicationsPath
	}
	return adminApplicationsPath + "?" + query.Encode()
}

func (a *api) listAllApplications(w http.ResponseWriter, r *http.Request, _ user.User) error {
	query, wanted := r.URL.Query(), site.PageOf(r)
	body := allApplicationsBody{Search: strings.TrimSpace(query.Get("search")), Owner: strings.TrimSpace(query.Get("owner"))}
	found, err := a.findApplications(r.Context(), body, wanted)
	if body.Unknown = err == errNoOwner; err != nil && !body.Unknown {
		return err
	}
	if body.Rows, err = a.usedApplications(r.Context(), found.Items); err != nil {
		return err
	}
	body.Paging = site.NewPaging(body.address(), wanted, found)
	return a.renderAdmin(w, r, site.Page{Template: "all_applications", Title: "All applications", Body: body})
}

var errNoOwner = fault.New(fault.NotFound, "no such owner")

// everyApplication is the list, in which no key leads to a part of a name.
var everyApplication = listing.List[oauth.Client]{
	ID:   func(c oauth.Client) int64 { return c.ID },
	Time: func(c oauth.Client) time.Time { return c.CreatedAt },
}

// findApplications returns a page of those with this owner whose name has the text in it, or
// whose Application ID it is.
func (a *api) findApplications(ctx context.Context, b allApplicationsBody, wanted page.Request) (page.Of[oauth.Client], error) {
	list := a.app.OAuth.Clients
	if b.Owner != "" {
		owner, err := a.app.Users.UserByLogin(ctx, strings.TrimPrefix(b.Owner, "@"))
		switch {
		case fault.Is(err, fault.NotFound):
			return page.Of[oauth.Client]{}, errNoOwner
		case err != nil:
			return page.Of[oauth.Client]{}, err
		}
		list = func(ctx context.Context, r page.Request) (page.Of[oauth.Client], error) {
			return a.app.OAuth.ClientsOf(ctx, owner.ID, r)
		}
	}
	if b.Search == "" {
		return list(ctx, wanted)
	}
	if oauth.IsClientID(b.Search) {
		c, err := a.app.OAuth.Client(ctx, b.Search)
		if err == nil {
			return page.Of[oauth.Client]{Items: []oauth.Client{c}}, nil
		}
		return page.Of[oauth.Client]{}, fault.IgnoreNotFound(err)
	}
	text := strings.ToLower(b.Search)
	return everyApplication.Search(ctx, wanted, func(c oauth.Client) bool { return strings.Contains(strings.ToLower(c.Name), text) }, list)
}

// usedApplications adds owners and uses to the applications, which are read at once.
func (a *api) usedApplications(ctx context.Context, found []oauth.Client) (rows []usedApplication, err error) {
	var owners []int64
	for _, c := range found {
		if c.OwnerID != 0 {
			owners = append(owners, c.OwnerID)
		}
	}
	var people map[int64]user.User
	var uses map[int64]time.Time
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		people, err = a.app.Users.UsersByID(ctx, owners)
		return err
	})
	reads.Go(func() (err error) {
		uses, err = a.app.OAuth.LastUses(ctx, found)
		return err
	})
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	for _, c := range found {
		row := usedApplication{Client: c, Address: a.adminDesk().address(c), Owner: deletedUser, LastUse: uses[c.ID]}
		if owner, known := people[c.OwnerID]; known {
			row.Owner, row.OwnerAddress = "@"+owner.Username, "/users/"+owner.Username
		} else if c.OwnerID == 0 {
			row.Owner = instanceItself
		}
		rows = append(rows, row)
	}
	return rows, nil
}
