// Package monitorapi serves the REST API for a project's alert integrations,
// alerts, incidents, alert settings, webhooks, on-call schedules and escalation policy, and
// calendar feeds.
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
	api := &api{app}
	mux.Handle("POST /api/v4/user/oncall_feed", app.Auth.User()(api.renewOwnFeed))
	mux.Handle("DELETE /api/v4/user/oncall_feed", app.Auth.User()(api.endOwnFeed))
	rest := web.NewREST(app.BaseURL, mux, "/api/v4/projects/")
	api.addCalendars(&rest)
	return rest
}

// Mount also adds the routes to the function projects: API Gateway decodes the
// slashes in a project's path, so such requests go there.
func Mount(mux *web.Mux, app *app.App) {
	api := &api{app}
	developer, maintainer := app.Auth.Project(project.Developer), app.Auth.Project(project.Maintainer)

	mux.Handle("GET /api/v4/projects/{id}/monitor/presets", developer(api.listPresets))
	mux.Handle("GET /api/v4/projects/{id}/monitor/integrations", maintainer(api.listIntegrations))
	mux.Handle("POST /api/v4/projects/{id}/monitor/integrations", maintainer(api.createIntegration))
	mux.Handle("POST /api/v4/projects/{id}/monitor/integrations/preview", maintainer(api.previewNew))
	mux.Handle("GET /api/v4/projects/{id}/monitor/integrations/{integration_id}", maintainer(api.ofIntegration(api.showIntegration)))
	mux.Handle("PUT /api/v4/projects/{id}/monitor/integrations/{integration_id}", maintainer(api.ofIntegration(api.putIntegration)))
	mux.Handle("PATCH /api/v4/projects/{id}/monitor/integrations/{integration_id}", maintainer(api.ofIntegration(api.patchIntegration)))
	mux.Handle("DELETE /api/v4/projects/{id}/monitor/integrations/{integration_id}", maintainer(api.ofIntegration(api.deleteIntegration)))
	mux.Handle("POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/reset_key", maintainer(api.ofIntegration(api.resetKey)))
	mux.Handle("POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/path_key", maintainer(api.ofIntegration(api.renewPathKey)))
	mux.Handle("DELETE /api/v4/projects/{id}/monitor/integrations/{integration_id}/path_key", maintainer(api.ofIntegration(api.endPathKey)))
	mux.Handle("GET /api/v4/projects/{id}/monitor/integrations/{integration_id}/last_payload", maintainer(api.ofIntegration(api.lastPayload)))
	mux.Handle("POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/preview", maintainer(api.ofIntegration(api.preview)))
	mux.Handle("POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/replay", maintainer(api.ofIntegration(api.replay)))
	mux.Handle("POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/test", developer(api.ofIntegration(api.test)))
	mux.Handle("GET /api/v4/projects/{id}/monitor/alerts", developer(api.listAlerts))
	mux.Handle("PUT /api/v4/projects/{id}/monitor/alerts", developer(api.changeAlerts))
	mux.Handle("GET /api/v4/projects/{id}/monitor/alerts/{iid}", developer(api.showAlert))
	mux.Handle("GET /api/v4/projects/{id}/monitor/alerts/{iid}/payload", developer(api.showPayload))
	mux.Handle("PUT /api/v4/projects/{id}/monitor/alerts/{iid}", developer(api.changeAlert))
	mux.Handle("GET /api/v4/projects/{id}/monitor/incidents", developer(api.listIncidents))
	mux.Handle("POST /api/v4/projects/{id}/monitor/incidents", developer(api.createIncident))
	mux.Handle("GET /api/v4/projects/{id}/monitor/incidents/{iid}", developer(api.ofIncident(api.showIncident)))
	mux.Handle("PUT /api/v4/projects/{id}/monitor/incidents/{iid}", developer(api.ofIncident(api.changeIncident)))
	mux.Handle("POST /api/v4/projects/{id}/monitor/incidents/{iid}/alerts", developer(api.ofIncident(api.linkAlert)))
	mux.Handle("DELETE /api/v4/projects/{id}/monitor/incidents/{iid}/alerts/{alert_iid}", developer(api.ofIncident(api.unlinkAlert)))
	mux.Handle("GET /api/v4/projects/{id}/monitor/incidents/{iid}/timeline", developer(api.ofIncident(api.listTimeline)))
	mux.Handle("POST /api/v4/projects/{id}/monitor/incidents/{iid}/timeline", developer(api.ofIncident(api.addNote)))
	mux.Handle("GET /api/v4/projects/{id}/monitor/undelivered", maintainer(api.listUndelivered))
	mux.Handle("POST /api/v4/projects/{id}/monitor/undelivered/{message_id}/retry", maintainer(api.retryUndelivered))
	mux.Handle("GET /api/v4/projects/{id}/monitor/webhooks", maintainer(api.listWebhooks))
	mux.Handle("POST /api/v4/projects/{id}/monitor/webhooks", maintainer(api.createWebhook))
	mux.Handle("GET /api/v4/projects/{id}/monitor/webhooks/{webhook_id}", maintainer(api.ofWebhook(api.showWebhook)))
	mux.Handle("PUT /api/v4/projects/{id}/monitor/webhooks/{webhook_id}", maintainer(api.ofWebhook(api.changeWebhook)))
	mux.Handle("DELETE /api/v4/projects/{id}/monitor/webhooks/{webhook_id}", maintainer(api.ofWebhook(api.deleteWebhook)))
	mux.Handle("POST /api/v4/projects/{id}/monitor/webhooks/{webhook_id}/rotate_secret", maintainer(api.ofWebhook(api.rotateSecret)))
	mux.Handle("POST /api/v4/projects/{id}/monitor/webhooks/{webhook_id}/test", maintainer(api.ofWebhook(api.testWebhook)))
	mux.Handle("GET /api/v4/projects/{id}/monitor/settings", maintainer(api.showSettings))
	mux.Handle("PUT /api/v4/projects/{id}/monitor/settings", maintainer(api.changeSettings))
	api.mountOnCall(mux)
}
