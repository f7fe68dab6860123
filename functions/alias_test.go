package functions_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"gatehouse/shared/deprecation"
)

// alias is a deprecated name together with what takes its place. Whatever is written by
// the one is read by the other, for every value that has a counterpart.
type alias struct {
	entry    string // in the table of deprecations
	given    []scenario
	old, new spelling
	values   []deprecation.Pair // nil: those of the entry; none there either: the answers have the same
	// further are values of the new name, and the one that the old name shows for each.
	// Writing that by the old name does not bring them back.
	further []deprecation.Pair
}

// spelling is how clients use one of the two names. The %s in its body stands for the value, in JSON.
type spelling struct {
	write, body string // the call that writes; empty: none does
	read        string // the call that shows; empty: none does
	at          string // the members and places in lists that lead to it in the answer, with dots between; empty: the whole
}

// aliases have a row for each name whose value can be compared. A new row takes the
// calls of both names.
func aliases() []alias {
	const merges, other = "/projects/{web}/merge_requests", "/projects/{web}/merge_requests/{other}"
	group := func(name, body string) spelling {
		return spelling{"PUT /groups/{group}", body, "GET /groups/{group}", name}
	}
	instance := func(name, body string) spelling {
		return spelling{"PUT /application/settings", body, "GET /application/settings", name}
	}
	webProject := func(name string) spelling {
		return spelling{"PUT /projects/{web}", `{"` + name + `":%s}`, "GET /projects/{web}", name}
	}
	site := func(family string) spelling {
		return spelling{"PUT /" + family + "/{site}", `{"name":%s}`, "GET /" + family, "0.name"}
	}
	policy := func(family string) spelling {
		one := "/projects/{web}/" + family + "/{policy}"
		return spelling{"PATCH " + one, `{"approval_status":%s}`, "GET " + one, "approval_status"}
	}
	runner := func(name string) spelling {
		return spelling{"PUT /runners/{runner}", `{"` + name + `":%s}`, "GET /runners/{runner}", name}
	}
	listed := func(name string) spelling {
		return spelling{"PUT /runners/{runner}", `{"` + name + `":%s}`, "GET /runners/all", "0." + name}
	}
	approval := func(name string) spelling {
		return spelling{"POST /projects/{web}/approvals", `{"` + name + `":%s}`, "GET /projects/{web}/approvals", name}
	}
	approvalSetting := func(name string) spelling {
		const settings = "/projects/{web}/merge_request_approval_setting"
		return spelling{"PUT " + settings, `{"` + name + `":%s}`, "GET " + settings, name + ".value"}
	}
	tokenInfo := func(name string) spelling { return spelling{read: "GET /oauth/token/info", at: name} }
	mirror := func(name string) spelling {
		return spelling{"PUT /projects/{web}/mirror/pull", `{"` + name + `":%s}`, "GET /projects/{web}/mirror/pull", name}
	}
	const level, defaults = "default_branch_protection", "default_branch_protection_defaults"
	const byLevel, byObject = `{"` + level + `":%s}`, `{"` + defaults + `":%s}`
	return []alias{
		{
			entry: "default-branch-protection",
			given: []scenario{{rest: "POST /groups", send: `{"name":"Team","path":"team"}`, status: 201, keep: "group"}},
			old:   group(level, byLevel), new: group(defaults, byObject), further: protectionsBetween(),
		},
		{entry: "default-branch-protection", old: instance(level, byLevel), new: instance(defaults, byObject), further: protectionsBetween()},
		{ // in lists
			entry: "default-branch-protection",
			old:   spelling{"PUT /groups/{group}", byLevel, "GET /groups", "0." + level},
			new:   spelling{"PUT /groups/{group}", byObject, "GET /groups", "0." + defaults},
		},
		{ // of new groups
			entry: "default-branch-protection",
			old:   spelling{"POST /groups", `{"name":"New","path":"%n","` + level + `":%s}`, "GET /groups", "0." + level},
			new:   spelling{"POST /groups", `{"name":"New","path":"%n","` + defaults + `":%s}`, "GET /groups", "0." + defaults},
		},
		{
			entry: "restrict-user-defined-variables",
			old:   webProject("restrict_user_defined_variables"), new: webProject("ci_pipeline_variables_minimum_override_role"),
			further: []deprecation.Pair{{Old: "true", New: `"owner"`}, {Old: "true", New: `"no_one_allowed"`}},
		},
		{
			entry: "pull-mirror", old: webProject("import_url"), new: mirror("url"),
			values: sameValues(`"https://git.example/web.git"`, `"ssh://git.example:2222/web.git"`, `"git://8.8.8.8/web.git"`),
		},
		{ // the same in a list
			entry: "pull-mirror",
			old:   spelling{read: "GET /projects", at: "0.import_url"}, new: spelling{read: "GET /projects/{web}/mirror/pull", at: "url"},
		},
		{entry: "pull-mirror", old: webProject("mirror"), new: mirror("enabled"), values: sameValues("true", "false")},
		{entry: "pull-mirror", old: webProject("mirror_trigger_builds"), new: mirror("mirror_trigger_builds"), values: sameValues("true", "false")},
		{entry: "pull-mirror", old: webProject("only_mirror_protected_branches"), new: mirror("only_mirror_protected_branches"), values: sameValues("true", "false")},
		{entry: "pull-mirror", old: webProject("mirror_branch_regex"), new: mirror("mirror_branch_regex"), values: sameValues(`"^release/"`, `"a|b"`)},
		{
			entry: "geo-nodes",
			given: []scenario{{rest: "POST /geo_sites", send: `{"name":"Berlin","url":"https://berlin.example"}`, status: 201, keep: "site"}},
			old:   site("geo_nodes"), new: site("geo_sites"), values: []deprecation.Pair{{Old: `"Bonn"`, New: `"Bonn"`}, {Old: `"Ulm"`, New: `"Ulm"`}},
		},
		{
			entry: "managed-licenses",
			given: []scenario{{rest: "POST /projects/{web}/license_approval_policies", send: `{"name":"MIT","approval_status":"denied"}`, status: 201, keep: "policy"}},
			old:   policy("managed_licenses"), new: policy("license_approval_policies"),
			values: []deprecation.Pair{{Old: `"allowed"`, New: `"allowed"`}, {Old: `"denied"`, New: `"denied"`}},
		},
		{
			entry: "private-profile-null",
			given: []scenario{{rest: "POST /users", send: `{"username":"ada","name":"Ada","email":"ada@example.com","password":"the password of ada","private_profile":true}`, status: 201, keep: "ada"}},
			old:   spelling{write: "PUT /users/{ada}", body: `{"private_profile":%s}`},
			new:   spelling{"PUT /users/{ada}", `{"private_profile":%s}`, "GET /users/{ada}", "private_profile"},
		},
		{
			entry: "merged-by",
			given: []scenario{
				{rest: "POST " + merges, send: `{"title":"Fix","source_branch":"fix","target_branch":"main"}`, status: 201, keep: "merge"},
				{rest: "PUT " + merges + "/{merge}/platform_state", send: `{"merge_status":"can_be_merged"}`, status: 200},
			},
			old:    spelling{read: "GET " + merges + "/{merge}", at: "merged_by"},
			new:    spelling{"PUT " + merges + "/{merge}/merge", "", "GET " + merges + "/{merge}", "merge_user"},
			values: []deprecation.Pair{{Old: `{"id":{root}}`, New: `{"id":{root}}`}},
		},
		{ // the same in a list
			entry: "merged-by",
			old:   spelling{read: "GET " + merges + "?state=merged", at: "0.merged_by"}, new: spelling{read: "GET " + merges + "?state=merged", at: "0.merge_user"},
		},
		{
			entry: "merge-status",
			given: []scenario{{rest: "POST " + merges, send: `{"title":"Other","source_branch":"other","target_branch":"main"}`, status: 201, keep: "other"}},
			old:   spelling{"PUT " + other + "/platform_state", `{"merge_status":%s}`, "GET " + other, "merge_status"},
			new:   spelling{read: "GET " + other, at: "detailed_merge_status"},
		},
		{
			entry: "merge-request-changes",
			given: []scenario{{rest: "PUT " + other + "/platform_state", send: `{"diffs":[{"old_path":"a","new_path":"b","diff":"@@","renamed_file":true}],"overflow":false}`, status: 200}},
			old:   spelling{read: "GET " + other + "/changes", at: "changes"}, new: spelling{read: "GET " + other + "/diffs"},
		},
		{
			entry: "runner-active",
			given: []scenario{{rest: "POST /runners", send: "{}", status: 201, keep: "runner"}},
			old:   runner("active"), new: runner("paused"),
		},
		{ // in lists
			entry: "runner-active",
			old:   listed("active"), new: listed("paused"),
		},
		{entry: "require-password-to-approve", old: approval("require_password_to_approve"), new: approval("require_reauthentication_to_approve")},
		{ // as an object
			entry: "require-password-to-approve",
			old:   approvalSetting("require_password_to_approve"), new: approvalSetting("require_reauthentication_to_approve"),
		},
		{ // across the two forms
			entry: "require-password-to-approve",
			old:   approval("require_password_to_approve"), new: approvalSetting("require_reauthentication_to_approve"),
		},
		{entry: "token-info-aliases", old: tokenInfo("scopes"), new: tokenInfo("scope")},
		{entry: "token-info-aliases", old: tokenInfo("expires_in_seconds"), new: tokenInfo("expires_in")},
	}
}

// sameValues are values that both names have.
func sameValues(all ...string) (pairs []deprecation.Pair) {
	for _, value := range all {
		pairs = append(pairs, deprecation.Pair{Old: value, New: value})
	}
	return pairs
}

// notCompared are the entries of the table without a row, and why.
var notCompared = map[string]string{
	"approvers":         "nothing takes the place of lists that are always empty",
	"runner-ip-address": "nothing takes its place",

	deprecation.MetricsAPIURL: "nothing takes its place",
	deprecation.OnCallLink:    "nothing takes its place",
}

// protectionsBetween are protections that no number stands for, with the one that comes
// closest.
func protectionsBetween() (pairs []deprecation.Pair) {
	for _, push := range []int{0, 30, 40} {
		for _, merge := range []int{0, 30, 40} {
			for n := range 4 {
				p := deprecation.Protection{Push: push, Merge: merge, ForcePush: n&1 != 0, InitialPush: n&2 != 0}
				object := fmt.Sprintf(`{"allowed_to_push":[{"access_level":%d}],"allowed_to_merge":[{"access_level":%d}],"allow_force_push":%t,"developer_can_initial_push":%t}`,
					p.Push, p.Merge, p.ForcePush, p.InitialPush)
				pairs = append(pairs, deprecation.Pair{Old: strconv.Itoa(p.Level()), New: object})
			}
		}
	}
	return pairs
}

func TestEveryDeprecatedNameIsCompared(t *testing.T) {
	compared := map[string]bool{}
	for _, a := range aliases() {
		compared[a.entry] = true
	}
	for _, e := range deprecation.Table {
		if (notCompared[e.ID] == "") != compared[e.ID] {
			t.Errorf("%s is compared: %t; the list of what is not says %q", e.ID, compared[e.ID], notCompared[e.ID])
		}
	}
}

// Old and new names agree, whichever a client writes or reads.
func TestOldAndNewNamesAgree(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { compareAll(t, startServer) })
	t.Run("dynamodb", func(t *testing.T) {
		needEmulator(t)
		compareAll(t, overPolicies)
		usedRights.end("names")
	})
}

func compareAll(t *testing.T, start func(testing.TB) *server) {
	w := newWalk(t, start(t), false)
	for _, a := range aliases() {
		t.Run(a.entry, func(t *testing.T) {
			w.t = t
			w.compareAlias(a)
		})
	}
}

func (w *walk) compareAlias(a alias) {
	for _, x := range a.given {
		w.act(x)
	}
	if a.values == nil {
		e, _ := deprecation.Find(a.entry)
		a.values = e.Values
	}
	if a.old.write == "" && a.new.write == "" || a.values == nil {
		was, is := w.shown(a.old), w.shown(a.new)
		if diff := gocmp.Diff(is, was); was == nil || diff != "" {
			w.t.Errorf("%s shows %v, and %s (-new +old):\n%s", a.old.at, was, a.new.at, diff)
		}
		return
	}
	for _, pair := range a.values {
		w.wantShown(a, a.old, pair.Old, pair)
	}
	for _, pair := range append(a.values, a.further...) {
		w.wantShown(a, a.new, pair.New, pair)
	}
}

// wantShown writes a value by one name, and checks what both names show then.
func (w *walk) wantShown(a alias, by spelling, value string, want deprecation.Pair) {
	w.t.Helper()
	if by.write == "" {
		return
	}
	w.written++
	body := strings.NewReplacer("%s", value, "%n", fmt.Sprint("new-", w.written)).Replace(by.body)
	w.answer(by.write, body)
	for _, one := range []struct {
		spelling
		want string
	}{{a.old, want.Old}, {a.new, want.New}} {
		if got, want := w.shown(one.spelling), decoded(w, w.things.expand(one.want)); one.read != "" && !has(got, want) {
			w.t.Errorf("%s %s: %s is %v, want %v", by.write, body, one.at, got, want)
		}
	}
}

// shown returns what a name shows.
func (w *walk) shown(s spelling) any {
	if s.read == "" {
		return nil
	}
	value := decoded(w, string(w.answer(s.read, "")))
	if s.at == "" {
		return value
	}
	for step := range strings.SplitSeq(s.at, ".") {
		switch from := value.(type) {
		case map[string]any:
			value = from[step]
		case []any:
			if n, err := strconv.Atoi(step); err == nil && n < len(from) {
				value = from[n]
			}
		}
	}
	return value
}

// answer makes a call that must succeed, and returns the answer.
func (w *walk) answer(call, body string) []byte {
	method, path, _ := strings.Cut(w.things.expand(call), " ")
	if strings.HasPrefix(path, "/oauth/") {
		r := w.request(w.t, method, path, "", "")
		r.Header.Set("Authorization", "Bearer "+w.access)
		return w.send(w.t, http.DefaultClient, r, http.StatusOK)
	}
	status := http.StatusOK
	if method == "POST" {
		status = http.StatusCreated
	}
	return w.call(w.t, method, path, w.access, body, status)
}

func decoded(w *walk, text string) (value any) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		w.t.Fatalf("%s: %v", text, err)
	}
	return value
}

// has reports whether the value is what is wanted, or an object that has its members.
func has(value, want any) bool {
	members, isObject := want.(map[string]any)
	if !isObject {
		return gocmp.Equal(value, want)
	}
	from, _ := value.(map[string]any)
	for name, member := range members {
		if !has(from[name], member) {
			return false
		}
	}
	return from != nil
}
