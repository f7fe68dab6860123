package projectsapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
)

const (
	restricted   = "restrict_user_defined_variables"
	overrideRole = "ci_pipeline_variables_minimum_override_role"
)

// A change of either setting changes both.
func TestWhoMaySetVariables(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	ada := a.User("ada")
	a.Project("web", a.Namespace(ada), project.Private)
	token, path := a.Token(ada), projects+"/ada%2Fweb"
	tests := []struct {
		stored string
		send   object
		role   string
	}{
		{"developer", object{}, "developer"},
		{"owner", object{}, "owner"},
		{"owner", object{restricted: false}, "developer"},
		{"owner", object{restricted: nil}, "developer"}, // a null is false
		{"developer", object{restricted: true}, "maintainer"},
		{"maintainer", object{restricted: true}, "maintainer"},
		{"owner", object{restricted: "1"}, "owner"},
		{"no_one_allowed", object{restricted: true}, "no_one_allowed"},
		{"developer", object{overrideRole: "owner"}, "owner"},
		{"developer", object{overrideRole: "no_one_allowed"}, "no_one_allowed"},
		{"developer", object{overrideRole: "maintainer"}, "maintainer"},
		{"owner", object{overrideRole: "developer"}, "developer"},
		{"owner", object{overrideRole: nil}, "owner"},
		{"owner", object{overrideRole: "developer", restricted: true}, "developer"},
		{"developer", object{overrideRole: "no_one_allowed", restricted: false}, "no_one_allowed"},
		{"developer", object{overrideRole: nil, restricted: true}, "maintainer"},
	}
	for _, test := range tests {
		apptest.Call(t, h, "PUT", path, token, object{overrideRole: test.stored}).Want(t, 200, nil)
		got := apptest.Call(t, h, "PUT", path, token, test.send)
		got.Want(t, 200, nil)
		want := []any{test.role, test.role != "developer"}
		for _, body := range []object{got.Object(t), apptest.Call(t, h, "GET", path, token, nil).Object(t)} {
			if diff := cmp.Diff(want, []any{body[overrideRole], body[restricted]}); diff != "" {
				t.Errorf("from %s with %v (-want +got):\n%s", test.stored, test.send, diff)
			}
		}
	}
}

func TestWhoMaySetVariablesOfNewProjects(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	token := a.Token(a.User("ada"))
	var want []any
	for _, test := range []struct {
		path string
		send object
		role string
	}{
		{"a", object{}, "developer"},
		{"b", object{restricted: false}, "developer"},
		{"c", object{restricted: true}, "maintainer"},
		{"d", object{overrideRole: "owner"}, "owner"},
		{"e", object{overrideRole: "no_one_allowed", restricted: false}, "no_one_allowed"},
	} {
		test.send["path"] = test.path
		got := apptest.Call(t, h, "POST", projects, token, test.send)
		got.Want(t, 201, nil)
		if diff := cmp.Diff([]any{test.role, test.role != "developer"}, []any{got.Object(t)[overrideRole], got.Object(t)[restricted]}); diff != "" {
			t.Errorf("a new project with %v (-want +got):\n%s", test.send, diff)
		}
		want = append([]any{test.role}, want...)
	}
	if diff := cmp.Diff(want, apptest.Call(t, h, "GET", projects, token, nil).Each(t, overrideRole)); diff != "" {
		t.Errorf("the list has (-want +got):\n%s", diff)
	}
}

func TestVariablesRefusals(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	ada := a.User("ada")
	a.Project("web", a.Namespace(ada), project.Private)
	token, path := a.Token(ada), projects+"/ada%2Fweb"
	for _, test := range []struct {
		send  object
		error string
	}{
		{object{overrideRole: "guest"}, overrideRole + " does not have a valid value"},
		{object{overrideRole: ""}, overrideRole + " does not have a valid value"},
		{object{overrideRole: true}, overrideRole + " is invalid"},
		{object{overrideRole: []any{"owner"}}, overrideRole + " is invalid"},
		{object{restricted: "maybe"}, restricted + " is invalid"},
		{object{restricted: 2}, restricted + " is invalid"},
		{object{restricted: "maybe", overrideRole: "owner"}, restricted + " is invalid"},
	} {
		apptest.Call(t, h, "PUT", path, token, test.send).WantError(t, 400, test.error)
		test.send["path"] = "new"
		apptest.Call(t, h, "POST", projects, token, test.send).WantError(t, 400, test.error)
	}
	if got := apptest.Call(t, h, "GET", path, token, nil).Object(t); got[overrideRole] != "developer" || got[restricted] != false {
		t.Errorf("the project has %v, want the defaults", got)
	}
}

// The former setting is told of as deprecated; the preview refuses it and leaves it out.
func TestRestrictionOfVariablesIsDeprecated(t *testing.T) {
	a := apptest.New(t)
	h := projectsapi.New(a.App)
	ada := a.User("ada")
	a.Project("web", a.Namespace(ada), project.Private)
	token := a.Token(ada)
	call := func(method, path, body string, previews bool) apptest.Answer {
		send := apptest.Call
		if previews {
			send = apptest.Preview
		}
		return send(t, h, method, path, token, json.RawMessage(body))
	}
	for _, target := range []struct{ method, path string }{{"PUT", projects + "/ada%2Fweb"}, {"POST", projects}} {
		const body = `{"restrict_user_defined_variables":true,"path":"web"}`
		call(target.method, target.path, body, true).
			WantError(t, 400, "restrict_user_defined_variables is deprecated: send ci_pipeline_variables_minimum_override_role")
		used := call(target.method, target.path, body, false)
		if used.Header.Get("Deprecation") != "@1734566400" || !strings.Contains(used.Header.Get("Link"), "#restrict-user-defined-variables>") {
			t.Errorf("%s %s answers with %v", target.method, target.path, used.Header)
		}
	}
	shown := call("GET", projects+"/ada%2Fweb", "", true).Object(t)
	if _, there := shown[restricted]; there || shown[overrideRole] != "maintainer" {
		t.Errorf("the preview answers %v", shown)
	}
	listed := call("GET", projects, "", true)
	if diff := cmp.Diff([]any{nil}, listed.Each(t, restricted)); diff != "" {
		t.Errorf("the preview of the list has (-want +got):\n%s", diff)
	}
}
