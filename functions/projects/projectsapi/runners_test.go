package projectsapi_test

import (
	"fmt"
	"net/netip"
	"testing"

	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/runner"
	"gatehouse/shared/secret"
)

// addRunner makes a runner of the place.
func addRunner(t *testing.T, a *apptest.App, at project.Place, c runner.Change) runner.Made {
	t.Helper()
	token, err := a.Runners.ResetToken(t.Context(), audit.ByUser(1), at, "there")
	if err != nil {
		t.Fatal(err)
	}
	made, err := a.Runners.Register(t.Context(), token, netip.Addr{}, c)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestRunnersOfAProject(t *testing.T) {
	a := apptest.New(t)
	h, ada, eve, max := projectsapi.New(a.App), a.User("ada"), a.User("eve"), a.User("max")
	g := a.Group("acme", project.Group{}, ada, project.Private)
	web, other := a.Project("web", g, project.Private), a.Project("other", a.Namespace(eve), project.Private)
	a.Member(web.Place(), max, project.Developer)
	a.Member(web.Place(), eve, project.Maintainer)
	instance, ofGroup := addRunner(t, a, record.Instance, runner.Change{}), addRunner(t, a, g.Place(), runner.Change{})
	own, borrowed := addRunner(t, a, web.Place(), runner.Change{}), addRunner(t, a, other.Place(), runner.Change{})
	call := func(token, method, path string, params any) apptest.Answer {
		t.Helper()
		return apptest.Call(t, h, method, projects+"/acme%2Fweb/runners"+path, token, params)
	}
	const all = ""
	wantIDs := func(query string, want ...int64) {
		t.Helper()
		got := call(a.Token(eve), "GET", query, nil).Each(t, "id")
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the list %q has %v, want %v", query, got, want)
		}
	}
	wantIDs(all, own.ID, ofGroup.ID, instance.ID)
	call(a.Token(max), "GET", all, nil).WantMessage(t, 403, "403 Forbidden")

	assign := object{"runner_id": borrowed.ID}
	call(a.Token(ada), "POST", all, assign).WantMessage(t, 403, "403 Forbidden - No access granted")
	answer := call(a.Token(eve), "POST", all, assign)
	answer.Want(t, 201, nil)
	if got := answer.Object(t); got["id"] != float64(borrowed.ID) || got["active"] != true || got["paused"] != false || got["ip_address"] != "" || got["tag_list"] != nil {
		t.Errorf("assigned is %v", got)
	}
	wantIDs(all, borrowed.ID, own.ID, ofGroup.ID, instance.ID)
	wantIDs("?type=project_type", borrowed.ID, own.ID)
	wantIDs("?type=project_type&status=online")
	wantIDs("?per_page=1&page=2", own.ID)
	call(a.Token(eve), "POST", all, assign).Want(t, 400, object{"message": object{"runner_id": []any{"has already been taken"}}})
	call(a.Token(ada), "POST", all, object{"runner_id": ofGroup.ID}).WantMessage(t, 403, "403 Forbidden - Runner is a group runner")
	call(a.Token(ada), "POST", all, object{"runner_id": instance.ID}).WantMessage(t, 403, "403 Forbidden - Runner is an instance runner")
	call(a.Token(ada), "POST", all, object{"runner_id": 99}).WantMessage(t, 404, "404 Runner Not Found")
	call(a.Token(ada), "POST", all, object{}).WantError(t, 400, "runner_id is missing")
	call(a.Token(ada), "POST", all, object{"runner_id": "x"}).WantError(t, 400, "runner_id is invalid")

	one := func(made runner.Made) string { return fmt.Sprintf("/%d", made.ID) }
	call(a.Token(max), "DELETE", one(borrowed), nil).WantMessage(t, 403, "403 Forbidden")
	call(a.Token(ada), "DELETE", one(own), nil).WantMessage(t, 403, "403 Forbidden - Runner belongs to this project. Remove the runner instead")
	call(a.Token(ada), "DELETE", one(borrowed), nil).Want(t, 204, nil)
	for _, path := range []string{one(borrowed), one(ofGroup), "/99", "/x"} {
		call(a.Token(ada), "DELETE", path, nil).WantMessage(t, 404, "404 Runner Not Found")
	}
	wantIDs(all, own.ID, ofGroup.ID, instance.ID)
}

func TestRegistrationTokenOfAProject(t *testing.T) {
	a := apptest.New(t)
	h, ada, max := projectsapi.New(a.App), a.User("ada"), a.User("max")
	p := a.Project("web", a.Namespace(ada), project.Private)
	a.Member(p.Place(), max, project.Developer)
	const path = projects + "/ada%2Fweb/runners/reset_registration_token"
	apptest.Call(t, h, "POST", path, a.Token(max), nil).WantMessage(t, 403, "403 Forbidden")
	reset := apptest.Call(t, h, "POST", path, a.Token(ada), nil)
	token, _ := reset.Object(t)["token"].(string)
	reset.Want(t, 201, object{"token": token, "token_expires_at": nil})
	made, err := a.Runners.Register(t.Context(), secret.NewText(token), netip.Addr{}, runner.Change{})
	if err != nil || made.Place != p.Place() {
		t.Errorf("Register = %+v, %v, want a runner of the project", made, err)
	}
}
