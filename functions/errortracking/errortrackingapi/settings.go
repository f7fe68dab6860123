package errortrackingapi

import (
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/web"
)

// settingsBody is a project's settings on the wire. The fields of the external
// tracker are null while the integrated one is used.
type settingsBody struct {
	Active      bool    `json:"active"`
	ProjectName *string `json:"project_name"`
	TrackerURL  *string `json:"tracker_external_url"`
	APIURL      *string `json:"api_url"`
	Integrated  bool    `json:"integrated"`
}

func newSettingsBody(s errortracking.Settings) settingsBody {
	body := settingsBody{Active: s.Active, Integrated: s.Integrated}
	if !s.Integrated {
		x := s.External
		body.ProjectName, body.TrackerURL, body.APIURL = web.OrNull(x.Name()), web.OrNull(x.Link()), web.OrNull(string(x.APIURL))
	}
	return body
}

func (a *api) showSettings(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	s, err := a.app.Tracking.Settings(r.Context(), p.ID)
	return answerSettings(w, s, err)
}

// putSettings creates the settings if there are none. It requires all fields
// except those of the external tracker.
func (a *api) putSettings(w http.ResponseWriter, r *http.Request, by auth.Caller, p project.Project) error {
	params := web.Params(r)
	active, integrated := params.Bool("active"), params.Bool("integrated")
	change := errortracking.Change{Create: true, Active: active, Integrated: &integrated}
	return a.change(w, r, by, p, params, change)
}

// patchSettings changes existing settings.
func (a *api) patchSettings(w http.ResponseWriter, r *http.Request, by auth.Caller, p project.Project) error {
	params := web.Params(r)
	change := errortracking.Change{Active: params.Bool("active"), Integrated: params.OptionalBool("integrated")}
	return a.change(w, r, by, p, params, change)
}

// change adds the parameters for the external tracker to the change and makes it.
func (a *api) change(w http.ResponseWriter, r *http.Request, by auth.Caller, p project.Project, params *web.Values, c errortracking.Change) error {
	c.APIURL, c.ProjectName = params.OptionalString("api_url"), params.OptionalString("project_name")
	c.TrackerURL = params.OptionalString("tracker_external_url")
	token := secretText(params.OptionalString("token"))
	if err := params.Err(); err != nil {
		return err // every complaint at once: "active is missing, integrated is invalid"
	}
	s, err := a.app.Tracking.Change(r.Context(), by.Actor(), p, c, token)
	return answerSettings(w, s, err)
}

func secretText(s *string) *secret.Text {
	if s == nil {
		return nil
	}
	text := secret.NewText(*s)
	return &text
}

func answerSettings(w http.ResponseWriter, s errortracking.Settings, err error) error {
	if err != nil {
		return web.NotFound("Error Tracking Setting", err)
	}
	return web.JSON(w, http.StatusOK, newSettingsBody(s))
}
