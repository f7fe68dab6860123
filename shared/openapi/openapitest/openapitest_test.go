package openapitest_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/shared/openapi/openapitest"
)

const (
	member = `{"id":1,"username":"ada","name":"Ada","access_level":50,"expires_at":null}`
	paging = "X-Page: 1\nX-Per-Page: 20\nX-Prev-Page: \nX-Next-Page: \nLink: x\n"
)

// Each answer differs from a good one in one way. No objection: it is good.
func TestCheckObjectsToWhatIsNotDescribed(t *testing.T) {
	tests := map[string]struct {
		method, path string
		status       int
		header, body string
		objection    string
	}{
		"a member":                 {"GET", "/groups/acme/members/1", 200, "", member, ""},
		"by an encoded path":       {"GET", "/projects/acme%2Fweb/members/1", 200, "", member, ""},
		"by a path":                {"GET", "/projects/acme/tools/web/members/1/", 200, "", member, ""},
		"members":                  {"GET", "/groups/1/members/all", 200, paging, "[" + member + "]", ""},
		"totals":                   {"GET", "/groups/1/members", 200, paging + "X-Total: 0\nX-Total-Pages: 0", "[]", ""},
		"nothing":                  {"DELETE", "/groups/1", 204, "Content-Type:", "", ""},
		"the head of something":    {"HEAD", "/groups/1/members/1", 200, "", "", ""},
		"what caches may do":       {"GET", "/groups/1/members/1", 200, "Cache-Control: no-store", member, ""},
		"a compressed body":        {"GET", "/groups/1/members/1", 200, "Content-Encoding: gzip", zip(member), ""},
		"a field that is packed":   {"GET", "/groups/1/members/1", 200, "Content-Encoding: gzip", zip(strings.Replace(member, "{", `{"new":1,`, 1)), "'new'"},
		"for a page elsewhere":     {"GET", "/groups/1/members/1", 200, "Access-Control-Allow-Origin: *", member, ""},
		"complaints":               {"POST", "/groups", 400, "", `{"message":{"path":["is taken"]}}`, ""},
		"a complaint":              {"POST", "/groups", 400, "", `{"error":"path is missing"}`, ""},
		"no such path":             {"GET", "/nothing", 404, "", `{"error":"404 Not Found"}`, ""},
		"no such method":           {"PATCH", "/groups", 405, "", `{"message":"405 Method Not Allowed"}`, ""},
		"methods":                  {"OPTIONS", "/groups", 200, "", "", ""},
		"new path":                 {"GET", "/nothing", 200, "", "{}", "no such path or method"},
		"new method":               {"PATCH", "/groups/1", 200, "", "{}", "no such path or method"},
		"new status":               {"GET", "/groups/1/members/1", 202, "", member, "no such status"},
		"new field":                {"GET", "/groups/1/members/1", 200, "", strings.Replace(member, "{", `{"new":1,`, 1), "'new'"},
		"new field in a list":      {"GET", "/groups/1/members", 200, paging, "[" + strings.Replace(member, "{", `{"new":1,`, 1) + "]", "'new'"},
		"new field of an error":    {"GET", "/groups/1/members/1", 404, "", `{"message":"404","new":1}`, "'new'"},
		"field missing":            {"GET", "/groups/1/members/1", 200, "", strings.Replace(member, `"id":1,`, "", 1), "'id'"},
		"field of another type":    {"GET", "/groups/1/members/1", 200, "", strings.Replace(member, `1,`, `"1",`, 1), "'/id'"},
		"value not in the list":    {"GET", "/groups/1/members/1", 200, "", strings.Replace(member, "50", "51", 1), "'/access_level'"},
		"day of another form":      {"GET", "/groups/1/members/1", 200, "", strings.Replace(member, "null", `"1/2/2026"`, 1), "'/expires_at'"},
		"body of another type":     {"GET", "/groups/1/members/1", 200, "Content-Type: text/html", member, "text/html"},
		"body where there is none": {"DELETE", "/groups/1", 204, "", "{}", "a body"},
		"no body":                  {"GET", "/groups/1/members/1", 200, "", "", "EOF"},
		"no id of the request":     {"GET", "/groups/1/members/1", 200, "X-Request-Id:", member, "X-Request-Id is missing"},
		"new header":               {"GET", "/groups/1/members/1", 200, "X-New: 1", member, "X-New is new"},
		"no header of a list":      {"GET", "/groups/1/members", 200, "", "[]", "Link is missing"},
		"header of another type":   {"GET", "/groups/1/members", 200, strings.Replace(paging, "1", "one", 1), "[]", "X-Page"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := openapitest.Check(httptest.NewRequest(test.method, "/api/v4"+test.path, nil), nil, answer(test.status, test.header, test.body))
			switch {
			case test.objection == "" && err != nil:
				t.Errorf("an objection to a good answer: %v", err)
			case test.objection != "" && (err == nil || !strings.Contains(err.Error(), test.objection)):
				t.Errorf("the objection is %v, want one about %s", err, test.objection)
			}
		})
	}
}

// zip returns the text in gzip.
func zip(text string) string {
	var out strings.Builder
	w := gzip.NewWriter(&out)
	io.WriteString(w, text)
	w.Close()
	return out.String()
}

// Nothing is said of parameters that were refused.
func TestCheckObjectsToParametersThatAreNotDescribed(t *testing.T) {
	tests := []struct {
		query, body string
		status      int
		objection   string
	}{
		{"", `{"name":"Acme","path":"acme","parent_id":1,"visibility":"public"}`, 201, ""},
		{"", "name=Acme&path=acme", 201, ""},
		{"?name=Acme&path=acme&sudo=ada&private_token=x", "", 201, ""},
		{"", `{"name":"Acme","new":1}`, 201, "the parameter new is new"},
		{"", "name=Acme&new[]=1", 201, "the parameter new is new"},
		{"?new[a]=1", `{"name":"Acme"}`, 201, "the parameter new is new"},
		{"", `{"new":1}`, 400, ""},
	}
	bodies := map[int]string{
		201: `{"id":2,"name":"Acme","path":"acme","full_path":"acme","parent_id":null,"visibility":"private","default_branch_protection_defaults":{"allowed_to_push":[],"allowed_to_merge":[],"allow_force_push":false,"developer_can_initial_push":false,"code_owner_approval_required":false}}`,
		400: `{"error":"name is missing"}`,
	}
	for _, test := range tests {
		r := httptest.NewRequest("POST", "/api/v4/groups"+test.query, nil)
		err := openapitest.Check(r, []byte(test.body), answer(test.status, "", bodies[test.status]))
		if (err != nil) != (test.objection != "") || err != nil && !strings.Contains(err.Error(), test.objection) {
			t.Errorf("%s %s: the objection is %v, want %q", test.query, test.body, err, test.objection)
		}
	}
}

// answer has the headers that every answer has, and those in lines, of which
// one without a value takes away.
func answer(status int, lines, body string) *http.Response {
	h := http.Header{"X-Request-Id": {"1"}, "Content-Type": {"application/json"}}
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		if h.Set(name, strings.TrimSpace(value)); value == "" {
			h.Del(name)
		}
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

func TestCheckLeavesOtherAddressesAlone(t *testing.T) {
	for _, target := range []string{"/", "/api/v40/user", "/oauth/token", "/api"} {
		if err := openapitest.Check(httptest.NewRequest("GET", target, nil), nil, answer(299, "", "")); err != nil {
			t.Errorf("%s: %v", target, err)
		}
	}
}
