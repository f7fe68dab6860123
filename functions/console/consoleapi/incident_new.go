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
)

// incidentFormBody is the data of the form for a new incident.
type incidentFormBody struct {
	visit
	Title, Description, Alerts string
	Severity                   alert.Severity
	Complaints                 site.Complaints
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
	return a.render(w, r, body.visit, incidentsTab, site.Page{Template: "incident_new", Title: "New incident", Status: status, Body: body})
}

// createIncident makes the incident in the form.
func (a *api) createIncident(w http.ResponseWriter, r *http.Request, v visit) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := incidentFormBody{
		visit: v, Title: strings.TrimSpace(form.Get("title")), Description: unixLines(form.Get("description")),
		Alerts: form.Get("alerts"), Severity: alert.Severity(form.Get("severity")),
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
		body.Complaints = site.NewComplaints(wrong, "title", "The title", "severity", "The severity", "alert_iids", "The list", "description", "The description")
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
