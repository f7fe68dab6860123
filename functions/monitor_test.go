package functions_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/incident"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/oncall"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/undelivered"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

func aboutMonitoring() []scenario {
	const (
		integrations = "/projects/{web}/monitor/integrations"
		presets      = "/projects/{web}/monitor/presets"
		one          = integrations + "/{integration}"
		mapped       = integrations + "/{mapped}"
		old          = integrations + "/{metrics}"
		alerts       = "/projects/{web}/monitor/alerts"
		incidents    = "/projects/{web}/monitor/incidents"
		hot          = incidents + "/{incident}"
		settings     = "/projects/{web}/monitor/settings"
		webhooks     = "/projects/{web}/monitor/webhooks"
		hook         = webhooks + "/{hook}"

		undeliveredMessages = "/projects/{web}/monitor/undelivered"

		uptime  = `{"name":"Uptime","type":"http","active":true}`
		mapping = `{"name":"Mapped","type":"http","active":true,"rate_limit":100,"payload_example":{"what":"Down"},` +
			`"payload_attribute_mapping":{"title":{"path":["what"],"type":"string"}}}`
		states = `{"title":{"sources":[{"path":["what"]}]},"fingerprint":{"sources":[{"path":["what"]}],"scope":"integration"},` +
			`"resolved_when":{"source":{"path":["state"]},"equals":["ok"]},"acknowledged_when":{"source":{"path":["state"]},"equals":["ack"]},` +
			`"ignore_when":{"source":{"path":["state"]},"equals":["test"]}}`
		metrics = `{"name":"Metrics","type":"metrics","active":false,"api_url":"https://x.example"}`
		link    = `{"name":"On call","type":"oncall_link","active":false,"api_url":"https://x.example"}`
		nothing = `{"payload":{}}`

		schedules = "/projects/{web}/monitor/schedules"
		schedule  = schedules + "/{schedule}"
		rotations = schedule + "/rotations"
		overrides = schedule + "/overrides"
		policy    = "/projects/{web}/monitor/escalation_policy"

		night    = `{"name":"Night","timezone":"Europe/Berlin"}`
		first    = `{"name":"First","starts_at":"2026-01-01T09:00","length":{"value":1,"unit":"weeks"},"participants":[{root},{second}]}`
		cover    = `"starts_at":"2199-01-01T00:00:00Z","ends_at":"2199-02-01T00:00:00Z"}`
		swap     = `{"overrides":[{"user_id":{root},"replaces_user_id":{second},` + cover + `,{"user_id":{second},"replaces_user_id":{root},` + cover + `]}`
		escalate = `{"repeat":1,"rules":[{"elapsed_minutes":0,"until_status":"acknowledged","schedule_id":{schedule}},` +
			`{"elapsed_minutes":10,"until_status":"resolved","user_id":{root}}]}`
	)
	send := func(name, thing string, cost cost, payloads ...string) scenario {
		return scenario{name: name, cost: cost, do: func(w *walk) { w.deliver(thing, payloads...) }}
	}
	return []scenario{
		{rest: "GET " + integrations, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "POST " + integrations, send: uptime, status: 201, keep: "integration", alone: true, stored: names(integration.EventCreated)},
		{rest: "POST " + integrations, status: 400, alone: true},
		{rest: "POST " + integrations, send: `{"name":"","type":"http","active":true}`, status: 400},
		{rest: "GET " + presets, status: 200, alone: true, cost: cost{2, 0, 0}},
		{rest: "POST " + integrations, send: `{"name":"Cron","preset":"cloudwatch_sns","active":true,"sns_topic_arn":"arn:aws:sns:eu-central-1:111122223333:alarms"}`, status: 201, keep: "cron", alone: true, stored: names(integration.EventCreated)},
		{rest: "DELETE " + integrations + "/{cron}", status: 204, stored: names(integration.EventDeleted)},
		{rest: "POST " + integrations, send: `{"name":"Cron","preset":"nothing","active":true}`, status: 400, alone: true},
		{rest: "POST " + integrations, send: `{"name":"Cron","preset":"curl","type":"metrics","active":true}`, status: 400},
		{rest: "POST " + integrations + "/preview", send: nothing, status: 200, alone: true},
		{rest: "GET " + integrations + "/1000000", status: 404, alone: true},
		{rest: "GET " + settings, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "PUT " + settings + "/", send: `{"generic_alert_fingerprinting":false}`, status: 200, alone: true, stored: names(integration.EventAlertSettingsChanged)},
		{rest: "PUT " + settings, send: `{"generic_alert_fingerprinting":true}`, status: 200, stored: names(integration.EventAlertSettingsChanged)},
		{rest: "PUT " + settings, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "PUT " + settings, send: `{"create_incident":true,"send_email":true,"retention_days":30}`, status: 200, cost: cost{5, 1, 5}, stored: names(integration.EventAlertSettingsChanged)},
		{rest: "PUT " + settings, send: `{"retention_days":3651}`, status: 400},
		{rest: "PUT " + settings, send: `{"create_incident":false,"send_email":false,"retention_days":null}`, status: 200, stored: names(integration.EventAlertSettingsChanged)},
		{rest: "GET " + alerts, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "GET " + alerts + "?status=x", status: 400, alone: true},
		{rest: "GET " + alerts + "/1", status: 404, alone: true},

		// The first request to an integration in a minute also notes how that does,
		// beside the alert.
		send("an alert", "integration", cost{}, `{"title":"first","fingerprint":"first"}`),
		send("a hundred alerts in one webhook", "integration", cost{}, hundred()),
		send("the first repeat in a minute, with its payload", "integration", cost{3, 2, 0}, `{"title":"first","fingerprint":"first"}`),
		send("an alert repeated", "integration", cost{2, 1, 0}, `{"title":"first","fingerprint":"first"}`),
		send("a new alert", "integration", cost{6, 6, 0}, `{"title":"second","fingerprint":"second"}`), // its payload beside another write
		send("the first repeats of a hundred alerts in a minute, with their payloads", "integration", cost{15, 200, 0}, hundred()),
		send("a hundred alerts repeated in one webhook", "integration", cost{8, 100, 0}, hundred()),
		{rest: "POST " + one + "/test", send: nothing, status: 200, keep: "alert", alone: true},
		{rest: "POST " + one + "/test", status: 400, alone: true},
		{rest: "POST " + one + "/test", send: `{"payload":{"title":"again","fingerprint":"again"}}`, status: 200},
		{rest: "POST " + one + "/test", send: `{"payload":{"title":"again","fingerprint":"again"}}`, status: 200},
		{rest: "POST " + one + "/replay", send: `{"alert_iid":1,"dry_run":true}`, status: 200, after: "alert", alone: true, cost: cost{9, 0, 0}},
		{rest: "POST " + one + "/replay", send: `{"alert_iid":1}`, status: 200, stored: names(integration.EventReplayed)},
		{rest: "POST " + one + "/replay", send: `{"alert_iid":1000000}`, status: 404},
		{rest: "GET " + one + "/last_payload", status: 200, after: "alert", alone: true},
		{rest: "POST " + one + "/preview", send: nothing, status: 200, alone: true},

		{rest: "GET " + alerts, status: 200, cost: cost{4, 0, 0}},
		{rest: "GET " + alerts + "?order_by=severity", status: 200},
		{rest: "GET " + alerts + "?status=triggered", status: 200},
		{rest: "GET " + alerts + "/{alert}", status: 200, alone: true, cost: cost{4, 0, 0}},
		{rest: "HEAD " + alerts + "/{alert}", status: 200, alone: true},
		{rest: "GET " + alerts + "/{alert}/payload", status: 200, alone: true, cost: cost{4, 0, 0}},
		{rest: "PUT " + alerts + "/{alert}", status: 400, alone: true},
		{rest: "PUT " + alerts + "/1", send: `{"status":"acknowledged"}`, status: 200, cost: cost{6, 1, 0}},
		{rest: "PUT " + alerts + "/1", send: `{"assignee_id":{root}}`, status: 200, cost: cost{7, 1, 0}},
		{rest: "GET " + alerts + "?host=web-1&environment=x&integration_id={integration}&assignee_id={root}", status: 200, cost: cost{4, 0, 0}},
		{rest: "PUT " + alerts, status: 400, alone: true},
		{rest: "PUT " + alerts, send: `{"iids":[` + strings.Join(numbers(2, 101), ",") + `],"status":"acknowledged"}`, status: 200, cost: cost{24, 100, 0}},
		{rest: "PUT " + alerts, send: `{"iids":[` + strings.Join(numbers(2, 101), ",") + `],"status":"triggered"}`, status: 200},
		{rest: "PUT " + alerts + "/{alert}", send: `{"status":"resolved"}`, status: 200, alone: true},
		{rest: "PUT " + alerts + "/{alert}", send: `{"status":"triggered","assignee_id":{root}}`, status: 200},
		{rest: "PUT " + alerts + "/1", send: `{"status":"resolved"}`, status: 200},
		{rest: "PUT " + alerts + "/1", send: `{"status":"triggered"}`, status: 200},
		send("the recovery of an alert that is assigned", "integration", cost{}, `{"fingerprint":"first","end_time":"2030-01-01T00:00:00Z"}`),
		{rest: "PUT " + alerts + "/1", send: `{"status":"triggered"}`, status: 200},

		{rest: "GET " + incidents, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "GET " + incidents + "?state=x", status: 400, alone: true},
		{rest: "GET " + incidents + "/1", status: 404, alone: true},
		{rest: "POST " + incidents, status: 400, alone: true},
		{rest: "POST " + incidents, send: `{"title":"Down"}`, status: 201, keep: "incident", alone: true, stored: names(incident.EventCreated)},
		{rest: "POST " + incidents, send: `{"title":"Storm","description":"# a","assignee_id":{root},"alert_iids":[2]}`, status: 201, stored: names(incident.EventCreated), cost: cost{10, 4, 5}},
		{rest: "GET " + incidents, status: 200, cost: cost{5, 0, 0}},
		{rest: "GET " + incidents + "?state=opened&severity=unknown&search=storm", status: 200, cost: cost{5, 0, 0}},
		{rest: "GET " + hot, status: 200, alone: true, cost: cost{5, 0, 0}},
		{rest: "PUT " + hot, send: `{"status":"acknowledged"}`, status: 200, alone: true, stored: names(incident.EventChanged), cost: cost{6, 1, 5}},
		{rest: "PUT " + hot, status: 400, alone: true},
		{rest: "PUT " + hot, send: `{"assignee_id":{root},"title":"Up"}`, status: 200, stored: names(incident.EventChanged), cost: cost{7, 1, 5}},
		{rest: "POST " + hot + "/alerts", send: `{"alert_iid":1}`, status: 201, after: "alert", alone: true, stored: names(incident.EventLinked)},
		{rest: "POST " + hot + "/alerts", send: `{"alert_iid":3}`, status: 201, stored: names(incident.EventLinked), cost: cost{9, 2, 5}},
		{rest: "POST " + hot + "/alerts", status: 400, alone: true},
		{rest: "DELETE " + hot + "/alerts/3", status: 204, stored: names(incident.EventUnlinked), cost: cost{7, 2, 5}},
		{rest: "DELETE " + hot + "/alerts/1000", status: 404, alone: true},
		{rest: "POST " + hot + "/timeline", send: `{"note":"On it."}`, status: 201, alone: true, stored: names(incident.EventNoted), cost: cost{5, 1, 5}},
		{rest: "POST " + hot + "/timeline", status: 400, alone: true},
		{rest: "GET " + hot + "/timeline", status: 200, alone: true, cost: cost{5, 0, 0}},
		{rest: "PUT " + hot, send: `{"state_event":"close"}`, status: 200, stored: names(incident.EventClosed), cost: cost{11, 2, 5}},
		{rest: "PUT " + hot, send: `{"state_event":"reopen"}`, status: 200, stored: names(incident.EventReopened), cost: cost{6, 1, 5}},

		{rest: "GET " + integrations, status: 200, cost: cost{3, 0, 0}},
		{rest: "GET " + one, status: 200, alone: true, cost: cost{4, 0, 0}},
		{rest: "PATCH " + one, send: `{"active":false}`, status: 200, alone: true, stored: names(integration.EventDisabled), cost: cost{7, 1, 5}},
		{rest: "PUT " + one, send: uptime, status: 200, alone: true, stored: names(integration.EventEnabled)},
		{rest: "PATCH " + one, send: `{"active":false,"name":"Off"}`, status: 200, stored: names(integration.EventDisabled)},
		{rest: "PUT " + one, send: `{"active":false,"name":"Checks","rate_limit":9}`, status: 200, stored: names(integration.EventChanged)},
		{rest: "POST " + one + "/reset_key", status: 200, alone: true, stored: names(integration.EventKeyReset)},
		{rest: "POST " + one + "/path_key", status: 200, alone: true, stored: names(integration.EventPathKeyRenewed)},
		{rest: "DELETE " + one + "/path_key", status: 204, alone: true, stored: names(integration.EventPathKeyEnded)},
		{rest: "DELETE " + one, status: 204, alone: true, stored: names(integration.EventDeleted)},

		{rest: "POST " + integrations, send: mapping, status: 201, keep: "mapped", stored: names(integration.EventCreated)},
		send("alerts by a mapping", "mapped", cost{},
			`{"what":"Down","fingerprint":"a"}`, `{"what":"Down","fingerprint":"a"}`, `{"what":"Slow","fingerprint":"b"}`, `{"what":"Odd"}`,
			`{"what":"Down","fingerprint":"a","end_time":"2199-01-01T00:00:00Z"}`),
		{rest: "PUT " + settings, send: `{"create_incident":true,"retention_days":1}`, status: 200, stored: names(integration.EventAlertSettingsChanged)},
		send("an alert that opens an incident and expires", "mapped", cost{},
			`{"what":"Worse","fingerprint":"worse"}`, `{"what":"Worse","fingerprint":"worse","end_time":"2026-01-01T00:00:00Z"}`),
		{rest: "PUT " + settings, send: `{"create_incident":false}`, status: 200, stored: names(integration.EventAlertSettingsChanged)},
		{rest: "PATCH " + mapped, send: `{"payload_example":{"what":"Else"},"rate_limit":0}`, status: 200, stored: names(integration.EventChanged)},
		{rest: "PATCH " + mapped, send: `{"payload_attribute_mapping":` + states + `}`, status: 200, stored: names(integration.EventChanged)},
		send("alerts by a mapping that knows states", "mapped", cost{},
			`{"what":"Hot","state":"down"}`, `{"what":"Hot","state":"ack"}`, `{"what":"Hot","state":"ack"}`, `{"what":"Hot","state":"ok"}`,
			`{"what":"New","state":"ack"}`, `{"state":"test"}`),
		{rest: "DELETE " + mapped, status: 204, stored: names(integration.EventDeleted)},

		{rest: "POST " + integrations, send: metrics, deprecated: true, status: 201, keep: "metrics", stored: names(integration.EventCreated)},
		{rest: "GET " + integrations, status: 200, cost: cost{3, 0, 0}}, // told, but no use
		{rest: "PATCH " + old, send: `{"api_url":"https://y.example"}`, deprecated: true, status: 200, stored: names(integration.EventChanged)},
		{rest: "PATCH " + old, send: `{"api_url":"https://x.example"}`, deprecated: true, status: 200, stored: names(integration.EventChanged), cost: cost{7, 3, 5}}, // the first of the application
		{rest: "PATCH " + old, send: `{"name":"Old"}`, status: 200, stored: names(integration.EventChanged), cost: cost{7, 1, 5}},
		{rest: "GET " + old, status: 200},
		{rest: "DELETE " + old, status: 204, stored: names(integration.EventDeleted)},
		{rest: "POST " + integrations, send: link, deprecated: true, status: 201, keep: "link", stored: names(integration.EventCreated)},
		{rest: "GET " + integrations + "/{link}", status: 200},

		{rest: "GET " + webhooks, status: 200, alone: true},
		{rest: "POST " + webhooks, send: `{"url":"https://chat.example/secret-path"}`, status: 201, keep: "hook", alone: true, stored: names(webhook.EventCreated)},
		{rest: "POST " + webhooks, status: 400, alone: true},
		{rest: "POST " + webhooks, send: `{"url":"https://10.0.0.1"}`, status: 400},
		{rest: "GET " + webhooks, status: 200, cost: cost{3, 0, 0}},
		{rest: "GET " + hook, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "GET " + webhooks + "/1000000", status: 404, alone: true},
		{rest: "POST " + hook + "/test", status: 200, alone: true},
		{rest: "POST " + hook + "/test", status: 200, cost: cost{5, 1, 0}}, // noted a moment ago
		{rest: "POST " + hook + "/rotate_secret", status: 200, alone: true, stored: names(webhook.EventRotated)},
		{rest: "PUT " + hook, send: `{"active":false}`, status: 200, alone: true, stored: names(webhook.EventDisabled)},
		{rest: "PUT " + hook, send: `{"active":true}`, status: 200, stored: names(webhook.EventEnabled)},
		{rest: "PUT " + hook, send: `{"url":"http://chat.example"}`, status: 400},
		{rest: "PUT " + hook, send: `{"url":"https://chat.example/gone"}`, status: 200, stored: names(webhook.EventChanged), cost: cost{4, 1, 5}},
		{rest: "POST " + hook + "/test", status: 422, stored: names(webhook.EventDisabled)},
		{rest: "DELETE " + hook, status: 204, alone: true, stored: names(webhook.EventDeleted)},
		{name: "an undelivered message", do: func(w *walk) { w.giveUp("undelivered") }},
		{rest: "GET " + undeliveredMessages, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "POST " + undeliveredMessages + "/1000000/retry", status: 404, alone: true},
		{rest: "POST " + undeliveredMessages + "/{undelivered}/retry", status: 204, stored: names(undelivered.EventRetried), cost: cost{5, 1, 5}},
		{rest: "POST " + undeliveredMessages + "/{undelivered}/retry", status: 404},
		{rest: "POST /users", send: `{"username":"second","name":"Second","email":"second@example.com","password":"correct horse battery"}`, status: 201, keep: "second", stored: names(user.EventCreated)},
		{rest: "POST /projects/{web}/members", send: `{"user_id":{second},"access_level":30}`, status: 201, stored: names(project.EventMemberAdded)},
		{rest: "GET " + schedules, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "POST " + schedules, send: night, status: 201, keep: "schedule", alone: true, stored: names(oncall.EventCreated)},
		{rest: "POST " + schedules, status: 400, alone: true},
		{rest: "GET " + schedule, status: 200, alone: true},
		{rest: "GET " + schedules + "/1000000", status: 404, alone: true},
		{rest: "PUT " + schedule, send: `{"name":"Late"}`, status: 200, alone: true, stored: names(oncall.EventChanged)},
		{rest: "GET " + rotations, status: 200, alone: true},
		{rest: "POST " + rotations, status: 400, alone: true},
		{rest: "POST " + rotations, send: first, status: 201, keep: "rotation", stored: names(oncall.EventRotationAdded), cost: cost{5, 1, 5}},
		{rest: "GET " + rotations + "/1000000", status: 404, alone: true},
		{rest: "GET " + rotations + "/{rotation}", status: 200, cost: cost{3, 0, 0}},
		{rest: "PUT " + rotations + "/1000000", send: `{}`, status: 404, alone: true},
		{rest: "PUT " + rotations + "/{rotation}", send: `{"name":"One"}`, status: 200, stored: names(oncall.EventRotationChanged), cost: cost{4, 1, 5}},
		{rest: "GET " + schedule + "/oncall", status: 200, alone: true},
		{rest: "GET " + schedule + "/oncall", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET " + schedule + "/shifts", status: 200, alone: true},
		{rest: "GET " + schedules, status: 200, cost: cost{4, 0, 0}},
		{rest: "GET " + overrides, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "POST " + overrides, status: 400, alone: true},
		{rest: "POST " + overrides, send: swap, status: 201, keep: "override", stored: names(oncall.EventSwapped), cost: cost{5, 1, 5}},
		{rest: "DELETE " + overrides + "/1000000", status: 404},
		{rest: "DELETE " + overrides + "/{override}", status: 204, stored: names(oncall.EventOverrideDeleted)},
		{rest: "POST " + overrides, send: `{"user_id":{root},` + cover, status: 201, stored: names(oncall.EventOverrideAdded)},
		{rest: "GET " + policy, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "PUT " + policy, send: `{"rules":[]}`, status: 200, alone: true, stored: names(oncall.EventPolicy)},
		{rest: "PUT " + policy, send: escalate, status: 200, stored: names(oncall.EventPolicy)},
		{rest: "PUT " + policy, status: 400, alone: true},
		{rest: "DELETE " + schedule, status: 409},
		{rest: "POST " + schedule + "/feed", status: 201, keep: "feed", alone: true, stored: names(oncall.EventFeedRenewed)},
		{name: "a calendar", do: func(w *walk) { w.calendar("feed") }, cost: cost{3, 0, 0}},
		{rest: "DELETE " + schedule + "/feed", status: 204, alone: true, stored: names(oncall.EventFeedEnded)},
		{rest: "POST /user/oncall_feed", status: 201, keep: "own", stored: names(oncall.EventFeedRenewed)},
		{name: "one's own calendar", do: func(w *walk) { w.calendar("own") }, cost: cost{6, 0, 0}},
		{rest: "DELETE /user/oncall_feed", status: 204, stored: names(oncall.EventFeedEnded)},
		{rest: "PUT " + policy, send: `{"rules":[]}`, status: 200, stored: names(oncall.EventPolicy)},
		{rest: "DELETE " + rotations + "/1000000", status: 404, alone: true},
		{rest: "DELETE " + rotations + "/{rotation}", status: 204, stored: names(oncall.EventRotationDeleted)},
		{rest: "DELETE " + schedule, status: 204, alone: true, stored: names(oncall.EventDeleted)},
		{name: "alerts, with the use of the token", do: func(w *walk) {
			w.pass(oauth.TouchEvery)
			w.get(w.t, w.things.expand("/api/v4"+alerts), w.access)
		}},
		{name: "a day and more", do: func(w *walk) { w.pass(49 * time.Hour) }},
		{rest: "GET " + alerts, status: 200}, // takes what expired from the numbers
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

// calendar reads the feed with the address, which nobody else may learn.
func (w *walk) calendar(thing string) {
	address := w.things[thing]["url"].(string)
	_, token, _ := strings.Cut(address, "token=")
	w.secret(token)
	resp, err := http.Get(w.URL + strings.TrimPrefix(address, w.app.BaseURL))
	if err != nil {
		w.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		w.t.Errorf("the calendar answered %d", resp.StatusCode)
	}
}

// numbers are the numbers from one to another.
func numbers(from, to int) (texts []string) {
	for n := from; n <= to; n++ {
		texts = append(texts, strconv.Itoa(n))
	}
	return texts
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

// giveUp keeps a message of the project that could not be handled.
func (w *walk) giveUp(as string) {
	w.t.Helper()
	p, err := w.app.Projects.ProjectByPath(w.t.Context(), w.things["path"]["id"].(string))
	if err != nil {
		w.t.Fatal(err)
	}
	m := outbox.Message{Lane: outbox.SlowLane("webhook", p.ID, "1"), Seq: "1", Kind: "webhook.delivery", ProjectID: p.ID, Data: []byte(`{"iid":1}`), CreatedAt: w.now(), DueAt: w.now()}
	err = w.messages.PutMessages(w.t.Context(), []outbox.Message{m})
	if err == nil {
		m, err = w.messages.ClaimMessage(w.t.Context(), m, "claim", w.now(), w.now().Add(time.Minute))
	}
	if err == nil {
		err = w.messages.BuryMessage(w.t.Context(), m, w.now())
	}
	dead, listErr := w.app.Undelivered.List(w.t.Context(), p, page.First)
	if err := errors.Join(err, listErr); err != nil || len(dead.Items) == 0 {
		w.t.Fatalf("no message was given up: %v", err)
	}
	w.things[as] = map[string]any{"id": dead.Items[0].Number}
}
