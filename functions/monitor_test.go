package functions_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/integration"
	"gatehouse/shared/payload"
	"gatehouse/shared/project"
)

func aboutMonitoring() []scenario {
	const (
		developer, maintainer = project.Developer, project.Maintainer

		integrations = "/projects/{web}/monitor/integrations"
		one          = integrations + "/{integration}"
		mapped       = integrations + "/{mapped}"
		alerts       = "/projects/{web}/monitor/alerts"
		settings     = "/projects/{web}/monitor/settings"

		webhook = `{"name":"Uptime","type":"http","active":true}`
		mapping = `{"name":"Mapped","type":"http","active":true,"rate_limit":100,"payload_example":{"what":"Down"},` +
			`"payload_attribute_mapping":{"title":{"path":["what"],"type":"string"}}}`
		nothing = `{"payload":{}}`
	)
	send := func(name, thing string, cost cost, payloads ...string) scenario {
		return scenario{name: name, cost: cost, do: func(w *walk) { w.deliver(thing, payloads...) }}
	}
	return []scenario{
		{rest: "GET " + integrations, status: 200, needs: maintainer, cost: cost{3, 0, 0}},
		{rest: "POST " + integrations, send: webhook, status: 201, keep: "integration", needs: maintainer, stored: names(integration.EventCreated)},
		{rest: "POST " + integrations, status: 400, needs: maintainer},
		{rest: "POST " + integrations, send: `{"name":"","type":"http","active":true}`, status: 400},
		{rest: "POST " + integrations + "/preview", send: nothing, status: 200, needs: maintainer},
		{rest: "GET " + integrations + "/1000000", status: 404, needs: maintainer},
		{rest: "GET " + settings, status: 200, needs: maintainer, cost: cost{3, 0, 0}},
		{rest: "PUT " + settings + "/", send: `{"generic_alert_fingerprinting":false}`, status: 200, needs: maintainer, stored: names(integration.EventAlertSettingsChanged)},
		{rest: "PUT " + settings, send: `{"generic_alert_fingerprinting":true}`, status: 200, stored: names(integration.EventAlertSettingsChanged)},
		{rest: "PUT " + settings, status: 400, needs: maintainer},
		{rest: "GET " + alerts, status: 200, needs: developer, cost: cost{3, 0, 0}},
		{rest: "GET " + alerts + "?status=x", status: 400, needs: developer},
		{rest: "GET " + alerts + "/1", status: 404, needs: developer},

		// The first request to an integration in a minute also notes how that does,
		// beside the alert.
		send("an alert", "integration", cost{}, `{"title":"first","fingerprint":"first"}`),
		send("a hundred alerts in one webhook", "integration", cost{}, hundred()),
		send("an alert repeated", "integration", cost{2, 1, 0}, `{"title":"first","fingerprint":"first"}`),
		send("a new alert", "integration", cost{6, 6, 0}, `{"title":"second","fingerprint":"second"}`), // its payload beside another write
		send("a hundred alerts repeated in one webhook", "integration", cost{8, 100, 0}, hundred()),
		{rest: "POST " + one + "/test", send: nothing, status: 200, keep: "alert", needs: developer},
		{rest: "POST " + one + "/test", status: 400, needs: developer},
		{rest: "GET " + one + "/last_payload", status: 200, after: "alert", needs: maintainer},
		{rest: "POST " + one + "/preview", send: nothing, status: 200, needs: maintainer},

		{rest: "GET " + alerts, status: 200, cost: cost{4, 0, 0}},
		{rest: "GET " + alerts + "/{alert}", status: 200, needs: developer, cost: cost{4, 0, 0}},
		{rest: "HEAD " + alerts + "/{alert}", status: 200, needs: developer},
		{rest: "GET " + alerts + "/{alert}/payload", status: 200, needs: developer, cost: cost{4, 0, 0}},
		{rest: "PUT " + alerts + "/{alert}", status: 400, needs: developer},
		{rest: "PUT " + alerts + "/1", send: `{"status":"acknowledged"}`, status: 200, cost: cost{6, 1, 0}},
		{rest: "PUT " + alerts + "/1", send: `{"assignee_id":{root}}`, status: 200, cost: cost{7, 1, 0}},
		{rest: "PUT " + alerts + "/{alert}", send: `{"status":"resolved"}`, status: 200, needs: developer},
		{rest: "PUT " + alerts + "/{alert}", send: `{"status":"triggered","assignee_id":{root}}`, status: 200},

		{rest: "GET " + integrations, status: 200, cost: cost{3, 0, 0}},
		{rest: "GET " + one, status: 200, needs: maintainer, cost: cost{4, 0, 0}},
		{rest: "PATCH " + one, send: `{"active":false}`, status: 200, needs: maintainer, stored: names(integration.EventDisabled), cost: cost{7, 1, 5}},
		{rest: "PUT " + one, send: webhook, status: 200, needs: maintainer, stored: names(integration.EventEnabled)},
		{rest: "PATCH " + one, send: `{"active":false,"name":"Off"}`, status: 200, stored: names(integration.EventDisabled)},
		{rest: "PUT " + one, send: `{"active":false,"name":"Checks","rate_limit":9}`, status: 200, stored: names(integration.EventChanged)},
		{rest: "POST " + one + "/reset_key", status: 200, needs: maintainer, stored: names(integration.EventKeyReset)},
		{rest: "DELETE " + one, status: 204, needs: maintainer, stored: names(integration.EventDeleted)},

		{rest: "POST " + integrations, send: mapping, status: 201, keep: "mapped", stored: names(integration.EventCreated)},
		send("alerts by a mapping", "mapped", cost{},
			`{"what":"Down","fingerprint":"a"}`, `{"what":"Down","fingerprint":"a"}`, `{"what":"Slow","fingerprint":"b"}`, `{"what":"Odd"}`,
			`{"what":"Down","fingerprint":"a","end_time":"2199-01-01T00:00:00Z"}`),
		{rest: "PATCH " + mapped, send: `{"payload_example":{"what":"Else"},"rate_limit":0}`, status: 200, stored: names(integration.EventChanged)},
		{rest: "DELETE /projects/{web}", status: 204, stored: names(project.EventProjectDeleted)},
	}
}

// deliver sends payloads to the integration as a monitoring tool does.
func (w *walk) deliver(thing string, payloads ...string) {
	i := w.things[thing]
	path := strings.TrimPrefix(i["url"].(string), w.app.BaseURL)
	for _, p := range payloads {
		w.notify(w.t, path, i["authorization_key"].(string), p)
	}
}

// hundred is a webhook with a hundred alerts.
func hundred() string {
	items := make([]string, 100)
	for n := range items {
		items[n] = fmt.Sprintf(`{"status":"firing","startsAt":"2026-01-01T00:00:00Z","labels":{"alertname":"Down","pod":"%d"}}`, n)
	}
	return `{"version":"4","groupKey":"","status":"firing","receiver":"","groupLabels":{},"commonLabels":{},` +
		`"commonAnnotations":{},"externalURL":"","alerts":[` + strings.Join(items, ",") + `]}`
}

// full returns a JSON text of nearly a mebibyte: the text between the two others as
// often as it fits.
func full(before, text, after string) string {
	room := payload.MaxBytes - len(before) - len(after)
	return before + strings.Repeat(text, room/len(text)) + after
}

// What intake takes can be read and changed over REST, however much longer its
// characters get on the way through the gateway.
func TestLargestAlertsAreAnswered(t *testing.T) {
	tests := []struct {
		name, payload string
		truncated     bool
		annotations   int
	}{
		{"ampersands", full(`{"what":"`, "&", `"}`), false, 0},
		{"angle brackets", full(`{"what":"`, "<>", `"}`), false, 0},
		{"control characters", full(`{"what":"`, `\u0001`, `"}`), false, 0},
		{"line separators", full(`{"what":"`, "\u2028", `"}`), false, 0},
		{"quotes", full(`{"what":"`, `\"`, `"}`), false, 0},
		{"line breaks between members", full(`{"what":[`, "\n0,\n", `0]}`), false, 0},
		{"an annotation of line separators", full(`{"annotations":{"a":"x`, "\u2028", `"}}`), false, 1},
		{"an annotation of quotes in quotes", full(`{"annotations":{"a":["`, `\"`, `"]}}`), true, 1},
		{"a link of quotes in quotes", full(`{"annotations":{"a":"b"},"generatorURL":["?g0.expr=`, `\"`, `"]}`), true, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := apptest.New(t)
			gateway, ada := functions.Gateway(a.App), a.User("ada")
			p, token := a.Project("web", a.Namespace(ada), project.Private), a.Token(ada)
			monitor := fmt.Sprintf("/api/v4/projects/%d/monitor", p.ID)
			made := apptest.Call(t, gateway, "POST", monitor+"/integrations", token,
				map[string]any{"name": "Uptime", "type": "http", "active": true}).Object(t)
			ask := func(method, target, token, body string) *httptest.ResponseRecorder {
				t.Helper()
				r := httptest.NewRequest(method, target, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer "+token)
				w := httptest.NewRecorder()
				gateway.ServeHTTP(w, r)
				if w.Code != 200 {
					t.Fatalf("%s %s = %d %.200s, want 200", method, target, w.Code, w.Body)
				}
				return w
			}
			ask("POST", strings.TrimPrefix(made["url"].(string), a.BaseURL), made["authorization_key"].(string), test.payload)
			for method, body := range map[string]string{"GET": "", "PUT": `{"status":"acknowledged"}`} {
				var got struct {
					Payload     map[string]any    `json:"payload"`
					Truncated   *bool             `json:"payload_truncated"`
					Annotations map[string]string `json:"annotations"`
				}
				if err := json.Unmarshal(ask(method, monitor+"/alerts/1", token, body).Body.Bytes(), &got); err != nil {
					t.Fatal(err)
				}
				if got.Truncated == nil || *got.Truncated != test.truncated || (got.Payload == nil) != test.truncated || len(got.Annotations) != test.annotations {
					t.Errorf("%s has a payload: %t, payload_truncated %v and %d annotations", method, got.Payload != nil, *got.Truncated, len(got.Annotations))
				}
			}
			ask("GET", fmt.Sprintf("%s/integrations/%v/last_payload", monitor, made["id"]), token, "")
			alone := ask("GET", monitor+"/alerts/1/payload", token, "")
			if alone.Body.String() != test.payload {
				t.Errorf("the payload alone is %d bytes, want the %d that were sent", alone.Body.Len(), len(test.payload))
			}
			for name, want := range map[string]string{"Content-Type": "application/json", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
				if got := alone.Header().Get(name); got != want {
					t.Errorf("%s of the payload alone is %q, want %q", name, got, want)
				}
			}
		})
	}
}
