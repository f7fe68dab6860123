package monitorapi

import (
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// settingsBody is a project's alert settings on the wire.
type settingsBody struct {
	GenericAlertFingerprinting bool   `json:"generic_alert_fingerprinting"`
	CreateIncident             bool   `json:"create_incident"`
	IncidentTemplate           string `json:"incident_template"`
	AutoCloseIncident          bool   `json:"auto_close_incident"`
	SendEmail                  bool   `json:"send_email"`
	RetentionDays              *int64 `json:"retention_days"`
}

func newSettingsBody(s integration.Settings) settingsBody {
	return settingsBody{s.Fingerprinting, s.CreateIncident, s.IncidentTemplate, s.AutoCloseIncident, s.SendEmail, s.RetentionDays}
}

func (a *api) showSettings(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	s, err := a.app.Integrations.AlertSettings(r.Context(), p)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, newSettingsBody(s))
}

func (a *api) changeSettings(w http.ResponseWriter, r *http.Request, caller auth.Caller, p project.Project) error {
	change, err := readSettingsChange(r)
	if err != nil {
		return err
	}
	s, err := a.app.Integrations.ChangeSettings(r.Context(), caller.Actor(), p, change)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return web.JSON(w, http.StatusOK, newSettingsBody(s))
}

// readSettingsChange reads the members that were sent.
func readSettingsChange(r *http.Request) (integration.SettingsChange, error) {
	params := web.Params(r)
	c := integration.SettingsChange{
		Fingerprinting:    sentBool(params, "generic_alert_fingerprinting"),
		CreateIncident:    sentBool(params, "create_incident"),
		AutoCloseIncident: sentBool(params, "auto_close_incident"),
		SendEmail:         sentBool(params, "send_email"),
	}
	if params.Has("incident_template") {
		template := orZero(params.OptionalString("incident_template"))
		c.IncidentTemplate = &template
	}
	if params.Has("retention_days") {
		days := params.OptionalInt("retention_days")
		c.RetentionDays = &days
	}
	return c, params.Err()
}

// sentBool returns a boolean, or nil when it was not sent. It must not be blank.
func sentBool(params *web.Values, name string) *bool {
	if !params.Has(name) {
		return nil
	}
	b := params.Bool(name)
	return &b
}
