package projectsapi_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

const environments = projects + "/ada%2Fweb/environments"

func TestEnvironments(t *testing.T) {
	a := apptest.New(t)
	h, ada := projectsapi.New(a.App), a.User("ada")
	a.Project("web", a.Namespace(ada), project.Private)
	other := a.Project("other", a.Namespace(ada), project.Private)
	token := a.Token(ada)
	call := func(method, target string, params any) apptest.Answer {
		t.Helper()
		return apptest.Call(t, h, method, target, token, params)
	}
	call("GET", environments, nil).Want(t, 200, []any{})
	production := call("POST", environments, object{"name": "production"})
	production.Want(t, 201, object{"id": float64(production.ID(t)), "name": "production"})
	staging := call("POST", environments, object{"name": "Staging / eu"})
	call("GET", environments, nil).Want(t, 200, []any{production.Body, staging.Body})
	second := call("GET", environments+"?per_page=1&page=2", nil)
	second.Want(t, 200, []any{staging.Body})
	if got := second.Header.Get("X-Total"); got != "2" {
		t.Errorf("X-Total is %s, want 2", got)
	}

	for _, test := range []struct{ params, want object }{
		{object{}, object{"error": "name is missing"}},
		{object{"name": []int{}}, object{"error": "name is invalid"}},
		{object{"name": "a\x00b"}, object{"error": "name is invalid"}},
		{object{"name": " "}, object{"message": object{"name": []any{"can't be blank"}}}},
		{object{"name": nil}, object{"message": object{"name": []any{"can't be blank"}}}},
		{object{"name": strings.Repeat("é", 256)}, object{"message": object{"name": []any{"is too long (maximum is 255 characters)"}}}},
		{object{"name": "production"}, object{"message": object{"name": []any{"has already been taken"}}}},
	} {
		call("POST", environments, test.params).Want(t, 400, test.want)
	}
	call("GET", environments+"?page=x", nil).WantError(t, 400, "page is invalid")
	call("PUT", environments, nil).WantMessage(t, 405, "405 Method Not Allowed")
	call("GET", environments, nil).Want(t, 200, []any{production.Body, staging.Body})

	foreign, err := a.Projects.AddEnvironment(t.Context(), audit.Setup, other, "production")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{fmt.Sprint(foreign.ID), "0", "-1", "x", "9223372036854775808"} {
		call("DELETE", environments+"/"+id, nil).WantMessage(t, 404, "404 Environment Not Found")
	}
	one := fmt.Sprintf("%s/%d", environments, production.ID(t))
	call("DELETE", one, nil).Want(t, 204, nil)
	call("DELETE", one, nil).WantMessage(t, 404, "404 Environment Not Found")
	call("GET", environments, nil).Want(t, 200, []any{staging.Body})
	if left, err := a.Projects.Environments(t.Context(), other); err != nil || len(left) != 1 {
		t.Errorf("the other project has %v, %v", left, err)
	}
}

func TestMostEnvironments(t *testing.T) {
	a := apptest.New(t)
	h, ada := projectsapi.New(a.App), a.User("ada")
	p := a.Project("web", a.Namespace(ada), project.Private)
	for n := range 100 {
		if _, err := a.Projects.AddEnvironment(t.Context(), audit.Setup, p, fmt.Sprint(n)); err != nil {
			t.Fatal(err)
		}
	}
	apptest.Call(t, h, "POST", environments, a.Token(ada), object{"name": "one more"}).
		WantMessage(t, 409, "409 Conflict - the project has the most environments it can have")
}
