// Package errortrackingapi serves the REST API for a project's error tracking:
// its settings and client keys.
package errortrackingapi

import (
	"net/http"

	"gatehouse/shared/app"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

type api struct{ app *app.App }

// New returns the group's handler.
func New(app *app.App) http.Handler {
	mux := web.NewMux()
	Mount(mux, app)
	return web.NewREST(app.BaseURL, mux, "/api/v4/projects/")
}

// Mount also adds the routes to the function projects: API Gateway decodes the
// slashes in a project's path, so such requests go there.
func Mount(mux *web.Mux, app *app.App) {
	api := &api{app}
	maintainer := app.Auth.Project(project.Maintainer)

	mux.Handle("GET /api/v4/projects/{id}/error_tracking/settings", maintainer(api.showSettings))
	mux.Handle("PUT /api/v4/projects/{id}/error_tracking/settings", maintainer(api.putSettings))
	mux.Handle("PATCH /api/v4/projects/{id}/error_tracking/settings", maintainer(api.patchSettings))
	mux.Handle("GET /api/v4/projects/{id}/error_tracking/client_keys", maintainer(api.listKeys))
	mux.Handle("POST /api/v4/projects/{id}/error_tracking/client_keys", maintainer(api.createKey))
	mux.Handle("DELETE /api/v4/projects/{id}/error_tracking/client_keys/{key_id}", maintainer(api.deleteKey))
}
