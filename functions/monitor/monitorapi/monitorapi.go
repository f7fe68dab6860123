// Package monitorapi serves the REST API about what watches a project: its
// alert integrations, its alerts and its rules for them.
package monitorapi

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
	return web.NewREST(mux, "/api/v4/projects/")
}

// Mount adds the group's routes to those of the function projects: API Gateway
// sends a project that is named by its path there, as it decodes the slashes.
func Mount(mux *web.Mux, app *app.App) {
	api := &api{app}
	developer, maintainer := app.Auth.Project(project.Developer), app.Auth.Project(project.Maintainer)

	mux.Handle("GET /api/v4/projects/{id}/monitor/integrations", maintainer(api.listIntegrations))
	mux.Handle("POST /api/v4/projects/{id}/monitor/integrations", maintainer(api.createIntegration))
	mux.Handle("POST /api/v4/projects/{id}/monitor/integrations/preview", maintainer(api.previewNew))
	mux.Handle("GET /api/v4/projects/{id}/monitor/integrations/{integration_id}", maintainer(api.showIntegration))
	mux.Handle("PUT /api/v4/projects/{id}/monitor/integrations/{integration_id}", maintainer(api.putIntegration))
	mux.Handle("PATCH /api/v4/projects/{id}/monitor/integrations/{integration_id}", maintainer(api.patchIntegration))
	mux.Handle("DELETE /api/v4/projects/{id}/monitor/integrations/{integration_id}", maintainer(api.deleteIntegration))
	mux.Handle("POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/reset_key", maintainer(api.resetKey))
	mux.Handle("GET /api/v4/projects/{id}/monitor/integrations/{integration_id}/last_payload", maintainer(api.lastPayload))
	mux.Handle("POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/preview", maintainer(api.preview))
	mux.Handle("POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/test", developer(api.test))
	mux.Handle("GET /api/v4/projects/{id}/monitor/alerts", developer(api.listAlerts))
	mux.Handle("GET /api/v4/projects/{id}/monitor/alerts/{iid}", developer(api.showAlert))
	mux.Handle("PUT /api/v4/projects/{id}/monitor/alerts/{iid}", developer(api.changeAlert))
	mux.Handle("GET /api/v4/projects/{id}/monitor/settings", maintainer(api.showSettings))
	mux.Handle("PUT /api/v4/projects/{id}/monitor/settings", maintainer(api.changeSettings))
}
