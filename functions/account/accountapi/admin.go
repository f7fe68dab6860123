package accountapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/site"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// Where the pages of the administrators are.
const (
	adminUsersPath = "/admin/users"
	adminAuditPath = "/admin/audit"
)

var administration = []site.Tab{
	{Name: "Users", Address: adminUsersPath},
	{Name: "Audit trail", Address: adminAuditPath},
}

var errNotAdmin = fault.New(fault.NotFound, "for administrators")

// administrator lets administrators through. For everybody else there is
// nothing.
func (a *api) administrator(h site.UserHandler) http.Handler {
	return a.site.SignedIn(func(w http.ResponseWriter, r *http.Request, u user.User) error {
		if !u.Admin {
			return errNotAdmin
		}
		return h(w, r, u)
	})
}

func toUsers(w http.ResponseWriter, r *http.Request, _ user.User) error {
	return site.Redirect(w, r, adminUsersPath)
}

// renderAdmin answers with a page of the administration and the way to the
// others.
func (a *api) renderAdmin(w http.ResponseWriter, r *http.Request, p site.Page) error {
	p.Place, p.Tabs = "Administration", slices.Clone(administration)
	for i, t := range p.Tabs {
		p.Tabs[i].Current = strings.HasPrefix(r.URL.Path, t.Address)
	}
	return a.site.Render(w, r, p)
}

// usersBody is what the list of users shows.
type usersBody struct {
	Search string
	Rows   []userRow
	Paging site.Paging
}

type userRow struct {
	user.User
	Address, Trail string
	Own            bool // the reader
}

func (a *api) listUsers(w http.ResponseWriter, r *http.Request, u user.User) error {
	search, wanted := strings.TrimSpace(r.URL.Query().Get("search")), site.PageOf(r)
	var found page.Of[user.User]
	var err error
	if search == "" {
		found, err = a.app.Users.Users(r.Context(), wanted)
	} else {
		var one user.User
		if one, err = a.app.Users.UserByLogin(r.Context(), strings.TrimPrefix(search, "@")); err == nil {
			found.Items = []user.User{one}
		}
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	body := usersBody{Search: search, Paging: site.NewPaging(adminUsersPath, wanted, found.More)}
	for _, x := range found.Items {
		body.Rows = append(body.Rows, userRow{
			x, adminUsersPath + "/" + strconv.FormatInt(x.ID, 10),
			adminAuditPath + "?" + url.Values{"user": {x.Username}}.Encode(), x.ID == u.ID,
		})
	}
	return a.renderAdmin(w, r, site.Page{Template: "users", Title: "Users", Body: body})
}

func (a *api) blockUser(w http.ResponseWriter, r *http.Request, u user.User) error {
	return a.setState(w, r, u, user.Blocked, "user-blocked")
}

func (a *api) unblockUser(w http.ResponseWriter, r *http.Request, u user.User) error {
	return a.setState(w, r, u, user.Active, "user-unblocked")
}

// setState blocks or unblocks the user that {id} names. Nobody blocks oneself,
// so that there is always an administrator.
func (a *api) setState(w http.ResponseWriter, r *http.Request, u user.User, state user.State, notice string) error {
	was, err := a.named(r)
	switch {
	case err != nil:
		return err
	case was.ID == u.ID:
		return fault.New(fault.Invalid, "Administrators cannot block themselves.")
	}
	change := user.Change{State: &state, By: u.ID}
	if _, err := a.app.Users.Update(r.Context(), was.ID, change); err != nil {
		return err
	}
	a.app.Trail.Record(r.Context(), change.Events(was, u.ID)...)
	a.site.Notify(w, notice)
	return site.Redirect(w, r, adminUsersPath)
}

// named returns the user that {id} names.
func (a *api) named(r *http.Request) (user.User, error) {
	id, err := web.PathID(r, "id")
	if err != nil {
		return user.User{}, err
	}
	return a.app.Users.User(r.Context(), id)
}

// resetTwoFactor lets a user sign in with the password alone who lost the app
// and the recovery codes. Administrators turn their own off where that takes
// their password: whoever finds this page open has none.
func (a *api) resetTwoFactor(w http.ResponseWriter, r *http.Request, u user.User) error {
	whose, err := a.named(r)
	switch {
	case err != nil:
		return err
	case whose.ID == u.ID:
		return fault.New(fault.Invalid, "Turn off your own two-factor authentication in your settings.")
	}
	if err := a.app.TwoFactor.Reset(r.Context(), whose, u.ID); err != nil {
		return err
	}
	if !whose.TwoFactorEnabled {
		a.site.Notify(w, "two-factor-over")
		return site.Redirect(w, r, adminUsersPath)
	}
	a.app.Trail.Record(r.Context(), whose.Event(twofactor.EventDisabled, u.ID))
	a.site.Notify(w, "two-factor-reset")
	return site.Redirect(w, r, adminUsersPath)
}
