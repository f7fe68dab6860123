package accountapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// Addresses of the administrators' pages.
const (
	adminUsersPath = "/admin/users"
	adminAuditPath = "/admin/audit"
)

var administration = []site.Tab{
	{Name: "Users", Address: adminUsersPath},
	{Name: "Audit trail", Address: adminAuditPath},
	{Name: "Deprecated names", Address: adminDeprecationsPath},
	{Name: "Mails", Address: adminMailsPath},
}

var errNotAdmin = fault.New(fault.NotFound, "for administrators")

// administrator lets administrators through. To everyone else the page does not
// exist.
func (a *api) administrator(h site.UserHandler) http.Handler {
	return a.site.SignedIn(func(w http.ResponseWriter, r *http.Request, u user.User) error {
		if !u.Admin {
			return errNotAdmin
		}
		return h(w, r, u)
	})
}

// administratorAt is administrator for a page about the user that {id} names.
func (a *api) administratorAt(h func(w http.ResponseWriter, r *http.Request, u, of user.User) error) http.Handler {
	return a.administrator(func(w http.ResponseWriter, r *http.Request, u user.User) error {
		id, err := web.PathID(r, "id")
		if err != nil {
			return err
		}
		of, err := a.app.Users.User(r.Context(), id)
		if err != nil {
			return err
		}
		return h(w, r, u, of)
	})
}

func toUsers(w http.ResponseWriter, r *http.Request, _ user.User) error {
	return site.Redirect(w, r, adminUsersPath)
}

// renderAdmin answers with a page of the administration.
func (a *api) renderAdmin(w http.ResponseWriter, r *http.Request, p site.Page) error {
	p.Place, p.Tabs = "Administration", slices.Clone(administration)
	for i, t := range p.Tabs {
		p.Tabs[i].Current = strings.HasPrefix(r.URL.Path, t.Address)
	}
	return a.site.Render(w, r, p)
}

// usersBody is the data of the list of users.
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
	body := usersBody{Search: search, Paging: site.NewPaging(adminUsersPath, wanted, found)}
	for _, x := range found.Items {
		body.Rows = append(body.Rows, userRow{
			x, adminUsersPath + "/" + strconv.FormatInt(x.ID, 10),
			adminAuditPath + "?" + url.Values{"user": {x.Username}}.Encode(), x.ID == u.ID,
		})
	}
	return a.renderAdmin(w, r, site.Page{Template: "users", Title: "Users", Body: body})
}

// setState returns the handler that blocks or unblocks the user that {id} names.
func (a *api) setState(set func(context.Context, audit.Actor, int64) (user.User, error), notice string) site.UserHandler {
	return func(w http.ResponseWriter, r *http.Request, u user.User) error {
		id, err := web.PathID(r, "id")
		if err == nil {
			_, err = set(r.Context(), audit.ByUser(u.ID), id)
		}
		if errors.Is(err, user.ErrOneself) {
			return fault.New(fault.Invalid, "Administrators cannot block themselves.")
		}
		return a.site.Done(w, r, err, notice, adminUsersPath)
	}
}

// confirmAddress confirms the e-mail address in the form, if the user that {id} names has it
// still.
func (a *api) confirmAddress(w http.ResponseWriter, r *http.Request, u user.User) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	id, err := web.PathID(r, "id")
	if err == nil {
		_, err = a.app.Users.Confirm(r.Context(), audit.ByUser(u.ID), id, form.Get("email"))
	}
	return a.site.Done(w, r, err, "user-confirmed", adminUsersPath)
}

// resetTwoFactor resets the second factor of another user. Administrators turn
// their own off in their settings, which takes the password: someone who finds
// this page open does not know it.
func (a *api) resetTwoFactor(w http.ResponseWriter, r *http.Request, u user.User) error {
	id, err := web.PathID(r, "id")
	switch {
	case err != nil:
		return err
	case id == u.ID:
		return fault.New(fault.Invalid, "Turn off your own two-factor authentication in your settings.")
	}
	other, err := a.app.Users.User(r.Context(), id)
	if err != nil {
		return err
	}
	if err := a.app.TwoFactor.Reset(r.Context(), audit.ByUser(u.ID), other); err != nil {
		return err
	}
	notice := "two-factor-reset"
	if !other.TwoFactorEnabled {
		notice = "two-factor-over"
	}
	return a.site.Done(w, r, nil, notice, adminUsersPath)
}
