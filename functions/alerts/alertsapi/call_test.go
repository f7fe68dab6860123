package alertsapi_test

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/integration"
)

var requestID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// wantRequest checks that a call is answered as Opsgenie answers.
func wantRequest(t *testing.T, what string, got apptest.Answer) {
	t.Helper()
	if got.Status != 202 {
		t.Fatalf("%s is %d %s, want 202", what, got.Status, got.Body)
	}
	body := got.Object(t)
	id, _ := body["requestId"].(string)
	if _, isNumber := body["took"].(float64); len(body) != 3 || body["result"] != "Request will be processed" || !isNumber || !requestID.MatchString(id) {
		t.Errorf("%s is answered with %v", what, body)
	}
}

// An alert that a sender of Opsgenie opens, counts on, acknowledges and closes by its alias,
// at each of the addresses that an integration has.
func TestCallsOfOpsgenie(t *testing.T) {
	s := newSite(t)
	first, firstKey := s.preset(t, integration.Opsgenie)
	second, secondKey := s.preset(t, integration.Opsgenie)
	keyed, err := s.Integrations.RenewPathKey(t.Context(), audit.Setup, s.project, second.ID)
	if err != nil {
		t.Fatal(err)
	}
	pathKey, err := s.Integrations.PathKey(keyed)
	if err != nil {
		t.Fatal(err)
	}
	withKey := keyed.PathWithKey(s.project, pathKey)
	for base, key := range map[string]string{
		first.Path(s.project): firstKey, strings.TrimSuffix(first.Path(s.project), ".json"): firstKey,
		strings.TrimSuffix(second.Path(s.project), ".json"): secondKey, withKey: "", strings.TrimSuffix(withKey, ".json"): "",
	} {
		path := base + "/v2/alerts"
		was := len(s.alerts(t))
		create := `{"message":"The queue is stuck","alias":"mx1 queue/1","priority":"P2","source":"watcher"}`
		wantRequest(t, "to create", s.post(t, path, key, create))
		wantRequest(t, "to create again", s.post(t, path, key, create))
		wantRequest(t, "to note", s.post(t, path+"/mx1%20queue%2F1/notes?identifierType=alias", key, `{"note":"slow"}`))
		wantRequest(t, "to acknowledge", s.post(t, path+"/mx1%20queue%2F1/acknowledge?identifierType=alias", key, `{"user":"ada"}`))
		one := s.newest(t)
		if one.Status != alert.Acknowledged || one.Severity != alert.SeverityHigh || one.Events != 2 || one.Title != "The queue is stuck" {
			t.Errorf("%s: the alert is %q, %s, %s, with %d events, want an acknowledged one with 2", base, one.Title, one.Status, one.Severity, one.Events)
		}
		r := httptest.NewRequest("POST", path+"/mx1%20queue%2F1/close?identifierType=alias", nil) // without a body or type
		r.Header.Set("Authorization", "GenieKey "+key)
		wantRequest(t, "to close", apptest.Send(t, s.handler, r))
		wantRequest(t, "to close what is over", s.post(t, path+"/mx1%20queue%2F1/close", key, `{}`))
		s.wantAlerts(t, was+1)
		if one := s.newest(t); one.Status != alert.Resolved {
			t.Errorf("%s: the alert is %s, want it resolved", base, one.Status)
		}
	}
}

// newest returns the newest alert.
func (s *site) newest(t *testing.T) alert.Alert {
	t.Helper()
	return s.alerts(t)[0]
}

func TestCallsThatAreRefused(t *testing.T) {
	s := newSite(t)
	opsgenie, key := s.preset(t, integration.Opsgenie)
	other, otherKey := s.http(t)
	base := func(i integration.Integration) string { return strings.TrimSuffix(i.Path(s.project), ".json") }
	const create = `{"message":"x","alias":"x"}`
	for _, test := range []struct {
		path, key, body string
		status          int
	}{
		{base(opsgenie) + "/v2/alerts", "", create, 401},
		{base(opsgenie) + "/v2/alerts", otherKey, create, 401},
		{base(opsgenie) + "/v2/alerts/x/close", otherKey, ``, 401},
		{base(other) + "/v2/alerts", otherKey, create, 403},
		{base(other) + "/v2/alerts/x/close", otherKey, `{}`, 403},
		{base(other) + "/v2/enqueue", otherKey, create, 403},
		{base(opsgenie) + "/v2/enqueue", key, create, 403},
		{base(opsgenie) + "/v2/alerts/x/close?identifierType=tiny", key, `{}`, 400},
		{base(opsgenie) + "/v2/alerts/x/close", key, `[]`, 400},
		{base(opsgenie) + "/v2/alerts/x/close", key, `{`, 400},
		{base(opsgenie) + "/v2/alerts/x/close", key, `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, 400},
		{base(opsgenie) + "/v2/alerts/x/explode", key, `{}`, 404},
		{base(other) + "/v2/alerts/x", otherKey, `{}`, 404},
		{base(other) + "/v2/incidents", otherKey, `{}`, 404},
		{base(other) + "/v1/alerts", otherKey, `{}`, 404},
		{"/v2/alerts", key, create, 404},
		{"/acme/v2/alerts", key, create, 404},
		{"/acme/team/Nowhere/alerts/notify/v2/alerts", key, create, 404},
	} {
		if got := s.post(t, test.path, test.key, test.body); got.Status != test.status {
			t.Errorf("%s with %.40s is %d %s, want %d", test.path, test.body, got.Status, got.Body, test.status)
		}
	}
	s.wantAlerts(t, 0)
}

// Senders of events that are given the server alone put the path of the API behind it.
func TestCallsOfPagerDuty(t *testing.T) {
	s, address, key := eventSite(t)
	const full = `,"dedup_key":"web1/queue","payload":{"summary":"Full","source":"web1","severity":"warning"}}`
	for _, path := range []string{address + "/v2/enqueue", strings.TrimSuffix(address, ".json") + "/v2/enqueue"} {
		if got := dedupKey(t, s.post(t, path, "", `{"routing_key":"`+key+`","event_action":"trigger"`+full)); got != "web1/queue" {
			t.Errorf("the key of the event is %q, want its own", got)
		}
	}
	s.wantAlerts(t, 1)
}
