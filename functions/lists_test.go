package functions_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/accesstoken"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/openapi"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/sqlite/sqlitetest"
)

// fieldList is what clients of the field narrow and sort a list by. Each parameter has a
// value with which its outcome is seen in the scene of the test.
type fieldList struct {
	obeyed  []string // changes the list
	nothing []string // selects nothing
	refused []string // is 400
	same    []string // changes nothing
}

// fieldLists has every list, by its address in openapi.json. {name} is the id of a thing
// in the scene. A list without an entry here fails the test.
var fieldLists = map[string]fieldList{
	"/projects": {
		obeyed:  fieldProjects.with("membership=true", "owned=true", "min_access_level=50", "search=shop"),
		nothing: fieldProjects.nothing, refused: fieldProjects.refused, same: fieldProjects.same,
	},
	"/groups/{id}/projects": {
		obeyed:  fieldProjects.with("membership=true", "owned=true", "min_access_level=50", "search=shop", "include_subgroups=true"),
		nothing: fieldProjects.nothing, refused: fieldProjects.refused, same: append(slices.Clone(fieldProjects.same), "with_shared=false"),
	},
	"/groups":                {obeyed: fieldGroups.with("top_level_only=true"), nothing: fieldGroups.nothing, refused: fieldGroups.refused, same: fieldGroups.same},
	"/groups/{id}/subgroups": fieldGroups,
	"/namespaces": {
		obeyed: []string{"search=dep", "full_path_search=true&search=acme/deep", "owned_only=true", "top_level_only=true"},
		same:   []string{"requested_hosted_plan=x"},
	},
	"/users": {
		obeyed: []string{
			"username=ben", "search=be", "search=ben@example.com", "active=true", "exclude_active=true", "blocked=true", "admins=true", "two_factor=enabled",
			"created_after=2999-01-01", "created_before=1999-01-01T00:00:00Z", "order_by=username", "sort=asc", "order_by=name", "order_by=updated_at&sort=asc",
		},
		nothing: []string{"external=true", "auditors=true", "exclude_humans=true", "extern_uid=5&provider=x", "provider=x", "saml_provider_id=5"},
		refused: []string{"custom_attributes[x]=y", "public_email=x@y.example", "without_projects=true"},
		same: []string{
			"two_factor=disabled", "order_by=id", "order_by=created_at", "humans=true", "exclude_external=true", "exclude_internal=true", "without_project_bots=true",
			"skip_ldap=true", "with_custom_attributes=true", "without_projects=false", "active=false", "blocked=false",
		},
	},
	"/personal_access_tokens": {
		obeyed: []string{
			"user_id={ben}", "state=inactive", "state=active", "revoked=true", "revoked=false", "search=deploy", "created_after=2999-01-01", "created_before=1999-01-01",
			"expires_after=2999-01-01", "expires_before=1999-01-01", "last_used_after=2999-01-01", "last_used_before=1999-01-01",
			"sort=created_asc", "sort=expires_asc", "sort=last_used_desc", "sort=name_asc", "sort=name_desc",
		},
		same: []string{"sort=created_desc"},
	},
	"/projects/{id}/members": fieldMembers, "/projects/{id}/members/all": fieldMembers,
	"/groups/{id}/members": fieldMembers, "/groups/{id}/members/all": fieldMembers,
	"/projects/{id}/environments": {
		obeyed:  []string{"name=production", "search=stag"},
		nothing: []string{"states=stopped", "states=stopping"},
		same:    []string{"states=available"},
	},
	"/runners": fieldRunners, "/runners/all": fieldRunners, "/groups/{id}/runners": fieldRunners, "/projects/{id}/runners": fieldRunners,
	"/applications": {}, "/projects/{id}/license_approval_policies": {}, "/projects/{id}/managed_licenses": {},
	"/projects/{id}/approval_rules": {},
}

// byOthers are lists with their own tests of what their parameters do. The field does not
// have them, or narrows them by nothing else.
var byOthers = []string{
	"/deprecations/uses", "/geo_sites", "/geo_sites/status", "/geo_sites/current/failures", "/geo_nodes", "/geo_nodes/status", "/geo_nodes/current/failures",
	"/projects/{id}/error_tracking/client_keys", "/projects/{id}/merge_requests", "/projects/{id}/merge_requests/{iid}/approval_rules",
	"/projects/{id}/merge_requests/{iid}/diffs", "/projects/{id}/monitor/integrations", "/projects/{id}/monitor/presets", "/projects/{id}/monitor/alerts", "/projects/{id}/monitor/incidents",
	"/projects/{id}/monitor/incidents/{iid}/timeline", "/projects/{id}/monitor/undelivered", "/projects/{id}/monitor/webhooks", "/user/webhooks",
	"/projects/{id}/monitor/schedules", "/projects/{id}/monitor/schedules/{schedule_id}/rotations", "/projects/{id}/monitor/schedules/{schedule_id}/overrides",
}

var fieldProjects = fieldList{
	obeyed: []string{
		"visibility=private", "search=acme&search_namespaces=false", "id_after={web}", "id_before={shop}",
		"order_by=name&sort=asc", "order_by=path&sort=asc", "sort=asc", "order_by=id&sort=asc",
	},
	nothing: []string{"archived=true", "starred=true", "imported=true", "active=false", "marked_for_deletion_on=2026-01-01"},
	refused: []string{
		"topic=x", "topic_id=5", "custom_attributes[x]=y", "with_programming_language=Go", "repository_storage=x", "updated_after=2026-01-01",
		"updated_before=2026-01-01", "last_activity_after=2026-01-01", "last_activity_before=2026-01-01", "with_issues_enabled=true",
		"with_security_reports=true", "repository_checksum_failed=true", "wiki_checksum_failed=true",
	},
	same: []string{
		"archived=false", "active=true", "simple=true", "statistics=true", "license=true", "with_custom_attributes=true", "with_merge_requests_enabled=true",
		"include_hidden=true", "include_pending_delete=true", "with_issues_enabled=false", "order_by=created_at", "order_by=updated_at", "order_by=last_activity_at",
		"order_by=star_count", "order_by=similarity", "search=acme", "unheard_of=x",
	},
}

var fieldGroups = fieldList{
	obeyed: []string{
		"search=dep", "all_available=false", "owned=true", "min_access_level=50", "visibility=private", "skip_groups={deep}",
		"order_by=name&sort=desc", "order_by=path", "sort=desc", "order_by=id",
	},
	nothing: []string{"archived=true", "active=false", "marked_for_deletion_on=2026-01-01"},
	refused: []string{"repository_storage=x", "custom_attributes[x]=y"},
	same:    []string{"archived=false", "active=true", "statistics=true", "with_custom_attributes=true", "order_by=similarity&sort=desc"},
}

var fieldMembers = fieldList{
	obeyed:  []string{"query=ben", "user_ids={ben}", "user_ids[]={ben}", "skip_users={ben}"},
	nothing: []string{"state=awaiting"},
	refused: []string{"with_saml_identity=true"},
	same:    []string{"state=active", "show_seat_info=true"},
}

var fieldRunners = fieldList{refused: []string{"version_prefix=15"}}

func (l fieldList) with(obeyed ...string) []string { return append(slices.Clone(l.obeyed), obeyed...) }

// declared returns the parameters of each list in openapi.json, without those of all
// lists.
func declared(t *testing.T) map[string][]string {
	t.Helper()
	type parameter struct{ Ref, Name, In string }
	var document struct {
		Paths map[string]struct {
			Get *struct {
				Parameters []struct {
					Ref  string `json:"$ref"`
					Name string
				}
			}
		}
		Components struct{ Parameters map[string]parameter }
	}
	if err := json.Unmarshal(openapi.Document, &document); err != nil {
		t.Fatal(err)
	}
	lists := map[string][]string{}
	for path, of := range document.Paths {
		if of.Get == nil {
			continue
		}
		var names []string
		for _, p := range of.Get.Parameters {
			name := p.Name
			if ref, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
				name = document.Components.Parameters[ref].Name
			}
			names = append(names, name)
		}
		if slices.Contains(names, "per_page") {
			lists[path] = slices.DeleteFunc(names, func(name string) bool { return slices.Contains([]string{"page", "per_page", "cursor"}, name) })
		}
	}
	return lists
}

func parameterNames(parameters []string) (all []string) {
	for _, p := range parameters {
		values, err := url.ParseQuery(p)
		if err != nil {
			panic(err)
		}
		for name := range values {
			name, _, _ = strings.Cut(name, "[")
			all = append(all, name)
		}
	}
	return all
}

// Whoever adds a list or a parameter says here what it does.
func TestEveryParameterOfAListIsInTheTable(t *testing.T) {
	lists := declared(t)
	for path, names := range lists {
		if slices.Contains(byOthers, path) {
			continue
		}
		of, known := fieldLists[path]
		if !known {
			t.Errorf("%s is in no table", path)
		}
		tested := parameterNames(slices.Concat(of.obeyed, of.nothing))
		for _, name := range names {
			if !slices.Contains(tested, name) && !strings.HasSuffix(path, "/runners") && path != "/runners/all" {
				t.Errorf("%s: nothing shows that %s is obeyed", path, name)
			}
		}
		for _, name := range tested {
			if !slices.Contains(names, name) {
				t.Errorf("%s: openapi.json does not declare %s", path, name)
			}
		}
		for _, name := range parameterNames(of.refused) {
			if slices.Contains(names, name) {
				t.Errorf("%s: openapi.json declares %s, which is refused", path, name)
			}
		}
	}
	for _, path := range append(slices.Clone(byOthers), slices.Sorted(maps.Keys(fieldLists))...) {
		if _, there := lists[path]; !there {
			t.Errorf("%s is no list of openapi.json", path)
		}
	}
}

// fieldScene is where fieldLists are tried, by an administrator.
type fieldScene struct {
	*apptest.App
	acme, web int64
	token     string
	ids       *strings.Replacer
}

func newFieldScene(t *testing.T) fieldScene {
	t.Helper()
	a := apptest.New(t)
	root, ada, ben := a.Admin("root"), a.User("ada"), a.User("ben")
	a.User("zoe")
	blocked := a.User("blocked")
	a.Pass(time.Minute)
	a.Block(blocked)
	acme := a.Group("acme", project.Group{}, ada, project.Public)
	deep := a.Group("deep", acme, ada, project.Public)
	hidden := a.Group("yonder", acme, ada, project.Private)
	a.Group("beta", acme, ada, project.Public)
	a.Group("mine", project.Group{}, root, project.Private)
	a.Member(acme.Place(), ben, project.Reporter)
	a.Member(hidden.Place(), root, project.Owner)
	a.Member(deep.Place(), ben, project.Developer)
	web := a.Project("mango", acme, project.Public)
	shop := a.Project("shop", acme, project.Private)
	a.Project("tango", deep, project.Internal)
	a.Member(web.Place(), root, project.Owner)
	a.Member(web.Place(), ben, project.Guest)
	for _, name := range []string{"staging", "production"} {
		if _, err := a.Projects.AddEnvironment(t.Context(), audit.Setup, web, name); err != nil {
			t.Fatal(err)
		}
	}
	scene := fieldScene{App: a, acme: acme.ID, web: web.ID, token: a.Token(root)}
	a.Token(ada)
	a.RevokedToken(ben)
	a.Pass(time.Hour)
	for _, name := range []string{"deploy", "Xray"} {
		if _, _, err := a.Tokens.Create(t.Context(), audit.Setup, accesstoken.Request{UserID: ben.ID, Name: name, Scopes: scope.Of(scope.API), ExpiresAt: a.Now().AddDate(0, 0, 30-len(name)).Truncate(24 * time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	scene.ids = strings.NewReplacer("{ada}", fmt.Sprint(ada.ID), "{ben}", fmt.Sprint(ben.ID), "{web}", fmt.Sprint(web.ID), "{shop}", fmt.Sprint(shop.ID), "{deep}", fmt.Sprint(deep.ID))
	return scene
}

// No filter of the field is dropped in silence.
func TestListsObeyAnswerOrRefuse(t *testing.T) {
	s := newFieldScene(t)
	platform, projects := platformapi.New(s.App.App), projectsapi.New(s.App.App)
	for path, of := range fieldLists {
		h, id := platform, s.acme
		if strings.HasPrefix(path, "/projects") {
			h, id = projects, s.web
		}
		s.try(t, h, "/api/v4"+strings.Replace(path, "{id}", fmt.Sprint(id), 1)+"?", of)
	}
}

// try makes calls with each parameter of a list.
func (s fieldScene) try(t *testing.T, h http.Handler, address string, of fieldList) {
	t.Helper()
	full := func(parameters string) string { return address + s.ids.Replace(parameters) }
	shown := func(parameters string) []any {
		t.Helper()
		answer := apptest.Call(t, h, "GET", full(parameters), s.token, nil)
		answer.Want(t, 200, nil)
		return answer.Each(t, "id")
	}
	plain := shown("")
	for _, p := range of.obeyed {
		if got := shown(p); cmp.Equal(got, plain) {
			t.Errorf("GET %s%s shows the same as without: %v", address, p, got)
		}
	}
	for _, p := range of.nothing {
		if got := shown(p); len(got) > 0 {
			t.Errorf("GET %s%s shows %v, want nothing", address, p, got)
		}
	}
	for _, p := range of.same {
		if got := undeclared(t, h, full(p), s.token).Each(t, "id"); !cmp.Equal(got, plain) {
			t.Errorf("GET %s%s shows %v, want the same as without: %v", address, p, got, plain)
		}
	}
	for _, p := range of.refused {
		name, _, _ := strings.Cut(p, "=")
		name, _, _ = strings.Cut(name, "[")
		undeclared(t, h, full(p), s.token).WantError(t, 400, name+" is not supported")
	}
}

// undeclared makes a call that openapi.json may not have.
func undeclared(t *testing.T, h http.Handler, address, token string) apptest.Answer {
	t.Helper()
	r := httptest.NewRequest("GET", address, nil)
	r.Header.Set("PRIVATE-TOKEN", token)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	answer := apptest.Answer{Status: w.Code, Header: w.Header()}
	if err := json.Unmarshal(w.Body.Bytes(), &answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer
}

// What is behind the highest number that an item can have is nothing, on every store.
func TestNothingIsBehindTheHighestNumber(t *testing.T) {
	unlogged(t)
	for name, over := range stores() {
		t.Run(name, func(t *testing.T) {
			a := apptest.Over(t, over(t))
			ada := a.User("ada")
			a.Project("web", a.Namespace(ada), project.Public)
			for parameters, want := range map[string]int{"id_after=9223372036854775807&sort=asc": 200, "cursor=0.1y2p0ij32e8e6&sort=asc": 200, "cursor=0.1y2p0ij32e8e7&sort=asc": 400} {
				answer := apptest.Call(t, projectsapi.New(a.App), "GET", "/api/v4/projects?"+parameters, a.Token(ada), nil)
				answer.Want(t, want, nil)
				if want == 200 && len(answer.Each(t, "id")) > 0 {
					t.Errorf("%s shows %v, want nothing", parameters, answer.Each(t, "id"))
				}
			}
		})
	}
}

// stores opens an empty store of each kind.
func stores() map[string]func(*testing.T) storage.Store {
	return map[string]func(*testing.T) storage.Store{
		"sqlite": func(t *testing.T) storage.Store { return sqlitetest.Open(t) },
		"dynamodb": func(t *testing.T) storage.Store {
			needEmulator(t)
			return dynamodb.New(emulated(t))
		},
	}
}

// An outsider finds by filters and orders what they see anyway, and pages say nothing of
// what is hidden from them.
func TestFiltersShowNobodyMore(t *testing.T) {
	a := apptest.New(t)
	ada, zoe := a.User("ada"), a.User("zoe")
	acme := a.Group("acme", project.Group{}, ada, project.Public)
	open := a.Group("open", acme, ada, project.Public)
	secret := a.Group("secret", acme, ada, project.Private)
	a.Project("public", acme, project.Public)
	a.Project("internal", open, project.Internal)
	a.Project("hidden", acme, project.Private)
	joined := a.Project("joined", secret, project.Private)
	a.Member(joined.Place(), zoe, project.Guest)
	token, group := a.Token(zoe), fmt.Sprintf("/api/v4/groups/%d", acme.ID)
	tests := map[string][]any{
		group + "/projects": {"public"}, group + "/projects?include_subgroups=true": {"joined", "internal", "public"},
		group + "/projects?include_subgroups=true&visibility=private": {"joined"}, group + "/projects?search=hidden": {},
		group + "/projects?include_subgroups=true&order_by=path&sort=asc": {"internal", "joined", "public"},
		group + "/projects?include_subgroups=true&membership=true":        {"joined"},
		group + "/subgroups": {"open"}, group + "/subgroups?search=secret": {}, group + "/subgroups?visibility=private": {},
		"/api/v4/groups/acme/projects": {"public"}, "/api/v4/groups/acme/subgroups": {"open"},
		"/api/v4/groups?visibility=private": {}, "/api/v4/groups?order_by=path&sort=desc": {"open", "acme"},
		"/api/v4/namespaces": {"zoe"}, "/api/v4/namespaces?search=acme": {},
	}
	for address, want := range tests {
		answer := apptest.Call(t, platformapi.New(a.App), "GET", address, token, nil)
		answer.Want(t, 200, nil)
		if diff := cmp.Diff(want, answer.Each(t, "path")); diff != "" {
			t.Errorf("GET %s (-want +got):\n%s", address, diff)
		}
	}
	members := fmt.Sprintf("/api/v4/projects/%d/members?query=", joined.ID)
	for query, want := range map[string][]any{"ZO": {"zoe"}, "zoe@example.com": {}, "example": {}} {
		answer := apptest.Call(t, projectsapi.New(a.App), "GET", members+query, token, nil)
		if diff := cmp.Diff(want, answer.Each(t, "username")); diff != "" {
			t.Errorf("members that %s finds (-want +got):\n%s", query, diff)
		}
	}
}

func TestNamespaces(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root, ada, ben := a.Admin("root"), a.User("ada"), a.User("ben")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	deep := a.Group("deep", acme, ada, project.Private)
	list := func(token, parameters string) []any {
		t.Helper()
		answer := apptest.Call(t, h, "GET", "/api/v4/namespaces"+parameters, token, nil)
		answer.Want(t, 200, nil)
		return answer.Each(t, "full_path")
	}
	for parameters, want := range map[string][]any{
		"": {"acme/deep", "acme", "ben", "ada", "root"}, "?per_page=3&page=2": {"ada", "root"}, "?owned_only=true": {"root"},
	} {
		if got := list(a.Token(root), parameters); !cmp.Equal(got, want) {
			t.Errorf("an administrator gets %v for %q, want %v", got, parameters, want)
		}
	}
	if got := list(a.Token(ada), ""); !cmp.Equal(got, []any{"acme/deep", "acme", "ada"}) {
		t.Errorf("ada gets %v", got)
	}
	for reference, want := range map[string]int{
		fmt.Sprint(deep.ID): 200, "acme%2Fdeep": 200, "ada": 200, fmt.Sprint(ada.NamespaceID): 200, "ben": 404, "nobody": 404, "999999": 404,
	} {
		apptest.Call(t, h, "GET", "/api/v4/namespaces/"+reference, a.Token(ada), nil).Want(t, want, nil)
	}
	apptest.Call(t, h, "GET", "/api/v4/namespaces/acme%2Fdeep", a.Token(ben), nil).WantMessage(t, 404, "404 Namespace Not Found")
	apptest.Call(t, h, "GET", "/api/v4/namespaces/acme%2Fdeep", a.Token(ada), nil).Want(t, 200, map[string]any{
		"id": float64(deep.ID), "name": deep.Name, "path": "deep", "kind": "group", "full_path": "acme/deep", "parent_id": float64(acme.ID),
		"avatar_url": nil, "web_url": a.BaseURL + "/console/groups/acme/deep",
	})
	own := apptest.Call(t, h, "GET", "/api/v4/namespaces/ada", a.Token(ada), nil).Object(t)
	if got, want := own["web_url"], a.BaseURL+ada.PagePath(); got != want {
		t.Errorf("the page of one's own namespace is %v, want %s", got, want)
	}
	undeclared(t, h, "/api/v4/namespaces/acme/deep", a.Token(ada)).Want(t, 200, nil)
}

// A member of a group above is found by members/all, with the highest role.
func TestOneOfAllMembers(t *testing.T) {
	a := apptest.New(t)
	ada, ben, eve := a.User("ada"), a.User("ben"), a.User("eve")
	acme := a.Group("acme", project.Group{}, ada, project.Public)
	deep := a.Group("deep", acme, ada, project.Public)
	web := a.Project("web", deep, project.Public)
	a.Member(acme.Place(), ben, project.Maintainer)
	a.Member(web.Place(), ben, project.Guest)
	a.MemberUntil(web.Place(), eve, project.Owner, a.Now().Add(time.Hour))
	a.Pass(2 * time.Hour)
	h, token := projectsapi.New(a.App), a.Token(ben)
	one := func(path string) apptest.Answer {
		return apptest.Call(t, h, "GET", fmt.Sprintf("/api/v4/projects/%d/members/%s", web.ID, path), token, nil)
	}
	for path, want := range map[string]any{
		fmt.Sprint("all/", ben.ID): 40.0, fmt.Sprint(ben.ID): 10.0, fmt.Sprint("all/", ada.ID): 50.0, fmt.Sprint(ada.ID): nil, fmt.Sprint("all/", eve.ID): nil, "all/999999": nil,
	} {
		answer := one(path)
		if want == nil {
			answer.WantMessage(t, 404, "404 Member Not Found")
		} else if got := answer.Object(t)["access_level"]; got != want {
			t.Errorf("%s has the role %v, want %v", path, got, want)
		}
	}
	a.GitURL = "https://git.example"
	whole := apptest.Call(t, h, "GET", fmt.Sprintf("/api/v4/projects/%d", web.ID), token, nil).Object(t)
	if got := whole["http_url_to_repo"]; got != "https://git.example/acme/deep/web.git" {
		t.Errorf("http_url_to_repo is %v", got)
	}
	shown := whole["permissions"]
	want := map[string]any{
		"project_access": map[string]any{"access_level": 10.0, "notification_level": 3.0},
		"group_access":   map[string]any{"access_level": 40.0, "notification_level": 3.0},
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
	group := apptest.Call(t, platformapi.New(a.App), "GET", fmt.Sprintf("/api/v4/groups/%d/members/all/%d", deep.ID, ben.ID), token, nil)
	if got := group.Object(t)["access_level"]; got != 40.0 {
		t.Errorf("ben has the role %v in the group below, want 40", got)
	}
}

// Groups and projects that got their names before the words of lists were reserved keep
// working, by id and by path.
func TestOlderGroupsHaveNamesOfLists(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	for _, word := range []string{"projects", "subgroups"} {
		g, err := a.Store.CreateGroup(t.Context(), project.Group{
			ParentID: acme.ID, Ancestors: acme.Lineage(), Name: word, Path: word, FullPath: "acme/" + word, Visibility: project.Private, CreatedAt: a.Now(),
		}, ada.ID)
		if err != nil {
			t.Fatal(err)
		}
		inside := a.Project("web", g, project.Private)
		p, err := a.Store.CreateProject(t.Context(), project.Project{
			NamespaceID: g.ID, NamespacePath: g.FullPath, Lineage: g.Lineage(), Name: word, Path: word, FullPath: g.FullPath + "/" + word, Visibility: project.Private, CreatedAt: a.Now(),
		})
		if err != nil {
			t.Fatal(err)
		}
		groups, projects, token := platformapi.New(a.App), projectsapi.New(a.App), a.Token(ada)
		for _, form := range []string{fmt.Sprint(g.ID), "acme%2F" + word} {
			at := "/api/v4/groups/" + form
			apptest.Call(t, groups, "GET", at, token, nil).Want(t, 200, nil)
			apptest.Call(t, groups, "PUT", at, token, map[string]any{"name": "Old"}).Want(t, 200, nil)
			if got := apptest.Call(t, groups, "GET", at+"/projects", token, nil).Each(t, "path"); !cmp.Equal(got, []any{word, "web"}) {
				t.Errorf("GET %s/projects shows %v", at, got)
			}
			apptest.Call(t, groups, "GET", at+"/members", token, nil).Want(t, 200, nil)
		}
		for _, rest := range []string{"/members", "/projects", "/subgroups"} {
			undeclared(t, groups, "/api/v4/groups/acme/"+word+rest, token).Want(t, 200, nil)
		}
		undeclared(t, groups, "/api/v4/namespaces/acme/"+word, token).Want(t, 200, nil)
		for _, form := range []string{fmt.Sprint(p.ID), "acme%2F" + word + "%2F" + word, "acme/" + word + "/" + word, fmt.Sprint(inside.ID), "acme/" + word + "/web"} {
			undeclared(t, projects, "/api/v4/projects/"+form, token).Want(t, 200, nil)
			undeclared(t, projects, "/api/v4/projects/"+form+"/members", token).Want(t, 200, nil)
		}
	}
}
