package accountapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/deprecation"
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

const adminDeprecationsPath = "/admin/deprecations"

// showDeprecations lists what is deprecated. The page is the same for everybody.
func (a *api) showDeprecations(w http.ResponseWriter, r *http.Request) error {
	return a.site.Render(w, r, site.Page{Template: "deprecations", Title: "What REST v4 has deprecated", Body: deprecation.Table})
}

// usesBody is the data of the list of who uses what is deprecated.
type usesBody struct {
	Entries     []deprecation.Entry
	Row         string // that is searched for
	Application string // likewise
	Unknown     bool   // there is no such application
	Rows        []useRow
	Paging      site.Paging
}

// useRow is a use as text.
type useRow struct {
	deprecation.Use
	Subject, Address string // of the entry
	By, For          string
}

func newUseRow(u deprecation.Use) useRow {
	row := useRow{Use: u, Subject: u.Entry, Address: deprecation.Page + "#" + u.Entry}
	if e, known := deprecation.Find(u.Entry); known {
		row.Subject = e.Subject
	}
	return row
}

// everybodysUses shows administrators who uses what is deprecated.
func (a *api) everybodysUses(w http.ResponseWriter, r *http.Request, _ user.User) error {
	query, wanted := r.URL.Query(), site.PageOf(r)
	body := usesBody{Entries: deprecation.Table, Row: query.Get("row"), Application: strings.TrimSpace(query.Get("application_id"))}
	var found page.Of[deprecation.Use]
	f, err := a.usesFilter(r.Context(), &body)
	if err == nil && !body.Unknown {
		found, err = a.app.Deprecations.Uses(r.Context(), f, wanted)
	}
	if err != nil {
		return err
	}
	if body.Rows, err = a.useRows(r.Context(), found.Items); err != nil {
		return err
	}
	body.Paging = site.NewPaging(body.address(), wanted, found)
	return a.renderAdmin(w, r, site.Page{Template: "deprecated_uses", Title: "Deprecated names", Body: body})
}

// usesFilter returns what the form asks for. It ignores a row that does not exist.
func (a *api) usesFilter(ctx context.Context, body *usesBody) (f deprecation.Filter, err error) {
	if _, known := deprecation.Find(body.Row); !known {
		body.Row = ""
	}
	f.Entry = body.Row
	if body.Application == "" {
		return f, nil
	}
	client, err := a.app.OAuth.Client(ctx, body.Application)
	f.Client, body.Unknown = client.ID, fault.Is(err, fault.NotFound)
	return f, fault.IgnoreNotFound(err)
}

// address returns that of the list with what is searched for.
func (b usesBody) address() string {
	query := url.Values{}
	for name, value := range map[string]string{"row": b.Row, "application_id": b.Application} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return adminDeprecationsPath
	}
	return adminDeprecationsPath + "?" + query.Encode()
}

// useRows describes uses, with the names of the applications and users, which are
// read at once.
func (a *api) useRows(ctx context.Context, uses []deprecation.Use) (rows []useRow, err error) {
	var people map[int64]user.User
	var applications map[string]oauth.Client
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		var ids []int64
		for _, u := range uses {
			ids = append(ids, u.UserID)
		}
		people, err = a.app.Users.UsersByID(ctx, ids)
		return err
	})
	reads.Go(func() (err error) {
		applications, err = a.applicationsOf(ctx, uses)
		return err
	})
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	for _, u := range uses {
		row := newUseRow(u)
		row.By, row.For = userOf(u, applications[u.ApplicationID]), "A deleted user"
		if person, known := people[u.UserID]; known {
			row.For = "@" + person.Username
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// userOf names who made the requests.
func userOf(u deprecation.Use, application oauth.Client) string {
	switch {
	case u.TokenID != 0:
		return "Access token " + strconv.FormatInt(u.TokenID, 10)
	case u.Client == 0:
		return "A password, without an application"
	case application.ID == 0:
		return "A deleted application"
	}
	return "Application “" + application.Name + "”" // quoted, as the name may be anything
}

// applicationsOf returns the applications that exist, by their Application ID.
func (a *api) applicationsOf(ctx context.Context, uses []deprecation.Use) (map[string]oauth.Client, error) {
	applications := map[string]oauth.Client{}
	for _, u := range uses {
		if u.ApplicationID != "" {
			applications[u.ApplicationID] = oauth.Client{}
		}
	}
	found := make(chan oauth.Client, len(applications))
	reads, ctx := errgroup.WithContext(ctx)
	for id := range applications {
		reads.Go(func() error {
			client, err := a.app.OAuth.Client(ctx, id)
			found <- client
			return fault.IgnoreNotFound(err)
		})
	}
	err := reads.Wait()
	close(found)
	for client := range found {
		applications[client.ClientID] = client
	}
	return applications, err
}

// usesOf returns the latest uses by the application.
func (a *api) usesOf(ctx context.Context, c oauth.Client) (rows []useRow, err error) {
	found, err := a.app.Deprecations.Uses(ctx, deprecation.Filter{Client: c.ID}, page.First)
	for _, u := range found.Items {
		rows = append(rows, newUseRow(u))
	}
	return rows, err
}
