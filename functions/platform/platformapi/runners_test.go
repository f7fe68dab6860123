package platformapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// runnersAPI makes calls about runners.
type runnersAPI struct {
	*apptest.App
	handler http.Handler
	admin   string // a token
}

func newRunnersAPI(t *testing.T) runnersAPI {
	t.Helper()
	a := apptest.New(t)
	return runnersAPI{a, platformapi.New(a.App), a.Token(a.Admin("root"))}
}

func (x runnersAPI) call(t *testing.T, token, method, path string, params any) apptest.Answer {
	t.Helper()
	return apptest.Call(t, x.handler, method, api+path, token, params)
}

// registration renews the registration token of a place.
func (x runnersAPI) registration(t *testing.T, at project.Place) string {
	t.Helper()
	token, err := x.Runners.ResetToken(t.Context(), audit.ByUser(1), at, "there")
	if err != nil {
		t.Fatal(err)
	}
	return token.Reveal()
}

// register makes a runner of the place and returns its path and its token.
func (x runnersAPI) register(t *testing.T, at project.Place, params object) (one, token string) {
	t.Helper()
	params["token"] = x.registration(t, at)
	made := x.call(t, "", "POST", "/runners", params)
	made.Want(t, 201, nil)
	token, _ = made.Object(t)["token"].(string)
	return fmt.Sprintf("/runners/%d", made.ID(t)), token
}

// runnerAnswer is what a list has of a new runner.
func (x runnersAPI) runnerAnswer(id float64, kind string) object {
	return object{
		"id": id, "description": "", "ip_address": "", "active": true, "paused": false, "is_shared": kind == "instance_type",
		"runner_type": kind, "name": nil, "online": false, "status": "not_connected", "created_at": timeAnswer(x.Now()),
	}
}

func timeAnswer(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// details is what one new runner has besides what a list has of it.
func details(more object) object {
	return with(object{
		"tag_list": []any{}, "run_untagged": true, "locked": false, "access_level": "not_protected", "maximum_timeout": nil,
		"maintenance_note": nil, "contacted_at": nil, "version": nil, "revision": nil, "platform": nil, "architecture": nil,
		"projects": []any{}, "groups": []any{},
	}, more)
}

func TestRunnersRegisterAtEveryPlace(t *testing.T) {
	x := newRunnersAPI(t)
	ada := x.User("ada")
	g := x.Group("acme", project.Group{}, ada, project.Private)
	p := x.Project("web", g, project.Private)
	group := object{"id": float64(g.ID), "name": g.Name, "web_url": apptest.BaseURL + "/console/groups/acme"}
	in := object{
		"id": float64(p.ID), "name": p.Name, "name_with_namespace": "acme / " + p.Name, "path": "web", "path_with_namespace": "acme/web",
		"created_at": timeAnswer(p.CreatedAt),
	}
	var listed []any
	for n, test := range []struct {
		at   project.Place
		kind string
		more object
	}{
		{record.Instance, "instance_type", object{}},
		{g.Place(), "group_type", object{"groups": []any{group}}},
		{p.Place(), "project_type", object{"projects": []any{in}}},
	} {
		id := float64(n + 1)
		made := x.call(t, "", "POST", "/runners", object{"token": x.registration(t, test.at)})
		made.Want(t, 201, nil)
		token, _ := made.Object(t)["token"].(string)
		made.Want(t, 201, object{"id": id, "token": token, "token_expires_at": nil})
		want := x.runnerAnswer(id, test.kind)
		x.call(t, x.admin, "GET", fmt.Sprintf("/runners/%d", n+1), nil).Want(t, 200, with(want, details(test.more)))
		listed = append([]any{want}, listed...)
		x.call(t, x.admin, "GET", "/runners/all", nil).Want(t, 200, listed)
	}
	x.call(t, x.Token(ada), "GET", "/runners", nil).Want(t, 200, listed[:2])
	x.call(t, x.Token(ada), "GET", "/groups/acme/runners", nil).Want(t, 200, listed[1:])
	x.call(t, x.Token(ada), "GET", "/groups/acme/runners?type=group_type", nil).Want(t, 200, listed[1:2])
	x.call(t, x.Token(ada), "GET", "/runners/all", nil).WantMessage(t, 403, "403 Forbidden")
	x.call(t, x.Token(ada), "GET", "/runners/1", nil).Want(t, 200, nil)
	x.call(t, x.Token(x.User("eve")), "GET", "/runners/2", nil).WantMessage(t, 403, "403 Forbidden - No access granted")
	for _, id := range []string{"99", "0", "x"} {
		x.call(t, x.admin, "GET", "/runners/"+id, nil).WantMessage(t, 404, "404 Runner Not Found")
	}
}

func TestAdministratorsMakeRunnersOfTheInstance(t *testing.T) {
	x := newRunnersAPI(t)
	all := object{
		"description": "Build", "paused": true, "locked": true, "run_untagged": false, "tag_list": []string{"linux", "arm 64", "linux"},
		"access_level": "ref_protected", "maximum_timeout": 600, "maintenance_note": "in the cellar", "info": object{"name": "runner", "version": "17"},
	}
	made := x.call(t, x.admin, "POST", "/runners", all)
	made.Want(t, 201, nil)
	want := with(x.runnerAnswer(1, "instance_type"), details(object{
		"description": "Build", "active": false, "paused": true, "name": "runner", "tag_list": []any{"linux", "arm 64"},
		"run_untagged": false, "locked": true, "access_level": "ref_protected", "maximum_timeout": 600., "maintenance_note": "in the cellar",
	}))
	x.call(t, x.admin, "GET", "/runners/1", nil).Want(t, 200, want)
	x.call(t, x.admin, "PUT", "/runners/1", object{"maximum_timeout": nil, "tag_list": "docker, arm 64,", "run_untagged": true}).
		Want(t, 200, with(want, object{"maximum_timeout": nil, "tag_list": []any{"docker", "arm 64"}, "run_untagged": true}))
	x.call(t, x.admin, "POST", "/runners", object{"token": nil}).Want(t, 201, nil) // some clients send what they lack as null
	x.call(t, x.admin, "POST", "/runners", object{"token": ""}).WantMessage(t, 403, "403 Forbidden")
	x.call(t, x.Token(x.User("ada")), "POST", "/runners", object{}).WantMessage(t, 403, "403 Forbidden")
	x.call(t, "", "POST", "/runners", object{}).WantMessage(t, 401, "401 Unauthorized")
}

func TestARunnerUsesItsToken(t *testing.T) {
	x := newRunnersAPI(t)
	one, token := x.register(t, record.Instance, object{})
	status := func(status string, online bool, contact any) {
		t.Helper()
		got := x.call(t, x.admin, "GET", one, nil).Object(t)
		if got["status"] != status || got["online"] != online || got["contacted_at"] != contact {
			t.Errorf("the runner is %v, %v since %v, want %s, %t since %v", got["status"], got["online"], got["contacted_at"], status, online, contact)
		}
	}
	status("not_connected", false, nil)
	x.call(t, "", "POST", "/runners/verify", object{"token": token}).Want(t, 200, object{"id": 1., "token": token, "token_expires_at": nil})
	contact := timeAnswer(x.Now())
	status("online", true, contact)
	x.Pass(2 * time.Hour)
	status("offline", false, contact)

	for _, wrong := range []string{"", token + "0", "gtrt-i0-99-" + token, "unheard"} {
		x.call(t, "", "POST", "/runners/verify", object{"token": wrong}).WantMessage(t, 403, "403 Forbidden")
		x.call(t, "", "DELETE", "/runners", object{"token": wrong}).WantMessage(t, 403, "403 Forbidden")
	}
	for _, path := range []string{"POST /runners/verify", "DELETE /runners"} {
		method, path, _ := strings.Cut(path, " ")
		x.call(t, "", method, path, nil).WantError(t, 400, "token is missing")
		x.call(t, "", method, path, object{"token": []int{1}}).WantError(t, 400, "token is invalid")
	}
	x.call(t, "", "DELETE", "/runners?token="+token, nil).Want(t, 204, nil)
	x.call(t, "", "POST", "/runners/verify", object{"token": token}).WantMessage(t, 403, "403 Forbidden")
	x.call(t, x.admin, "GET", one, nil).WantMessage(t, 404, "404 Runner Not Found")
	x.call(t, "", "DELETE", "/runners", object{"token": token}).WantMessage(t, 403, "403 Forbidden")
	x.call(t, "", "DELETE", "/runners", object{"token": token}).Want(t, 429, nil) // after ten
}

func TestRegistrationTokensAreRenewed(t *testing.T) {
	x := newRunnersAPI(t)
	ada, max := x.User("ada"), x.User("max")
	g := x.Group("acme", project.Group{}, ada, project.Private)
	x.Member(g.Place(), max, project.Maintainer)
	for path, tokens := range map[string]struct{ good, bad string }{
		"/runners":             {x.admin, x.Token(ada)},
		"/groups/acme/runners": {x.Token(ada), x.Token(max)},
	} {
		path += "/reset_registration_token"
		x.call(t, tokens.bad, "POST", path, nil).WantMessage(t, 403, "403 Forbidden")
		x.call(t, "", "POST", path, nil).WantMessage(t, 401, "401 Unauthorized")
		former := ""
		for range 2 {
			reset := x.call(t, tokens.good, "POST", path, nil)
			token, _ := reset.Object(t)["token"].(string)
			reset.Want(t, 201, object{"token": token, "token_expires_at": nil})
			x.call(t, "", "POST", "/runners", object{"token": token}).Want(t, 201, nil)
			if former != "" {
				x.call(t, "", "POST", "/runners", object{"token": former}).WantMessage(t, 403, "403 Forbidden")
			}
			former = token
		}
	}
}

func TestRunnerParametersAreChecked(t *testing.T) {
	x := newRunnersAPI(t)
	one, _ := x.register(t, record.Instance, object{})
	invalid := func(text string) object { return object{"error": text} }
	message := func(field, text string) object { return object{"message": object{field: []any{text}}} }
	for _, test := range []struct{ params, want object }{
		{object{"description": []int{1}, "paused": "maybe", "locked": 2, "run_untagged": "", "maximum_timeout": "long", "tag_list": 1.5, "access_level": object{}},
			invalid("description is invalid, paused is invalid, locked is invalid, run_untagged is invalid, maximum_timeout is invalid, access_level is invalid")},
		{object{"tag_list": []any{"a", 1}}, invalid("tag_list is invalid")},
		{object{"access_level": "all"}, invalid("access_level does not have a valid value")},
		{object{"maximum_timeout": 599}, message("maximum_timeout", "needs to be at least 10 minutes")},
		{object{"run_untagged": false}, message("tags_list", "can not be empty when runner is not allowed to pick untagged jobs")},
		{object{"description": strings.Repeat("x", 1025)}, message("description", "is too long (maximum is 1024 characters)")},
	} {
		x.call(t, x.admin, "PUT", one, test.params).Want(t, 400, test.want)
		x.call(t, x.admin, "POST", "/runners", test.params).Want(t, 400, test.want)
		test.params["token"] = "unheard"
		if _, early := test.want["error"]; early {
			x.call(t, "", "POST", "/runners", test.params).Want(t, 400, test.want)
		} else { // what the token is for is not known
			x.call(t, "", "POST", "/runners", test.params).WantMessage(t, 403, "403 Forbidden")
		}
	}
	x.call(t, x.admin, "POST", "/runners", object{"info": "x"}).WantError(t, 400, "info is invalid")
	x.call(t, "", "POST", "/runners", object{"token": 1.5}).WantMessage(t, 403, "403 Forbidden")
	x.call(t, "", "POST", "/runners", object{"token": true}).WantError(t, 400, "token is invalid")
	const none = "description, active, paused, tag_list, run_untagged, locked, access_level, maximum_timeout, maintenance_note are missing, at least one parameter must be provided"
	x.call(t, x.admin, "PUT", one, object{}).WantError(t, 400, none)
	for _, query := range []string{"type=project", "status=unknown", "scope=x", "type=", "status="} {
		name, _, _ := strings.Cut(query, "=")
		for _, list := range []string{"/runners", "/runners/all"} {
			x.call(t, x.admin, "GET", list+"?"+query, nil).WantError(t, 400, name+" does not have a valid value")
		}
	}
	x.call(t, x.admin, "GET", "/runners?paused=maybe&page=0", nil).WantError(t, 400, "paused is invalid, page is invalid")
}

// Each value of the older name becomes its counterpart under the present one, and
// the reverse, in every call that takes it.
func TestActiveIsTheOppositeOfPaused(t *testing.T) {
	x := newRunnersAPI(t)
	made := 0
	send := func(call string, params object, preview bool) (sent apptest.Answer, shown object) {
		t.Helper()
		method, path, _ := strings.Cut(call, " ")
		send := apptest.Call
		if preview {
			send = apptest.Preview
		}
		sent = send(t, x.handler, method, api+path, x.admin, params)
		if sent.Status >= 300 {
			return sent, nil
		}
		if method == "POST" {
			made++
			path = fmt.Sprintf("/runners/%d", made)
		}
		return sent, x.call(t, x.admin, "GET", path, nil).Object(t)
	}
	if _, shown := send("POST /runners", object{}, false); shown["active"] != true || shown["paused"] != false {
		t.Errorf("a new runner is %v", shown)
	}
	values := []struct {
		sent any
		is   bool
	}{{true, true}, {false, false}, {"true", true}, {"0", false}}
	for _, call := range []string{"POST /runners", "PUT /runners/1"} {
		for _, value := range values {
			for name, old := range map[string]bool{"active": true, "paused": false} {
				params := object{name: value.sent}
				sent, shown := send(call, params, false)
				if shown["active"] != (value.is == old) || shown["paused"] != (value.is != old) {
					t.Errorf("%s %v makes %v", call, params, shown)
				}
				told := sent.Header.Get("Deprecation") != "" && strings.Contains(sent.Header.Get("Link"), "#runner-active>")
				if told != old {
					t.Errorf("%s %v is told to be deprecated: %t, want %t", call, params, told, old)
				}
				previewed, _ := send(call, params, true)
				if old {
					previewed.WantError(t, 400, "active is deprecated: send paused")
				} else if got := previewed.Object(t); previewed.Status >= 300 || strings.HasPrefix(call, "PUT") && (got["active"] != nil || got["ip_address"] != nil || got["paused"] != value.is) {
					t.Errorf("%s %v in the preview answers %d %v", call, params, previewed.Status, got)
				}
			}
		}
		for _, wrong := range []any{"maybe", 2, []any{}, object{}, ""} {
			for _, name := range []string{"active", "paused"} {
				answer, _ := send(call, object{name: wrong}, false)
				answer.WantError(t, 400, name+" is invalid")
			}
		}
		for _, both := range []object{{"active": true, "paused": false}, {"active": true, "paused": true}} {
			answer, _ := send(call, both, false)
			answer.WantError(t, 400, "active, paused are mutually exclusive")
			answer, _ = send(call, both, true)
			answer.WantError(t, 400, "active is deprecated: send paused")
		}
	}
}

// A null of either name is as if it was not sent.
func TestANullNeitherPausesNorResumes(t *testing.T) {
	x := newRunnersAPI(t)
	for n, test := range []struct {
		params      object
		was, paused bool
	}{
		{object{"active": nil}, false, false},
		{object{"active": nil}, true, true},
		{object{"paused": nil}, false, false},
		{object{"paused": nil}, true, true},
		{object{"active": nil, "paused": nil}, true, true},
		{object{"active": true, "paused": nil}, true, false},
		{object{"active": nil, "paused": true}, false, true},
	} {
		x.call(t, x.admin, "POST", "/runners", object{"paused": test.was}).Want(t, 201, nil)
		changed := x.call(t, x.admin, "PUT", fmt.Sprintf("/runners/%d", n+1), test.params)
		if changed.Want(t, 200, nil); changed.Object(t)["paused"] != test.paused {
			t.Errorf("%v of a runner that is paused: %t makes %v", test.params, test.was, changed.Body)
		}
	}
	made := x.call(t, x.admin, "POST", "/runners", object{"active": nil})
	if got := x.call(t, x.admin, "GET", fmt.Sprintf("/runners/%v", made.ID(t)), nil).Object(t); got["paused"] != false {
		t.Errorf("a new runner with a null is %v", got)
	}
}

// What some clients call a status selects like ours, and no runner is stale by itself.
func TestOtherStatusesSelect(t *testing.T) {
	x := newRunnersAPI(t)
	x.register(t, record.Instance, object{"description": "never"})
	_, token := x.register(t, record.Instance, object{"description": "once"})
	x.call(t, "", "POST", "/runners/verify", object{"token": token}).Want(t, 200, nil)
	x.Pass(8 * 24 * time.Hour)
	for status, want := range map[string]string{"never_contacted": "never not_connected", "stale": "once offline"} {
		for _, name := range []string{"status", "scope"} {
			found := x.call(t, x.admin, "GET", "/runners/all?"+name+"="+status, nil)
			names, statuses := found.Each(t, "description"), found.Each(t, "status")
			if len(names) != 1 || fmt.Sprint(names[0], " ", statuses[0]) != want {
				t.Errorf("%s=%s has %v, %v, want %s", name, status, names, statuses, want)
			}
		}
	}
}

// The older values of status and scope select as paused does, and the preview refuses
// them and leaves out what is deprecated.
func TestOlderStatusesSelectAsPaused(t *testing.T) {
	x := newRunnersAPI(t)
	ada := x.User("ada")
	token := x.Token(ada)
	g := x.Group("acme", project.Group{}, ada, project.Private)
	x.register(t, g.Place(), object{"description": "active"})
	x.register(t, g.Place(), object{"description": "paused", "paused": true})
	ask := func(path string, preview bool) apptest.Answer {
		send, by := apptest.Call, token
		if preview {
			send = apptest.Preview
		}
		if strings.HasPrefix(path, "/runners/all") {
			by = x.admin
		}
		return send(t, x.handler, "GET", api+path, by, nil)
	}
	for _, list := range []string{"/runners", "/runners/all", "/groups/acme/runners"} {
		for _, name := range []string{"status", "scope"} {
			for value, paused := range map[string]string{"active": "false", "paused": "true"} {
				older, present := ask(list+"?"+name+"="+value, false), ask(list+"?paused="+paused, false)
				older.Want(t, 200, present.Body)
				if got := older.Each(t, "description"); len(got) != 1 || got[0] != value {
					t.Errorf("%s?%s=%s has %v", list, name, value, got)
				}
				if older.Header.Get("Deprecation") == "" || present.Header.Get("Deprecation") != "" {
					t.Errorf("%s?%s=%s is told to be deprecated: %q, and paused: %q", list, name, value, older.Header.Get("Deprecation"), present.Header.Get("Deprecation"))
				}
				ask(list+"?"+name+"="+value, true).WantError(t, 400, name+" is deprecated with this value: send paused")
			}
			ask(list+"?"+name+"=not_connected", true).Want(t, 200, nil)
		}
		for _, one := range ask(list, true).Body.([]any) {
			shown := one.(map[string]any)
			_, active := shown["active"]
			_, address := shown["ip_address"]
			if active || address || shown["paused"] == nil {
				t.Errorf("%s in the preview has %v", list, shown)
			}
		}
	}
}

func TestRunnersAreChangedAndDeletedByWhoManagesThem(t *testing.T) {
	x := newRunnersAPI(t)
	ada, eve := x.User("ada"), x.User("eve")
	p := x.Project("web", x.Namespace(ada), project.Private)
	x.Member(p.Place(), eve, project.Developer)
	one, _ := x.register(t, p.Place(), object{})
	change := object{"description": "Build"}
	x.call(t, "", "PUT", one, change).WantMessage(t, 401, "401 Unauthorized")
	for _, method := range []string{"PUT", "DELETE"} {
		x.call(t, x.Token(eve), method, one, change).WantMessage(t, 403, "403 Forbidden - No access granted")
	}
	shared, _ := x.register(t, record.Instance, object{})
	for _, method := range []string{"PUT", "DELETE"} {
		x.call(t, x.Token(ada), method, shared, change).WantMessage(t, 403, "403 Forbidden - No access granted")
	}
	x.call(t, x.Token(ada), "PUT", one, change).Want(t, 200, nil)
	if got := x.call(t, x.Token(ada), "GET", one, nil).Object(t)["description"]; got != "Build" {
		t.Errorf("the description is %v", got)
	}
	x.call(t, x.Token(ada), "DELETE", one, nil).Want(t, 204, nil)
	x.call(t, x.Token(ada), "DELETE", one, nil).WantMessage(t, 404, "404 Runner Not Found")
	x.call(t, x.admin, "DELETE", shared, nil).Want(t, 204, nil)
}
