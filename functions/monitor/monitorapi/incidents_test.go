package monitorapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
)

const incidents = "/api/v4/projects/acme%2Fweb/monitor/incidents"

func TestIncidentBody(t *testing.T) {
	s := arrange(t)
	s.fire(t, s.endpoint(t), object{"title": "Disk full"})
	now := s.Now().Format("2006-01-02T15:04:05.000Z")
	dev := s.User("dev")
	s.Member(s.P.Place(), dev, project.Developer)
	ben := object{"id": float64(dev.ID), "username": "dev", "name": dev.Name}
	me := s.Call(t, "POST", incidents, object{"title": "Probe"}).Object(t)["author"]
	made := s.Call(t, "POST", incidents, object{
		"title": "Disks", "description": "# Now", "severity": "high", "assignee_id": ben["id"], "alert_iids": list{1},
	})
	listed := object{
		"iid": 2.0, "title": "Disks", "severity": "high", "status": "triggered", "state": "opened", "environment": nil, "alert_iids": list{1.0},
		"assignee": ben, "author": me, "started_at": now, "ended_at": nil, "closed_at": nil,
		"web_url": apptest.BaseURL + "/console/acme/web/incidents/2", "created_at": now, "updated_at": now,
	}
	s.Call(t, "GET", incidents+"?search=disks", nil).Want(t, 200, list{listed})
	entry := made.Object(t)["timeline"].(list)[0].(object)
	opened := object{"id": entry["id"], "at": now, "actor": me, "kind": "opened", "text": nil, "assignee": nil, "alert_iid": nil}
	listed["description"], listed["timeline"] = "# Now", list{opened}
	made.Want(t, 201, listed)
	s.Call(t, "GET", incidents+"/2", nil).Want(t, 200, listed)
	s.Call(t, "GET", incidents+"/2/timeline", nil).Want(t, 200, list{opened})
	if got := s.Call(t, "GET", alerts+"/1", nil).Object(t)["incident_iid"]; got != 2.0 {
		t.Errorf("the alert has the incident %v, want 2", got)
	}
	bare := s.Call(t, "GET", incidents+"/1", nil).Object(t)
	if bare["severity"] != "unknown" || bare["description"] != nil || bare["assignee"] != nil {
		t.Errorf("a bare incident is %v", bare)
	}
}

func TestChangeIncident(t *testing.T) {
	s := arrange(t)
	s.fire(t, s.endpoint(t), object{"title": "a"})
	s.Call(t, "POST", incidents, object{"title": "a", "alert_iids": list{1}}).Want(t, 201, nil)
	const one = incidents + "/1"
	check := func(params object, want object) {
		t.Helper()
		s.Pass(time.Minute)
		got := s.Call(t, "PUT", one, params)
		got.Want(t, 200, nil)
		for field, value := range want {
			if diff := cmp.Diff(value, got.Object(t)[field]); diff != "" {
				t.Errorf("PUT %v: %s (-want +got):\n%s", params, field, diff)
			}
		}
		s.Call(t, "GET", one, nil).Want(t, 200, got.Body)
	}
	alertIs := func(want string) {
		t.Helper()
		if got := s.Call(t, "GET", alerts+"/1", nil).Object(t)["status"]; got != want {
			t.Errorf("the alert is %v, want %s", got, want)
		}
	}
	check(object{"status": "resolved"}, object{"status": "resolved", "state": "opened", "closed_at": nil})
	alertIs("triggered")
	check(object{"state_event": "close"}, object{"status": "resolved", "state": "closed"})
	alertIs("resolved")
	check(object{"state_event": "close"}, object{"state": "closed"})
	check(object{"state_event": "reopen", "status": "acknowledged"}, object{"status": "acknowledged", "state": "opened", "closed_at": nil, "ended_at": nil})
	alertIs("resolved")
	check(object{"title": "b", "description": "c", "severity": "low"}, object{"title": "b", "description": "c", "severity": "low"})
	check(object{"assignee_id": nil, "description": ""}, object{"assignee": nil, "description": nil})
	var kinds list
	for _, e := range s.Call(t, "GET", one+"/timeline", nil).Body.(list) {
		kinds = append(kinds, e.(object)["kind"])
	}
	if diff := cmp.Diff(list{"changed", "changed", "acknowledged", "reopened", "closed", "resolved", "opened"}, kinds); diff != "" {
		t.Errorf("the timeline (-want +got):\n%s", diff)
	}
}

func TestBadIncidents(t *testing.T) {
	s := arrange(t)
	s.fire(t, s.endpoint(t), object{"title": "a"})
	s.Call(t, "POST", incidents, object{"title": "a", "alert_iids": list{1}}).Want(t, 201, nil)
	s.Call(t, "POST", incidents, object{"title": "b"}).Want(t, 201, nil)
	s.Call(t, "PUT", incidents+"/2", object{"state_event": "close"}).Want(t, 200, nil)
	reporter := s.User("reporter")
	s.Member(s.P.Place(), reporter, project.Reporter)
	was := s.Call(t, "GET", incidents, nil).Body
	const choice = " does not have a valid value"
	field := func(name, complaint string) object { return object{"message": object{name: list{complaint}}} }
	wrong := func(text string) object { return object{"error": text} }
	const nobody, none = "is not somebody with the role Developer or above in the project", "state_event, status, severity, title, description, assignee_id are missing, at least one parameter must be provided"
	for _, test := range []struct {
		method, path, body string
		status             int
		want               any
	}{
		{"POST", "", `{}`, 400, wrong("title is missing")},
		{"POST", "", `{"title":" "}`, 400, field("title", "can't be blank")},
		{"POST", "", `{"title":"` + strings.Repeat("ä", 256) + `"}`, 400, field("title", "is too long (maximum is 255 characters)")},
		{"POST", "", `{"title":"a","description":"` + strings.Repeat("ä", 50_001) + `"}`, 400, field("description", "is too long (maximum is 50000 characters)")},
		{"POST", "", `{"title":"a","severity":"bad"}`, 400, wrong("severity" + choice)},
		{"POST", "", `{"title":"a","assignee_id":"x","alert_iids":{}}`, 400, nil},
		{"POST", "", fmt.Sprintf(`{"title":"a","assignee_id":%d}`, reporter.ID), 400, field("assignee_id", nobody)},
		{"POST", "", `{"title":"a","alert_iids":[1]}`, 400, field("alert_iids", "has an alert that belongs to another incident")},
		{"POST", "", `{"title":"a","alert_iids":[99]}`, 400, field("alert_iids", "has an alert that the project does not have")},
		{"POST", "", `{"title":"a","alert_iids":[0,-1]}`, 400, field("alert_iids", "has an alert that the project does not have")},
		{"POST", "", `{"title":"a","alert_iids":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]}`, 400, field("alert_iids", "has too many (maximum is 20)")},
		{"PUT", "/1", `{}`, 400, wrong(none)},
		{"PUT", "/1", `{"state_event":"open"}`, 400, wrong("state_event" + choice)},
		{"PUT", "/1", `{"status":"ignored"}`, 400, wrong("status" + choice)},
		{"PUT", "/1", `{"status":"resolved","title":""}`, 400, field("title", "can't be blank")},
		{"PUT", "/1", `{"state_event":"close","status":"triggered"}`, 400, field("status", "must be resolved while the incident is closed")},
		{"PUT", "/2", `{"status":"triggered"}`, 400, field("status", "must be resolved while the incident is closed")},
		{"PUT", "/9", `{"status":"resolved"}`, 404, object{"message": "404 Incident Not Found"}},
		{"POST", "/2/alerts", `{"alert_iid":1}`, 409, object{"message": "409 Conflict - the alert belongs to another incident"}},
		{"POST", "/2/alerts", `{"alert_iid":9}`, 404, object{"message": "404 Alert Not Found"}},
		{"POST", "/2/alerts", `{}`, 400, wrong("alert_iid is missing")},
		{"DELETE", "/2/alerts/1", ``, 404, object{"message": "404 Alert Not Found"}},
		{"DELETE", "/2/alerts/x", ``, 404, object{"message": "404 Alert Not Found"}},
		{"POST", "/1/timeline", `{}`, 400, wrong("note is missing")},
		{"POST", "/1/timeline", `{"note":" "}`, 400, field("note", "can't be blank")},
		{"POST", "/1/timeline", `{"note":"` + strings.Repeat("ä", 10_001) + `"}`, 400, field("note", "is too long (maximum is 10000 characters)")},
		{"POST", "/9/timeline", `{"note":"a"}`, 404, object{"message": "404 Incident Not Found"}},
	} {
		s.Send(t, test.method, incidents+test.path, asJSON, test.body).Want(t, test.status, test.want)
	}
	for query, want := range map[string]string{
		"state=open": "state" + choice, "state=": "state" + choice, "status=ignored": "status" + choice, "severity=bad": "severity" + choice,
		"assignee_id=me": "assignee_id is invalid", "search[]=a": "search is invalid", "page=0": "page is invalid",
	} {
		s.Call(t, "GET", incidents+"?"+query, nil).WantError(t, 400, want)
	}
	s.Call(t, "GET", incidents, nil).Want(t, 200, was)
	for _, iid := range []string{"9", "0", "-1", "x", "1.0"} {
		s.Call(t, "GET", incidents+"/"+iid, nil).WantMessage(t, 404, "404 Incident Not Found")
		s.Call(t, "GET", incidents+"/"+iid+"/timeline", nil).WantMessage(t, 404, "404 Incident Not Found")
	}
}

// An alert of another project has the same number, and is another one.
func TestIncidentsOfAnotherProject(t *testing.T) {
	s := arrange(t)
	group, err := s.Projects.GroupByPath(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	s.Project("other", group, project.Private)
	root := s.Token(s.Admin("root"))
	s.Call(t, "POST", incidents, object{"title": "a"}).Want(t, 201, nil)
	other := strings.ReplaceAll(incidents, "web", "other")
	apptest.Call(t, s.H, "GET", other+"/1", root, nil).WantMessage(t, 404, "404 Incident Not Found")
	s.fire(t, s.endpoint(t), object{"title": "a"})
	apptest.Call(t, s.H, "POST", other, root, object{"title": "b", "alert_iids": list{1}}).Want(t, 400, nil)
	made := apptest.Call(t, s.H, "POST", other, root, object{"title": "b"}).Object(t)
	if made["iid"] != 1.0 {
		t.Errorf("the first incident of another project has the number %v", made["iid"])
	}
	apptest.Call(t, s.H, "POST", other+"/1/alerts", root, object{"alert_iid": 1}).WantMessage(t, 404, "404 Alert Not Found")
}

func TestTimelineOverREST(t *testing.T) {
	s := arrange(t)
	s.Call(t, "POST", incidents, object{"title": "a"}).Want(t, 201, nil)
	const timeline = incidents + "/1/timeline"
	var last object
	for n := range 5 {
		last = s.Call(t, "POST", timeline, object{"note": fmt.Sprint("note ", n)}).Object(t)
	}
	first := s.Call(t, "GET", timeline+"?per_page=2", nil)
	if diff := cmp.Diff(last, first.Body.(list)[0]); diff != "" {
		t.Errorf("the newest entry (-want +got):\n%s", diff)
	}
	link := first.Header.Get("Link")
	next, _, _ := strings.Cut(strings.TrimPrefix(link, "<"+apptest.BaseURL), ">")
	if diff := cmp.Diff([]any{"note 2", "note 1"}, s.Call(t, "GET", next, nil).Each(t, "text")); diff != "" {
		t.Errorf("the next page (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{"note 0", nil}, s.Call(t, "GET", timeline+"?per_page=2&page=3", nil).Each(t, "text")); diff != "" {
		t.Errorf("the last page (-want +got):\n%s", diff)
	}
}
