package projectsapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

// mirrorAPI makes calls about a project that ada owns.
type mirrorAPI struct {
	*apptest.App
	handler     http.Handler
	token, root string
}

const mirrored = projects + "/ada%2Fweb"

func newMirrorAPI(t *testing.T) mirrorAPI {
	t.Helper()
	a := apptest.New(t)
	ada := a.User("ada")
	a.Project("web", a.Namespace(ada), project.Private)
	return mirrorAPI{a, projectsapi.New(a.App), a.Token(ada), a.Token(a.Admin("root"))}
}

func (m mirrorAPI) call(t *testing.T, method, path string, params any) apptest.Answer {
	t.Helper()
	return apptest.Call(t, m.handler, method, mirrored+path, m.token, params)
}

func (m mirrorAPI) report(t *testing.T, params any) apptest.Answer {
	t.Helper()
	return apptest.Call(t, m.handler, "PUT", mirrored+"/mirror/pull/status", m.root, params)
}

func (m mirrorAPI) time() string { return m.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// mirrorAnswer is a mirror that nobody set up, with changes.
func mirrorAnswer(changes object) object {
	body := object{
		"id": 1., "enabled": false, "url": nil, "last_error": nil, "last_successful_update_at": nil, "last_update_at": nil,
		"last_update_started_at": nil, "update_status": "none", "mirror_trigger_builds": false, "only_mirror_protected_branches": nil,
		"mirror_overwrites_diverged_branches": false, "mirror_branch_regex": nil,
	}
	for name, value := range changes {
		body[name] = value
	}
	return body
}

const mirrorPath = "/mirror/pull"

func TestPullMirror(t *testing.T) {
	m := newMirrorAPI(t)
	m.call(t, "GET", mirrorPath, nil).Want(t, 200, mirrorAnswer(nil))
	m.call(t, "POST", mirrorPath, nil).WantMessage(t, 400, "400 Bad request - the project is not a mirror")
	m.call(t, "PUT", mirrorPath, nil).Want(t, 200, mirrorAnswer(nil))

	want := object{
		"enabled": true, "url": "https://*****:*****@git.example/web.git", "mirror_trigger_builds": true,
		"mirror_overwrites_diverged_branches": true, "mirror_branch_regex": "^release/", "only_mirror_protected_branches": false,
	}
	m.call(t, "PUT", mirrorPath, object{
		"enabled": true, "url": "https://git.example/web.git", "auth_user": "ada", "auth_password": "a token", "mirror_trigger_builds": true,
		"mirror_overwrites_diverged_branches": true, "mirror_branch_regex": "^release/", "only_mirror_protected_branches": nil,
	}).Want(t, 200, mirrorAnswer(want))
	m.call(t, "PUT", mirrorPath, object{"url": want["url"], "mirror_branch_regex": nil}).Want(t, 200, mirrorAnswer(want))
	m.call(t, "GET", mirrorPath, nil).Want(t, 200, mirrorAnswer(want))

	want["update_status"] = "scheduled"
	m.call(t, "POST", mirrorPath, nil).Want(t, 202, mirrorAnswer(want))
	m.call(t, "PUT", mirrorPath+"?enabled=false&url=&mirror_branch_regex=&only_mirror_protected_branches=true", nil).Want(t, 200, mirrorAnswer(object{
		"mirror_trigger_builds": true, "mirror_overwrites_diverged_branches": true, "only_mirror_protected_branches": true, "update_status": "scheduled",
	}))
}

func TestPullMirrorReports(t *testing.T) {
	m := newMirrorAPI(t)
	m.call(t, "PUT", mirrorPath, object{"enabled": true, "url": "https://ada:s%2Fcret@git.example/web.git"}).Want(t, 200, nil)
	want := mirrorAnswer(object{"enabled": true, "url": "https://*****:*****@git.example/web.git", "update_status": "started", "last_update_started_at": m.time()})
	m.report(t, object{"update_status": "started"}).Want(t, 200, want)
	m.Pass(time.Minute)
	want["update_status"], want["last_update_at"] = "failed", m.time()
	want["last_error"] = "cannot reach https://*****@git.example/web.git: s***** or *****"
	m.report(t, object{"update_status": "failed", "last_error": "cannot reach https://ada:s%2Fcret@git.example/web.git: ss/cret or s/cret"}).Want(t, 200, want)
	m.call(t, "GET", mirrorPath, nil).Want(t, 200, want)
	m.Pass(time.Minute)
	at := "2026-11-22T12:00:00.500Z"
	want["update_status"], want["last_update_at"], want["last_successful_update_at"], want["last_error"] = "finished", at, at, nil
	m.report(t, object{"update_status": "finished", "last_update_at": "2026-11-22T13:00:00.5+01:00"}).Want(t, 200, want)
	want["update_status"] = "scheduled"
	m.call(t, "POST", mirrorPath, nil).Want(t, 202, want)
	m.report(t, object{"update_status": "scheduled", "last_error": nil, "last_update_at": nil}).Want(t, 200, want)
}

// Either way of changing a mirror masks the former credentials, and clears what was said
// of the former repository.
func TestFormerCredentialsOfAMirror(t *testing.T) {
	m := newMirrorAPI(t)
	m.call(t, "PUT", mirrorPath, object{"enabled": true, "url": "https://user:oldsecret99@git.example/web.git"}).Want(t, 200, nil)
	m.call(t, "PUT", mirrorPath, object{"auth_password": "newsecret77"}).Want(t, 200, nil)
	want := mirrorAnswer(object{
		"enabled": true, "url": "https://*****:*****@git.example/web.git", "update_status": "failed", "last_update_at": m.time(),
		"last_error": "remote: token ***** rejected",
	})
	m.report(t, object{"update_status": "failed", "last_error": "remote: token oldsecret99 rejected"}).Want(t, 200, want)
	want["last_error"] = nil
	m.call(t, "PUT", mirrorPath, object{"auth_password": "third555"}).Want(t, 200, want)

	m.call(t, "PUT", "", object{"import_url": "https://other.example"}).Want(t, 200, nil)
	m.call(t, "GET", mirrorPath, nil).Want(t, 200, mirrorAnswer(object{"enabled": true, "url": "https://other.example"}))
	want = mirrorAnswer(object{
		"enabled": true, "url": "https://other.example", "update_status": "failed", "last_update_at": m.time(), "last_error": "***** or *****",
	})
	m.report(t, object{"update_status": "failed", "last_error": "newsecret77 or third555"}).Want(t, 200, want)
}

func TestPullMirrorRefusals(t *testing.T) {
	m := newMirrorAPI(t)
	field := func(name, complaint string) object { return object{"message": object{name: []any{complaint}}} }
	tests := []struct {
		params object
		want   any
	}{
		{object{"enabled": "maybe", "url": 1., "auth_user": []int{}, "auth_password": object{}}, object{"error": "enabled is invalid, auth_user is invalid, auth_password is invalid"}},
		{
			object{"mirror_trigger_builds": "x", "only_mirror_protected_branches": 2., "mirror_overwrites_diverged_branches": []int{1}, "mirror_branch_regex": true},
			object{"error": "mirror_branch_regex is invalid, mirror_trigger_builds is invalid, only_mirror_protected_branches is invalid, mirror_overwrites_diverged_branches is invalid"},
		},
		{object{"enabled": true}, field("url", "can't be blank")},
		{object{"url": "https://10.0.0.1"}, field("url", "must have a public host")},
		{object{"url": "https://***:***@git.example", "auth_password": strings.Repeat("x", 1025)}, field("auth_password", "is too long (maximum is 1024 bytes)")},
		{object{"mirror_branch_regex": "a", "only_mirror_protected_branches": true}, field("mirror_branch_regex", "cannot be set while only_mirror_protected_branches is true")},
	}
	for _, test := range tests {
		m.call(t, "PUT", mirrorPath, test.params).Want(t, 400, test.want)
	}
	const invalid = "update_status does not have a valid value, last_error is invalid, last_update_at is invalid"
	m.report(t, nil).WantError(t, 400, "update_status is missing")
	m.report(t, object{"update_status": "done", "last_update_at": "yesterday", "last_error": []int{}}).WantError(t, 400, invalid)
	m.report(t, object{"update_status": "failed", "last_error": strings.Repeat("x", 4097)}).
		Want(t, 400, field("last_error", "is too long (maximum is 4096 characters)"))
	m.report(t, object{"update_status": "finished", "last_update_at": "2099-01-01T00:00:00Z"}).
		Want(t, 400, field("last_update_at", "must not be in the future"))
	m.call(t, "GET", mirrorPath, nil).Want(t, 200, mirrorAnswer(nil))
	m.call(t, "DELETE", mirrorPath, nil).WantMessage(t, 405, "405 Method Not Allowed")
	m.call(t, "PUT", mirrorPath+"/status", object{"update_status": "finished"}).WantMessage(t, 403, "403 Forbidden")
}

func TestProjectIsMadeAsAMirror(t *testing.T) {
	m := newMirrorAPI(t)
	made := apptest.Call(t, m.handler, "POST", projects, m.token, object{
		"name": "The copy", "path": "copy", "mirror": true, "import_url": "https://ada:secret@git.example/web.git", "mirror_trigger_builds": true,
	})
	made.Want(t, 201, nil)
	fields := object{
		"import_url": "https://*****:*****@git.example/web.git", "mirror": true, "mirror_branch_regex": nil, "mirror_trigger_builds": true,
		"only_mirror_protected_branches": nil,
	}
	for name, want := range fields {
		if got := made.Object(t)[name]; got != want {
			t.Errorf("the project has %s %v, want %v", name, got, want)
		}
	}
	copied := projects + "/ada%2Fcopy" + mirrorPath
	want := mirrorAnswer(object{"id": float64(made.ID(t)), "enabled": true, "url": "https://*****:*****@git.example/web.git", "mirror_trigger_builds": true})
	apptest.Call(t, m.handler, "GET", copied, m.token, nil).Want(t, 200, want)
	// The credentials that the project was made with open: one of them can be replaced.
	want["url"] = "https://*****@git.example/web.git"
	apptest.Call(t, m.handler, "PUT", copied, m.token, object{"auth_password": ""}).Want(t, 200, want)
}

// Both ways refuse the same, and name the field as their own parameter.
func TestOlderNamesOfAMirrorAreChecked(t *testing.T) {
	m := newMirrorAPI(t)
	exclusive := object{"message": object{"mirror_branch_regex": []any{"cannot be set while only_mirror_protected_branches is true"}}}
	message := func(complaints object) object { return object{"message": complaints} }
	noURL, private := []any{"can't be blank"}, []any{"must have a public host"}
	for _, test := range []struct{ params, want object }{
		{object{"mirror": true}, message(object{"import_url": noURL})},
		{object{"mirror": true, "import_url": "http://localhost"}, message(object{"import_url": private})},
		{object{"name": "", "import_url": "http://localhost"}, message(object{"name": []any{"can't be blank"}, "import_url": private})},
		{object{"mirror_branch_regex": "a", "only_mirror_protected_branches": true}, exclusive},
		{
			object{"mirror": "maybe", "import_url": []int{}, "mirror_trigger_builds": "maybe"},
			object{"error": "mirror_trigger_builds is invalid, mirror is invalid, import_url is invalid"},
		},
	} {
		m.call(t, "PUT", "", test.params).Want(t, 400, test.want)
	}
	made := apptest.Call(t, m.handler, "POST", projects, m.token, object{"path": "other", "mirror": true})
	made.Want(t, 400, message(object{"import_url": noURL}))
	m.call(t, "PUT", "", object{"mirror": nil, "import_url": nil, "mirror_branch_regex": nil, "mirror_trigger_builds": nil, "only_mirror_protected_branches": nil}).
		Want(t, 200, nil)
	m.call(t, "GET", mirrorPath, nil).Want(t, 200, mirrorAnswer(object{"only_mirror_protected_branches": false}))
}

// Where a mirror leads is not for everybody who sees the project.
func TestImportURLIsForMaintainers(t *testing.T) {
	m := newMirrorAPI(t)
	m.call(t, "PUT", "", object{"import_url": "https://git.example/web.git", "mirror": true, "visibility": "public"}).Want(t, 200, nil)
	dev, lead := m.User("dev"), m.User("lead")
	place := project.Place{Kind: project.InProject, ID: 1}
	m.Member(place, dev, project.Developer)
	m.Member(place, lead, project.Maintainer)
	for name, test := range map[string]struct {
		token        string
		one, inLists any
	}{
		"the owner of the namespace": {m.token, "https://git.example/web.git", "https://git.example/web.git"},
		"an administrator":           {m.root, "https://git.example/web.git", "https://git.example/web.git"},
		"a maintainer":               {m.Token(lead), "https://git.example/web.git", nil},
		"a developer":                {m.Token(dev), nil, nil},
		"somebody else":              {m.Token(m.User("eve")), nil, nil},
	} {
		one := apptest.Call(t, m.handler, "GET", mirrored, test.token, nil).Object(t)
		listed := apptest.Call(t, m.handler, "GET", projects, test.token, nil).Body.([]any)[0].(object)
		if one["import_url"] != test.one || listed["import_url"] != test.inLists || one["mirror"] != true || listed["mirror"] != true {
			t.Errorf("%s sees the URL %v, in lists %v, want %v and %v", name, one["import_url"], listed["import_url"], test.one, test.inLists)
		}
	}
}

// The trail says that the mirror changed and nothing of how to get in.
func TestTrailHasNoCredentialsOfMirrors(t *testing.T) {
	m := newMirrorAPI(t)
	m.call(t, "PUT", mirrorPath, object{"enabled": true, "url": "https://git.example/web.git", "auth_user": "hidden-user", "auth_password": "hidden-word"}).Want(t, 200, nil)
	m.call(t, "PUT", "", object{"import_url": "https://hidden-user:hidden-word@git.example/web.git"}).Want(t, 200, nil)
	m.call(t, "POST", mirrorPath, nil).Want(t, 202, nil)
	found, err := m.Trail.Entries(t.Context(), audit.Filter{ProjectID: 1, Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(found)
	for _, want := range []string{"project.changed", "pull_mirror.scheduled", "mirror"} {
		if !strings.Contains(text, want) {
			t.Errorf("the trail has no %s", want)
		}
	}
	if strings.Contains(text, "hidden") {
		t.Errorf("the trail has credentials: %s", text)
	}
}

// The older names are told of as deprecated; the preview refuses them and leaves them
// out.
func TestOlderNamesOfAMirrorAreDeprecated(t *testing.T) {
	m := newMirrorAPI(t)
	call := func(method, path, body string, previews bool) apptest.Answer {
		t.Helper()
		send := apptest.Call
		if previews {
			send = apptest.Preview
		}
		return send(t, m.handler, method, path, m.token, json.RawMessage(body))
	}
	for name, value := range olderMirror {
		body := fmt.Sprintf(`{"path":"copy-%s","%s":%s}`, strings.ReplaceAll(name, "_", "-"), name, value)
		for _, target := range []string{"POST " + projects, "PUT " + mirrored} {
			method, path, _ := strings.Cut(target, " ")
			call(method, path, body, true).WantError(t, 400, name+" is deprecated: use mirror/pull")
			used := call(method, path, strings.Replace(body, `"path":`, `"name":`, 1), false)
			if used.Status >= 300 || used.Header.Get("Deprecation") != "@1732147200" || !strings.Contains(used.Header.Get("Link"), "#pull-mirror>") {
				t.Errorf("%s with %s answers %d with %v", target, body, used.Status, used.Header)
			}
		}
		for _, shown := range []any{call("GET", mirrored, "", true).Body, call("GET", projects, "", true).Body.([]any)[0]} {
			if _, there := shown.(object)[name]; there {
				t.Errorf("the preview shows %s", name)
			}
		}
	}
	newer := call("PUT", mirrored+mirrorPath, `{"mirror_trigger_builds":true,"only_mirror_protected_branches":true,"mirror_branch_regex":""}`, true)
	if newer.Status != 200 || newer.Header.Get("Deprecation") != "" {
		t.Errorf("the same names at the mirror's address answer %d %v with %v", newer.Status, newer.Body, newer.Header)
	}
}

// olderMirror has a value for each of the older names, in JSON.
var olderMirror = map[string]string{
	"import_url": `"https://git.example/web.git"`, "mirror": "false", "mirror_branch_regex": `""`, "mirror_trigger_builds": "null",
	"only_mirror_protected_branches": "true",
}
