package functions_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
)

// scenario is one thing that clients do, with all that the tests across groups
// hold it to: who may do it, what it leaves in the audit trail, what it costs in
// round trips, and that template.yaml allows the function to do it. A new noun
// adds its scenarios to the list of its group.
type scenario struct {
	// What is done: a call of the REST API by the administrator, or a form or link
	// of a page in the administrator's browser, or anything else. {name} stands for
	// the id of a thing, see keep.
	rest, page string
	do         func(*walk)
	name       string // of what do does

	send   string // the body: JSON for a call, a form for a page
	status int
	keep   string // names the thing in the answer, so that others can refer to it
	after  string // a thing that must exist, though the call does not name it

	deprecated bool // the request uses a deprecated name, which the preview of v5 refuses

	alone  bool         // every caller makes the call, in a project of its own; whomay_test.go says who may
	stored []audit.Name // events in the trail and in the log
	logged []audit.Name // events in the log alone
	cost   cost         // the zero cost is not tested
}

// group lists scenarios in an order in which they work on one server. A group
// with calls that need a role has the name of their function.
type group struct {
	name      string
	scenarios func() []scenario
}

var groups = []group{
	{"account", aboutAccounts},
	{"second step", aboutSecondSteps},
	{"passkeys", aboutPasskeys},
	{"oauth", aboutTokens},
	{"platform", aboutThePlatform},
	{"projects", aboutProjects},
	{"monitor", aboutMonitoring},
	{"errortracking", aboutErrorTracking},
	{"console", aboutTheConsole},
	{"teams", aboutTeams},
}

func (x scenario) String() string { return x.name + x.rest + x.page }

// things are what the names in scenarios stand for.
type things map[string]map[string]any

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// expand puts the ids of things in the place of their names.
func (th things) expand(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		id := th[strings.Trim(name, "{}")]["id"]
		if n, ok := id.(float64); ok {
			id = int64(n)
		}
		return fmt.Sprint(id)
	})
}

// keep remembers the thing in an answer, which is the first one of a list.
func (th things) keep(name string, answer any) {
	if list, ok := answer.([]any); ok && len(list) > 0 {
		answer = list[0]
	}
	thing, _ := answer.(map[string]any)
	if iid, ok := thing["iid"]; ok {
		thing["id"] = iid
	}
	th[name] = thing
}

// walk goes through the scenarios of a group on a server of its own.
type walk struct {
	*server
	t       *testing.T
	browser *http.Client
	access  string // the application's access token
	things  things
	secrets []string // must be neither in the trail nor in the log
	written int      // values, so that names differ
}

// newWalk starts at a server with one project, root/web.
func newWalk(t *testing.T, s *server, byPath bool) *walk {
	t.Helper()
	s.lines.capture(t)
	w := &walk{server: s, t: t, browser: s.signIn(t)}
	w.access = s.exchange(t, s.code(t, w.browser)).Access
	w.secrets = []string{s.root.Password.Reveal(), s.root.Token.Reveal(), s.clientSecret.Reveal(), w.access}
	p := s.project(t)
	w.things = things{
		"web": {"id": p.ID}, "path": {"id": p.FullPath}, "client": {"id": s.client.ID}, "app": {"id": s.client.ClientID},
		"root": {"id": s.administrator(t).ID},
	}
	if byPath { // which costs more
		w.things["web"], w.counter = map[string]any{"id": url.PathEscape(p.FullPath)}, nil
	}
	return w
}

func (w *walk) all(scenarios []scenario) {
	for _, x := range scenarios {
		w.run(x)
	}
	w.checkSecrets()
}

// secret says that the text is secret, and returns it.
func (w *walk) secret(text string) string {
	w.secrets = append(w.secrets, text)
	return text
}

// secretField finds what nobody else may read in what is sent and answered.
var secretField = regexp.MustCompile(`"(?:password|auth_password|token|secret|authorization_key)":"([^"]+)"`)

func (w *walk) act(x scenario) {
	method, path, _ := strings.Cut(w.things.expand(x.rest+x.page), " ")
	switch {
	case x.do != nil:
		x.do(w)
	case x.page != "" && method == "GET":
		w.see(w.t, w.browser, path)
	case x.page != "":
		form, err := url.ParseQuery(w.things.expand(x.send))
		if err != nil {
			w.t.Fatal(err)
		}
		w.form(w.t, w.browser, path, form, x.status)
	default:
		defer w.inThePreview(x, method, path)()
		answer := w.call(w.t, method, path, w.token(x), w.things.expand(x.send), x.status)
		for _, field := range secretField.FindAllStringSubmatch(x.send+string(answer), -1) {
			w.secret(field[1])
		}
		w.keep(x.keep, answer)
	}
}

// token returns what a call is made with: an application's token where its cost is
// counted, and otherwise the personal one, which may do more.
func (w *walk) token(x scenario) string {
	if x.cost != (cost{}) {
		return w.access
	}
	return w.root.Token.Reveal()
}

func (w *walk) keep(name string, answer []byte) {
	if name == "" {
		return
	}
	var decoded any
	if err := json.Unmarshal(answer, &decoded); err != nil {
		w.t.Fatal(err)
	}
	w.things.keep(name, decoded)
}

// run acts, and checks what that left in the trail and in the log, and its cost.
func (w *walk) run(x scenario) {
	stored, logged := len(w.trail(w.t)), len(w.lines.events(w.t))
	if w.counter != nil && x.cost != (cost{}) {
		w.noteUse(x)
		if got := w.counter.during(func() { w.act(x) }); got != x.cost {
			w.t.Errorf("%s takes %d steps with %d writes and %d of audit entries, want %d with %d and %d",
				x, got.steps, got.writes, got.entries, x.cost.steps, x.cost.writes, x.cost.entries)
		}
	} else {
		w.act(x)
	}
	fresh := w.trail(w.t)
	fresh = fresh[:len(fresh)-stored]
	for _, e := range fresh {
		if e.Browser.Address != "127.0.0.1" || e.RequestID == "" || e.Outcome == "" {
			w.t.Errorf("%s: the entry %+v is not complete", x, e)
		}
		if ofProjects.MatchString(string(e.Name)) && e.ProjectID == 0 {
			w.t.Errorf("%s: the entry %+v names no project", x, e)
		}
	}
	w.compare(x, "stored", x.stored, eventsOf(fresh))
	w.compare(x, "logged", slices.Concat(x.stored, x.logged), w.lines.events(w.t)[logged:])
}

// ofProjects matches the events that always concern a project.
var ofProjects = regexp.MustCompile(`^(project|environment|integration|alert_settings|incident|error_tracking|client_key|license_policy|merge_request|pull_mirror|webhook|schedule|rotation|override|escalation_policy)\.`)

// noteUse has the use of the token or session noted, which is done once a
// minute, before the cost of a request with it is counted.
func (w *walk) noteUse(x scenario) {
	switch {
	case x.rest != "":
		w.info(w.t, w.access)
	case x.page != "":
		w.see(w.t, w.browser, "/user_settings/applications")
	}
}

func (w *walk) compare(x scenario, where string, want, got []audit.Name) {
	w.t.Helper()
	want = slices.Sorted(slices.Values(want))
	slices.Sort(got)
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		w.t.Errorf("%s: %s (-want +got):\n%s", x, where, diff)
	}
}

func eventsOf(entries []audit.Entry) (names []audit.Name) {
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names
}

// checkSecrets looks for what opens an account in the trail and in the log.
func (w *walk) checkSecrets() {
	w.t.Helper()
	trail, err := json.Marshal(w.trail(w.t))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, secret := range w.secrets {
		if strings.Contains(string(trail), secret) || strings.Contains(w.lines.text(), secret) {
			w.t.Errorf("the trail or the log holds %q", secret)
		}
	}
}

// Every scenario leaves the audit entries and log lines that it should, and no
// secret in either. On DynamoDB no function does more than its policy in the
// template allows, and requests that clients repeat stay within their round
// trips.
func TestScenarios(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { walkAll(t, startServer) })
	t.Run("dynamodb", func(t *testing.T) {
		needEmulator(t)
		walkAll(t, overPolicies)
		usedRights.end("scenarios")
	})
}

// walkAll walks through one group after the other, so that nothing else takes time
// from the requests that are counted.
func walkAll(t *testing.T, start func(testing.TB) *server) {
	caused := map[audit.Name]bool{}
	for _, g := range groups {
		all := g.scenarios()
		t.Run(g.name+" by id", func(t *testing.T) { newWalk(t, start(t), false).all(all) })
		if slices.ContainsFunc(all, func(x scenario) bool { return strings.Contains(x.rest, "/projects/{web}") }) {
			t.Run(g.name+" by path", func(t *testing.T) { newWalk(t, start(t), true).all(g.scenarios()) }) // to another function
		}
		for _, x := range all {
			for _, name := range slices.Concat(x.stored, x.logged) {
				caused[name] = true
			}
		}
	}
	for _, k := range audit.Kinds() {
		if !caused[k.Name] {
			t.Errorf("no scenario causes %s", k.Name)
		}
	}
}

// Every caller makes every call that can be made alone with every form of the
// project's name, through the gateway, which knows two functions for them. At the
// function itself one who may and one who may not are enough: it is the same handler.
// TestEveryCallByEveryCaller has more callers, on SQLite alone.
func TestWhoMay(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		whoMay(t, func(t *testing.T, g group, all []scenario) {
			a := apptest.New(t)
			t.Run("function", func(t *testing.T) {
				checkAccess(t, a, functions.Handlers(a.App)[g.name], all, "no role", "owner by OAuth")
			})
			a = apptest.New(t)
			t.Run("gateway", func(t *testing.T) {
				checkAccess(t, a, functions.Gateway(a.App), all, "no role", "guest", "planner", "reporter", "developer", "maintainer", "owner", "administrator")
			})
		})
	})
	t.Run("dynamodb", func(t *testing.T) {
		needEmulator(t)
		whoMay(t, func(t *testing.T, _ group, all []scenario) {
			a := apptest.Over(t, dynamodb.New(emulated(t)))
			checkAccess(t, a, functions.Gateway(a.App), all)
		})
	})
}

func whoMay(t *testing.T, check func(t *testing.T, g group, all []scenario)) {
	for _, g := range groups {
		if all := g.scenarios(); slices.ContainsFunc(all, isAlone) {
			t.Run(g.name, func(t *testing.T) {
				t.Parallel()
				check(t, g, all)
			})
		}
	}
}

func isAlone(x scenario) bool { return x.alone }

// checkAccess has the callers with the names make the calls, or all of them.
func checkAccess(t *testing.T, a *apptest.App, h http.Handler, all []scenario, names ...string) {
	ada := a.User("ada")
	top := a.Group("acme", project.Group{}, ada, project.Private)
	team := a.Group("team", top, a.User("ben"), project.Private)
	callers := slices.DeleteFunc(a.Callers(top.Place()), func(c apptest.Caller) bool {
		return len(names) > 0 && !slices.Contains(names, c.Name)
	})
	p := &places{App: a, handler: h, owner: a.Token(ada), namespace: team, known: all}
	for _, x := range all {
		if x.alone {
			t.Run(x.rest, func(t *testing.T) {
				method, _, _ := strings.Cut(x.rest, " ")
				call := apptest.Access{Method: method, Path: "{id}", Params: jsonOrNothing(x.send), Needs: leastRole(t, x), Status: x.status}
				call.Check(t, h, callers, func() []string { return p.arrange(t, x) })
			})
		}
	}
}

// leastRole returns the least role that may make the call, by the table of permissions.
func leastRole(t *testing.T, x scenario) project.Role {
	t.Helper()
	method, path, _ := strings.Cut(x.rest, " ")
	path, _, _ = strings.Cut(strings.TrimSuffix(path, "/"), "?")
	r := httptest.NewRequest(method, "/api/v4"+placeholder.ReplaceAllString(path, "1"), nil)
	_, pattern := callsOfREST().Handler(r)
	n := slices.IndexFunc(permissions, func(p permission) bool { return p.call == pattern })
	if n < 0 {
		t.Fatalf("the table in whomay_test.go has no line for %s", x.rest)
	}
	return permissions[n].who.role
}

// callsOfREST finds the line of a call.
var callsOfREST = sync.OnceValue(func() *http.ServeMux {
	mux := http.NewServeMux()
	for n, p := range permissions {
		if p.isREST() && (n == 0 || permissions[n-1].call != p.call) {
			mux.Handle(p.call, http.NotFoundHandler())
		}
	}
	return mux
})

func jsonOrNothing(text string) any {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// places makes the projects that calls are about.
type places struct {
	*apptest.App
	handler   http.Handler
	owner     string // a token
	namespace project.Group
	known     []scenario
	made      int
}

// arrange makes a project with the things that the call needs, and returns the
// call's path with every form of the project's name.
func (s *places) arrange(t *testing.T, x scenario) (forms []string) {
	t.Helper()
	s.made++
	p := s.Project(fmt.Sprintf("web-%d", s.made), s.namespace, project.Private)
	th := things{"web": {"id": p.ID}}
	s.provide(t, th, x)
	_, path, _ := strings.Cut(x.rest, " ")
	for _, form := range apptest.Forms(p.ID, p.FullPath) {
		th["web"] = map[string]any{"id": form}
		forms = append(forms, "/api/v4"+th.expand(path))
	}
	return forms
}

// provide makes what the call needs by the scenarios that keep it.
func (s *places) provide(t *testing.T, th things, x scenario) {
	t.Helper()
	for _, name := range append(placeholder.FindAllString(x.rest+x.send, -1), x.after) {
		if name = strings.Trim(name, "{}"); name == "" || th[name] != nil {
			continue
		}
		n := slices.IndexFunc(s.known, func(x scenario) bool { return x.keep == name })
		if n < 0 {
			t.Fatalf("no scenario keeps %s, which %s needs", name, x)
		}
		provider := s.known[n]
		s.provide(t, th, provider)
		method, path, _ := strings.Cut(th.expand(provider.rest), " ")
		answer := apptest.Call(t, s.handler, method, "/api/v4"+path, s.owner, jsonOrNothing(th.expand(provider.send)))
		answer.Want(t, provider.status, nil)
		th.keep(name, answer.Body)
	}
}

func names(all ...audit.Name) []audit.Name { return all }
