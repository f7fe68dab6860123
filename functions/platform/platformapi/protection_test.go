package platformapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
)

const (
	settings   = api + "/application/settings"
	level      = "default_branch_protection"
	protection = "default_branch_protection_defaults"
)

// protectedBy returns the object in an answer.
func protectedBy(push, merge []int, force, initial, owners bool) object {
	levels := func(all []int) []any {
		list := []any{}
		for _, n := range all {
			list = append(list, object{"access_level": float64(n)})
		}
		return list
	}
	return object{
		"allowed_to_push": levels(push), "allowed_to_merge": levels(merge), "allow_force_push": force,
		"developer_can_initial_push": initial, "code_owner_approval_required": owners,
	}
}

var factory = protectedBy([]int{40}, []int{40}, false, false, false)

// presets are what the numbers stand for.
var presets = []object{
	protectedBy([]int{30}, []int{30}, true, false, false), protectedBy([]int{30}, []int{30}, false, false, false), factory,
	protectedBy([]int{40}, []int{30}, false, false, false), protectedBy([]int{40}, []int{40}, false, true, false),
}

func wantProtection(t *testing.T, from object, number int, object any) {
	t.Helper()
	if diff := cmp.Diff([]any{float64(number), object}, []any{from[level], from[protection]}); diff != "" {
		t.Errorf("the protection differs (-want +got):\n%s", diff)
	}
}

// The number and the object are in step, whichever is sent, on groups and on the settings.
func TestProtectionByNumberAndObject(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root := a.Admin("root")
	a.Group("acme", project.Group{}, root, project.Private)
	token := a.Token(root)
	levels := func(n ...any) object { return object{"allowed_to_push": n, "allowed_to_merge": n} }
	tests := []struct {
		name   string
		send   object
		number int
		object object
	}{
		{"both", object{level: 0, protection: levels(40)}, 2, factory},
		{"a number and a null", object{level: 3, protection: nil}, 3, presets[3]},
		{"integers", object{protection: levels(30)}, 1, presets[1]},
		{"texts", object{protection: levels("30")}, 1, presets[1]},
		{"objects", object{protection: levels(object{"access_level": 30})}, 1, presets[1]},
		{"several levels", object{protection: levels(40, 30, 0, 30)}, 1, protectedBy([]int{0, 30, 40}, []int{0, 30, 40}, false, false, false)},
		{"nobody", object{protection: levels(0)}, 2, protectedBy([]int{0}, []int{0}, false, false, false)},
		{"merges by developers", object{protection: object{"allowed_to_push": []any{0}, "allowed_to_merge": []any{0, 30}}}, 3,
			protectedBy([]int{0}, []int{0, 30}, false, false, false)},
		{"first pushes by developers", object{protection: object{"developer_can_initial_push": true, "allow_force_push": true}}, 4,
			protectedBy([]int{40}, []int{40}, true, true, false)},
		{"code owners", object{protection: object{"code_owner_approval_required": true}}, 2, protectedBy([]int{40}, []int{40}, false, false, true)},
		{"nulls in the object", object{protection: object{"allowed_to_push": nil, "allow_force_push": nil}}, 2, factory},
	}
	for n, want := range presets {
		tests = append(tests, struct {
			name   string
			send   object
			number int
			object object
		}{"a number", object{level: n}, n, want})
	}
	for _, path := range []string{groups + "/acme", settings} {
		for _, test := range tests {
			apptest.Call(t, h, "PUT", path, token, object{level: 1}).Want(t, 200, nil) // is another one
			got := apptest.Call(t, h, "PUT", path, token, test.send)
			got.Want(t, 200, nil)
			t.Log(path, test.name)
			wantProtection(t, got.Object(t), test.number, test.object)
			wantProtection(t, apptest.Call(t, h, "GET", path, token, nil).Object(t), test.number, test.object)
			for _, nothing := range []object{{}, {level: nil}, {protection: nil}} {
				apptest.Call(t, h, "PUT", path, token, nothing).Want(t, 200, got.Body)
			}
		}
	}
}

func TestProtectionRefusals(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root := a.Admin("root")
	a.Group("acme", project.Group{}, root, project.Private)
	token := a.Token(root)
	const push = protection + "[allowed_to_push]"
	for _, test := range []struct {
		send  object
		error string
	}{
		{object{level: 5}, level + " does not have a valid value"},
		{object{level: -1}, level + " does not have a valid value"},
		{object{level: "two"}, level + " is invalid"},
		{object{level: true}, level + " is invalid"},
		{object{level: []any{2}}, level + " is invalid"},
		{object{level: 5, protection: object{"allow_force_push": true}}, level + " does not have a valid value"},
		{object{protection: 2}, protection + " is invalid"},
		{object{protection: []any{}}, protection + " is invalid"},
		{object{protection: object{}}, protection + " has no known member"},
		{object{protection: object{"push": []any{0}, "allowed_to_psuh": []any{0}}}, protection + " has no known member"},
		{object{level: 1, protection: object{"bogus": 1}}, protection + " has no known member"},
		{object{protection: object{"allowed_to_push": 30}}, push + " is invalid"},
		{object{protection: object{"allowed_to_push": []any{}}}, push + " is empty"},
		{object{protection: object{"allowed_to_push": []any{50}}}, push + " does not have a valid value"},
		{object{protection: object{"allowed_to_push": []any{object{}}}}, push + " is invalid"},
		{object{protection: object{"allow_force_push": "maybe", "developer_can_initial_push": 2, "code_owner_approval_required": []any{}}},
			protection + "[allow_force_push] is invalid, " + protection + "[developer_can_initial_push] is invalid, " + protection + "[code_owner_approval_required] is invalid"},
	} {
		for _, path := range []string{groups + "/acme", settings} {
			apptest.Call(t, h, "PUT", path, token, test.send).WantError(t, 400, test.error)
		}
		apptest.Call(t, h, "POST", groups, token, with(object{"name": "x", "path": "x"}, test.send)).WantError(t, 400, test.error)
	}
	wantProtection(t, apptest.Call(t, h, "GET", groups+"/acme", token, nil).Object(t), 2, factory)
	wantProtection(t, apptest.Call(t, h, "GET", settings, token, nil).Object(t), 2, factory)
}

// The level of the instance's administrators is for the settings alone.
func TestLevelOfAdministrators(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root := a.Admin("root")
	a.Group("acme", project.Group{}, root, project.Private)
	token, send := a.Token(root), object{protection: object{"allowed_to_push": []any{60}}}
	want := protectedBy([]int{60}, []int{40}, false, false, false)
	wantProtection(t, apptest.Call(t, h, "PUT", settings, token, send).Object(t), 2, want)
	const refused = protection + "[allowed_to_push] does not have a valid value"
	apptest.Call(t, h, "PUT", groups+"/acme", token, send).WantError(t, 400, refused)
	made := apptest.Call(t, h, "POST", groups, token, object{"name": "New", "path": "new"})
	made.Want(t, 201, nil)
	wantProtection(t, made.Object(t), 2, want)

	// What a group has can be written back, and given up.
	saved := apptest.Call(t, h, "PUT", groups+"/new", token, object{protection: made.Object(t)[protection]})
	saved.Want(t, 200, made.Body)
	apptest.Call(t, h, "PUT", groups+"/new", token, object{protection: object{"allowed_to_merge": []any{60}}}).
		WantError(t, 400, protection+"[allowed_to_merge] does not have a valid value")
	wantProtection(t, apptest.Call(t, h, "PUT", groups+"/new", token, object{protection: object{"allowed_to_push": []any{60, 40}}}).Object(t), 2,
		protectedBy([]int{40, 60}, []int{40}, false, false, false))
	apptest.Call(t, h, "PUT", groups+"/new", token, object{level: 2}).Want(t, 200, nil)
	apptest.Call(t, h, "PUT", groups+"/new", token, send).WantError(t, 400, refused)
}

func TestNewGroupsAreProtectedAsTheInstanceSays(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, root := a.User("ada"), a.Admin("root")
	a.Group("older", project.Group{}, ada, project.Private)
	apptest.Call(t, h, "PUT", settings, a.Token(root), object{level: 1}).Want(t, 200, nil)
	token := a.Token(ada)
	made := func(path string, more object) object {
		got := apptest.Call(t, h, "POST", groups, token, with(object{"name": path, "path": path}, more))
		got.Want(t, 201, nil)
		apptest.Call(t, h, "GET", groups+"/"+path, token, nil).Want(t, 200, got.Body)
		return got.Object(t)
	}
	wantProtection(t, made("new", nil), 1, presets[1])
	wantProtection(t, made("null", object{level: nil}), 1, presets[1])
	wantProtection(t, made("own", object{level: 3}), 3, presets[3])
	wantProtection(t, made("factory", object{protection: object{"allowed_to_push": []any{40}}}), 2, factory)
	apptest.Call(t, h, "PUT", settings, a.Token(root), object{level: 4}).Want(t, 200, nil)
	listed := apptest.Call(t, h, "GET", groups, token, nil)
	if diff := cmp.Diff([]any{2.0, 3.0, 1.0, 1.0, 2.0}, listed.Each(t, level)); diff != "" {
		t.Errorf("the list has (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{factory, presets[3], presets[1], presets[1], factory}, listed.Each(t, protection)); diff != "" {
		t.Errorf("the list has (-want +got):\n%s", diff)
	}
}

func TestWhoMayCallAboutSettings(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	token := a.Token(a.User("ada"))
	for _, method := range []string{"GET", "PUT"} {
		apptest.Call(t, h, method, settings, token, nil).WantMessage(t, 403, "403 Forbidden")
		apptest.Call(t, h, method, settings, "", nil).Want(t, 401, nil)
		apptest.Call(t, h, method, settings, a.Token(a.Admin("root-"+strings.ToLower(method))), nil).Want(t, 200, object{
			level: 2.0, protection: factory, "can_create_group": true, "default_group_visibility": "private",
			"default_project_visibility": "private", "sign_in_text": "", "help_page_support_url": "",
		})
	}
}

// The number is told of and counted as deprecated; the preview refuses it and leaves it
// out.
func TestNumberOfProtectionIsDeprecated(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root := a.Admin("root")
	a.Group("acme", project.Group{}, root, project.Private)
	token := a.Token(root)
	call := func(method, path, body string, previews bool) apptest.Answer {
		send := apptest.Call
		if previews {
			send = apptest.Preview
		}
		return send(t, h, method, path, token, json.RawMessage(body))
	}
	const complaint = "default_branch_protection is deprecated: send default_branch_protection_defaults"
	for _, target := range []struct{ method, path, more string }{
		{"PUT", groups + "/acme", ""}, {"PUT", settings, ""}, {"POST", groups, `,"name":"x","path":"x"`},
	} {
		if got := call("GET", target.path, "", false); got.Header.Get("Deprecation") != "" {
			t.Errorf("GET %s answers with %v, though it has the new name, too", target.path, got.Header)
		}
		call(target.method, target.path, `{"default_branch_protection":3`+target.more+`}`, true).WantError(t, 400, complaint)
		used := call(target.method, target.path, `{"default_branch_protection":null`+target.more+`}`, false)
		if used.Header.Get("Deprecation") != "@1715817600" || !strings.Contains(used.Header.Get("Link"), "#default-branch-protection>") {
			t.Errorf("%s %s answers with %v", target.method, target.path, used.Header)
		}
		previewed := call("GET", target.path, "", true)
		for _, body := range objects(previewed.Body) {
			if _, there := body[level]; there || body[protection] == nil {
				t.Errorf("GET %s answers %v in the preview", target.path, body)
			}
		}
	}
}

// objects returns the object that the body is, or those in the list that it is.
func objects(body any) (all []object) {
	if one, ok := body.(object); ok {
		return []object{one}
	}
	for _, one := range body.([]any) {
		all = append(all, one.(object))
	}
	return all
}

// Old clients send forms, some of them with a file.
func TestProtectionInAForm(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root := a.Admin("root")
	a.Group("acme", project.Group{}, root, project.Private)
	const of = protection + "[allowed_to_"
	for body, want := range map[string]object{
		level + "=3": presets[3],
		of + "push][][access_level]=30&" + of + "merge][]=30&" + protection + "[allow_force_push]=true": presets[0],
	} {
		r := httptest.NewRequest("PUT", groups+"/acme", strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Private-Token": {a.Token(root)}}
		if got := apptest.Send(t, h, r).Object(t)[protection]; !cmp.Equal(any(want), got) {
			t.Errorf("%s gives %v, want %v", body, got, want)
		}
	}
}
