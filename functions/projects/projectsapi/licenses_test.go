package projectsapi_test

import (
	"fmt"
	"net/url"
	"testing"

	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
)

// licenseFamilies are the two names of the same policies.
var licenseFamilies = []string{projects + "/ada%2Fweb/license_approval_policies", projects + "/ada%2Fweb/managed_licenses"}

func TestLicensePolicies(t *testing.T) {
	a := apptest.New(t)
	h, ada := projectsapi.New(a.App), a.User("ada")
	p := a.Project("web", a.Namespace(ada), project.Private)
	token := a.Token(ada)
	call := func(method, target string, params any) apptest.Answer {
		t.Helper()
		return apptest.Call(t, h, method, target, token, params)
	}
	for n, family := range licenseFamilies {
		call("GET", family, nil).Want(t, 200, []any{})
		other := licenseFamilies[1-n]
		name := []string{"MIT", "GPL 2.0 or later"}[n]
		want := object{"id": float64(n + 1), "name": name, "approval_status": "allowed"}
		call("POST", family, object{"name": name, "approval_status": "allowed"}).Want(t, 201, want)
		want["approval_status"] = "denied"
		one := fmt.Sprintf("%s/%d", other, n+1)
		call("PATCH", one, object{"approval_status": "denied"}).Want(t, 200, want)
		for _, path := range []string{one, family + "/" + url.PathEscape(name), fmt.Sprintf("%s/%d/managed_licenses/%s", projects, p.ID, url.PathEscape(name))} {
			call("GET", path, nil).Want(t, 200, want)
		}
		call("GET", other, nil).Want(t, 200, []any{want})
		call("DELETE", family+"/"+url.PathEscape(name), nil).Want(t, 204, nil)
		call("GET", one, nil).WantMessage(t, 404, "404 License Policy Not Found")
	}
}

func TestLicensePolicyRefusals(t *testing.T) {
	a := apptest.New(t)
	h, ada := projectsapi.New(a.App), a.User("ada")
	a.Project("web", a.Namespace(ada), project.Private)
	a.Project("other", a.Namespace(ada), project.Private)
	token := a.Token(ada)
	for _, family := range licenseFamilies {
		call := func(method, path string, params any) apptest.Answer {
			t.Helper()
			return apptest.Call(t, h, method, family+path, token, params)
		}
		made := call("POST", "", object{"name": family, "approval_status": "denied"})
		one := fmt.Sprintf("/%d", made.ID(t))
		const status = "approval_status does not have a valid value"
		for _, test := range []struct{ params, want object }{
			{object{}, object{"error": "name is missing, approval_status is missing"}},
			{object{"name": "x", "approval_status": nil}, object{"error": "approval_status is missing"}},
			{object{"name": "x", "approval_status": "approved"}, object{"error": status}},
			{object{"name": "x", "approval_status": []int{1}}, object{"error": "approval_status is invalid"}},
			{object{"name": " ", "approval_status": "denied"}, object{"message": object{"name": []any{"can't be blank"}}}},
			{object{"name": family, "approval_status": "denied"}, object{"message": object{"name": []any{"has already been taken"}}}},
		} {
			call("POST", "", test.params).Want(t, 400, test.want)
		}
		call("PATCH", one, nil).WantError(t, 400, "approval_status is missing")
		call("PATCH", one, object{"approval_status": ""}).WantError(t, 400, status)
		call("GET", one, nil).Want(t, 200, made.Body)
		for _, path := range []string{"/99", "/0", "/BSD", "/99999999999999999999"} {
			call("GET", path, nil).WantMessage(t, 404, "404 License Policy Not Found")
		}
		call("PUT", one, object{"approval_status": "denied"}).WantMessage(t, 405, "405 Method Not Allowed")
		apptest.Call(t, h, "GET", projects+"/ada%2Fother/managed_licenses"+one, token, nil).WantMessage(t, 404, "404 License Policy Not Found")
	}
}
