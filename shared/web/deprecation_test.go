package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/deprecation"
	"gatehouse/shared/web"
)

const (
	base      = "https://gatehouse.example"
	row       = "<" + base + "/-/deprecations#"
	rel       = `>; rel="deprecation"`
	successor = `>; rel="successor-version"`

	served   = "@1795305600" // 2026-11-22, of entries without a release
	release  = "@1684713600" // of 16.0
	release7 = "@1715817600" // of 17.0
)

// deprecating serves some calls of the table. Each answers with the body that the
// test chose, after it read its parameters.
func deprecating(answer string) http.Handler {
	mux := web.NewMux()
	for _, call := range []string{
		"GET /api/v4/geo_nodes/{id}", "GET /api/v4/runners", "PUT /api/v4/users/{id}", "PUT /api/v4/runners/{runner_id}", "PUT /api/v4/groups/{id}",
		"GET /api/v4/projects/{id}/managed_licenses/{license}",
		"POST /api/v4/projects/{id}/monitor/integrations", "GET /api/v4/projects/{id}/monitor/integrations", "GET /api/v4/version",
	} {
		mux.Handle(call, web.Handler(func(w http.ResponseWriter, r *http.Request) error {
			params := web.Params(r)
			params.OptionalBool("private_profile")
			if err := params.Err(); err != nil {
				return err
			}
			if answer == "" {
				body, err := io.ReadAll(r.Body)
				w.Write(body)
				return err
			}
			w.Header().Add("Link", `<x>; rel="next"`)
			return web.WriteJSON(w, http.StatusOK, []byte(answer))
		}))
	}
	return web.NewREST(base, mux, "/api/v4/projects/", "/api/v4/groups/")
}

func ask(h http.Handler, call, body string, preview ...string) *httptest.ResponseRecorder {
	method, target, _ := strings.Cut(call, " ")
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(body, "=") {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r = httptest.NewRequest(method, target, strings.NewReader(body[1:]))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, p := range preview {
		r.Header.Add("Gatehouse-Api-Preview", p)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestHeadersTellOfDeprecatedNames(t *testing.T) {
	const integrations = "/api/v4/projects/1/monitor/integrations"
	tests := []struct {
		name, call, body string
		answer           string
		date             string
		links            []string
	}{
		{"an address", "GET /api/v4/geo_nodes/7", "", `{}`, served, []string{row + "geo-nodes" + rel, "<" + base + "/api/v4/geo_sites/7" + successor}},
		{"an address with a path in it", "GET /api/v4/projects/acme%2Fweb/managed_licenses/MIT%20X", "", `{}`, served,
			[]string{row + "managed-licenses" + rel, "<" + base + "/api/v4/projects/acme%2Fweb/license_approval_policies/MIT%20X" + successor}},
		{"a parameter", "PUT /api/v4/runners/5", `{"active": false}`, `{}`, served, []string{row + "runner-active" + rel}},
		{"a parameter of a form", "PUT /api/v4/runners/5", `=active=0`, `{}`, served, []string{row + "runner-active" + rel}},
		{"a parameter in the query", "PUT /api/v4/runners/5?active=1", ``, `{}`, served, []string{row + "runner-active" + rel}},
		{"its successor", "PUT /api/v4/runners/5", `{"paused": true}`, `{"active": false}`, "", nil},
		{"a value", "GET /api/v4/runners?status=paused", "", `[]`, served, []string{row + "runner-active" + rel}},
		{"two values of one entry", "GET /api/v4/runners?status=paused&scope=active", "", `[]`, served, []string{row + "runner-active" + rel}},
		{"another value", "GET /api/v4/runners?status=online", "", `[]`, "", nil},
		{"the body of a GET", "GET /api/v4/runners", `{"status": "paused"}`, `[]`, "", nil},
		{"null", "PUT /api/v4/users/1", `{"private_profile": null}`, `{}`, served, []string{row + "private-profile-null" + rel}},
		{"a boolean", "PUT /api/v4/users/1", `{"private_profile": false}`, `{}`, "", nil},
		{"of a release", "PUT /api/v4/groups/acme", `{"default_branch_protection": 2}`, `{}`, release7, []string{row + "default-branch-protection" + rel}},
		{"beside its type", "POST " + integrations, `{"type": "metrics", "api_url": "https://x.example"}`, `{}`, release, []string{row + "metrics-api-url" + rel}},
		{"beside another type", "POST " + integrations, `{"type": "http", "api_url": "https://x.example"}`, `{}`, "", nil},
		{"of two entries", "POST " + integrations, `{"type": "oncall_link", "api_url": "https://x.example"}`, `{"type":"metrics","api_url":"x"}`, release,
			[]string{row + "oncall-link" + rel, row + "metrics-api-url" + rel}},
		{"in the answer alone", "GET " + integrations, "", `[{"type":"http"},{"type":"metrics","api_url":"x"}]`, release, []string{row + "metrics-api-url" + rel}},
		{"in the answer without a value", "GET " + integrations, "", `[{"type":"metrics","api_url":null}]`, "", nil},
		{"in the answer beside its successor", "GET /api/v4/runners", "", `[{"active":true,"paused":false}]`, "", nil},
		{"a call that is not in the table", "GET /api/v4/version", "", `{"active":true}`, "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := ask(deprecating(test.answer), test.call, test.body)
			if got := w.Header().Get("Deprecation"); w.Code != 200 || got != test.date {
				t.Errorf("answered %d with the date %q, want 200 and %q", w.Code, got, test.date)
			}
			links := append([]string{`<x>; rel="next"`}, test.links...)
			if diff := cmp.Diff(links, w.Header().Values("Link"), cmpopts.SortSlices(strings.Compare)); diff != "" {
				t.Errorf("links (-want +got):\n%s", diff)
			}
			if w.Body.String() != test.answer {
				t.Errorf("answered %s, want %s", w.Body, test.answer)
			}
		})
	}
}

func TestThePreviewRefusesDeprecatedNames(t *testing.T) {
	const integrations = "POST /api/v4/projects/1/monitor/integrations"
	tests := []struct{ call, body, want string }{
		{"GET /api/v4/geo_nodes/7", "", `{"message":"400 Bad request - this address is deprecated: use geo_sites"}`},
		{"PUT /api/v4/users/1", `{"private_profile": null}`, `{"error":"private_profile is deprecated with this value: send true or false"}`},
		{"PUT /api/v4/runners/5", `{"active": "nonsense"}`, `{"error":"active is deprecated: send paused"}`},
		{"GET /api/v4/runners?status=active&scope=paused", "", `{"error":"status is deprecated with this value: send paused, scope is deprecated with this value: send paused"}`},
		{integrations, `{"type": "metrics", "api_url": null}`, `{"error":"api_url is deprecated: leave it out"}`},
		{integrations, `{"type": "oncall_link"}`, `{"error":"type is deprecated with this value: use an integration of the type http"}`},
	}
	for _, test := range tests {
		w := ask(deprecating(`{}`), test.call, test.body, "v5")
		if w.Code != 400 || w.Body.String() != test.want || w.Header().Get("Deprecation") != "" {
			t.Errorf("%s %s: %d %s, want 400 %s", test.call, test.body, w.Code, w.Body, test.want)
		}
	}
}

func TestThePreviewLeavesOut(t *testing.T) {
	tests := []struct{ call, answer, want string }{
		{"GET /api/v4/runners", `[{"id":1,"active":true,"ip_address":"","paused":false},{"id":2}]`, `[{"id":1,"paused":false},{"id":2}]`},
		{"GET /api/v4/runners?paused=true", `[]`, `[]`},
		{"GET /api/v4/projects/1/monitor/integrations", `[{"type":"metrics","api_url":"x"},{"type":"http","api_url":null}]`, `[{"type":"metrics"},{"type":"http","api_url":null}]`},
		{"GET /api/v4/version", `{"active":true}`, `{"active":true}`},
		{"PUT /api/v4/runners/5", `{"id":5,"active":true}`, `{"id":5}`},
	}
	for _, test := range tests {
		w := ask(deprecating(test.answer), test.call, "", "v5")
		if w.Code != 200 || w.Body.String() != test.want || w.Header().Get("Deprecation") != "" || w.Header().Get("Link") != `<x>; rel="next"` {
			t.Errorf("%s: %d %s with %v, want 200 %s and no word of deprecation", test.call, w.Code, w.Body, w.Header(), test.want)
		}
	}
}

func TestOtherPreviewsAreRefused(t *testing.T) {
	for _, values := range [][]string{{""}, {"v4"}, {"V5"}, {"v5 "}, {"v5", "v5"}, {"v5, v5"}} {
		for _, call := range []string{"GET /api/v4/version", "GET /api/v4/runners", "GET /api/v4/nothing"} {
			w := ask(deprecating(`{}`), call, "", values...)
			if want := `{"error":"Gatehouse-Api-Preview does not have a valid value"}`; w.Code != 400 || w.Body.String() != want {
				t.Errorf("%s with %q: %d %s, want 400 %s", call, values, w.Code, w.Body, want)
			}
		}
	}
}

// The parameters are read once, and the handler still gets the body and the errors.
func TestHandlersReadWhatWasRead(t *testing.T) {
	h := deprecating("")
	if w := ask(h, "PUT /api/v4/users/1", `{"private_profile": true}`); w.Code != 200 || w.Body.String() != `{"private_profile": true}` {
		t.Errorf("the handler read %d %q, want the body", w.Code, w.Body)
	}
	for body, want := range map[string]string{
		`{"private_profile": "x"}`: `{"error":"private_profile is invalid"}`,
		`{"private_profile"`:       `{"message":"400 Bad request - the body is not a JSON object"}`,
	} {
		if w := ask(h, "PUT /api/v4/users/1", body); w.Code != 400 || w.Body.String() != want {
			t.Errorf("%s: %d %s, want 400 %s", body, w.Code, w.Body, want)
		}
	}
}

// Errors of handlers and answers that are no JSON pass as they are.
func TestOtherAnswersPass(t *testing.T) {
	mux := web.NewMux()
	status, body := 404, `{"active":"kept"}`
	mux.HandleFunc("GET /api/v4/runners", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		w.WriteHeader(500)
		io.WriteString(w, body)
	})
	h := web.NewREST(base, mux)
	if w := ask(h, "GET /api/v4/runners", "", "v5"); w.Code != 404 || w.Body.String() != body {
		t.Errorf("answered %d %s, want the 404 as it is", w.Code, w.Body)
	}
	status, body = 200, `[{"active":`
	if w := ask(h, "GET /api/v4/runners", "", "v5"); w.Code != 200 || w.Body.String() != body {
		t.Errorf("answered %d %s, want the text as it is", w.Code, w.Body)
	}
}

// An answer that may tell a fact by a deprecated name passes with its own status, and
// also without a body or in parts.
func TestAnswersThatMayTellPass(t *testing.T) {
	const call, metrics = "GET /api/v4/projects/1/monitor/integrations", `{"type":"metrics","api_url":"x"}`
	tests := map[string]struct {
		status int
		parts  []string
		told   bool
	}{
		"an error":      {404, []string{metrics}, false},
		"no body":       {304, nil, false},
		"nothing":       {0, nil, false},
		"no status":     {0, []string{metrics}, true},
		"a part":        {200, []string{metrics[:20], metrics[20:]}, false}, // handlers answer at once
		"more than one": {200, []string{metrics, "\n"}, true},
	}
	for name, test := range tests {
		mux := web.NewMux()
		mux.HandleFunc("GET /api/v4/projects/{id}/monitor/integrations", func(w http.ResponseWriter, r *http.Request) {
			if test.status != 0 {
				w.WriteHeader(test.status)
			}
			for _, part := range test.parts {
				io.WriteString(w, part)
			}
		})
		w := ask(web.NewREST(base, mux), call, "")
		if test.status != 0 && w.Code != test.status || w.Body.String() != strings.Join(test.parts, "") || (w.Header().Get("Deprecation") != "") != test.told {
			t.Errorf("%s: %d %s with %v, want %d and told: %t", name, w.Code, w.Body, w.Header(), test.status, test.told)
		}
	}
}

// Uses are counted for a caller who is known, each entry once, and before the
// answer ends.
func TestUsesAreCountedBeforeTheAnswerEnds(t *testing.T) {
	var counted []string
	mux := web.NewMux()
	mux.HandleFunc("GET /api/v4/runners", func(w http.ResponseWriter, r *http.Request) {
		deprecation.Of(r.Context()).CountBy(func(id string) { counted = append(counted, id) })
		web.JSON(w, 200, []int{})
	})
	h := web.NewREST(base, mux)
	for target, want := range map[string][]string{"?status=active&scope=paused": {"runner-active"}, "?status=online": nil} {
		counted = nil
		if ask(h, "GET /api/v4/runners"+target, ""); !cmp.Equal(counted, want) {
			t.Errorf("%s: counted %v, want %v", target, counted, want)
		}
	}
}
