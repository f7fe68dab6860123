package consoleapi

import (
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/incident"
	"gatehouse/shared/markdown"
	"gatehouse/shared/site"
)

// incidentFormBody is the data of the form for an incident.
type incidentFormBody struct {
	visit
	Page                       string // address of the incident; empty: it is a new one
	Version                    int64  // of the incident that the form was shown with
	Title, Description, Alerts string
	Severity                   alert.Severity
	Previewed                  bool
	Complaints                 site.Complaints
	Complaint                  string // about the form as a whole
}

// readIncidentForm reads the form.
func readIncidentForm(r *http.Request, v visit) (body incidentFormBody, err error) {
	form, err := site.ReadForm(r)
	if err != nil {
		return body, err
	}
	body = incidentFormBody{
		visit: v, Title: strings.TrimSpace(form.Get("title")), Description: unixLines(form.Get("description")),
		Alerts: form.Get("alerts"), Severity: alert.Severity(form.Get("severity")), Previewed: form.Get("do") == "preview",
	}
	body.Version, err = seenVersion(form)
	return body, err
}

// Preview is the description as the page of the incident shows it.
func (b incidentFormBody) Preview() template.HTML { return template.HTML(markdown.HTML(b.Description)) }

// complain puts the complaints beside the fields.
func (b *incidentFormBody) complain(wrong fault.Fields) {
	b.Complaints = site.NewComplaints(wrong, "title", "The title", "severity", "The severity", "alert_iids", "The list", "description", "The description")
}

// Severities lists the severities, the gravest first.
func (b incidentFormBody) Severities() []alert.Severity { return alert.Severities }

// newIncident shows the form, filled in for the alert in the query if there is one.
func (a *api) newIncident(w http.ResponseWriter, r *http.Request, v visit) error {
	body := incidentFormBody{visit: v, Severity: alert.SeverityUnknown}
	if text := r.URL.Query().Get("alert"); text != "" {
		iid, err := parseIID(text)
		if err != nil {
			return err
		}
		of, err := a.app.Alerts.Alert(r.Context(), v.Project.ID, iid)
		if err != nil {
			return err
		}
		body.Title, body.Severity, body.Alerts = of.Title, of.PeakSeverity, strconv.FormatInt(of.IID, 10)
	}
	return a.renderIncidentForm(w, r, http.StatusOK, body)
}

func (a *api) renderIncidentForm(w http.ResponseWriter, r *http.Request, status int, body incidentFormBody) error {
	title := "New incident"
	if body.Page != "" {
		title = "Edit an incident"
	}
	return a.render(w, r, body.visit, incidentsTab, site.Page{Template: "incident_form", Title: title, Status: status, Body: body})
}

// createIncident makes the incident in the form.
func (a *api) createIncident(w http.ResponseWriter, r *http.Request, v visit) error {
	body, err := readIncidentForm(r, v)
	if err != nil {
		return err
	}
	if body.Previewed {
		return a.renderIncidentForm(w, r, http.StatusOK, body)
	}
	alerts, err := parseIIDs(body.Alerts)
	var made incident.Stored
	if err == nil {
		made, err = a.app.Incidents.Create(r.Context(), v.actor(), v.Project, incident.Draft{
			Title: body.Title, Description: body.Description, Severity: body.Severity, Alerts: alerts,
		})
	}
	var wrong fault.Fields
	if errors.As(err, &wrong) {
		body.complain(wrong)
		return a.renderIncidentForm(w, r, http.StatusUnprocessableEntity, body)
	}
	return a.site.Done(w, r, err, "incident-created", v.incidentAddress(made.Number))
}

// parseIIDs reads numbers between spaces and commas.
func parseIIDs(text string) (iids []int64, err error) {
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == ',' }) {
		iid, err := parseIID(word)
		if err != nil {
			return nil, fault.Field("alert_iids", "has something that is no number of an alert")
		}
		iids = append(iids, iid)
	}
	return iids, nil
}

// editIncident shows the form with the title, severity and description of the incident.
func (a *api) editIncident(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored) error {
	return a.renderIncidentForm(w, r, http.StatusOK, incidentFormBody{
		visit: v, Page: v.incidentAddress(s.Number), Version: s.Version,
		Title: incident.TitleOf(s), Description: s.Thing.Description, Severity: s.Thing.Severity,
	})
}

// saveIncident changes what differs from the form, unless the incident was changed since
// the form was shown.
func (a *api) saveIncident(w http.ResponseWriter, r *http.Request, v visit, s incident.Stored) error {
	body, err := readIncidentForm(r, v)
	if err != nil {
		return err
	}
	body.Page = v.incidentAddress(s.Number)
	if body.Previewed {
		return a.renderIncidentForm(w, r, http.StatusOK, body)
	}
	_, err = a.app.Incidents.Change(r.Context(), v.actor(), v.Project, s, body.change(s))
	var wrong fault.Fields
	switch {
	case errors.As(err, &wrong):
		body.complain(wrong)
		return a.renderIncidentForm(w, r, http.StatusUnprocessableEntity, body)
	case errors.Is(err, incident.ErrChanged):
		body.Version, body.Complaint = s.Version, "The incident was changed since you opened this form. Look at it before you save again, because that writes over what others changed."
		return a.renderIncidentForm(w, r, http.StatusConflict, body)
	}
	return a.site.Done(w, r, err, "incident-saved", body.Page)
}

// change returns what of the incident differs from the form.
func (b incidentFormBody) change(s incident.Stored) incident.Change {
	c := incident.Change{Seen: b.Version}
	if b.Title != incident.TitleOf(s) {
		c.Title = &b.Title
	}
	if b.Description != unixLines(s.Thing.Description) {
		c.Description = &b.Description
	}
	if b.Severity != s.Thing.Severity {
		c.Severity = &b.Severity
	}
	return c
}
