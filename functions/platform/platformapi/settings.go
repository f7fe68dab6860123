package platformapi

import (
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/instance"
	"gatehouse/shared/web"
)

func (a *api) routeSettings(mux *web.Mux) {
	admin := a.app.Auth.Admin()

	mux.Handle("GET /api/v4/application/settings", admin(a.showSettings))
	mux.Handle("PUT /api/v4/application/settings", admin(a.changeSettings))
}

// newSettingsBody is the settings of the instance on the wire.
func newSettingsBody(s instance.Settings) protectionBody {
	return newProtectionBody(s.NewGroups.BranchProtection())
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
	edits := readProtection(params, levelsOfInstance())
	if err := params.Err(); err != nil {
		return err
	}
	s, err := a.app.Instance.Change(r.Context(), c.Actor(), edits...)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, newSettingsBody(s))
}
