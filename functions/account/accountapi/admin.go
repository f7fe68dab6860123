package accountapi

import (
	"net/http"
	"slices"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// Addresses of the administrators' pages.
const (
	adminUsersPath    = "/admin/users"
	adminSettingsPath = "/admin/settings"
	adminAuditPath    = "/admin/audit"
)

var administration = []site.Tab{
	{Name: "Users", Address: adminUsersPath},
	{Name: "Applications", Address: adminApplicationsPath},
	{Name: "Settings", Address: adminSettingsPath},
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
