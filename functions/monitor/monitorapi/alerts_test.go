package monitorapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

func TestAlertBody(t *testing.T) {
	s := arrange(t)
	if _, err := s.Projects.AddEnvironment(t.Context(), audit.Setup, s.P, "production"); err != nil {
		t.Fatal(err)
	}
	one := s.endpoint(t)
	payload := object{
		"title": "Disk full", "description": "95 %", "severity": "low", "service": "db", "monitoring_tool": "probe",
		"hosts": list{"db-1", "db-2"}, "labels": object{"team": "storage"}, "start_time": "2026-01-02T03:04:05Z", "platform_environment_name": "production",
		"runbook": "https://x.example/runbook", "fingerprint": "disk", "extra": object{"a": list{1.0, nil}},
	}
	s.fire(t, one, payload)
	now := s.Now().Format("2006-01-02T15:04:05.000Z")
	list1 := s.Call(t, "GET", alerts, nil)
	fingerprint := list1.Each(t, "fingerprint")[0]
	want := object{
		"iid": 1.0, "title": "Disk full", "description": "95 %", "severity": "low", "peak_severity": "low", "status": "triggered", "service": "db",
		"monitoring_tool": "probe", "hosts": list{"db-1", "db-2"}, "labels": object{"team": "storage"}, "group_title": nil, "events": 1.0, "last_event_at": now, "started_at": "2026-01-02T03:04:05.000Z",
		"ended_at": nil, "environment": "production", "fingerprint": fingerprint, "runbook": "https://x.example/runbook",
		"assignee": nil, "incident_iid": nil, "silenced_until": nil, "expires_at": nil, "integration": object{"id": list1.Each(t, "integration")[0].(object)["id"], "name": "Uptime"},
		"web_url": apptest.BaseURL + "/console/acme/web/alerts/1", "created_at": now, "updated_at": now,
	}
	list1.Want(t, 200, list{want})
	for field, value := range map[string]any{
		"activity": list{}, "query": nil, "generator_url": nil, "y_label": nil, "incident_markdown": nil,
		"links":       object{"silence": nil, "dashboard": nil, "panel": nil, "source": nil, "external": nil},
		"annotations": object{}, "payload": payload, "payload_truncated": false, "latest_payload": nil, "latest_payload_at": nil,
	} {
		want[field] = value
	}
	s.Call(t, "GET", alerts+"/1", nil).Want(t, 200, want)

	s.fire(t, one, object{})
	got := s.Call(t, "GET", alerts+"/2", nil).Object(t)
	for field, want := range map[string]any{
		"title": "New: Alert", "description": nil, "severity": "critical", "service": nil, "hosts": list{}, "environment": nil,
		"fingerprint": nil, "runbook": nil, "payload": object{},
	} {
		if diff := cmp.Diff(want, got[field]); diff != "" {
			t.Errorf("%s of an empty payload (-want +got):\n%s", field, diff)
		}
	}
}

func TestDetailsOfAMetricsAlert(t *testing.T) {
	s := arrange(t)
	s.fire(t, s.endpoint(t), object{
		"version": "4", "groupKey": "", "status": "firing", "receiver": "", "groupLabels": object{}, "commonLabels": object{},
		"commonAnnotations": object{}, "externalURL": "https://am.example", "alerts": list{object{
			"startsAt": "2026-01-01T00:00:00Z", "generatorURL": "https://x.example/graph?g0.expr=up+%3D%3D+0", "labels": object{"alertname": "Down"},
			"dashboardURL": "https://d.example/d/1", "panelURL": "javascript:alert(1)",
			"annotations": object{"platform_y_label": "up", "platform_incident_markdown": "**now**", "dashboard": "https://d.example"},
		}},
	})
	got := s.Call(t, "GET", alerts+"/1", nil).Object(t)
	for field, want := range map[string]any{
		"title": "Down", "monitoring_tool": "Prometheus", "query": "up == 0", "generator_url": "https://x.example/graph?g0.expr=up+%3D%3D+0",
		"y_label": "up", "incident_markdown": "**now**", "annotations": object{"dashboard": "https://d.example"},
		"labels": object{"alertname": "Down"}, "group_title": nil, "last_event_at": s.Now().Format("2006-01-02T15:04:05.000Z"),
		"links": object{
			"silence": "https://am.example/#/silences/new?filter=%7Balertname%3D%22Down%22%7D", "dashboard": "https://d.example/d/1", "panel": nil,
			"source": "https://x.example/graph?g0.expr=up+%3D%3D+0", "external": "https://am.example",
		},
	} {
		if diff := cmp.Diff(want, got[field]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", field, diff)
		}
	}
}

func TestTheNewestPayloadOfARepeat(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	for n, step := range []struct {
		after time.Duration
		want  any // the number in the newest payload
	}{{0, nil}, {time.Second, 1.0}, {59 * time.Second, 1.0}, {time.Second, 3.0}} {
		s.Pass(step.after)
		s.fire(t, one, object{"title": "Disk full", "fingerprint": "disk", "n": n})
		got := s.Call(t, "GET", alerts+"/1", nil).Object(t)
		latest, _ := got["latest_payload"].(object)
		if latest["n"] != step.want || got["payload"].(object)["n"] != 0.0 {
			t.Errorf("after payload %d the newest payload is %v beside %v, want number %v", n, latest, got["payload"], step.want)
		}
		at := s.Now().Format("2006-01-02T15:04:05.000Z")
		if got["last_event_at"] != at {
			t.Errorf("after payload %d the last event was at %v, want %s", n, got["last_event_at"], at)
		}
		if (n == 1 || n == 3) && got["latest_payload_at"] != at {
			t.Errorf("the newest payload came at %v, want %s", got["latest_payload_at"], at)
		}
	}
}

// threeAlerts fires: 1 high and acknowledged, 2 low with two events, 3 info.
func threeAlerts(t *testing.T) setup {
	s := arrange(t)
	one := s.endpoint(t)
	if _, err := s.Projects.AddEnvironment(t.Context(), audit.Setup, s.P, "production"); err != nil {
		t.Fatal(err)
	}
	s.fire(t, one, object{"title": "Disk full", "severity": "high", "start_time": "2026-01-03", "service": "Database"})
	s.Pass(time.Minute)
	slow := object{"title": "Slow", "severity": "low", "start_time": "2026-01-01", "description": "the DISK waits", "platform_environment_name": "production"}
	s.fire(t, one, slow)
	s.fire(t, one, slow)
	s.Pass(time.Minute)
	s.fire(t, one, object{"title": "Certificate", "severity": "info", "start_time": "2026-01-02", "monitoring_tool": "probe", "hosts": list{"web-1", "web-2"}})
	s.Pass(time.Minute)
	s.Call(t, "PUT", alerts+"/1", object{"status": "acknowledged"}).Want(t, 200, nil)
	return s
}

func TestListAlerts(t *testing.T) {
	s := threeAlerts(t)
	dev := s.User("dev")
	s.Member(s.P.Place(), dev, project.Developer)
	s.Call(t, "PUT", alerts+"/1", object{"assignee_id": dev.ID}).Want(t, 200, nil)
	tool := s.stored(t)[0].ID
	tests := map[string][]any{
		"":                                     {3.0, 2.0, 1.0},
		"sort=asc":                             {1.0, 2.0, 3.0},
		"order_by=started_at":                  {1.0, 3.0, 2.0},
		"order_by=started_at&sort=asc":         {2.0, 3.0, 1.0},
		"order_by=updated_at&sort=desc":        {1.0, 3.0, 2.0},
		"order_by=severity":                    {1.0, 2.0, 3.0},
		"order_by=event_count":                 {2.0, 3.0, 1.0},
		"order_by=status&sort=asc":             {3.0, 2.0, 1.0},
		"status=acknowledged":                  {1.0},
		"status=triggered,acknowledged":        {3.0, 2.0, 1.0},
		"status[]=resolved&status[]=ignored":   {},
		"severity=low&status=triggered":        {2.0},
		"severity=low,info":                    {3.0, 2.0},
		"search=disk":                          {2.0, 1.0},
		"search=%20PROBE%20":                   {3.0},
		"search=data":                          {1.0},
		"search=":                              {3.0, 2.0, 1.0},
		"search=100%25":                        {},
		"host=web-2&search=":                   {3.0},
		"host=web&environment=":                {},
		"environment=production":               {2.0},
		fmt.Sprintf("integration_id=%d", tool): {3.0, 2.0, 1.0},
		fmt.Sprintf("integration_id=%d&status=ignored", tool): {},
		"integration_id=999999":                               {},
		fmt.Sprintf("assignee_id=%d", dev.ID):                 {1.0},
		fmt.Sprintf("assignee_id=%d&host=web-2", dev.ID):      {},
		"assignee_id=0&host=":                                 {3.0, 2.0, 1.0},
		"per_page=2&page=2":                                   {1.0},
		"page=5":                                              {},
		"page=2147483647&per_page=100":                        {},
	}
	for query, want := range tests {
		answer := s.Call(t, "GET", alerts+"?"+query, nil)
		if diff := cmp.Diff(want, answer.Each(t, "iid")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	answer := s.Call(t, "GET", alerts+"?per_page=2&severity=high,low,info&sort=asc", nil)
	for name, want := range map[string]string{"X-Total": "3", "X-Total-Pages": "2", "X-Next-Page": "2", "X-Prev-Page": ""} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	counts := s.Call(t, "GET", alerts+"?status=resolved&severity=low,info", nil).Header.Get("X-Status-Counts")
	if want := "triggered=2, acknowledged=0, resolved=0, ignored=0"; counts != want {
		t.Errorf("X-Status-Counts is %q, want %q: of all that pass the rest of the query", counts, want)
	}
	const next = "?cursor=2.2&page=2&per_page=2&severity=high%2Clow%2Cinfo&sort=asc"
	if link := answer.Header.Get("Link"); !strings.Contains(link, next+">; rel=\"next\"") {
		t.Errorf("Link is %s, want the next page with the other parameters", link)
	}
	if diff := cmp.Diff([]any{3.0}, s.Call(t, "GET", alerts+next, nil).Each(t, "iid")); diff != "" {
		t.Errorf("the next page (-want +got):\n%s", diff)
	}
	searched := s.Call(t, "GET", alerts+"?search=i", nil)
	for _, name := range []string{"X-Total", "X-Total-Pages", "X-Status-Counts"} {
		if got := searched.Header.Values(name); len(got) > 0 {
			t.Errorf("%s of a search is %q, want none", name, got)
		}
	}
}

func TestAlertsWithALabel(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	s.fire(t, one, object{"title": "Disk full", "labels": object{"team": "web", "a.b": "x=y, z"}})
	s.fire(t, one, object{"title": "Slow", "labels": object{"team": "web"}})
	s.fire(t, one, object{"title": "Other", "labels": object{"web": "team"}})
	for query, want := range map[string][]any{
		"team=web": {2.0, 1.0}, " team=web": {2.0, 1.0}, "a.b=x=y, z": {1.0}, "team=": {}, "team=We": {}, "": {3.0, 2.0, 1.0},
	} {
		answer := s.Call(t, "GET", alerts+"?label="+url.QueryEscape(query), nil)
		if diff := cmp.Diff(want, answer.Each(t, "iid")); diff != "" {
			t.Errorf("label=%s (-want +got):\n%s", query, diff)
		}
	}
	for _, wrong := range []string{"team", "=web", " =web"} {
		s.Call(t, "GET", alerts+"?label="+url.QueryEscape(wrong), nil).Want(t, 400, object{"error": "label is invalid"})
	}
}

// Beyond what a page of a search looks at, the link goes on and the number does not.
func TestALongSearchGoesOnByItsLink(t *testing.T) {
	s := arrange(t)
	for range 11 { // of 100 each, of which every page looks at 1,000
		many := make([][]alert.Occurrence, 100)
		for n := range many {
			many[n] = []alert.Occurrence{{Title: fmt.Sprintf("Number %02d.", n), Severity: alert.SeverityLow, StartedAt: s.Now(), Count: 1}}
		}
		if _, err := s.Store.RecordOccurrences(t.Context(), s.P.ID, many, s.Now()); err != nil {
			t.Fatal(err)
		}
	}
	const tooFar = "400 Bad request - the page is too far from the beginning of the list; follow the link to the next page from one that is nearer"
	for _, found := range []struct {
		query          string
		items          int
		prev, next, at string
	}{
		{"search=er+07.&per_page=6", 6, "", "2", "e4.e4"}, {"search=er+07.&per_page=6&page=2", 4, "1", "", "2t.2t"},
		{"search=er+07.&per_page=6&page=3&cursor=2t.2t", 1, "", "", ""},
		{"search=er+07.&per_page=10", 10, "", "", "2t.2t"}, {"search=none&sort=desc&order_by=event_count", 0, "", "", "0.2t"},
		{"order_by=event_count&page=51", 20, "50", "52", ""}, {"order_by=event_count&page=55", 20, "54", "", ""}, {"order_by=event_count&page=56", 0, "55", "", ""},
	} {
		answer := s.Call(t, "GET", alerts+"?"+found.query, nil)
		prev, next, link := answer.Header.Get("X-Prev-Page"), answer.Header.Get("X-Next-Page"), answer.Header.Get("Link")
		if n := len(answer.Each(t, "iid")); n != found.items || prev != found.prev || next != found.next {
			t.Errorf("%s has %d alerts, between %q and %q, want %d, %q, %q", found.query, n, prev, next, found.items, found.prev, found.next)
		}
		if !strings.Contains(link, found.at) {
			t.Errorf("%s has the links %s, want one from %s on", found.query, link, found.at)
		}
	}
	for _, query := range []string{
		"search=er+07.&per_page=6&page=3", "search=none&page=2", "search=none&page=2000", "search=none&order_by=event_count&page=2",
	} {
		s.Call(t, "GET", alerts+"?"+query, nil).Want(t, 400, object{"message": tooFar})
	}
}

func TestListsThatAreNoGood(t *testing.T) {
	s := arrange(t)
	const choice = " does not have a valid value"
	for query, want := range map[string]string{
		"status=open": "status" + choice, "status=": "status" + choice, "status=Triggered": "status" + choice,
		"status=triggered,open": "status" + choice, "severity=0": "severity" + choice, "severity[]=": "severity" + choice,
		"order_by=iid": "order_by" + choice, "order_by=": "order_by" + choice, "sort=down": "sort" + choice,
		"status=triggered&status=ignored": "status is invalid", "sort=asc&sort=asc": "sort is invalid",
		"host[]=a": "host is invalid", "integration_id=uptime": "integration_id is invalid", "assignee_id=me": "assignee_id is invalid",
		"search=a&search=b": "search is invalid", "search[]=a": "search is invalid", "search=%ff": "search is invalid",
		"page=x&status=y": "status" + choice + ", page is invalid", "per_page=0": "per_page has a value not allowed",
	} {
		s.Call(t, "GET", alerts+"?"+query, nil).WantError(t, 400, want)
	}
	s.Call(t, "GET", alerts+"?a=%zz", nil).Want(t, 400, nil)
}

func TestChangeAlert(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	s.fire(t, one, object{"title": "a", "fingerprint": "f"})
	dev := s.User("dev")
	s.Member(s.P.Place(), dev, project.Developer)
	devBody := object{"id": float64(dev.ID), "username": "dev", "name": dev.Name}
	first := alerts + "/1"
	now := func() string { return s.Now().Format("2006-01-02T15:04:05.000Z") }
	check := func(params object, want object) {
		t.Helper()
		s.Pass(time.Minute)
		got := s.Call(t, "PUT", first, params)
		got.Want(t, 200, nil)
		for field, value := range want {
			if diff := cmp.Diff(value, got.Object(t)[field]); diff != "" {
				t.Errorf("PUT %v: %s (-want +got):\n%s", params, field, diff)
			}
		}
		s.Call(t, "GET", first, nil).Want(t, 200, got.Body)
	}
	check(object{"status": "acknowledged"}, object{"status": "acknowledged", "ended_at": nil, "assignee": nil})
	check(object{"assignee_id": dev.ID}, object{"status": "acknowledged", "assignee": devBody})
	check(object{"assignee_id": fmt.Sprint(dev.ID), "status": "ignored"}, object{"status": "ignored", "assignee": devBody})
	check(object{"assignee_id": nil}, object{"assignee": nil})
	check(object{"assignee_id": dev.ID, "status": nil}, object{"status": "ignored", "assignee": devBody})
	check(object{"assignee_id": 0}, object{"assignee": nil})
	before := s.Call(t, "GET", first, nil).Object(t)["updated_at"]
	check(object{"status": "ignored"}, object{"updated_at": before}) // nothing new
	s.Pass(time.Minute)
	got := s.Call(t, "PUT", first, object{"status": "resolved"}).Object(t)
	if got["status"] != "resolved" || got["ended_at"] != now() || got["updated_at"] != now() {
		t.Errorf("resolved: %v", got)
	}
	activity := got["activity"].(list)
	last := activity[len(activity)-1].(object)
	if last["change"] != "status" || last["status"] != "resolved" || last["actor"].(object)["username"] != "ben" || last["assignee"] != nil {
		t.Errorf("the last activity is %v", last)
	}
	check(object{"status": "triggered"}, object{"status": "triggered", "ended_at": nil})
	check(object{"status": "resolved"}, object{"status": "resolved"})

	s.fire(t, one, object{"title": "b", "fingerprint": "f"})
	was := s.Call(t, "GET", first, nil).Body
	s.Call(t, "PUT", first, object{"status": "acknowledged"}).WantMessage(t, 409, "409 Conflict - another alert with the same fingerprint is open")
	s.Call(t, "GET", first, nil).Want(t, 200, was)
	s.Call(t, "PUT", alerts+"/2", object{"status": "resolved"}).Want(t, 200, nil)
	check(object{"status": "acknowledged"}, object{"status": "acknowledged"})
}

func TestSilenceAnAlert(t *testing.T) {
	s := arrange(t)
	s.fire(t, s.endpoint(t), object{"fingerprint": "f"})
	const first, invalid = alerts + "/1", "silenced_until is invalid"
	was := s.Call(t, "GET", first, nil).Body
	notThen := object{"silenced_until": list{"must be in the future, at most 30 days ahead"}}
	for _, until := range []time.Time{s.Now(), s.Now().Add(-time.Hour), s.Now().AddDate(0, 0, 31)} {
		s.Call(t, "PUT", first, object{"silenced_until": until, "status": "resolved"}).WantMessage(t, 400, notThen)
	}
	for _, until := range []any{"tomorrow", 5, true, list{}, object{}, "2026-02-30T00:00:00Z", "2026-01-02"} {
		s.Call(t, "PUT", first, object{"silenced_until": until, "status": "resolved"}).WantError(t, 400, invalid)
	}
	s.Call(t, "GET", first, nil).Want(t, 200, was)

	until := s.Now().Add(8 * time.Hour).Format("2006-01-02T15:04:05.000Z")
	got := s.Call(t, "PUT", first, object{"silenced_until": until, "status": "acknowledged"})
	silenced := got.Object(t)
	if silenced["silenced_until"] != until || silenced["status"] != "acknowledged" {
		t.Errorf("the silenced alert is %v", silenced)
	}
	activity := silenced["activity"].(list)
	last := activity[len(activity)-1].(object)
	if last["change"] != "silence" || last["silenced_until"] != until || last["incident_iid"] != nil || last["actor"].(object)["username"] != "ben" {
		t.Errorf("the last activity is %v", last)
	}
	s.Call(t, "GET", first, nil).Want(t, 200, got.Body)
	if listed := s.Call(t, "GET", alerts, nil).Each(t, "silenced_until")[0]; listed != until {
		t.Errorf("the list has the silence until %v, want %s", listed, until)
	}
	if ended := s.Call(t, "PUT", first, object{"silenced_until": nil}).Object(t); ended["silenced_until"] != nil || ended["status"] != "acknowledged" {
		t.Errorf("after the end of the silence the alert is %v", ended)
	}
}

func TestAssigneesThatCannotBe(t *testing.T) {
	s := arrange(t)
	s.fire(t, s.endpoint(t), object{})
	was := s.Call(t, "GET", alerts+"/1", nil).Body
	reporter, blocked, late, stranger, boss := s.User("reporter"), s.User("blocked"), s.User("late"), s.User("stranger"), s.Admin("boss")
	s.Member(s.P.Place(), reporter, project.Reporter)
	s.Member(s.P.Place(), blocked, project.Owner)
	s.Block(blocked)
	s.MemberUntil(s.P.Place(), late, project.Owner, s.Now().Truncate(24*time.Hour))
	for _, id := range []any{reporter.ID, blocked.ID, late.ID, stranger.ID, -1, 999999, "9223372036854775807"} {
		s.Call(t, "PUT", alerts+"/1", object{"assignee_id": id, "status": "resolved"}).
			WantMessage(t, 400, object{"assignee_id": list{"is not somebody with the role Developer or above in the project"}})
	}
	s.Call(t, "GET", alerts+"/1", nil).Want(t, 200, was)
	s.Call(t, "PUT", alerts+"/1", object{"assignee_id": boss.ID}).Want(t, 200, nil)
	if got := s.Call(t, "GET", alerts, nil).Each(t, "assignee")[0].(object)["username"]; got != "boss" {
		t.Errorf("the assignee is %v, want the administrator", got)
	}
}

func TestChangesOfAlertsThatAreNoGood(t *testing.T) {
	s := arrange(t)
	s.fire(t, s.endpoint(t), object{})
	was := s.Call(t, "GET", alerts+"/1", nil).Body
	const none = "status, assignee_id, silenced_until are missing, at least one parameter must be provided"
	const status = "status does not have a valid value"
	for _, test := range []struct {
		contentType, body string
		status            int
		want              any
	}{
		{asJSON, "", 400, object{"error": none}},
		{asJSON, "{}", 400, object{"error": none}},
		{asJSON, `{"status":null}`, 400, object{"error": none}},
		{asJSON, `{"status":"open"}`, 400, object{"error": status}},
		{asJSON, `{"status":""}`, 400, object{"error": status}},
		{asJSON, `{"status":["resolved"]}`, 400, object{"error": "status is invalid"}},
		{asJSON, `{"status":"resolved","assignee_id":"dev"}`, 400, object{"error": "assignee_id is invalid"}},
		{asJSON, `{"status":"resolved","assignee_id":""}`, 400, object{"error": "assignee_id is invalid"}},
		{asJSON, `{"status":"resolved","assignee_id":{}}`, 400, object{"error": "assignee_id is invalid"}},
		{asForm, `status=resolved&status=ignored`, 400, object{"error": "status is invalid"}},
		{asJSON, `{"status":"resolved"`, 400, object{"message": "400 Bad request - the body is not a JSON object"}},
		{"text/plain", "x", 415, nil},
		{asForm, strings.Repeat("x", 1<<20+1), 413, nil},
	} {
		s.Send(t, "PUT", alerts+"/1", test.contentType, test.body).Want(t, test.status, test.want)
	}
	s.Call(t, "GET", alerts+"/1", nil).Want(t, 200, was)
}

func TestAlertsThatAreNotThere(t *testing.T) {
	s := arrange(t)
	s.fire(t, s.endpoint(t), object{})
	for _, iid := range []string{"2", "0", "-1", "x", "1.0", "%20", "9223372036854775807", "9223372036854775808"} {
		s.Call(t, "GET", alerts+"/"+iid, nil).WantMessage(t, 404, "404 Alert Not Found")
		s.Call(t, "PUT", alerts+"/"+iid, object{"status": "resolved"}).WantMessage(t, 404, "404 Alert Not Found")
	}
	group, err := s.Projects.GroupByPath(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	s.Project("other", group, project.Private)
	other := strings.ReplaceAll(alerts, "web", "other")
	apptest.Call(t, s.H, "GET", other+"/1", s.Token(s.Admin("root")), nil).WantMessage(t, 404, "404 Alert Not Found")
	s.Call(t, "GET", other+"/1", nil).WantMessage(t, 404, "404 Project Not Found")
}
