package errortrackingapi_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/errortracking/errortrackingapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

type object = map[string]any

const (
	settings = "/api/v4/projects/acme%2Fweb/error_tracking/settings"
	keys     = "/api/v4/projects/acme%2Fweb/error_tracking/client_keys"
	apiURL   = "https://tracker.example/api/0/projects/acme-inc/web-shop/"
)

func arrange(t *testing.T) apptest.Web {
	t.Helper()
	return apptest.NewWeb(t, errortrackingapi.New)
}

const (
	form = "application/x-www-form-urlencoded"
	json = "application/json"
)

func body(active, integrated bool) object {
	return object{"active": active, "integrated": integrated, "project_name": nil, "tracker_external_url": nil, "api_url": nil}
}

func TestIntegratedTracking(t *testing.T) {
	s := arrange(t)
	const missing = "404 Error Tracking Setting Not Found"
	s.Call(t, "GET", settings, nil).WantMessage(t, 404, missing)
	s.Call(t, "PATCH", settings, object{"active": true}).WantMessage(t, 404, missing)
	s.Call(t, "PATCH", settings, object{"active": true, "integrated": true}).WantMessage(t, 404, missing)
	s.Call(t, "GET", settings, nil).WantMessage(t, 404, missing)

	s.Call(t, "PUT", settings, object{"active": true, "integrated": true}).Want(t, 200, body(true, true))
	s.Call(t, "GET", settings, nil).Want(t, 200, body(true, true))
	s.Call(t, "PATCH", settings, object{"active": false}).Want(t, 200, body(false, true))
	s.Call(t, "PUT", settings, object{"active": false, "integrated": false}).Want(t, 200, body(false, false))
	s.Call(t, "PATCH", settings, object{"active": true, "integrated": true}).Want(t, 200, body(true, true))
	s.Call(t, "GET", settings+"/", nil).Want(t, 200, body(true, true))
	if got := s.Call(t, "GET", settings, nil).Header.Get("Content-Type"); got != json {
		t.Errorf("Content-Type is %q, want %s to the letter", got, json)
	}
}

// A boolean may be written in every way that forms and queries know.
func TestParametersComeInEveryWay(t *testing.T) {
	s := arrange(t)
	s.Send(t, "PUT", settings+"?active=true&integrated=on", form, "").Want(t, 200, body(true, true))
	s.Send(t, "PATCH", settings+"/", form, "active=0").Want(t, 200, body(false, true))
	s.Send(t, "PATCH", settings, json, `{"active":"1"}`).Want(t, 200, body(true, true))
	s.Send(t, "PATCH", settings+"?active=true", json, `{"active":null}`).Want(t, 200, body(false, true))
}

func TestExternalTracker(t *testing.T) {
	s := arrange(t)
	external := object{
		"active": true, "integrated": false, "api_url": apiURL,
		"project_name": "Web Shop", "tracker_external_url": "https://tracker.example/acme-inc/web-shop",
	}
	s.Call(t, "PUT", settings, object{"active": true, "integrated": false, "api_url": apiURL, "token": "hidden-token"}).Want(t, 200, external)
	s.Call(t, "PATCH", settings, object{"active": true, "integrated": true}).Want(t, 200, body(true, true))
	s.Call(t, "PUT", settings, object{"active": true, "integrated": true}).Want(t, 200, body(true, true))
	s.Call(t, "GET", settings, nil).Want(t, 200, body(true, true))
	s.Call(t, "PUT", settings, object{"active": true, "integrated": false}).Want(t, 200, external)

	external["project_name"], external["tracker_external_url"] = "Shop", "https://people.example/shop"
	s.Call(t, "PATCH", settings, object{
		"active": true, "project_name": "Shop", "tracker_external_url": "https://people.example/shop",
	}).Want(t, 200, external)
	s.Call(t, "GET", settings, nil).Want(t, 200, external)
	s.Call(t, "PATCH", settings, object{"active": false, "api_url": "", "project_name": "", "tracker_external_url": ""}).Want(t, 200, body(false, false))
}

// The token is for the tracker alone: no answer has it, and no store has it in
// the clear.
func TestTheTokenIsSealed(t *testing.T) {
	s := arrange(t)
	s.Call(t, "PUT", settings, object{"active": true, "integrated": false, "api_url": apiURL, "token": "hidden-token"}).Want(t, 200, nil)
	stored, err := s.Store.TrackingSettings(t.Context(), s.P.ID)
	sealed := stored.External.SealedToken
	if err != nil || len(sealed) == 0 || strings.Contains(string(sealed), "hidden") {
		t.Fatalf("the store has the token %q, %v", sealed, err)
	}
	opened, _, err := s.Keys.Box("error tracking").Open(sealed, fmt.Sprintf("token of project %d", s.P.ID))
	if err != nil || string(opened) != "hidden-token" {
		t.Errorf("the sealed token is %q, %v", opened, err)
	}
}

func TestTrackersThatCannotBeUsed(t *testing.T) {
	const blank = "can't be blank"
	tests := []struct{ params, want object }{
		{object{}, object{"api_url": []any{blank}, "token": []any{blank}}},
		{object{"api_url": apiURL}, object{"token": []any{blank}}},
		{object{"token": "t"}, object{"api_url": []any{blank}}},
		{object{"api_url": apiURL, "token": ""}, object{"token": []any{blank}}},
		{object{"api_url": "http://127.0.0.1/api/0/projects/a/b/", "token": "t"}, object{"api_url": []any{"must have a public host"}}},
		{object{"api_url": apiURL, "token": strings.Repeat("t", 1025)}, object{"token": []any{"is too long (maximum is 1024 bytes)"}}},
		{
			object{"api_url": apiURL, "token": "t", "project_name": " ", "tracker_external_url": "javascript:1"},
			object{"project_name": []any{blank}, "tracker_external_url": []any{"must be an http or https URL"}},
		},
	}
	s := arrange(t)
	for _, method := range []string{"PUT", "PATCH"} {
		for _, test := range tests {
			test.params["active"], test.params["integrated"] = true, false
			if method == "PUT" {
				s.Call(t, method, settings, test.params).WantMessage(t, 400, test.want)
				s.Call(t, "GET", settings, nil).WantMessage(t, 404, "404 Error Tracking Setting Not Found")
				continue
			}
			s.Call(t, "PUT", settings, object{"active": false, "integrated": true}).Want(t, 200, nil)
			s.Call(t, method, settings, test.params).WantMessage(t, 400, test.want)
			s.Call(t, "GET", settings, nil).Want(t, 200, body(false, true))
		}
	}
}

func TestBadParameters(t *testing.T) {
	const malformed = "400 Bad request - "
	tests := []struct {
		method, query, contentType, body string
		status                           int
		want                             object
	}{
		{"PUT", "", form, "", 400, object{"error": "active is missing, integrated is missing"}},
		{"PUT", "", json, "{}", 400, object{"error": "active is missing, integrated is missing"}},
		{"PUT", "", form, "active=1", 400, object{"error": "integrated is missing"}},
		{"PUT", "", form, "active=&integrated=maybe", 400, object{"error": "active is empty, integrated is invalid"}},
		{"PUT", "", json, `{"active":2,"integrated":{}}`, 400, object{"error": "active is invalid, integrated is invalid"}},
		{"PATCH", "", form, "", 400, object{"error": "active is missing"}},
		{"PATCH", "", form, "active=", 400, object{"error": "active is empty"}},
		{"PATCH", "", form, "active=yep&integrated=", 400, object{"error": "active is invalid, integrated is invalid"}},
		{"PATCH", "", form, "active=true&active=false", 400, object{"error": "active is invalid"}},
		{"PATCH", "", json, `{"active":true,"active":false}`, 400, object{"error": "active is invalid"}},
		{"PATCH", "", form, "active[]=true", 400, object{"error": "active is invalid"}},
		{"PATCH", "", json, `{"active":true,"api_url":[],"token":{},"project_name":true}`, 400,
			object{"error": "api_url is invalid, project_name is invalid, token is invalid"}},
		{"PATCH", "", json, `{"active":true`, 400, object{"message": malformed + "the body is not a JSON object"}},
		{"PATCH", "", json, `[true]`, 400, object{"message": malformed + "the body is not a JSON object"}},
		{"PATCH", "", json, `{"active":true}{}`, 400, object{"message": malformed + "the body holds more than one JSON value"}},
		{"PATCH", "", form, "active=%zz", 400, object{"message": malformed + "the form is malformed"}},
		{"PATCH", "?active=%zz", form, "", 400, object{"message": malformed + "the query string is malformed"}},
		{"PATCH", "?active=true", "text/plain", "x", 415, nil},
		{"PATCH", "?active=true", form, strings.Repeat("x", 1<<20+1), 413, nil},
	}
	for _, test := range tests {
		s := arrange(t)
		s.Call(t, "PUT", settings, object{"active": false, "integrated": true}).Want(t, 200, nil)
		answer := s.Send(t, test.method, settings+test.query, test.contentType, test.body)
		if test.want == nil {
			answer.Want(t, test.status, nil)
		} else {
			answer.Want(t, test.status, test.want)
		}
		s.Call(t, "GET", settings, nil).Want(t, 200, body(false, true))
	}
}

func TestClientKeys(t *testing.T) {
	s := arrange(t)
	s.Call(t, "GET", keys, nil).Want(t, 200, []any{})
	made := s.Call(t, "POST", keys, nil)
	public, _ := made.Object(t)["public_key"].(string)
	made.Want(t, 201, object{
		"id": float64(made.ID(t)), "active": true, "public_key": public,
		"tracker_dsn": fmt.Sprintf("https://%s@gatehouse.example/api/v4/error_tracking/collector/%d", public, s.P.ID),
	})
	s.Call(t, "GET", settings, nil).Want(t, 404, nil) // a key needs no settings, and makes none

	s.Pass(1000)
	second := s.Send(t, "POST", keys+"/", form, "")
	second.Want(t, 201, nil)
	s.Call(t, "GET", keys, nil).Want(t, 200, []any{second.Body, made.Body})

	s.Call(t, "DELETE", fmt.Sprintf("%s/%d", keys, made.ID(t)), nil).Want(t, 200, made.Body)
	s.Call(t, "GET", keys, nil).Want(t, 200, []any{second.Body})
	s.Call(t, "DELETE", fmt.Sprintf("%s/%d", keys, made.ID(t)), nil).WantMessage(t, 404, "404 Not found")
}

func TestKeysThatAreNotThere(t *testing.T) {
	s := arrange(t)
	group, err := s.Projects.GroupByPath(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := s.Project("other", group, project.Private)
	other, err := s.Tracking.CreateKey(t.Context(), audit.Setup, elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{fmt.Sprint(other.ID), "0", "-1", "1073741825", "9223372036854775807"} {
		s.Call(t, "DELETE", keys+"/"+id, nil).WantMessage(t, 404, "404 Not found")
	}
	for _, id := range []string{"x", "1.0", "%20", "9223372036854775808", "1%2F2", other.PublicKey} {
		s.Call(t, "DELETE", keys+"/"+id, nil).WantError(t, 400, "key_id is invalid")
	}
	if left, err := s.Tracking.DeleteKey(t.Context(), audit.Setup, elsewhere, other.ID); err != nil || left != other {
		t.Errorf("the other project's key is %+v, %v", left, err)
	}
}

func TestRequestsAboutKeysThatAreNoGood(t *testing.T) {
	s := arrange(t)
	one := fmt.Sprintf("%s/%d", keys, s.Call(t, "POST", keys, nil).ID(t))
	before := s.Call(t, "GET", keys, nil).Body
	for method, target := range map[string]string{"POST": keys, "DELETE": one} {
		s.Send(t, method, target, json, "{").Want(t, 400, nil)
		s.Send(t, method, target+"?a=%zz", form, "").Want(t, 400, nil)
		s.Send(t, method, target, form, strings.Repeat("x", 1<<20+1)).Want(t, 413, nil)
	}
	for query, want := range map[string]string{
		"page=x": "page is invalid", "page=0": "page is invalid", "per_page=0": "per_page has a value not allowed",
		"page=1&page=2": "page is invalid", "page=y&per_page=x": "page is invalid, per_page is invalid",
	} {
		s.Call(t, "GET", keys+"?"+query, nil).WantError(t, 400, want)
	}
	s.Call(t, "PATCH", keys, nil).WantMessage(t, 405, "405 Method Not Allowed")
	s.Call(t, "GET", one, nil).WantMessage(t, 405, "405 Method Not Allowed")
	s.Call(t, "GET", settings+"/more", nil).WantError(t, 404, "404 Not Found")
	s.Call(t, "GET", keys, nil).Want(t, 200, before)
}

func TestPagesOfKeys(t *testing.T) {
	s := arrange(t)
	var newest []any
	for range 5 {
		newest = append([]any{float64(s.Call(t, "POST", keys, nil).ID(t))}, newest...)
		s.Pass(1000)
	}
	link := func(page int, rel string) string {
		return fmt.Sprintf(`<%s%s?page=%d&per_page=2>; rel="%s"`, apptest.BaseURL, keys, page, rel)
	}
	tests := map[string]struct {
		ids    []any
		header map[string]string
	}{
		"page=1": {newest[:2], map[string]string{
			"X-Page": "1", "X-Prev-Page": "", "X-Next-Page": "2",
			"Link": strings.Join([]string{link(2, "next"), link(1, "first"), link(3, "last")}, ", "),
		}},
		"page=2": {newest[2:4], map[string]string{
			"X-Page": "2", "X-Prev-Page": "1", "X-Next-Page": "3",
			"Link": strings.Join([]string{link(1, "prev"), link(3, "next"), link(1, "first"), link(3, "last")}, ", "),
		}},
		"page=3": {newest[4:], map[string]string{
			"X-Page": "3", "X-Prev-Page": "2", "X-Next-Page": "",
			"Link": strings.Join([]string{link(2, "prev"), link(1, "first"), link(3, "last")}, ", "),
		}},
		"page=9": {[]any{}, map[string]string{"X-Page": "9", "X-Prev-Page": "8", "X-Next-Page": ""}},
	}
	for query, test := range tests {
		answer := s.Call(t, "GET", keys+"?per_page=2&"+query, nil)
		if diff := cmp.Diff(test.ids, answer.Each(t, "id")); answer.Status != 200 || diff != "" {
			t.Errorf("%s answered %d, ids (-want +got):\n%s", query, answer.Status, diff)
		}
		test.header["X-Per-Page"], test.header["X-Total"], test.header["X-Total-Pages"] = "2", "5", "3"
		for name, want := range test.header {
			if got := answer.Header.Values(name); len(got) != 1 || cursors.ReplaceAllString(got[0], "") != want {
				t.Errorf("%s: %s is %q, want %q", query, name, got, want)
			}
		}
	}
}

// cursors are in the links to next pages.
var cursors = regexp.MustCompile(`cursor=[0-9a-z.]+&`)

// What belongs to a project goes with it.
func TestADeletedProjectTracksNothing(t *testing.T) {
	s := arrange(t)
	s.Call(t, "PUT", settings, object{"active": true, "integrated": true}).Want(t, 200, nil)
	made := s.Call(t, "POST", keys, nil)
	if err := s.Projects.DeleteProject(t.Context(), audit.Setup, s.P); err != nil {
		t.Fatal(err)
	}
	s.Call(t, "GET", settings, nil).WantMessage(t, 404, "404 Project Not Found")
	s.Call(t, "DELETE", fmt.Sprintf("%s/%d", keys, made.ID(t)), nil).WantMessage(t, 404, "404 Project Not Found")
	if _, err := s.Tracking.Settings(t.Context(), s.P.ID); err == nil {
		t.Error("the deleted project has settings")
	}
}
