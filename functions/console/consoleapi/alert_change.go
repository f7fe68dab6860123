package consoleapi

import (
	"context"
	"errors"
	"net/http"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// setStatus gives the alert the status in the form.
func (a *api) setStatus(w http.ResponseWriter, r *http.Request, v visit) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	status := alert.Status(form.Get("status"))
	return a.changeAlert(w, r, v, form, alert.Change{Status: &status}, "alert-"+string(status))
}

var errNoStatus = fault.New(fault.Invalid, "An alert has no such status.")

// changeAlert makes the change, unless the alert was changed since the form was
// shown.
func (a *api) changeAlert(w http.ResponseWriter, r *http.Request, v visit, form site.Form, c alert.Change, notice string) error {
	n, err := web.PathID(r, "alert")
	if err != nil {
		return err
	}
	if c.Seen, err = seenVersion(form); err != nil {
		return err
	}
	of, err := a.app.Alerts.Current(r.Context(), v.Project, n)
	if err != nil {
		return err
	}
	_, err = a.app.Alerts.Change(r.Context(), v.actor(), v.Project, of, c)
	var wrong fault.Fields
	errors.As(err, &wrong)
	switch {
	case wrong["status"] != nil:
		return errNoStatus
	case wrong["assignee_id"] != nil:
		return a.renderWrongAssignee(w, r, v, form)
	case wrong["silenced_until"] != nil:
		return a.renderWrongSilence(w, r, v, newSilenceForm(form), wrong["silenced_until"][0])
	case fault.Is(err, fault.Conflict):
		return a.renderAlertError(w, r, v, n, err)
	}
	return a.site.Done(w, r, err, notice, v.alertAddress(n)+backToAlerts(r))
}

// renderAlertError shows the alert with the reason why it was not changed.
func (a *api) renderAlertError(w http.ResponseWriter, r *http.Request, v visit, iid int64, why error) error {
	body, err := a.newAlertBody(r.Context(), v, iid)
	if err != nil {
		return err
	}
	body.Complaint = sentence(why)
	if errors.Is(why, alert.ErrChanged) {
		body.Complaint = "The alert was changed since you opened its page. Below is its present state: repeat your change if you still want it."
	}
	if errors.Is(why, alert.ErrDuplicateOpen) {
		if body.Duplicate, err = a.openDuplicate(r.Context(), v, body.Alert); err != nil {
			return err
		}
	}
	return a.renderAlert(w, r, http.StatusConflict, body)
}

// openDuplicate returns the open alert with the fingerprint of this one, or nil
// if there is none any more.
func (a *api) openDuplicate(ctx context.Context, v visit, of alert.Alert) (*alertRow, error) {
	other, err := a.app.Alerts.OpenAlert(ctx, v.Project.ID, of.Fingerprint)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return &alertRow{Alert: other, Address: v.alertAddress(other.IID)}, err
}
