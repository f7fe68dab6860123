package consoleapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// notAnAssignee is what is wrong with a user name.
const notAnAssignee = "This is not the user name of somebody with at least the role Developer in the project."

// wrongAssignee is what was typed as the user name of an assignee, and what is
// wrong with it.
type wrongAssignee struct{ Typed, Complaint string }

// assign gives the alert the assignee in the form, or none.
func (a *api) assign(w http.ResponseWriter, r *http.Request, v visit) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	id, err := a.assignee(r.Context(), form)
	if fault.Is(err, fault.NotFound) {
		return a.renderWrongAssignee(w, r, v, form)
	}
	if err != nil {
		return err
	}
	notice := "alert-assigned"
	if id == 0 {
		notice = "alert-unassigned"
	}
	return a.changeAlert(w, r, v, form, alert.Change{AssigneeID: &id}, notice)
}

// assignee returns the user whom a form names: by user_id, which is zero for
// nobody, or by the user name that was typed.
func (a *api) assignee(ctx context.Context, form site.Form) (int64, error) {
	if text := form.Get("user_id"); text != "" {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, user.ErrNotFound
		}
		return id, nil
	}
	u, err := a.app.Users.UserByUsername(ctx, typedAssignee(form))
	return u.ID, err
}

// typedAssignee returns the typed user name, which people write with an @ as well.
func typedAssignee(form site.Form) string {
	return strings.TrimPrefix(strings.TrimSpace(form.Get("assignee")), "@")
}

// renderWrongAssignee shows the alert with what is wrong with the assignee.
func (a *api) renderWrongAssignee(w http.ResponseWriter, r *http.Request, v visit, form site.Form) error {
	n, err := web.PathID(r, "alert")
	if err != nil {
		return err
	}
	body, err := a.newAlertBody(r.Context(), v, n)
	if err != nil {
		return err
	}
	body.Wrong = wrongAssignee{typedAssignee(form), notAnAssignee}
	return a.renderAlert(w, r, http.StatusUnprocessableEntity, body)
}
