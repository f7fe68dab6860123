// Package functions puts the handlers of all Lambda functions together, for the
// local server and for tests of the whole service.
package functions

import (
	"net/http"

	"gatehouse/functions/account/accountapi"
	"gatehouse/functions/alerts/alertsapi"
	"gatehouse/functions/console/consoleapi"
	"gatehouse/functions/errortracking/errortrackingapi"
	"gatehouse/functions/monitor/monitorapi"
	"gatehouse/functions/oauth/oauthapi"
	"gatehouse/functions/platform/platformapi"
	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/app"
	"gatehouse/shared/gateway"
	"gatehouse/shared/gateway/localgateway"
	"gatehouse/shared/route"
)

// Gateway returns a local API Gateway with every function behind it.
func Gateway(a *app.App) http.Handler {
	invokers := map[string]localgateway.Invoker{}
	for name, h := range Handlers(a) {
		invokers[name] = gateway.New(h)
	}
	return localgateway.New(invokers, route.Table)
}

// Handlers returns the handler of every function, by the function's name.
func Handlers(a *app.App) map[string]http.Handler {
	return map[string]http.Handler{
		"account":       accountapi.New(a),
		"alerts":        alertsapi.New(a),
		"console":       consoleapi.New(a),
		"errortracking": errortrackingapi.New(a),
		"monitor":       monitorapi.New(a),
		"oauth":         oauthapi.New(a),
		"platform":      platformapi.New(a),
		"projects":      projectsapi.New(a),
	}
}
