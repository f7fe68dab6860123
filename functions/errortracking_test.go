package functions_test

import (
	"gatehouse/shared/errortracking"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
)

func aboutErrorTracking() []scenario {
	const (
		settings = "/projects/{web}/error_tracking/settings"
		keys     = "/projects/{web}/error_tracking/client_keys"
		external = `{"active":true,"integrated":false,"api_url":"https://tracker.example/api/0/projects/acme/web/","token":"the token of the tracker"}`
	)
	changed := names(errortracking.EventChanged)
	return []scenario{
		{rest: "PUT " + settings, send: `{"active":true,"integrated":true}`, status: 200, keep: "settings", alone: true, stored: changed, cost: cost{3, 1, 5}},
		{rest: "PUT " + settings, send: `{"active":true,"integrated":true}`, status: 200, after: "settings", alone: true, stored: changed},
		{rest: "PATCH " + settings, send: `{"active":false}`, status: 200, stored: changed, cost: cost{3, 1, 5}},
		{rest: "PATCH " + settings + "/", send: `{"active":true,"integrated":true}`, status: 200, after: "settings", alone: true, stored: changed, cost: cost{3, 1, 5}},
		{rest: "PATCH " + settings, status: 400, after: "settings", alone: true},
		{rest: "GET " + settings, status: 200, after: "settings", alone: true, cost: cost{3, 0, 0}},
		{rest: "PUT " + settings, send: external, status: 200, stored: changed},
		{rest: "PATCH " + settings, send: `{"active":false}`, status: 200, stored: changed},

		{rest: "POST " + keys, status: 201, keep: "key", alone: true, stored: names(errortracking.EventClientKeyCreated), cost: cost{3, 1, 5}},
		{rest: "GET " + keys, status: 200, after: "settings", alone: true, cost: cost{4, 0, 0}},
		{name: "client keys, with the use of the token", do: func(w *walk) {
			w.pass(oauth.TouchEvery)
			w.get(w.t, w.things.expand("/api/v4"+keys), w.access)
		}},
		{rest: "DELETE " + keys + "/x", status: 400, alone: true},
		{rest: "DELETE " + keys + "/{key}", status: 200, alone: true, stored: names(errortracking.EventClientKeyDeleted)},
		{rest: "POST " + keys, status: 201, stored: names(errortracking.EventClientKeyCreated)},
		{rest: "DELETE /projects/{web}", status: 204, stored: names(project.EventProjectDeleted)},
	}
}
