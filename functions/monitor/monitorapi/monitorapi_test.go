package monitorapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gatehouse/functions/monitor/monitorapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/integration"
)

type (
	object = map[string]any
	list   = []any
)

const (
	integrations = "/api/v4/projects/acme%2Fweb/monitor/integrations"
	alerts       = "/api/v4/projects/acme%2Fweb/monitor/alerts"
	settings     = "/api/v4/projects/acme%2Fweb/monitor/settings"
)

// setup is a project with a maintainer who calls about its alerts.
type setup struct{ apptest.Web }

func arrange(t *testing.T) setup {
	t.Helper()
	return setup{apptest.NewWeb(t, monitorapi.New)}
}

const (
	asForm = "application/x-www-form-urlencoded"
	asJSON = "application/json"
)

// endpoint makes an active HTTP endpoint over REST and returns its address.
func (s setup) endpoint(t *testing.T) string {
	t.Helper()
	made := s.Call(t, "POST", integrations, object{"name": "Uptime", "type": "http", "active": true})
	return fmt.Sprintf("%s/%d", integrations, made.ID(t))
}

// fire has the integration at the address receive a payload.
func (s setup) fire(t *testing.T, address string, payload object) {
	t.Helper()
	s.Call(t, "POST", address+"/test", object{"payload": payload}).Want(t, 200, nil)
}

// stored lists the project's integrations as the store has them.
func (s setup) stored(t *testing.T) []integration.Integration {
	t.Helper()
	all, err := s.Integrations.Integrations(t.Context(), s.P)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// text is a JSON value as text.
func text(t *testing.T, value any) string {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func TestRoutesThatAreNot(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	for _, call := range []struct{ method, target string }{
		{"PUT", integrations}, {"POST", one}, {"GET", one + "/reset_key"}, {"GET", one + "/test"}, {"POST", alerts},
		{"DELETE", alerts + "/1"}, {"PATCH", alerts + "/1"}, {"POST", settings}, {"PUT", integrations + "/1/preview"},
	} {
		s.Call(t, call.method, call.target, nil).WantMessage(t, 405, "405 Method Not Allowed")
	}
	for _, target := range []string{one + "/more", alerts + "/1/more", strings.TrimSuffix(alerts, "/alerts"), settings + "/more"} {
		s.Call(t, "GET", target, nil).WantError(t, 404, "404 Not Found")
	}
}

func TestAlertSettings(t *testing.T) {
	s := arrange(t)
	on, off := defaultSettings("generic_alert_fingerprinting", true), defaultSettings("generic_alert_fingerprinting", false)
	s.Call(t, "GET", settings, nil).Want(t, 200, on)
	s.Call(t, "PUT", settings, object{"generic_alert_fingerprinting": false}).Want(t, 200, off)
	s.Call(t, "GET", settings, nil).Want(t, 200, off)
	for body, want := range map[string]string{
		`{"generic_alert_fingerprinting":"maybe"}`: "generic_alert_fingerprinting is invalid",
		`{"generic_alert_fingerprinting":""}`:      "generic_alert_fingerprinting is empty", `{"generic_alert_fingerprinting":{}}`: "generic_alert_fingerprinting is invalid",
		`{"generic_alert_fingerprinting":1,"generic_alert_fingerprinting":0}`: "generic_alert_fingerprinting is invalid",
		`{"generic_alert_fingerprinting":true,"create_incident":"maybe"}`:     "create_incident is invalid",
		`{"auto_close_incident":[]}`:                                          "auto_close_incident is invalid", `{"send_email":""}`: "send_email is empty",
		`{"incident_template":{}}`: "incident_template is invalid", `{"send_email":1,"retention_days":"a year"}`: "retention_days is invalid",
		`{"retention_days":1.5}`: "retention_days is invalid", `{"retention_days":true}`: "retention_days is invalid",
	} {
		s.Send(t, "PUT", settings, asJSON, body).WantError(t, 400, want)
	}
	s.Send(t, "PUT", settings, asJSON, "[").Want(t, 400, nil)
	s.Send(t, "PUT", settings, "text/plain", "x").Want(t, 415, nil)
	s.Send(t, "PUT", settings, asForm, strings.Repeat("x", 1<<20+1)).Want(t, 413, nil)
	s.Call(t, "GET", settings, nil).Want(t, 200, off)
	s.Send(t, "PUT", settings, asForm, "generic_alert_fingerprinting=on").Want(t, 200, on)

	one := s.endpoint(t)
	s.fire(t, one, object{"title": "a"})
	s.Call(t, "PUT", settings, object{"generic_alert_fingerprinting": nil}).Want(t, 200, off)
	s.fire(t, one, object{"title": "a"})
	s.Call(t, "GET", alerts, nil).Want(t, 200, nil)
	if got := s.Call(t, "GET", alerts, nil).Each(t, "fingerprint"); len(got) != 2 || got[0] != nil || got[1] == nil {
		t.Errorf("fingerprints are %v, want none for the newer alert alone", got)
	}
}
