package consoleapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/site"
)

// alertSettingsForm is the form of the project's rules for alerts.
type alertSettingsForm struct {
	integration.Settings
	Days       string // RetentionDays as text; empty: as the instance says
	Complaints site.Complaints
}

func newAlertSettingsForm(s integration.Settings) alertSettingsForm {
	form := alertSettingsForm{Settings: s}
	if s.RetentionDays != nil {
		form.Days = strconv.FormatInt(*s.RetentionDays, 10)
	}
	return form
}

// readAlertSettings reads the form, and the change that it asks for.
func readAlertSettings(form site.Form) (shown alertSettingsForm, c integration.SettingsChange, err error) {
	shown.Fingerprinting, shown.CreateIncident = form.Checked("fingerprinting"), form.Checked("create_incident")
	shown.AutoCloseIncident, shown.SendEmail = form.Checked("auto_close_incident"), form.Checked("send_email")
	shown.IncidentTemplate, shown.Days = unixLines(form.Get("incident_template")), strings.TrimSpace(form.Get("retention_days"))
	if shown.Days != "" {
		days, err := strconv.ParseInt(shown.Days, 10, 64)
		if err != nil {
			return shown, c, fault.Field("retention_days", "must be a whole number")
		}
		shown.RetentionDays = &days
	}
	return shown, integration.SettingsChange{
		Fingerprinting: &shown.Fingerprinting, CreateIncident: &shown.CreateIncident, IncidentTemplate: &shown.IncidentTemplate,
		AutoCloseIncident: &shown.AutoCloseIncident, SendEmail: &shown.SendEmail, RetentionDays: &shown.RetentionDays,
	}, nil
}

// changeAlertSettings saves the project's rules for alerts.
func (a *api) changeAlertSettings(w http.ResponseWriter, r *http.Request, v visit) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	shown, change, err := readAlertSettings(form)
	if err == nil {
		_, err = a.app.Integrations.ChangeSettings(r.Context(), v.actor(), v.Project, change)
	}
	var wrong fault.Fields
	if errors.As(err, &wrong) {
		shown.Complaints = site.NewComplaints(wrong, "incident_template", "The template", "retention_days", "The number of days")
		body, err := a.newIntegrationsBody(r.Context(), v)
		if err != nil {
			return err
		}
		body.Rules = shown
		return a.renderIntegrations(w, r, http.StatusUnprocessableEntity, body)
	}
	return a.site.Done(w, r, err, "alert-settings", v.Address()+integrationsSection)
}
