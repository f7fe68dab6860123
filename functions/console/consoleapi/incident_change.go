package consoleapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/incident"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// setIncidentStatus gives the incident the status in the form.
func (a *api) setIncidentStatus(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	status := incident.Status(form.Get("status"))
	return a.changeIncident(w, r, v, s, form, incident.Change{Status: &status}, "incident-"+string(status))
}

// setIncidentState closes the incident or opens it again.
func (a *api) setIncidentState(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	state := incident.State(form.Get("state"))
	return a.changeIncident(w, r, v, s, form, incident.Change{State: &state}, "incident-"+string(state))
}

// assignIncident gives the incident the assignee in the form, or none.
func (a *api) assignIncident(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	id, err := a.assignee(r.Context(), form)
	if fault.Is(err, fault.NotFound) {
		return a.complain(w, r, v, s, http.StatusUnprocessableEntity, wrongAssigneeIn(form))
	}
	if err != nil {
		return err
	}
	notice := "incident-assigned"
	if id == 0 {
		notice = "incident-unassigned"
	}
	return a.changeIncident(w, r, v, s, form, incident.Change{AssigneeID: &id}, notice)
}

var errNoIncidentStatus = fault.New(fault.Invalid, "An incident has no such status or state.")

// changeIncident makes the change, unless the incident was changed since the form was shown.
func (a *api) changeIncident(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored, form site.Form, c incident.Change, notice string) (err error) {
	if c.Seen, err = seenVersion(form); err != nil {
		return err
	}
	_, err = a.app.Incidents.Change(r.Context(), v.actor(), v.Project, s, c)
	var wrong fault.Fields
	errors.As(err, &wrong)
	switch {
	case wrong["assignee_id"] != nil:
		return a.complain(w, r, v, s, http.StatusUnprocessableEntity, wrongAssigneeIn(form))
	case wrong["status"] != nil && s.Thing.State == incident.Closed:
		return a.complain(w, r, v, s, http.StatusConflict, func(b *incidentBody) { b.Complaint = "A closed incident is resolved. Reopen it first." })
	case wrong != nil:
		return errNoIncidentStatus
	}
	return a.incidentDone(w, r, v, s, err, notice)
}

// incidentDone answers a form of the incident's page: with that page and a notice, or with
// the reason why the state of the incident does not allow it.
func (a *api) incidentDone(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored, err error, notice string) error {
	if fault.Is(err, fault.Conflict) {
		return a.complain(w, r, v, s, http.StatusConflict, func(b *incidentBody) { b.Complaint = conflict(err) })
	}
	return a.site.Done(w, r, err, notice, v.incidentAddress(s.Number)+backToIncidents(r))
}

func conflict(err error) string {
	if errors.Is(err, incident.ErrChanged) {
		return "The incident was changed since you opened its page. Below is its present state: repeat your change if you still want it."
	}
	return sentence(err)
}

// complain shows the incident as it is now, with what mark says about the form.
func (a *api) complain(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored, status int, mark func(*incidentBody)) error {
	s, err := a.app.Incidents.Find(r.Context(), v.Project, s.Number)
	if err != nil {
		return err
	}
	body, err := a.newIncidentBody(r, v, s)
	if err != nil {
		return err
	}
	mark(&body)
	return a.renderIncident(w, r, status, body)
}

func wrongAssigneeIn(form site.Form) func(*incidentBody) {
	return func(b *incidentBody) { b.Wrong = wrongAssignee{typedAssignee(form), notAnAssignee} }
}

// linkAlert lets the alert in the form belong to the incident.
func (a *api) linkAlert(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	text := form.Get("alert")
	iid, err := parseIID(text)
	if err == nil {
		_, err = a.app.Incidents.Link(r.Context(), v.actor(), v.Project, s, iid)
	}
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return a.complain(w, r, v, s, web.Status(err), func(b *incidentBody) { b.Link = typed{text, whyNotLinked(err)} })
	}
	return a.incidentDone(w, r, v, s, err, "incident-linked")
}

func whyNotLinked(err error) string {
	if errors.Is(err, alert.ErrNotFound) {
		return "The project has no alert with this number."
	}
	return sentence(err)
}

// parseIID returns the number that somebody typed, or alert.ErrNotFound.
func parseIID(text string) (int64, error) {
	iid, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(text), "#"), 10, 64)
	if err != nil || iid <= 0 {
		return 0, alert.ErrNotFound
	}
	return iid, nil
}

// unlinkAlert takes the alert in the path out of the incident.
func (a *api) unlinkAlert(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored) error {
	iid, err := web.PathID(r, "alert")
	if err == nil {
		_, err = a.app.Incidents.Unlink(r.Context(), v.actor(), v.Project, s, iid)
	}
	return a.incidentDone(w, r, v, s, err, "incident-unlinked")
}

// addNote adds the note in the form to the timeline.
func (a *api) addNote(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	text := unixLines(form.Get("note"))
	_, err = a.app.Incidents.Note(r.Context(), v.actor(), v.Project, s, text)
	var wrong fault.Fields
	if errors.As(err, &wrong) {
		return a.complain(w, r, v, s, http.StatusUnprocessableEntity, func(b *incidentBody) {
			b.Note = typed{text, site.Sentence("The note", wrong["note"])}
		})
	}
	return a.incidentDone(w, r, v, s, err, "incident-noted")
}

// unixLines returns text of a form, in which lines end in CR LF, with LF alone.
func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// linkIncident lets the alert in the path belong to the incident in the form.
func (a *api) linkIncident(w http.ResponseWriter, r *http.Request, v visit) error {
	n, err := web.PathID(r, "alert")
	if err != nil {
		return err
	}
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	text := form.Get("incident")
	iid, err := parseIID(text)
	var s incident.Stored
	if err == nil {
		s, err = a.app.Incidents.Find(r.Context(), v.Project, iid)
	}
	if fault.Is(err, fault.NotFound) {
		return a.renderNotLinked(w, r, v, n, http.StatusNotFound, typed{text, "The project has no incident with this number."})
	}
	if err == nil {
		_, err = a.app.Incidents.Link(r.Context(), v.actor(), v.Project, s, n)
	}
	if fault.Is(err, fault.Conflict) {
		return a.renderNotLinked(w, r, v, n, http.StatusConflict, typed{text, sentence(err)})
	}
	return a.site.Done(w, r, err, "incident-linked", v.alertAddress(n)+backToAlerts(r))
}

// renderNotLinked shows the alert with the reason why it does not belong to the incident.
func (a *api) renderNotLinked(w http.ResponseWriter, r *http.Request, v visit, iid int64, status int, link typed) error {
	body, err := a.newAlertBody(r.Context(), v, iid)
	if err != nil {
		return err
	}
	body.Link = link
	if body.Incident != "" { // the page has no such form any more
		body.Complaint = link.Complaint
	}
	return a.renderAlert(w, r, status, body)
}

var errOtherIncident = fault.New(fault.Conflict, "the alert belongs to another incident since you opened its page")

// unlinkIncident takes the alert in the path out of its incident, unless that is another
// than the page showed.
func (a *api) unlinkIncident(w http.ResponseWriter, r *http.Request, v visit) error {
	n, err := web.PathID(r, "alert")
	if err != nil {
		return err
	}
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	seen, err := seenVersion(form)
	if err != nil {
		return err
	}
	s, err := a.app.Incidents.OfAlert(r.Context(), v.Project, n)
	if err == nil && seen != 0 && seen != s.Number {
		err = errOtherIncident
	}
	if err == nil {
		_, err = a.app.Incidents.Unlink(r.Context(), v.actor(), v.Project, s, n)
	}
	switch {
	case fault.Is(err, fault.NotFound):
		return a.renderNotLinked(w, r, v, n, http.StatusNotFound, typed{Complaint: "The alert belongs to no incident any more."})
	case fault.Is(err, fault.Conflict):
		return a.renderNotLinked(w, r, v, n, http.StatusConflict, typed{Complaint: conflict(err)})
	}
	return a.site.Done(w, r, err, "incident-unlinked", v.alertAddress(n)+backToAlerts(r))
}
