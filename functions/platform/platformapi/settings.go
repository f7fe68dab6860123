package platformapi

import (
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/instance"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

func (a *api) routeSettings(mux *web.Mux) {
	admin := a.app.Auth.Admin()

	mux.Handle("GET /api/v4/application/settings", admin(a.showSettings))
	mux.Handle("PUT /api/v4/application/settings", admin(a.changeSettings))
}

// settingsBody is the settings of the instance on the wire.
type settingsBody struct {
	protectionBody
	CanCreateGroup    bool               `json:"can_create_group"`
	GroupVisibility   project.Visibility `json:"default_group_visibility"`
	ProjectVisibility project.Visibility `json:"default_project_visibility"`
	SignInText        string             `json:"sign_in_text"`
	SupportURL        string             `json:"help_page_support_url"`
}

func newSettingsBody(s instance.Current) settingsBody {
	return settingsBody{
		protectionBody: newProtectionBody(s.NewGroups.BranchProtection()),
		CanCreateGroup: s.TopLevel == project.TopLevelByEverybody, GroupVisibility: s.GroupVisibility, ProjectVisibility: s.ProjectVisibility,
		SignInText: s.SignInText, SupportURL: s.SupportURL,
	}
}

func (a *api) showSettings(w http.ResponseWriter, r *http.Request, _ auth.Caller) error {
	s, err := a.app.Instance.Settings(r.Context())
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, newSettingsBody(s))
}

func (a *api) changeSettings(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	change := instance.Change{
		NewGroups: readProtection(params, levelsOfInstance()), TopLevel: readTopLevel(params),
		GroupVisibility:   orDefault[project.Visibility](params, "default_group_visibility"),
		ProjectVisibility: orDefault[project.Visibility](params, "default_project_visibility"),
		SignInText:        orDefault[string](params, "sign_in_text"),
		SupportURL:        orDefault[string](params, "help_page_support_url"),
	}
	if err := params.Err(); err != nil {
		return err
	}
	s, err := a.app.Instance.Change(r.Context(), c.Actor(), change)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, newSettingsBody(s))
}

// readTopLevel reads who makes top-level groups: nil if it was not sent, and the default if
// it is null or empty.
func readTopLevel(params *web.Values) *project.TopLevel {
	const name = "can_create_group"
	switch {
	case !params.Has(name):
		return nil
	case !params.Sent(name):
		return new(project.TopLevel)
	case params.Bool(name):
		return new(project.TopLevelByEverybody)
	}
	return new(project.TopLevelByAdministrators)
}

// orDefault reads a text: nil if it was not sent, and empty, which is the default, if it is
// null.
func orDefault[T ~string](params *web.Values, name string) *T {
	if !params.Has(name) {
		return nil
	}
	if s := params.OptionalString(name); s != nil {
		return new(T(*s))
	}
	return new(T)
}
