package monitorapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/integration"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
)

var noHealth = object{
	"last_received_at": nil, "received": 0.0, "rejected": 0.0, "skipped_items": 0.0, "truncated_alerts": 0.0,
	"last_error": nil, "last_error_at": nil, "current_error": nil, "wrong_keys": 0., "last_wrong_key_at": nil,
}

func TestIntegrationBody(t *testing.T) {
	s := arrange(t)
	made := s.Call(t, "POST", integrations, object{
		"name": "Uptime", "type": "http", "active": true, "rate_limit": 60,
		"payload_example":           object{"check": object{"name": "web"}, "at": "2026-01-02T03:04:05Z"},
		"payload_attribute_mapping": object{"title": object{"path": list{"check", "name"}, "type": "STRING"}},
	})
	key, _ := made.Object(t)["authorization_key"].(string)
	want := object{
		"id": float64(made.ID(t)), "name": "Uptime", "type": "http", "active": true, "endpoint_identifier": "legacy",
		"url": apptest.BaseURL + "/acme/web/alerts/notify.json", "authorization_key": key, "path_key_url": nil, "api_url": nil,
		"payload_attribute_mapping": object{"title": object{"path": list{"check", "name"}, "type": "STRING"}},
		"rate_limit":                60.0, "preset": nil, "sns_topic_arn": nil, "health": noHealth, "created_at": s.Now().Format("2006-01-02T15:04:05.000Z"),
		"payload_example": object{"check": object{"name": "web"}, "at": "2026-01-02T03:04:05Z"},
		"payload_alert_fields": list{
			object{"path": list{"at"}, "label": "at", "type": "DATETIME"},
			object{"path": list{"check", "name"}, "label": "check.name", "type": "STRING"},
		},
	}
	made.Want(t, 201, want)
	if len(key) != len("gtin-")+32 || !strings.HasPrefix(key, "gtin-") {
		t.Errorf("the key is %q", key)
	}
	one := fmt.Sprintf("%s/%d", integrations, made.ID(t))
	s.Call(t, "GET", one, nil).Want(t, 200, want)
	want["authorization_key"] = nil
	reader := s.Token(s.Admin("root"), scope.ReadAPI)
	apptest.Call(t, s.H, "GET", one, reader, nil).Want(t, 200, want)
	want["authorization_key"] = key
	back := object{}
	for _, field := range []string{"name", "type", "active", "api_url", "rate_limit", "payload_example", "payload_attribute_mapping"} {
		back[field] = want[field]
	}
	s.Call(t, "PUT", one, back).Want(t, 200, want)
	delete(want, "payload_example")
	delete(want, "payload_alert_fields")
	s.Call(t, "GET", integrations, nil).Want(t, 200, list{want})
	want["authorization_key"] = nil
	apptest.Call(t, s.H, "GET", integrations, reader, nil).Want(t, 200, list{want})
}

func TestEveryTypeOfIntegration(t *testing.T) {
	s := arrange(t)
	metrics := s.Call(t, "POST", integrations, object{"name": "M", "type": "metrics", "active": false, "api_url": "https://metrics.example/api"}).Object(t)
	second := s.Send(t, "POST", integrations, asForm, "name=Second+one&type=metrics&active=off&api_url=https://m.example").Object(t)
	link := s.Call(t, "POST", integrations, object{"name": "L", "type": "oncall_link", "active": true, "api_url": "https://oncall.example"}).Object(t)
	for _, test := range []struct {
		body  object
		field string
		want  any
	}{
		{metrics, "url", apptest.BaseURL + "/acme/web/prometheus/alerts/notify.json"},
		{metrics, "endpoint_identifier", "legacy-prometheus"},
		{metrics, "api_url", "https://metrics.example/api"},
		{metrics, "payload_example", object{}},
		{metrics, "payload_attribute_mapping", object{}},
		{metrics, "payload_alert_fields", list{}},
		{second, "url", fmt.Sprintf("%s/acme/web/alerts/notify/second-one/%s.json", apptest.BaseURL, second["endpoint_identifier"])},
		{link, "url", nil},
		{link, "active", true},
	} {
		if diff := cmp.Diff(test.want, test.body[test.field]); diff != "" {
			t.Errorf("%s of %v (-want +got):\n%s", test.field, test.body["name"], diff)
		}
	}
	// While the link is active nothing else can be, and the other way round.
	const excluded = `409 Conflict - the integration "L" is active: an on-call link and other integrations exclude each other, so switch it off first`
	s.Call(t, "PATCH", fmt.Sprintf("%s/%v", integrations, metrics["id"]), object{"active": true}).WantMessage(t, 409, excluded)
	s.Call(t, "POST", integrations, object{"name": "H", "type": "http", "active": true}).WantMessage(t, 409, excluded)
	s.Call(t, "PATCH", fmt.Sprintf("%s/%v", integrations, link["id"]), object{"active": false}).Want(t, 200, nil)
	s.Call(t, "PATCH", fmt.Sprintf("%s/%v", integrations, metrics["id"]), object{"active": true}).Want(t, 200, nil)
	s.Call(t, "PATCH", fmt.Sprintf("%s/%v", integrations, link["id"]), object{"active": true}).
		WantMessage(t, 409, strings.ReplaceAll(excluded, `"L"`, `"M"`))
}

func TestChangeIntegration(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	was := s.Call(t, "GET", one, nil).Object(t)
	change := func(method string, params object, want object) {
		t.Helper()
		for field, value := range want {
			was[field] = value
		}
		s.Call(t, method, one, params).Want(t, 200, was)
		s.Call(t, "GET", one, nil).Want(t, 200, was)
	}
	mapping := object{"severity": object{"path": list{"labels", 0.0, "-1"}, "type": "STRING", "label": "Sev"}}
	fields := list{object{"path": list{"n"}, "label": "n", "type": "STRING"}}
	change("PATCH", object{"active": false}, object{"active": false})
	change("PATCH", object{"active": true}, object{"active": true})
	change("PATCH", object{}, nil)
	change("PATCH", object{"payload_attribute_mapping": mapping, "payload_example": object{"n": 5}}, object{
		"payload_attribute_mapping": mapping, "payload_example": object{"n": 5.0}, "payload_alert_fields": fields,
	})
	change("PUT", object{"name": "New", "active": false, "type": "http"}, object{"name": "New", "active": false})
	change("PATCH", object{"rate_limit": 5, "api_url": "https://x.example"}, object{"rate_limit": 5.0, "api_url": "https://x.example"})
	change("PATCH", object{"rate_limit": 0, "api_url": ""}, object{"rate_limit": 0.0, "api_url": nil})
	change("PATCH", object{"payload_example": nil}, object{"payload_example": object{}, "payload_alert_fields": list{}})
	change("PATCH", object{"active": true, "payload_attribute_mapping": nil}, object{"active": true, "payload_attribute_mapping": object{}})
	s.Send(t, "PATCH", one, asForm, `payload_example={"n":5}`).Want(t, 200, nil)
	s.Send(t, "PATCH", one, asForm, `payload_example[n]=5`).Want(t, 200, nil)
	s.Call(t, "GET", one, nil).Want(t, 200, nil)
}

func TestResetKey(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	was := s.Call(t, "GET", one, nil).Object(t)
	now := s.Call(t, "POST", one+"/reset_key", nil).Object(t)
	if was["authorization_key"] == now["authorization_key"] {
		t.Error("the key is the old one")
	}
	s.Call(t, "GET", one, nil).Want(t, 200, now)
	was["authorization_key"] = now["authorization_key"]
	if diff := cmp.Diff(was, now); diff != "" {
		t.Errorf("something else changed (-was +is):\n%s", diff)
	}
}

func TestPathKey(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	was := s.Call(t, "GET", one, nil).Object(t)
	first, _ := s.Call(t, "POST", one+"/path_key", nil).Object(t)["path_key_url"].(string)
	now := s.Call(t, "POST", one+"/path_key", nil).Object(t)
	second, _ := now["path_key_url"].(string)
	const before = apptest.BaseURL + "/acme/web/alerts/notify/uptime/legacy/gtpk-"
	if len(second) != len(before)+32+len(".json") || !strings.HasPrefix(second, before) || first == second {
		t.Errorf("the addresses are %q, then %q", first, second)
	}
	s.Call(t, "GET", one, nil).Want(t, 200, now)
	reader := s.Token(s.Admin("root"), scope.ReadAPI)
	if got := apptest.Call(t, s.H, "GET", one, reader, nil).Object(t); got["path_key_url"] != nil {
		t.Errorf("a token that may only read sees %v", got["path_key_url"])
	}
	for range 2 {
		s.Call(t, "DELETE", one+"/path_key", nil).Want(t, 204, nil)
		s.Call(t, "GET", one, nil).Want(t, 200, was)
	}
	link := s.Call(t, "POST", integrations, object{"name": "x", "type": "oncall_link", "active": false, "api_url": "https://x.example"})
	s.Call(t, "POST", fmt.Sprintf("%s/%d/path_key", integrations, link.ID(t)), nil).
		WantMessage(t, 400, "400 Bad request - an on-call link takes no alerts, so it has no address")
}

// An error that a good payload ended is history.
func TestTheCurrentErrorEnds(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	health := func() object {
		t.Helper()
		h, _ := s.Call(t, "GET", one, nil).Object(t)["health"].(object)
		return h
	}
	s.Call(t, "POST", one+"/test", object{"payload": object{"severity": "odd"}}).Want(t, 200, nil)
	if h := health(); h["current_error"] == nil || h["current_error"] != h["last_error"] {
		t.Errorf("after an odd payload the health is %v", h)
	}
	s.Pass(time.Second)
	s.Call(t, "POST", one+"/test", object{"payload": object{}}).Want(t, 200, nil)
	if h := health(); h["current_error"] != nil || h["last_error"] == nil {
		t.Errorf("after a good one the health is %v", h)
	}
}

// The instance key was rotated, and nobody used the integration meanwhile.
func TestAKeyThatNothingOpensIsLeftOut(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	keys, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	s.Integrations = integration.NewRules(s.Store, s.Trail, keys, integration.AllFeatures, s.Now)
	for _, answer := range []apptest.Answer{s.Call(t, "GET", one, nil), s.Call(t, "PATCH", one, object{"active": false})} {
		if key, there := answer.Object(t)["authorization_key"]; !there || key != nil {
			t.Errorf("the key is %v, want null", key)
		}
	}
	s.Call(t, "GET", integrations, nil).Want(t, 200, nil)
	if key := s.Call(t, "POST", one+"/reset_key", nil).Object(t)["authorization_key"]; key == nil {
		t.Error("a reset gives no key")
	}
}

func TestDeleteIntegration(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	s.fire(t, one, object{"title": "stays"})
	s.Call(t, "DELETE", one, nil).Want(t, 204, nil)
	s.Call(t, "GET", integrations, nil).Want(t, 200, list{})
	s.Call(t, "GET", alerts+"/1", nil).Want(t, 200, nil)
	if got := s.Call(t, "GET", alerts, nil).Each(t, "integration"); len(got) != 1 || got[0] != nil {
		t.Errorf("the alert's integration is %v, want null", got)
	}
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
		s.Call(t, method, one, object{"name": "x", "active": true}).WantMessage(t, 404, "404 Integration Not Found")
	}
}

func TestIntegrationsThatAreNotThere(t *testing.T) {
	s := arrange(t)
	s.endpoint(t)
	group, err := s.Projects.GroupByPath(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	other := s.Project("other", group, project.Private)
	foreign, err := s.Integrations.Create(t.Context(), audit.Setup, other, integration.Draft{Name: "x", Type: integration.HTTP, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{fmt.Sprint(foreign.ID), "0", "-1", "x", "1.0", "%20", "9223372036854775807", "9223372036854775808"} {
		for call, path := range map[string]string{
			"GET": "", "PUT": "", "PATCH": "", "DELETE": "", "GET ": "/last_payload", "POST": "/reset_key", "POST    ": "/path_key", "DELETE ": "/path_key", "POST ": "/test", "POST  ": "/preview", "POST   ": "/replay",
		} {
			s.Call(t, strings.TrimSpace(call), integrations+"/"+id+path, object{"payload": object{}}).WantMessage(t, 404, "404 Integration Not Found")
		}
	}
	if left, err := s.Integrations.Find(t.Context(), other, foreign.ID); err != nil || !left.SameVersion(foreign) {
		t.Errorf("the other project's integration is %+v, %v", left, err)
	}
	if found, err := s.Store.Alerts(t.Context(), other.ID, alert.Query{}, page.First, s.Now()); err != nil || len(found.Items) > 0 {
		t.Errorf("the other project has alerts %v, %v", found.Items, err)
	}
}

func TestTopicOfAnIntegration(t *testing.T) {
	s := arrange(t)
	const arn = "arn:aws:sns:eu-central-1:111122223333:alarms"
	made := s.Call(t, "POST", integrations, object{"name": "Alarms", "preset": "cloudwatch_sns", "active": true, "sns_topic_arn": arn})
	one := fmt.Sprintf("%s/%d", integrations, made.ID(t))
	for _, step := range []struct {
		change object
		want   any
	}{
		{object{"name": "Named"}, arn}, {object{"sns_topic_arn": nil}, nil}, {object{"sns_topic_arn": arn}, arn}, {object{"sns_topic_arn": ""}, nil},
	} {
		if got := s.Call(t, "PATCH", one, step.change).Object(t)["sns_topic_arn"]; got != step.want {
			t.Errorf("after %v the topic is %v, want %v", step.change, got, step.want)
		}
	}
	s.Call(t, "PATCH", one, object{"sns_topic_arn": "alarms"}).
		WantMessage(t, 400, object{"sns_topic_arn": list{"must be the ARN of a topic of SNS, such as " + arn}})
}

func TestIntegrationOfAPreset(t *testing.T) {
	s := arrange(t)
	made := s.Call(t, "POST", integrations, object{"name": "Cron", "preset": "curl", "active": true}).Object(t)
	for field, want := range (object{"name": "Cron", "type": "http", "preset": "curl", "payload_attribute_mapping": object{}}) {
		if diff := cmp.Diff(want, made[field]); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", field, diff)
		}
	}
	one := fmt.Sprintf("%s/%v", integrations, made["id"])
	changed := s.Call(t, "PATCH", one, object{"name": "Nightly"}).Object(t)
	if changed["preset"] != "curl" {
		t.Errorf("a change made the preset %v", changed["preset"])
	}
	ids := s.Call(t, "GET", "/api/v4/projects/acme%2Fweb/monitor/presets?per_page=3&page=2", nil).Each(t, "id")
	if want := []any{"datadog", "google_cloud_monitoring", "grafana"}; !cmp.Equal(ids, want) {
		t.Errorf("the second page of presets has %v, want %v", ids, want)
	}
}

func TestIntegrationsThatAreNoGood(t *testing.T) {
	good := object{"name": "x", "type": "http", "active": true}
	with := func(field string, value any) object {
		params := object{"name": "x", "type": "http", "active": true}
		params[field] = value
		return params
	}
	complaint := func(field, text string) object { return object{"message": object{field: list{text}}} }
	errorText := func(text string) object { return object{"error": text} }
	const url, mapping = "must be a valid http or https URL", "payload_attribute_mapping"
	title := object{"title": object{"path": list{"a"}, "type": "STRING"}}
	tests := []struct {
		name         string
		params, want object
	}{
		{"nothing", object{}, errorText("name is missing, type is missing, active is missing")},
		{"types", object{"name": list{}, "type": true, "active": "maybe", "api_url": 1.5, "rate_limit": "x"},
			errorText("name is invalid, type is invalid, active is invalid, rate_limit is invalid")},
		{"a blank name", with("name", " "), complaint("name", "can't be blank")},
		{"no name", with("name", nil), complaint("name", "can't be blank")},
		{"a long name", with("name", strings.Repeat("é", 256)), complaint("name", "is too long (maximum is 255 characters)")},
		{"an unknown type", with("type", "HTTP"), complaint("type", "is not included in the list")},
		{"an unknown preset", with("preset", "x"), complaint("preset", "does not exist")},
		{"a topic of another preset", with("sns_topic_arn", "arn:aws:sns:eu-central-1:111122223333:alarms"),
			complaint("sns_topic_arn", "is for integrations made from the preset cloudwatch_sns")},
		{"the type of another preset", object{"name": "x", "type": "http", "active": true, "preset": "grafana"}, complaint("type", "must be metrics for this preset")},
		{"an address of another kind", with("api_url", "javascript:1"), complaint("api_url", url)},
		{"an address without a host", with("api_url", "https://"), complaint("api_url", url)},
		{"an address with credentials", with("api_url", "https://a:b@x.example"), complaint("api_url", "must not hold credentials")},
		{"a metrics webhook without an address", with("type", "metrics"), complaint("api_url", "can't be blank")},
		{"an on-call link without an address", with("type", "oncall_link"), complaint("api_url", "can't be blank")},
		{"a negative limit", with("rate_limit", -1), complaint("rate_limit", "must be between 0 and 1000000")},
		{"a high limit", with("rate_limit", 1000001), complaint("rate_limit", "must be between 0 and 1000000")},
		{"a huge limit", with("rate_limit", "99999999999999999999"), errorText("rate_limit is invalid")},
		{"an example that is a list", with("payload_example", list{}), complaint("payload_example", "the payload must be a JSON object")},
		{"an example that is no JSON", with("payload_example", "{"), complaint("payload_example", "the payload is not valid JSON at line 1, column 1")},
		{"a mapping that is a list", with(mapping, list{}), complaint(mapping, "must be a JSON object")},
		{"a mapping of something unknown", with(mapping, object{"colour": object{}}), complaint(mapping, `has "colour", which is no field of an alert`)},
		{"a mapping without a path", with(mapping, object{"title": object{"type": "STRING"}}), complaint(mapping, "title.path is missing")},
		{"a mapping without a type", with(mapping, object{"title": object{"path": list{"a"}}}), complaint(mapping, "title.type is missing")},
		{"a mapping that is too long", with(mapping, longMapping()), complaint(mapping, "is too long (maximum is 32768 bytes)")},
		{"a mapping of an inactive endpoint", object{"name": "x", "type": "http", "active": false, mapping: title},
			complaint(mapping, "needs an active integration")},
		{"a mapping of a metrics webhook's hosts", object{"name": "x", "type": "metrics", "active": true, "api_url": "https://x.example",
			mapping: object{"hosts": object{"sources": list{object{"constant": "x"}}}}},
			complaint(mapping, "of a metrics integration has title, severity and ignore_when alone")},
		{"several at once", object{"name": "", "type": "x", "active": true, "payload_example": 5}, object{"message": object{
			"name": list{"can't be blank"}, "type": list{"is not included in the list"},
			"payload_example": list{"the payload must be a JSON object"},
		}}},
	}
	s := arrange(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s.Call(t, "POST", integrations, test.params).Want(t, 400, test.want)
		})
	}
	s.Send(t, "POST", integrations, asForm, "name=a&name=b&type=http&active=1").WantError(t, 400, "name is invalid")
	s.Send(t, "POST", integrations, asForm, "name=a&type=http&active=1&payload_example[a]=1&payload_example[a]=2").WantError(t, 400, "payload_example is invalid")
	s.Send(t, "POST", integrations, asJSON, `{"name":"a","type":"http","active":true,"payload_example":{},"payload_example":{}}`).
		WantError(t, 400, "payload_example is invalid")
	s.Send(t, "POST", integrations, asJSON, `{"name":`).Want(t, 400, nil)
	s.Send(t, "POST", integrations, "text/plain", "x").Want(t, 415, nil)
	s.Send(t, "POST", integrations, asJSON, text(t, with("payload_example", strings.Repeat("x", 1<<20)))).Want(t, 413, nil)
	if left := s.stored(t); len(left) > 0 {
		t.Errorf("something was stored: %+v", left)
	}
	s.Call(t, "POST", integrations, good).Want(t, 201, nil)
}

func longMapping() object {
	long := strings.Repeat("x", 1000)
	path := list{}
	for range 40 {
		path = append(path, long)
	}
	return object{"title": object{"path": path, "type": "STRING"}}
}

func TestChangesThatAreNoGood(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	was := s.Call(t, "GET", one, nil).Object(t)
	s.Call(t, "PUT", one, object{}).WantError(t, 400, "name is missing, active is missing")
	s.Call(t, "PUT", one, object{"name": "x", "active": nil, "type": "metrics"}).WantMessage(t, 400, object{"type": list{"cannot be changed"}})
	s.Call(t, "PATCH", one, object{"active": "maybe"}).WantError(t, 400, "active is invalid")
	s.Call(t, "PATCH", one, object{"payload_example": object{"a": 1}, "name": ""}).WantMessage(t, 400, object{"name": list{"can't be blank"}})
	s.Call(t, "PATCH", one, object{"payload_example": object{"a": 1}, "api_url": "x"}).
		WantMessage(t, 400, object{"api_url": list{"must be a valid http or https URL"}})
	s.Send(t, "PATCH", one, asForm, "active=1&active=0").WantError(t, 400, "active is invalid")
	s.Send(t, "POST", one+"/reset_key", asJSON, "{").Want(t, 400, nil)
	s.Send(t, "POST", one+"/path_key", asJSON, "{").Want(t, 400, nil)
	s.Call(t, "GET", one, nil).Want(t, 200, was)
}

func TestSwitchedOffFeatures(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	mapping := object{"title": object{"path": list{"name"}, "type": "STRING"}}
	s.Call(t, "PATCH", one, object{"payload_attribute_mapping": mapping}).Want(t, 200, nil)
	s.Integrations.Features = integration.Features{}
	const several = "403 Forbidden - Multiple integrations of a type are not supported for this project"
	const noMapping = "403 Forbidden - Payload mapping is switched off on this instance"
	s.Call(t, "POST", integrations, object{"name": "x", "type": "http", "active": true}).WantMessage(t, 403, several)
	s.Call(t, "PATCH", one, object{"payload_attribute_mapping": object{}}).WantMessage(t, 403, noMapping)
	s.Call(t, "POST", one+"/preview", object{"payload": object{}, "payload_attribute_mapping": mapping}).WantMessage(t, 403, noMapping)
	kept := s.Call(t, "PATCH", one, object{"active": false, "payload_attribute_mapping": mapping}).Object(t)
	if diff := cmp.Diff(mapping, kept["payload_attribute_mapping"].(object)); diff != "" {
		t.Errorf("the mapping is not kept (-want +got):\n%s", diff)
	}
	s.Call(t, "POST", integrations, object{"name": "x", "type": "metrics", "active": true, "api_url": "https://x.example"}).Want(t, 201, nil)
}

func TestPagesOfIntegrations(t *testing.T) {
	s := arrange(t)
	for range 3 {
		s.endpoint(t)
	}
	answer := s.Call(t, "GET", integrations+"?per_page=2&page=2", nil)
	if got := answer.Each(t, "id"); len(got) != 1 || answer.Header.Get("X-Total") != "3" || answer.Header.Get("X-Prev-Page") != "1" {
		t.Errorf("the second page is %v with %v", got, answer.Header)
	}
	s.Call(t, "GET", integrations+"?page=0", nil).WantError(t, 400, "page is invalid")
}
