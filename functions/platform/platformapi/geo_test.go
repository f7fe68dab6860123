package platformapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/apptest"
)

// geoAPI makes calls about geo sites as an administrator.
type geoAPI struct {
	*apptest.App
	handler http.Handler
	token   string
}

func newGeoAPI(t *testing.T) geoAPI {
	t.Helper()
	a := apptest.New(t)
	return geoAPI{a, platformapi.New(a.App), a.Token(a.Admin("root"))}
}

func (g geoAPI) call(t *testing.T, method, path string, params any) apptest.Answer {
	t.Helper()
	return apptest.Call(t, g.handler, method, api+path, g.token, params)
}

// siteAnswer is a new site as the family answers it.
func siteAnswer(id int64, family, name, url string) object {
	self := fmt.Sprintf("%s/api/v4/geo_%s/%d", apptest.BaseURL, family, id)
	return object{
		"id": float64(id), "name": name, "url": url, "internal_url": url, "primary": false, "enabled": true, "current": false,
		"files_max_capacity": 10., "repos_max_capacity": 10., "verification_max_capacity": 100., "container_repositories_max_capacity": 10.,
		"selective_sync_type": nil, "selective_sync_shards": []any{}, "selective_sync_namespace_ids": []any{},
		"minimum_reverification_interval": 7., "sync_object_storage": false,
		"web_edit_url":                    fmt.Sprintf("%s/admin/geo/%s/%d/edit", url, family, id),
		"web_geo_replication_details_url": fmt.Sprintf("%s/admin/geo/%s/%d/replication/lfs_objects", url, family, id),
		"_links":                          object{"self": self, "status": self + "/status", "repair": self + "/repair"},
	}
}

// primary returns the answer for the primary site, which copies nothing.
func primary(answer object) object {
	answer["primary"] = true
	delete(answer, "web_geo_replication_details_url")
	return answer
}

// Each family shows what was made below the other one, with addresses of its own.
func TestGeoSitesHaveTwoFamilies(t *testing.T) {
	g := newGeoAPI(t)
	for n, made := range []string{"sites", "nodes"} {
		name, url, id := "Berlin "+made, "https://"+made+".example", int64(n+1)
		g.call(t, "POST", "/geo_"+made, object{"name": name, "url": url}).Want(t, 201, siteAnswer(id, made, name, url))
		for _, shown := range []string{"sites", "nodes"} {
			g.call(t, "GET", fmt.Sprintf("/geo_%s/%d", shown, id), nil).Want(t, 200, siteAnswer(id, shown, name, url))
		}
	}
	for _, shown := range []string{"sites", "nodes"} {
		answer := g.call(t, "GET", "/geo_"+shown+"?per_page=1", nil)
		answer.Want(t, 200, []any{siteAnswer(2, shown, "Berlin nodes", "https://nodes.example")})
		if link := answer.Header.Get("Link"); answer.Header.Get("X-Total") != "2" || !strings.Contains(link, "/geo_"+shown+"?") {
			t.Errorf("the list has the total %s and the links %s", answer.Header.Get("X-Total"), link)
		}
	}
	g.call(t, "DELETE", "/geo_nodes/1", nil).Want(t, 204, nil)
	g.call(t, "GET", "/geo_sites/1", nil).WantMessage(t, 404, "404 Geo Site Not Found")
	g.call(t, "DELETE", "/geo_sites/1", nil).WantMessage(t, 404, "404 Geo Site Not Found")
}

func TestChangeGeoSite(t *testing.T) {
	g := newGeoAPI(t)
	want := primary(siteAnswer(1, "sites", "Berlin", "https://berlin.example/"))
	want["web_edit_url"] = "https://berlin.example/admin/geo/sites/1/edit"
	g.call(t, "POST", "/geo_sites", object{"name": "Berlin", "url": "https://berlin.example/", "primary": true}).Want(t, 201, want)
	changes := object{
		"name": "Bonn", "url": apptest.BaseURL, "internal_url": "http://10.0.0.1:8080", "files_max_capacity": 1., "repos_max_capacity": 2.,
		"verification_max_capacity": 3., "container_repositories_max_capacity": 0., "minimum_reverification_interval": 1.,
		"selective_sync_type": "shards", "selective_sync_shards": []any{"default", "fast"}, "selective_sync_namespace_ids": []any{4., 5.},
		"sync_object_storage": true,
	}
	want["current"], want["web_edit_url"] = true, apptest.BaseURL+"/admin/geo/sites/1/edit"
	for name, value := range changes {
		want[name] = value
	}
	g.call(t, "PUT", "/geo_nodes/1", changes).Want(t, 200, nil)
	g.call(t, "PUT", "/geo_sites/1", nil).Want(t, 200, want)
	g.call(t, "PUT", "/geo_sites/1", object{"name": "bonn"}).Want(t, 200, with(want, object{"name": "bonn"}))

	cleared := object{"name": "bonn", "selective_sync_type": nil, "selective_sync_shards": []any{}, "selective_sync_namespace_ids": []any{}, "internal_url": apptest.BaseURL}
	g.call(t, "PUT", "/geo_sites/1?selective_sync_shards[]=&selective_sync_namespace_ids[]=&internal_url=&selective_sync_type=", nil).
		Want(t, 200, with(want, cleared))
	g.call(t, "PUT", "/geo_sites/1?selective_sync_namespace_ids[]=7&selective_sync_namespace_ids[]=8", nil).
		Want(t, 200, with(want, with(cleared, object{"selective_sync_namespace_ids": []any{7., 8.}})))
}

func TestGeoSiteRefusals(t *testing.T) {
	g := newGeoAPI(t)
	g.call(t, "POST", "/geo_sites", object{"name": "Berlin", "url": "https://berlin.example", "primary": true}).Want(t, 201, nil)
	good := object{"name": "Paris", "url": "https://paris.example"}
	field := func(name, complaint string) object { return object{"message": object{name: []any{complaint}}} }
	tests := []struct{ changes, want object }{
		{object{"name": "-", "url": "-"}, object{"error": "name is missing, url is missing"}},
		{object{"name": ""}, field("name", "can't be blank")},
		{object{"name": "BERLIN"}, field("name", "has already been taken")},
		{object{"primary": true}, field("primary", "has already been taken")},
		{object{"primary": true, "enabled": false}, field("enabled", "cannot be false for the primary site")},
		{object{"primary": "maybe", "enabled": 2}, object{"error": "primary is invalid, enabled is invalid"}},
		{object{"url": ""}, field("url", "can't be blank")},
		{object{"url": "javascript:1"}, field("url", "must be an http or https URL")},
		{object{"url": "https://a:b@paris.example"}, field("url", "must not contain credentials")},
		{object{"url": "https://paris.example/" + strings.Repeat("x", 255)}, field("url", "is too long (maximum is 255 characters)")},
		{object{"internal_url": "paris"}, field("internal_url", "must be an http or https URL")},
		{object{"files_max_capacity": -1}, field("files_max_capacity", "is out of range")},
		{object{"minimum_reverification_interval": 0}, field("minimum_reverification_interval", "is out of range")},
		{object{"repos_max_capacity": "many"}, object{"error": "repos_max_capacity is invalid"}},
		{object{"selective_sync_type": "some"}, object{"error": "selective_sync_type does not have a valid value"}},
		{object{"selective_sync_shards": []any{1}}, object{"error": "selective_sync_shards is invalid"}},
		{object{"selective_sync_shards": []any{" "}}, field("selective_sync_shards", "can't be blank")},
		{object{"selective_sync_shards": strings.Fields(strings.Repeat("x ", 101))}, field("selective_sync_shards", "has too many (maximum is 100)")},
		{object{"selective_sync_namespace_ids": []any{"x", nil}}, object{"error": "selective_sync_namespace_ids is invalid"}},
		{object{"selective_sync_namespace_ids": make([]int64, 1001)}, field("selective_sync_namespace_ids", "has too many (maximum is 1000)")},
	}
	for _, test := range tests {
		g.call(t, "POST", "/geo_sites", with(good, test.changes)).Want(t, 400, test.want)
	}
	g.call(t, "PUT", "/geo_sites/1", object{"enabled": false}).Want(t, 400, field("enabled", "cannot be false for the primary site"))
	g.call(t, "GET", "/geo_sites", nil).Want(t, 200, []any{primary(siteAnswer(1, "sites", "Berlin", "https://berlin.example"))})
	for _, id := range []string{"2", "0", "x"} {
		g.call(t, "GET", "/geo_nodes/"+id, nil).WantMessage(t, 404, "404 Geo Site Not Found")
		g.call(t, "PUT", "/geo_nodes/"+id+"/status", object{}).WantMessage(t, 404, "404 Geo Site Not Found")
	}
}

// The platform reports what it likes; answers say of which site that is.
func TestGeoStatus(t *testing.T) {
	g := newGeoAPI(t)
	g.call(t, "POST", "/geo_sites", object{"name": "Berlin", "url": "https://berlin.example"}).Want(t, 201, nil)
	status := func(family string, members object) object {
		self := fmt.Sprintf("%s/api/v4/geo_%ss/1", apptest.BaseURL, family)
		return with(object{
			"geo_node_id": 1., "health": "Unknown", "healthy": false, "_links": object{"self": self + "/status", family: self},
		}, members)
	}
	g.call(t, "GET", "/geo_sites/1/status", nil).Want(t, 200, status("site", object{}))
	tests := []struct{ report, want object }{
		{object{"healthy": true, "projects_count": 41., "storage_shards": []any{object{"name": "default"}}, "db_replication_lag_seconds": nil},
			object{"health": "Healthy", "healthy": true, "projects_count": 41., "storage_shards": []any{object{"name": "default"}}, "db_replication_lag_seconds": nil}},
		{object{"health": "the replica lags", "version": "17.7"}, object{"health": "the replica lags", "version": "17.7"}},
		{object{"healthy": false, "health": nil}, object{"health": "Unhealthy"}},
		{object{"health": "Healthy", "geo_node_id": 9, "_links": "x", "sudo": "root"}, object{"health": "Healthy", "healthy": true}},
		{object{}, object{}},
	}
	g.token = g.Token(g.Admin("boss"), "api", "sudo")
	for _, test := range tests {
		g.call(t, "PUT", "/geo_nodes/1/status", test.report).Want(t, 200, status("node", test.want))
		for _, family := range []string{"site", "node"} {
			g.call(t, "GET", "/geo_"+family+"s/1/status", nil).Want(t, 200, status(family, test.want))
			g.call(t, "GET", "/geo_"+family+"s/status", nil).Want(t, 200, []any{status(family, test.want)})
		}
	}
	refusals := []struct{ report, want object }{
		{object{"health": 1, "healthy": "yes"}, object{"message": object{"health": []any{"is invalid"}, "healthy": []any{"is invalid"}}}},
		{object{"failures": []any{nil}}, object{"message": object{"failures": []any{"is invalid"}}}},
		{object{"note": strings.Repeat("x", 32<<10)}, object{"message": "400 Bad request - the status exceeds 32 KiB"}},
	}
	for _, refusal := range refusals {
		g.call(t, "PUT", "/geo_sites/1/status", refusal.report).Want(t, 400, refusal.want)
	}
	g.call(t, "GET", "/geo_sites/1/status", nil).Want(t, 200, status("site", object{}))
}

// A site that Gatehouse belongs to tells its failures.
func TestGeoFailures(t *testing.T) {
	g := newGeoAPI(t)
	sync := object{"project_id": 1., "last_repository_sync_failure": "no route", "last_wiki_sync_failure": nil, "repository_checksum_mismatch": false}
	wiki := object{"project_id": 2., "last_wiki_verification_failure": "differs", "wiki_checksum_mismatch": true}
	for _, s := range []struct {
		url      string
		failures []any
	}{{"https://berlin.example", []any{object{"project_id": 9}}}, {apptest.BaseURL + "/", []any{sync, wiki}}} {
		made := g.call(t, "POST", "/geo_sites", object{"name": s.url, "url": s.url})
		g.call(t, "PUT", fmt.Sprintf("/geo_sites/%d/status", made.ID(t)), object{"failures": s.failures}).Want(t, 200, nil)
	}
	tests := map[string][]any{
		"":                                {sync, wiki},
		"?type=wiki":                      {wiki},
		"?type=repository":                {sync},
		"?failure_type=sync":              {sync},
		"?failure_type=verification":      {wiki},
		"?failure_type=checksum_mismatch": {wiki},
		"?type=repository&failure_type=checksum_mismatch": {},
		"?per_page=1&page=2":                              {wiki},
	}
	for query, want := range tests {
		for _, family := range []string{"geo_sites", "geo_nodes"} {
			answer := g.call(t, "GET", "/"+family+"/current/failures"+query, nil)
			if diff := cmp.Diff(any(want), answer.Body); diff != "" {
				t.Errorf("%s of %s differ (-want +got):\n%s", query, family, diff)
			}
		}
	}
	g.call(t, "GET", "/geo_nodes/current/failures?type=snippet", nil).WantError(t, 400, "type does not have a valid value")
}

func TestRepairGeoSite(t *testing.T) {
	g := newGeoAPI(t)
	g.call(t, "POST", "/geo_sites", object{"name": "Berlin", "url": "https://berlin.example"}).Want(t, 201, nil)
	g.call(t, "POST", "/geo_nodes/1/repair", nil).Want(t, 200, siteAnswer(1, "nodes", "Berlin", "https://berlin.example"))
	g.call(t, "POST", "/geo_nodes/2/repair", nil).WantMessage(t, 404, "404 Geo Site Not Found")
}

func TestOnlyAdministratorsSeeGeoSites(t *testing.T) {
	g := newGeoAPI(t)
	g.call(t, "POST", "/geo_sites", object{"name": "Berlin", "url": "https://berlin.example"}).Want(t, 201, nil)
	reader, user := g.Token(g.Admin("boss"), "read_api"), g.Token(g.User("ada"))
	for _, call := range []string{
		"GET ", "POST ", "GET /status", "GET /current/failures", "GET /1", "PUT /1", "DELETE /1", "GET /1/status", "PUT /1/status", "POST /1/repair",
	} {
		method, path, _ := strings.Cut(call, " ")
		for _, family := range []string{"/geo_sites", "/geo_nodes"} {
			for token, want := range map[string]int{"": 401, user: 403, reader: map[bool]int{true: 200, false: 403}[method == "GET"]} {
				apptest.Call(t, g.handler, method, api+family+path, token, nil).Want(t, want, nil)
			}
		}
	}
}
