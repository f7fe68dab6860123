package monitorapi_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/shared/apptest"
)

// preview makes a call as a client of the preview of v5.
func preview(t *testing.T, s setup, method, target string, params any) apptest.Answer {
	t.Helper()
	return apptest.Preview(t, s.H, method, target, s.Maintainer, params)
}

// wantDeprecated checks of which entries the headers tell.
func wantDeprecated(t *testing.T, what string, a apptest.Answer, ids ...string) {
	t.Helper()
	links := strings.Join(a.Header.Values("Link"), ", ")
	if got := strings.Count(links, `rel="deprecation"`); got != len(ids) || (a.Header.Get("Deprecation") != "") != (len(ids) > 0) {
		t.Errorf("%s: Deprecation %q with %s, want it of %v", what, a.Header.Get("Deprecation"), links, ids)
	}
	for _, id := range ids {
		if !strings.Contains(links, "<"+apptest.BaseURL+"/-/deprecations#"+id+">") {
			t.Errorf("%s links to %s, want %s", what, links, id)
		}
	}
}

const address = "https://x.example"

func TestWhoUsesTheAPIURLIsTold(t *testing.T) {
	s := arrange(t)
	web := s.Call(t, "POST", integrations, object{"name": "W", "type": "http", "active": false, "api_url": address})
	wantDeprecated(t, "an HTTP endpoint", web)
	wantDeprecated(t, "a list without any", s.Call(t, "GET", integrations, nil))
	metrics := s.Call(t, "POST", integrations, object{"name": "M", "type": "metrics", "active": false, "api_url": address})
	wantDeprecated(t, "a new metrics integration", metrics, "metrics-api-url")
	link := s.Call(t, "POST", integrations, object{"name": "L", "type": "oncall_link", "active": false, "api_url": address})
	wantDeprecated(t, "a new link", link, "oncall-link")
	list := s.Call(t, "GET", integrations+"?per_page=2", nil)
	wantDeprecated(t, "a list", s.Call(t, "GET", integrations, nil), "metrics-api-url", "oncall-link")
	if !strings.Contains(strings.Join(list.Header.Values("Link"), ", "), `rel="next"`) {
		t.Errorf("the links of the list are %q, want its pages as well", list.Header.Values("Link"))
	}
	of := func(made apptest.Answer) string { return fmt.Sprintf("%s/%d", integrations, made.ID(t)) }
	wantDeprecated(t, "an endpoint", s.Call(t, "GET", of(web), nil))
	wantDeprecated(t, "a change of an endpoint", s.Call(t, "PATCH", of(web), object{"api_url": "https://y.example"}))
	wantDeprecated(t, "its address", s.Call(t, "GET", of(metrics), nil), "metrics-api-url")
	wantDeprecated(t, "its new key", s.Call(t, "POST", of(metrics)+"/reset_key", nil), "metrics-api-url")
	wantDeprecated(t, "the target of a link", s.Call(t, "PATCH", of(link), object{"api_url": "https://y.example"}), "oncall-link")
	wantDeprecated(t, "a bad address", s.Call(t, "PATCH", of(metrics), object{"api_url": "x"}), "metrics-api-url")
}

func TestThePreviewNeedsNoAPIURL(t *testing.T) {
	s := arrange(t)
	draft := object{"name": "M", "type": "metrics", "active": true}
	s.Call(t, "POST", integrations, draft).WantMessage(t, 400, object{"api_url": list{"can't be blank"}})
	made := preview(t, s, "POST", integrations, draft)
	made.Want(t, 201, nil)
	if _, told := made.Object(t)["api_url"]; told || made.Object(t)["type"] != "metrics" {
		t.Errorf("answered %v, want no api_url", made.Body)
	}
	one := fmt.Sprintf("%s/%d", integrations, made.ID(t))

	preview(t, s, "PATCH", one, object{"name": "N"}).Want(t, 200, nil)
	preview(t, s, "PATCH", one, object{"api_url": address}).WantError(t, 400, "api_url is deprecated: leave it out")
	preview(t, s, "PUT", one, object{"name": "N", "active": true, "type": "metrics", "api_url": nil}).WantError(t, 400, "api_url is deprecated: leave it out")
	preview(t, s, "POST", integrations, object{"name": "L", "type": "oncall_link", "active": false}).
		WantError(t, 400, "type is deprecated with this value: use an integration of the type http")

	// Clients of v4 can go on with it.
	changed := s.Call(t, "PATCH", one, object{"active": false})
	changed.Want(t, 200, nil)
	wantDeprecated(t, "a change of one without an address", changed)
	if url, told := changed.Object(t)["api_url"]; !told || url != nil {
		t.Errorf("answered %v, want api_url null", changed.Body)
	}
	s.Call(t, "PATCH", one, object{"api_url": ""}).Want(t, 200, nil) // as it is
	s.Call(t, "PATCH", one, object{"api_url": address}).Want(t, 200, nil)
	s.Call(t, "PATCH", one, object{"api_url": ""}).WantMessage(t, 400, object{"api_url": list{"can't be blank"}})
}

func TestThePreviewLeavesOutTheAPIURL(t *testing.T) {
	s := arrange(t)
	s.Call(t, "POST", integrations, object{"name": "W", "type": "http", "active": false, "api_url": address}).Want(t, 201, nil)
	s.Call(t, "POST", integrations, object{"name": "M", "type": "metrics", "active": false, "api_url": address}).Want(t, 201, nil)
	link := s.Call(t, "POST", integrations, object{"name": "L", "type": "oncall_link", "active": false, "api_url": address})
	a := preview(t, s, "GET", integrations, nil)
	wantDeprecated(t, "the preview", a)
	for _, listed := range a.Body.([]any) {
		i := listed.(object)
		if url, told := i["api_url"]; told != (i["type"] == "http") || told && url != address {
			t.Errorf("the preview lists %v", i)
		}
	}
	one := fmt.Sprintf("%s/%d", integrations, link.ID(t))
	preview(t, s, "PATCH", one, object{"api_url": "https://y.example"}).WantError(t, 400, "api_url is deprecated: use an integration of the type http")
	preview(t, s, "PATCH", one, object{"name": "Still there"}).Want(t, 200, nil)
}
