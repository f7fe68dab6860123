package monitorapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTestAction(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	s.Call(t, "POST", one+"/test", object{"payload": object{"title": "Disk full", "fingerprint": "a"}}).
		Want(t, 200, list{object{"iid": 1.0, "title": "Disk full"}})
	s.Send(t, "POST", one+"/test", asForm, `payload={"title":"other","fingerprint":"a"}`).Want(t, 200, list{object{"iid": 1.0, "title": "Disk full"}})
	s.Call(t, "POST", one+"/test", object{"payload": object{}}).Want(t, 200, list{object{"iid": 2.0, "title": "New: Alert"}})
	s.Call(t, "POST", one+"/test", object{"payload": object{"fingerprint": "a", "end_time": "2100-01-01"}}).
		Want(t, 200, list{object{"iid": 1.0, "title": "Disk full"}})
	got := s.Call(t, "GET", alerts+"/1", nil).Object(t)
	if got["events"] != 2.0 || got["status"] != "resolved" {
		t.Errorf("the alert has %v events and is %v, want 2 and resolved", got["events"], got["status"])
	}
	s.Pass(time.Minute)
	s.Call(t, "POST", one+"/test", object{"payload": object{"fingerprint": "a", "end_time": "2100-01-01"}}).
		WantMessage(t, 400, "400 Bad request - The payload resolves an alert, and none with its fingerprint is open.")
	health := s.Call(t, "GET", one, nil).Object(t)["health"].(object)
	if health["received"] == 0.0 {
		t.Errorf("the health is %v, want what was received", health)
	}
}

func TestTestsThatAreNoGood(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	webhook := fmt.Sprintf("%s/%d", integrations, s.Call(t, "POST", integrations, object{
		"name": "M", "type": "metrics", "active": true, "api_url": "https://x.example",
	}).ID(t))
	deep := strings.Repeat("[", 101) + strings.Repeat("]", 101)
	for _, test := range []struct {
		target, contentType, body string
		status                    int
		want                      any
	}{
		{one, asJSON, "{}", 400, object{"error": "payload is missing"}},
		{one, asJSON, `{"payload":{},"payload":{}}`, 400, object{"error": "payload is invalid"}},
		{one, asForm, `payload={}&payload={}`, 400, object{"error": "payload is invalid"}},
		{one, asJSON, `{"payload":null}`, 400, object{"message": "400 Bad request - the payload must be a JSON object"}},
		{one, asJSON, `{"payload":[]}`, 400, object{"message": "400 Bad request - the payload must be a JSON object"}},
		{one, asJSON, `{"payload":"{"}`, 400, object{"message": "400 Bad request - the payload is not valid JSON at line 1, column 1"}},
		{one, asJSON, `{"payload":{"a":` + deep + `}}`, 400, object{"message": "400 Bad request - the payload is nested more than 100 levels deep"}},
		{one, asJSON, `{`, 400, object{"message": "400 Bad request - the body is not a JSON object"}},
		{one, "text/plain", `x`, 415, nil},
		{one, asJSON, `{"payload":"` + strings.Repeat("x", 1<<20) + `"}`, 413, nil},
		{webhook, asJSON, `{"payload":{"alerts":[]}}`, 422, object{"message": "422 Unprocessable Entity - not in the metrics-alerting format: " +
			"commonAnnotations, commonLabels, externalURL, groupKey, groupLabels, receiver, status, version missing"}},
	} {
		answer := s.Send(t, "POST", test.target+"/test", test.contentType, test.body)
		answer.Want(t, test.status, test.want)
	}
	s.Call(t, "PATCH", one, object{"active": false}).Want(t, 200, nil)
	s.Call(t, "POST", one+"/test", object{"payload": object{}}).
		WantMessage(t, 403, "403 Forbidden - There is no active integration with this address. See the project's Monitor settings.")
	s.Call(t, "GET", alerts, nil).Want(t, 200, list{})
}

func TestPreview(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	params := object{
		"payload":                   object{"check": object{"name": "web", "region": "eu"}, "severity": "HIGH", "platform_environment_name": "moon"},
		"payload_attribute_mapping": object{"title": object{"path": list{"check", "name"}, "type": "STRING"}},
	}
	for _, target := range []string{integrations + "/preview", one + "/preview"} {
		seen := s.Call(t, "POST", target, params)
		seen.Want(t, 200, nil)
		body := seen.Object(t)
		alerts, _ := body["alerts"].(list)
		if len(alerts) != 1 {
			t.Fatalf("%s shows %v, want one alert", target, body)
		}
		one := alerts[0].(object)
		if one["title"] != "web" || one["severity"] != "high" || one["recovery"] != false || one["fingerprint"] == nil {
			t.Errorf("%s shows the alert %v", target, one)
		}
		delete(body, "alerts")
		want := object{
			"format": "plain", "items": 1.0, "skipped_items": 0.0, "ignored_items": 0.0, "truncated_alerts": 0.0, "origins": object{},
			"notes":   list{`the project has no environment "moon"`},
			"sources": object{"title": list{"check", "name"}, "severity": list{"severity"}, "platform_environment_name": list{"platform_environment_name"}},
			"ignored": list{object{"path": list{"check", "region"}, "label": "check.region", "type": "STRING"}},
		}
		if diff := cmp.Diff(want, body); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
	written := object{
		"payload": object{"list": list{object{"title": "A", "state": "ack"}, object{"state": "test"}}},
		"payload_attribute_mapping": object{
			"split":             object{"path": list{"list"}},
			"acknowledged_when": object{"source": object{"path": list{"state"}}, "equals": list{"ack"}},
			"ignore_when":       object{"source": object{"path": list{"state"}}, "equals": list{"test"}},
			"service":           object{"sources": list{object{"template": "{state}!"}}},
		},
	}
	body := s.Call(t, "POST", one+"/preview", written).Object(t)
	acknowledged := body["alerts"].(list)[0].(object)
	if acknowledged["acknowledged"] != true || acknowledged["service"] != "ack!" || body["ignored_items"] != 1.0 || body["origins"].(object)["service"] != "{state}!" {
		t.Errorf("the preview of a mapping that is written is %v", body)
	}
	many := list{}
	for n := range 120 {
		many = append(many, object{"startsAt": "2026-01-01T00:00:00Z", "annotations": object{"title": fmt.Sprint(n)}})
	}
	webhook := object{"version": "4", "groupKey": nil, "status": nil, "receiver": nil, "groupLabels": nil,
		"commonLabels": nil, "commonAnnotations": nil, "externalURL": nil, "alerts": append(many, 5)}
	seen := s.Call(t, "POST", one+"/preview", object{"payload": webhook}).Object(t)
	if shown := seen["alerts"].(list); len(shown) != 100 || seen["items"] != 121.0 || seen["skipped_items"] != 1.0 || seen["format"] != "metrics" {
		t.Errorf("the preview of a webhook shows %d alerts of %v items, %v skipped", len(shown), seen["items"], seen["skipped_items"])
	}
	s.Call(t, "POST", integrations+"/preview", object{}).WantError(t, 400, "payload is missing")
	s.Call(t, "POST", integrations+"/preview", object{"payload": list{}}).WantMessage(t, 400, "400 Bad request - the payload must be a JSON object")
	s.Call(t, "POST", integrations+"/preview", object{"payload": object{}, "payload_attribute_mapping": object{"x": 1}}).
		WantMessage(t, 400, object{"payload_attribute_mapping": list{`has "x", which is no field of an alert`}})
	s.Call(t, "GET", alerts, nil).Want(t, 200, list{})
}

func TestLastPayload(t *testing.T) {
	s := arrange(t)
	one, other := s.endpoint(t), s.endpoint(t)
	s.Call(t, "GET", one+"/last_payload", nil).WantMessage(t, 404, "404 Payload Not Found")
	s.fire(t, one, object{"title": "first"})
	s.fire(t, one, object{"title": "second", "n": 1.5})
	s.fire(t, other, object{"title": "third"})
	s.fire(t, one, object{"title": "first"}) // repeats, and is not kept
	s.Call(t, "GET", one+"/last_payload", nil).Want(t, 200, object{
		"alert_iid": 2.0, "received_at": s.Now().Format("2006-01-02T15:04:05.000Z"), "payload": object{"title": "second", "n": 1.5},
	})
}

// A payload that an alert keeps goes through the mapping as it is now.
func TestReplay(t *testing.T) {
	s := arrange(t)
	one, other := s.endpoint(t), s.endpoint(t)
	s.fire(t, one, object{"what": "Disk full", "id": 7})
	s.Call(t, "PATCH", one, object{"payload_attribute_mapping": object{
		"title": object{"path": list{"what"}, "type": "STRING"}, "fingerprint": object{"path": list{"id"}, "type": "STRING"},
	}}).Want(t, 200, nil)
	replayed := func(dry bool, outcome string, iid any) object {
		return object{"dry_run": dry, "alerts": list{object{"outcome": outcome, "iid": iid, "title": "Disk full"}}, "skipped_items": 0.0, "ignored_items": 0.0, "notes": list{}}
	}
	for _, step := range []struct{ send, want object }{
		{object{"alert_iid": 1, "dry_run": true}, replayed(true, "opened", nil)},
		{object{"alert_iid": 1}, replayed(false, "opened", 2.0)},
		{object{"alert_iid": 1, "dry_run": true}, replayed(true, "repeated", 2.0)},
		{object{"alert_iid": 1, "dry_run": false}, replayed(false, "repeated", 2.0)},
	} {
		s.Call(t, "POST", one+"/replay", step.send).Want(t, 200, step.want)
	}
	if got := s.Call(t, "GET", alerts+"/2", nil).Object(t); got["events"] != 2.0 {
		t.Errorf("the alert has %v events, want 2: a replay counts", got["events"])
	}
	s.Call(t, "POST", one+"/replay", object{"alert_iid": 1, "latest_payload": true}).WantMessage(t, 404, "404 Payload Not Found")
	s.Call(t, "POST", one+"/replay", object{"alert_iid": 99}).WantMessage(t, 404, "404 Alert Not Found")
	s.Call(t, "POST", other+"/replay", object{"alert_iid": 1}).WantMessage(t, 404, "404 Payload Not Found")
	s.Call(t, "POST", one+"/replay", object{}).WantError(t, 400, "alert_iid is missing")
	s.Call(t, "PATCH", one, object{"active": false}).Want(t, 200, nil)
	s.Call(t, "POST", one+"/replay", object{"alert_iid": 1}).
		WantMessage(t, 403, "403 Forbidden - There is no active integration with this address. See the project's Monitor settings.")
}
