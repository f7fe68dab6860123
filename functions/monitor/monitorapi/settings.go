package monitorapi

import (
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// settingsBody is a project's alert settings on the wire.
type settingsBody struct {
	GenericAlertFingerprinting bool `json:"generic_alert_fingerprinting"`
}

func (a *api) showSettings(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	s, err := a.app.Integrations.AlertSettings(r.Context(), p)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, settingsBody{s.Fingerprinting})
}

func (a *api) changeSettings(w http.ResponseWriter, r *http.Request, caller auth.Caller, p project.Project) error {
	params := web.Params(r)
	fingerprinting := params.Bool("generic_alert_fingerprinting")
	if err := params.Err(); err != nil {
		return err
	}
	s, err := a.app.Integrations.ChangeSettings(r.Context(), caller.Actor(), p, fingerprinting)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return web.JSON(w, http.StatusOK, settingsBody{s.Fingerprinting})
}
