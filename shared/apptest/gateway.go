package apptest

import (
	"net/http"

	"gatehouse/shared/gateway"
	"gatehouse/shared/gateway/localgateway"
	"gatehouse/shared/route"
)

// ThroughGateway returns a local gateway that passes the requests for every route to
// the handler as API Gateway does.
func ThroughGateway(h http.Handler) http.Handler {
	functions := map[string]localgateway.Invoker{}
	for _, r := range route.Table {
		functions[r.Function] = gateway.New(h)
	}
	return localgateway.New(functions, route.Table)
}
