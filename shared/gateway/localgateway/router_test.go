package localgateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"gatehouse/shared/gateway/localgateway"
	"gatehouse/shared/route"
)

// named is a function that answers every event with its name.
type named string

func (n named) Invoke(context.Context, []byte) ([]byte, error) {
	return []byte(`{"statusCode":200,"body":"` + string(n) + `"}`), nil
}

// functions returns one named function for each in the table.
func functions(table []route.Route) map[string]localgateway.Invoker {
	all := map[string]localgateway.Invoker{}
	for _, r := range table {
		all[r.Function] = named(r.Function)
	}
	return all
}

// get returns the status and the body that the gateway answers for a target.
func get(t *testing.T, gateway http.Handler, target string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	gateway.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	return w.Code, w.Body.String()
}

func TestEveryRouteReachesItsFunction(t *testing.T) {
	tests := map[string]string{
		"/":                                       "console",
		"/oauth/authorize":                        "account",
		"/oauth/authorize?client_id=a/b":          "account",
		"/users":                                  "account",
		"/users/sign_in":                          "account",
		"/user_settings":                          "account",
		"/user_settings/applications/5":           "account",
		"/assets/style.css":                       "account",
		"/oauth":                                  "oauth",
		"/oauth/token":                            "oauth",
		"/oauth/token/info":                       "oauth",
		"/oauth/authorize/native":                 "oauth",
		"/-/health":                               "oauth",
		"/api/v4/projects":                        "projects",
		"/api/v4/projects/7":                      "projects",
		"/api/v4/projects/acme%2Fweb/members":     "projects",
		"/api/v4/projects/acme/web/members":       "projects",
		"/api/v4/projects/acme%2Fdeep%2Fweb":      "projects",
		"/api/v4/projects//members":               "projects",
		"/api/v4":                                 "platform",
		"/api/v4/user":                            "platform",
		"/api/v4/projectsx":                       "platform",
		"/api/v4/groups/acme%2Fweb/members":       "platform",
		"/api%2Fv4/user":                          "platform",
		"/api/v4//projects":                       "platform",
		"/api/v4/../../users/sign_in":             "platform",
		"/users/../api/v4/user":                   "account",
		"/users/%2e%2e/api/v4/user":               "account",
		"/users/%3Faccess_token=x":                "account",
		"/api/v4/projects/acme%252Fweb":           "projects",
		"/api/v4/projects/acme/web/alerts/x.json": "projects",
	}
	gateway := localgateway.New(functions(route.Table), route.Table)
	for target, want := range tests {
		if status, got := get(t, gateway, target); status != http.StatusOK || got != want {
			t.Errorf("GET %s = %d from %q, want %q", target, status, got, want)
		}
	}
}

func TestEveryPatternOfTheTable(t *testing.T) {
	gateway := localgateway.New(functions(route.Table), route.Table)
	for _, r := range route.Table {
		target := patternExample(r.Pattern)
		if status, got := get(t, gateway, target); status != http.StatusOK || got != r.Function {
			t.Errorf("GET %s = %d from %q, want %q", target, status, got, r.Function)
		}
	}
}

func TestWhatNoRouteMatchesGoesToTheDefault(t *testing.T) {
	with := localgateway.New(functions(route.Table), route.Table)
	pathsAlone := slices.DeleteFunc(slices.Clone(route.Table), func(r route.Route) bool { return r.Pattern == route.Default })
	without := localgateway.New(functions(pathsAlone), pathsAlone)
	for _, target := range []string{
		"/acme/web/alerts/notify.json", "/favicon.ico", "//", "//users/sign_in", "/users/", "/api", "/api/", "/api/v4/",
		"/-", "/-/", "/assets", "/Users/sign_in",
	} {
		if status, got := get(t, with, target); status != http.StatusOK || got != "alerts" {
			t.Errorf("GET %s = %d from %q, want the default route's function", target, status, got)
		}
		if status, body := get(t, without, target); status != http.StatusNotFound || body != `{"message":"Not Found"}` {
			t.Errorf("without a default route GET %s = %d %s, want the gateway's 404", target, status, body)
		}
	}
}

func TestTheMostSpecificRouteWins(t *testing.T) {
	table := []route.Route{
		{Pattern: "/{proxy+}", Function: "rest"},
		{Pattern: "/p/{proxy+}", Function: "greedy"},
		{Pattern: "/p/{id}/errors/{proxy+}", Function: "errors"},
		{Pattern: "/p/{id}", Function: "one"},
		{Pattern: "/p/new", Function: "new"},
	}
	tests := map[string]string{
		"/p/new":         "new",
		"/p/5":           "one",
		"/p/5/errors/x":  "errors",
		"/p/5/errors":    "greedy",
		"/p/a/b/errors/": "greedy",
		"/p/":            "rest",
		"/p":             "rest",
	}
	gateway := localgateway.New(functions(table), table)
	for target, want := range tests {
		if status, got := get(t, gateway, target); status != http.StatusOK || got != want {
			t.Errorf("GET %s = %d from %q, want %q", target, status, got, want)
		}
	}
}

func TestARouteWithoutItsFunctionIsAMistake(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New accepted a route to a function that is missing")
		}
	}()
	localgateway.New(nil, route.Table)
}
