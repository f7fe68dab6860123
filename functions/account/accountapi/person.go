package accountapi

import (
	"net/http"

	"gatehouse/shared/fault"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// personBody is the data of a person's page.
type personBody struct {
	user.User
	Own, Whole bool // the reader is the person; sees more than names
}

// showPerson shows signed-in people who has a user name. Those who may not see a page are
// told the same as if nobody had the name.
func (a *api) showPerson(w http.ResponseWriter, r *http.Request, u user.User) error {
	of, err := a.app.Users.UserByUsername(r.Context(), r.PathValue("username"))
	switch {
	case err != nil:
		return err
	case !of.ShownTo(u):
		return fault.New(fault.NotFound, "the page is not for this reader")
	}
	return a.site.Render(w, r, site.Page{
		Template: "person", Title: of.Name, Body: personBody{User: of, Own: of.ID == u.ID, Whole: of.WhollyShownTo(u)},
	})
}
