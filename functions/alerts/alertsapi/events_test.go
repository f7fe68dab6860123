package alertsapi_test

import (
	"strings"
	"testing"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/integration"
	"gatehouse/shared/preset"
)

// eventSite is a site with an integration for events, its address and its key.
func eventSite(t *testing.T) (s *site, address, key string) {
	t.Helper()
	s = newSite(t)
	i, key := s.preset(t, integration.PagerDuty)
	return s, i.Path(s.project), key
}

// preset adds an integration that is made from the preset.
func (s *site) preset(t *testing.T, id string) (integration.Integration, string) {
	t.Helper()
	draft, err := preset.Fill(integration.Draft{Preset: id, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	return s.integration(t, draft)
}

// dedupKey returns the key of an event that was accepted.
func dedupKey(t *testing.T, answer apptest.Answer) string {
	t.Helper()
	if body := answer.Object(t); answer.Status != 202 || body["status"] != "success" || body["message"] == "" {
		t.Fatalf("the answer is %d %v, want 202 and success", answer.Status, body)
	}
	key, _ := answer.Object(t)["dedup_key"].(string)
	return key
}

func TestEventsHaveTheirKeyInTheBody(t *testing.T) {
	s, address, key := eventSite(t)
	event := func(action, more string) apptest.Answer {
		return s.post(t, address, "", `{"routing_key":"`+key+`","event_action":"`+action+`"`+more+`}`)
	}
	const full = `,"dedup_key":"web1/queue","payload":{"summary":"Full","source":"web1","severity":"warning"}`
	if got := dedupKey(t, event("trigger", full)); got != "web1/queue" {
		t.Errorf("the key of the event is %q, want its own", got)
	}
	dedupKey(t, event("acknowledge", `,"dedup_key":"web1/queue"`))
	s.wantAlerts(t, 1)
	one := s.alerts(t)[0]
	if one.Status != alert.Acknowledged || one.Severity != alert.SeverityMedium || one.PeakSeverity != alert.SeverityMedium {
		t.Errorf("the alert is %s, %s, at most %s; want an acknowledged one that is medium", one.Status, one.Severity, one.PeakSeverity)
	}
	dedupKey(t, event("resolve", `,"dedup_key":"web1/queue"`))
	dedupKey(t, event("resolve", `,"dedup_key":"web1/queue"`)) // is over already
	if one := s.alerts(t)[0]; one.Status != alert.Resolved {
		t.Errorf("the alert is %s, want it resolved", one.Status)
	}
	text, err := s.Alerts.AlertPayload(t.Context(), s.project.ID, one.IID)
	if err != nil || strings.Contains(string(text), key) || !strings.Contains(string(text), "web1/queue") {
		t.Errorf("the payload is %s, %v, want the event without the authorization key", text, err)
	}
}

func TestEventsWithoutAKeyOfTheirOwnGetOne(t *testing.T) {
	s, address, key := eventSite(t)
	trigger := `{"routing_key":"` + key + `","event_action":"trigger","payload":{"summary":"Full","source":"web1","severity":"info"}}`
	first, second := dedupKey(t, s.post(t, address, "", trigger)), dedupKey(t, s.post(t, address, "", trigger))
	if first == "" || first == second {
		t.Errorf("the keys of two events are %q and %q, want two", first, second)
	}
	dedupKey(t, s.post(t, address, "", `{"routing_key":"`+key+`","event_action":"resolve","dedup_key":"`+first+`"}`))
	open := 0
	for _, a := range s.alerts(t) {
		if a.Open() {
			open++
		}
	}
	if open != 1 {
		t.Errorf("%d alerts are open, want the second", open)
	}
}

func TestEventsAreRefused(t *testing.T) {
	s, address, key := eventSite(t)
	for name, body := range map[string]string{
		"no key":        `{"event_action":"trigger"}`,
		"a wrong key":   `{"routing_key":"gtin-00000000000000000000000000000000","event_action":"trigger"}`,
		"no text":       `{"routing_key":{"a":"` + key + `"}}`,
		"another place": `{"payload":{"routing_key":"` + key + `"}}`,
	} {
		if got := s.post(t, address, "", body); got.Status != 401 {
			t.Errorf("%s is %d, want 401", name, got.Status)
		}
	}
	_, other := s.http(t)
	another := "/acme/team/Web/alerts/notify/x/" // whatever is in its body, another integration wants its key in a header
	i, err := s.Integrations.Integrations(t.Context(), s.project)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.post(t, another+i[1].Endpoint, "", `{"routing_key":"`+other+`"}`); got.Status != 401 {
		t.Errorf("the key in the body of another integration is %d, want 401", got.Status)
	}
	if got := s.post(t, another+i[1].Endpoint, other, `{"routing_key":"x"}`); got.Status != 200 {
		t.Errorf("another integration answers %d, want 200", got.Status)
	}
	s.wantAlerts(t, 1)
}
