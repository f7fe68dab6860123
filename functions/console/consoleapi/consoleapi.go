// Package consoleapi serves the pages on which users find their projects, work
// on alerts and set up the monitoring.
package consoleapi

import (
	"embed"
	"net/http"

	"gatehouse/shared/app"
	"gatehouse/shared/paging/permit"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

//go:embed templates
var files embed.FS

// notices are the messages after an action.
var notices = site.Notices{
	"project-created": "The project was created.",
	"project-saved":   "The project was saved.",
	"project-deleted": "The project was deleted, with its alerts and incidents.",
	"group-created":   "The group was created. You own it.",
	"group-saved":     "The group was saved.",
	"group-deleted":   "The group was deleted.",
	"member-added":    "The member was added.",
	"member-saved":    "The membership was saved.",
	"member-removed":  "The membership has ended.",
	"member-left":     "You left. Your role there has ended.",

	"tracking-on":       "Error tracking is on.",
	"tracking-external": "Error tracking is on, with the external tracker.",
	"tracking-off":      "Error tracking is off.",
	"key-created":       "The client key was created. It is the first in the list.",
	"key-deleted":       "The client key was deleted. Nothing can report errors with it any more.",

	"integration-created": "The integration was created. Set up the tool with what is below.",
	"link-created":        "The on-call link was created.",
	"integration-saved":   "The integration was saved.",
	"integration-deleted": "The integration was deleted. Its alerts stay.",
	"integration-key":     "The integration has a new authorization key. The old one no longer works.",
	"path-key":            "The integration has a new address with a key. A former one no longer works.",
	"path-key-ended":      "The address with a key no longer works.",
	"mapping-saved":       "The mapping was saved. It applies from the next payload on.",
	"replay-opened":       "The payload was replayed, and opened this alert.",
	"replay-counted":      "The payload was replayed, and counted on this alert.",
	"replay-acknowledged": "The payload was replayed, and acknowledged this alert.",
	"replay-resolved":     "The payload was replayed, and resolved this alert.",
	"replay-nothing":      "The payload was replayed, and changed no alert.",
	"replay-refused":      "The payload was replayed, and refused: it resolves an alert that is not open, or is none that the integration takes.",
	"alert-settings":      "The rules for alerts were saved.",
	"environment-added":   "The environment was added.",
	"environment-deleted": "The environment was deleted. Alerts keep its name.",

	"alert-triggered":    "The alert is open again.",
	"alert-acknowledged": "You acknowledged the alert.",
	"alert-resolved":     "You resolved the alert. If it happens again, a new alert is opened.",
	"alert-ignored":      "The alert is ignored. If it happens again, that is counted here and no new alert is opened.",
	"alert-assigned":     "The alert was assigned.",
	"alert-unassigned":   "The alert is unassigned.",
	"alert-silenced":     "The alert is silenced. Nobody is paged about it until that ends.",
	"alert-heard":        "The silence has ended.",

	"alerts-acknowledged":    "You acknowledged the alerts.",
	"alerts-resolved":        "You resolved the alerts. If one happens again, a new alert is opened.",
	"alerts-assigned-to-you": "The alerts are assigned to you.",
	"alerts-assigned":        "The alerts were assigned.",
	"alerts-silenced":        "The alerts are silenced. Nobody is paged about them until that ends.",
	"alerts-none-open":       "No other alert of the list is open.",

	"incident-created":      "The incident was created.",
	"incident-saved":        "The incident was saved.",
	"incident-triggered":    "The incident is triggered again.",
	"incident-acknowledged": "You acknowledged the incident.",
	"incident-resolved":     "You resolved the incident. It stays open until somebody closes it.",
	"incident-closed":       "You closed the incident. Its alerts are resolved.",
	"incident-opened":       "The incident is open again.",
	"incident-assigned":     "The incident was assigned.",
	"incident-unassigned":   "The incident is unassigned.",
	"incident-linked":       "The alert belongs to the incident.",
	"incident-unlinked":     "The alert no longer belongs to the incident.",
	"override-added":        "The override was added.",
	"override-deleted":      "The override was taken back.",
	"swapped":               "The two shifts were swapped.",
	"schedule-created":      "The schedule was created. Nobody is on call until it has a rotation.",
	"schedule-saved":        "The schedule was saved.",
	"schedule-deleted":      "The schedule was deleted.",
	"rotation-saved":        "The rotation was saved. Below is who is on call now.",
	"rotation-deleted":      "The rotation was deleted. Below is who is on call now.",
	"escalation-saved":      "The escalation policy was saved. It applies from the next step on.",
	"feed-ended":            "The calendar has ended. Its address no longer works.",

	"incident-noted": "The note is in the timeline.",

	"webhook-saved":   "The webhook was saved.",
	"webhook-on":      "The webhook is on.",
	"webhook-off":     "The webhook is off. It gets nothing but tests.",
	"webhook-tested":  "The receiver took the test.",
	"webhook-deleted": "The webhook was deleted.",
	"message-retried": "The message is sent again now. If that fails as before, it comes back here.",
	"message-gone":    "The message is not here any more: somebody has sent it again, or its 30 days are over.",
}

type api struct {
	app  *app.App
	site *site.Site
}

// New returns the handler of the group.
func New(app *app.App) http.Handler {
	a := &api{app: app, site: site.New(app, files, notices)}
	user, anyone := a.site.SignedIn, a.in(project.NoRole)
	developer, maintainer := a.in(project.Developer), a.in(project.Maintainer)

	a.site.TakeFromAnywhere("POST " + permit.Path) // the token in the form permits it
	mux := web.NewMux()
	mux.Handle("GET /{$}", a.site.Page(a.start))
	mux.Handle("GET /console", user(a.listProjects))
	mux.Handle("GET "+searchPath, user(a.search))
	mux.Handle("POST /console", user(a.createProject))
	mux.Handle("GET /console/new", user(a.newProject))
	a.memberRoutes(mux, consolePath, project.Project{}.Place().ManagerRole(), func(least project.Role, h venueHandler) http.Handler { return a.in(least)(a.ofProject(h)) })
	mux.Handle("GET /console/{id}/settings/general", maintainer(a.showGeneral))
	mux.Handle("POST /console/{id}/settings/general", maintainer(a.changeProject))
	mux.Handle("POST /console/{id}/settings/general/delete", a.in(project.Owner)(a.deleteProject))
	mux.Handle("GET "+permit.Path, a.site.Page(unseen(a.askToAcknowledge)))
	mux.Handle("POST "+permit.Path, a.site.Page(unseen(a.acknowledge)))
	mux.Handle("GET /console/{id}", anyone(a.showProject))
	a.alertRoutes(mux)
	a.incidentRoutes(mux)
	a.onCallRoutes(mux)
	a.webhookRoutes(mux)
	mux.Handle("GET /console/{id}/environments", developer(a.listEnvironments))
	mux.Handle("POST /console/{id}/environments", developer(a.addEnvironment))
	mux.Handle("POST /console/{id}/environments/{environment}/delete", developer(a.deleteEnvironment))
	mux.Handle("GET /console/{id}/settings", maintainer(toFirstSection))
	a.integrationRoutes(mux)
	mux.Handle("GET /console/{id}/settings/error_tracking", maintainer(a.showTracking))
	mux.Handle("POST /console/{id}/settings/error_tracking", maintainer(a.changeTracking))
	mux.Handle("POST /console/{id}/settings/error_tracking/client_keys", maintainer(a.createKey))
	mux.Handle("POST /console/{id}/settings/error_tracking/client_keys/{key}/delete", maintainer(a.deleteKey))
	groups := a.groupRoutes()
	pages := besideGroups(a.site.Serve(mux), a.site.Serve(groups))
	return web.Routed{Handler: web.Wrap(app.BaseURL, web.References(pages, groupsPath+"/", consolePath+"/")), Patterns: append(mux.Patterns(), groups.Patterns()...)}
}

// alertRoutes adds the pages about alerts.
func (a *api) alertRoutes(mux *web.Mux) {
	developer := a.in(project.Developer)
	mux.Handle("GET /console/{id}/alerts", developer(a.listAlerts))
	mux.Handle("POST /console/{id}/alerts", developer(a.changeAlerts))
	mux.Handle("GET /console/{id}/alerts/counts.json", developer(a.countAlerts))
	mux.Handle("GET /console/{id}/alerts/test", developer(a.showTest))
	mux.Handle("POST /console/{id}/alerts/test", developer(a.sendTest))
	mux.Handle("GET /console/{id}/alerts/{alert}", developer(a.showAlert))
	mux.Handle("POST /console/{id}/alerts/{alert}/status", developer(a.setStatus))
	mux.Handle("POST /console/{id}/alerts/{alert}/assignee", developer(a.assign))
	mux.Handle("GET /console/{id}/alerts/{alert}/assignee", developer(a.chooseForAlert))
	mux.Handle("POST /console/{id}/alerts/{alert}/silence", developer(a.silence))
	mux.Handle("POST /console/{id}/alerts/{alert}/incident", developer(a.linkIncident))
	mux.Handle("POST /console/{id}/alerts/{alert}/incident/delete", developer(a.unlinkIncident))
}

// incidentRoutes adds the pages about incidents.
func (a *api) incidentRoutes(mux *web.Mux) {
	developer := a.in(project.Developer)
	mux.Handle("GET /console/{id}/incidents", developer(a.listIncidents))
	mux.Handle("POST /console/{id}/incidents", developer(a.createIncident))
	mux.Handle("GET /console/{id}/incidents/new", developer(a.newIncident))
	mux.Handle("GET /console/{id}/incidents/{incident}", developer(a.ofIncident(a.showIncident)))
	mux.Handle("GET /console/{id}/incidents/{incident}/edit", developer(a.ofIncident(a.editIncident)))
	mux.Handle("POST /console/{id}/incidents/{incident}/edit", developer(a.ofIncident(a.saveIncident)))
	mux.Handle("POST /console/{id}/incidents/{incident}/status", developer(a.ofIncident(a.setIncidentStatus)))
	mux.Handle("POST /console/{id}/incidents/{incident}/state", developer(a.ofIncident(a.setIncidentState)))
	mux.Handle("POST /console/{id}/incidents/{incident}/assignee", developer(a.ofIncident(a.assignIncident)))
	mux.Handle("GET /console/{id}/incidents/{incident}/assignee", developer(a.ofIncident(a.chooseForIncident)))
	mux.Handle("POST /console/{id}/incidents/{incident}/alerts", developer(a.ofIncident(a.linkAlert)))
	mux.Handle("POST /console/{id}/incidents/{incident}/alerts/{alert}/delete", developer(a.ofIncident(a.unlinkAlert)))
	mux.Handle("POST /console/{id}/incidents/{incident}/notes", developer(a.ofIncident(a.addNote)))
}

// webhookRoutes adds the pages about webhooks and what they did not deliver.
func (a *api) webhookRoutes(mux *web.Mux) {
	maintainer := a.in(project.Maintainer)
	mux.Handle("GET /console/{id}/settings/webhooks", maintainer(a.listWebhooks))
	mux.Handle("POST /console/{id}/settings/webhooks", maintainer(a.createWebhook))
	mux.Handle("GET /console/{id}/settings/webhooks/new", maintainer(a.newWebhook))
	mux.Handle("GET /console/{id}/settings/webhooks/{webhook}", maintainer(a.ofWebhook(a.showWebhook)))
	mux.Handle("POST /console/{id}/settings/webhooks/{webhook}", maintainer(a.ofWebhook(a.changeWebhook)))
	mux.Handle("POST /console/{id}/settings/webhooks/{webhook}/active", maintainer(a.ofWebhook(a.switchWebhook)))
	mux.Handle("POST /console/{id}/settings/webhooks/{webhook}/test", maintainer(a.ofWebhook(a.testWebhook)))
	mux.Handle("POST /console/{id}/settings/webhooks/{webhook}/rotate", maintainer(a.ofWebhook(a.rotateWebhook)))
	mux.Handle("POST /console/{id}/settings/webhooks/{webhook}/delete", maintainer(a.ofWebhook(a.deleteWebhook)))
	mux.Handle("GET /console/{id}/settings/undelivered", maintainer(a.listUndelivered))
	mux.Handle("POST /console/{id}/settings/undelivered/{message}/retry", maintainer(a.retryUndelivered))
}

// integrationRoutes adds the pages about integrations and the rules for alerts.
func (a *api) integrationRoutes(mux *web.Mux) {
	maintainer := a.in(project.Maintainer)
	mux.Handle("POST /console/{id}/settings/alerts", maintainer(a.changeAlertSettings))
	mux.Handle("GET /console/{id}/settings/integrations", maintainer(a.listIntegrations))
	mux.Handle("POST /console/{id}/settings/integrations", maintainer(a.createIntegration))
	mux.Handle("GET /console/{id}/settings/integrations/new", maintainer(a.newIntegration))
	mux.Handle("GET /console/{id}/settings/integrations/{integration}", maintainer(a.ofIntegration(a.showIntegration)))
	mux.Handle("POST /console/{id}/settings/integrations/{integration}", maintainer(a.ofIntegration(a.changeIntegration)))
	mux.Handle("POST /console/{id}/settings/integrations/{integration}/key", maintainer(a.ofIntegration(a.resetKey)))
	mux.Handle("POST /console/{id}/settings/integrations/{integration}/path_key", maintainer(a.ofIntegration(a.renewPathKey)))
	mux.Handle("POST /console/{id}/settings/integrations/{integration}/path_key/delete", maintainer(a.ofIntegration(a.endPathKey)))
	mux.Handle("POST /console/{id}/settings/integrations/{integration}/delete", maintainer(a.ofIntegration(a.deleteIntegration)))
	mux.Handle("GET /console/{id}/settings/integrations/{integration}/mapping", maintainer(a.ofIntegration(a.showMapping)))
	mux.Handle("POST /console/{id}/settings/integrations/{integration}/mapping", maintainer(a.ofIntegration(a.changeMapping)))
	mux.Handle("POST /console/{id}/settings/integrations/{integration}/replay", maintainer(a.ofIntegration(a.replay)))
}
