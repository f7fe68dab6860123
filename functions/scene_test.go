package functions_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/functions"
	"gatehouse/shared/accesstoken"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/mail"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"
)

// nobody is the name of the caller without a token or session.
const nobody = "nobody"

// caller is somebody who makes calls, or opens pages.

type caller struct {
	name    string
	token   string            // for the REST API
	cookies map[string]string // of a browser, for pages
	role    project.Role      // in the project and the group of every scene
	scopes  scope.Set         // of the token
	oauth   bool              // the token is an application's
	admin   bool
	person  bool  // tells by the role alone what visibility is good for
	holder  bool  // has the things that are somebody's own
	refused reply // of every call and page that is not for everybody; empty: it depends
}

// scene is an instance with all that calls name, and callers of every kind.
type scene struct {
	*apptest.App
	t       *testing.T
	gateway http.Handler
	storeFile
	boss    user.User // an administrator
	holder  user.User
	above   project.Group // the group above, in which roles are inherited
	direct  map[project.Role]user.User
	ended   user.User
	other   user.User // a member who makes no calls, for calls about a member
	own     map[string]string
	places  map[project.Visibility]*place
	callers []*caller
	made    int
}

// place is the project and the group that calls name, and what they have.
type place struct {
	project project.Project
	group   project.Group
	ids     map[string]string // of the things in them, by the name in the pattern
}

var roleNames = map[project.Role]string{
	project.Guest: "guest", project.Planner: "planner", project.Reporter: "reporter",
	project.Developer: "developer", project.Maintainer: "maintainer", project.Owner: "owner",
}

func newScene(t *testing.T) *scene {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gatehouse.db")
	s := &scene{
		App: apptest.Over(t, sqlitetest.OpenAt(t, path)), t: t, direct: map[project.Role]user.User{},
		own: map[string]string{}, places: map[project.Visibility]*place{},
	}
	s.gateway = functions.Gateway(s.App.App)
	s.storeFile = openFile(t, path)
	s.boss, s.holder, s.ended, s.other = s.Admin("boss"), s.User("holder"), s.User("ended"), s.User("other")
	s.above = s.Group("acme", project.Group{}, s.holder, project.Public)
	s.addCallers()
	for _, v := range []project.Visibility{project.Private, project.Internal, project.Public} {
		s.places[v] = s.newPlace(v)
		s.furnish(s.places[v])
	}
	s.addOwn()
	s.warmUp()
	return s
}

// content returns how many rows each table has, and a sum of what is in them. Uses of
// deprecated names are counted also when a call is refused, which is no change.
func (s *scene) content() map[string]string {
	all := map[string]string{}
	for _, table := range s.tables(s.t) {
		if table == "deprecated_uses" {
			continue
		}
		sum := sha256.New()
		_, rows := s.rows(s.t, table)
		for _, row := range rows {
			fmt.Fprintln(sum, row)
		}
		all[table] = fmt.Sprintf("%d rows %x", len(rows), sum.Sum(nil))
	}
	return all
}

// named returns the caller with the name.
func (s *scene) named(name string) *caller {
	for _, c := range s.callers {
		if c.name == name {
			return c
		}
	}
	s.t.Fatalf("there is no caller %q", name)
	return nil
}

func (s *scene) addCallers() {
	lateUser, sorry := s.User("late"), s.User("sorry")
	for _, u := range []user.User{lateUser, sorry} {
		s.Member(s.above.Place(), u, project.Owner)
	}
	late, lateOAuth := s.expiring(lateUser), s.OAuthToken(lateUser, scope.API)
	s.Pass(25 * time.Hour)
	s.addMembers()
	s.addScopes()
	s.add(&caller{name: "expired personal access token", token: late, refused: refusedToken})
	s.add(&caller{name: "expired OAuth token", token: lateOAuth, refused: refusedToken})
	s.add(&caller{name: "revoked personal access token", token: s.RevokedToken(sorry), refused: refusedToken})
	s.add(&caller{name: "unknown token", token: "gtpat-unheard", refused: refusedToken})
	s.add(&caller{name: nobody, refused: refusedToken})
	s.add(&caller{name: "owner's session alone", cookies: s.callers[0].cookies, role: project.Owner, holder: true})
	s.addSessions(sorry)
}

// expiring returns a token that is valid until tomorrow.
func (s *scene) expiring(u user.User) string {
	_, text, err := s.Tokens.Create(s.t.Context(), audit.Setup, accesstoken.Request{
		UserID: u.ID, Name: "expiring", Scopes: scope.Of(scope.API), ExpiresAt: s.Now().Truncate(24*time.Hour).AddDate(0, 0, 1),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return text.Reveal()
}

func (s *scene) add(c *caller) *caller { s.callers = append(s.callers, c); return c }

// person adds a user with a session and a personal access token that may do all.
func (s *scene) person(name string, u user.User, role project.Role) *caller {
	return s.add(&caller{
		name: name, token: s.Token(u), cookies: s.signIn(u), role: role, scopes: scope.Of(scope.API), admin: u.Admin, holder: u.ID == s.holder.ID,
	})
}

// signIn returns the cookies of a browser after the right password.
func (s *scene) signIn(u user.User) map[string]string {
	b := apptest.NewBrowser(s.t, s.gateway)
	b.Post("/users/sign_in", values("login", u.Username, "password", apptest.Password)).Want(http.StatusSeeOther)
	delete(b.Cookies, "__Host-gatehouse_notice")
	return b.Cookies
}

// addMembers adds people with every role, of the place itself or of the group above.
func (s *scene) addMembers() {
	s.person("holder, who owns the group above", s.holder, project.Owner)
	s.person("administrator", s.boss, noMember)
	s.person("stranger", s.User("stranger"), project.NoRole).person = true
	elsewhere := s.User("elsewhere")
	s.Group("far", project.Group{}, elsewhere, project.Private)
	s.person("owner of another group", elsewhere, project.NoRole)
	s.person("member until yesterday", s.ended, project.NoRole).person = true
	for role, name := range roleNames {
		s.direct[role] = s.User(name)
		s.person(name, s.direct[role], role).person = true
		inherits := s.User(name + "-above")
		s.Member(s.above.Place(), inherits, role)
		s.person(name+" of the group above", inherits, role)
	}
}

// addScopes adds owners and administrators with tokens that may do less.
func (s *scene) addScopes() {
	scoped := s.User("scoped")
	s.Member(s.above.Place(), scoped, project.Owner)
	for _, one := range []scope.Scope{scope.ReadAPI, scope.ReadUser, scope.ReadRepository, scope.WriteRepository} {
		s.add(&caller{name: "owner, personal access token with " + one, token: s.Token(scoped, one), role: project.Owner, scopes: scope.Of(one)})
	}
	for _, one := range []scope.Scope{scope.API, scope.ReadAPI, scope.ReadUser, scope.OpenID, scope.Profile} {
		s.add(&caller{name: "owner, OAuth token with " + one, token: s.OAuthToken(scoped, one), role: project.Owner, scopes: scope.Of(one), oauth: true})
	}
	for _, one := range []scope.Scope{scope.ReadAPI, scope.ReadUser, scope.Sudo} {
		s.add(&caller{name: "administrator, personal access token with " + one, token: s.Token(s.boss, one), role: noMember, scopes: scope.Of(one), admin: true})
	}
	s.add(&caller{name: "administrator, OAuth token", token: s.OAuthToken(s.boss, scope.API), role: noMember, scopes: scope.Of(scope.API), oauth: true, admin: true})
}

// addSessions adds what is no session for a page, or no token for a call.
func (s *scene) addSessions(signedOut user.User) {
	blocked := s.User("blocked")
	s.Member(s.above.Place(), blocked, project.Owner)
	s.add(&caller{name: "blocked owner", token: s.Token(blocked), cookies: s.signIn(blocked), scopes: scope.Of(scope.API), refused: refusedUser})
	s.Block(blocked)

	b := apptest.NewBrowser(s.t, s.gateway)
	b.Cookies = s.signIn(signedOut)
	ended := map[string]string{apptest.SessionCookie: b.Cookies[apptest.SessionCookie]}
	b.Post("/users/sign_out", nil).Want(http.StatusSeeOther)
	s.add(&caller{name: "ended session", cookies: ended, refused: refusedToken})

	careful := s.User("careful")
	s.Member(s.above.Place(), careful, project.Owner)
	enrolment := s.TwoFactor.Begin(careful, "session")
	if _, _, err := s.TwoFactor.Enable(s.t.Context(), careful, enrolment, enrolment.Seed.Code(s.Now())); err != nil {
		s.t.Fatal(err)
	}
	s.add(&caller{name: "owner whose session waits for the second factor", cookies: s.signIn(careful), refused: refusedToken})
}

// newPlace adds a project and a group, each with the members of its own.
func (s *scene) newPlace(v project.Visibility) *place {
	s.made++
	p := &place{ids: map[string]string{"user": fmt.Sprint(s.other.ID)}}
	p.group = s.Group(fmt.Sprintf("team-%d", s.made), s.above, s.holder, v)
	p.project = s.Project(fmt.Sprintf("web-%d", s.made), s.above, v)
	for _, at := range []project.Place{p.group.Place(), p.project.Place()} {
		s.MemberUntil(at, s.ended, project.Owner, s.Now().AddDate(0, 0, -1))
		s.Member(at, s.other, project.Guest)
		for role, u := range s.direct {
			s.Member(at, u, role)
		}
	}
	return p
}

// furnishing is what a project gets for the calls that name it: the name in patterns, and
// the call that makes it.
var furnishing = []struct{ name, call, body string }{
	{"environment", "POST environments", `{"name":"staging"}`},
	{"", "PUT error_tracking/settings", `{"active":true,"integrated":true}`},
	{"key", "POST error_tracking/client_keys", ""},
	{"rule", "POST approval_rules", `{"name":"Security","approvals_required":1}`},
	{"", "POST merge_requests", `{"source_branch":"fix","target_branch":"main","title":"Fix"}`},
	{"own_rule", "POST merge_requests/1/approval_rules", `{"name":"Own","approvals_required":1}`},
	{"", "POST license_approval_policies", `{"name":"MIT","approval_status":"allowed"}`},
	{"integration", "POST monitor/integrations", `{"name":"Tool","type":"http","active":true}`},
	{"", "POST monitor/integrations/{integration}/test", `{"payload":{"title":"Down"}}`},
	{"", "POST monitor/incidents", `{"title":"Down"}`},
	{"", "POST monitor/incidents/1/alerts", `{"alert_iid":1}`},
	{"webhook", "POST monitor/webhooks", `{"url":"https://chat.example/hook"}`},
	{"schedule", "POST monitor/schedules", `{"name":"Night","timezone":"UTC"}`},
	{"rotation", "POST monitor/schedules/{schedule}/rotations", `{"name":"First","starts_at":"2026-01-01T09:00","length":{"value":1,"unit":"weeks"},"participants":[{holder}]}`},
	{"override", "POST monitor/schedules/{schedule}/overrides", `{"overrides":[{"user_id":{holder},"starts_at":"2199-01-01T00:00:00Z","ends_at":"2199-01-02T00:00:00Z"}]}`},
	{"registration", "POST runners/reset_registration_token", ""},
}

// furnish adds a thing of every kind to the project.
func (s *scene) furnish(p *place) {
	token := s.Token(s.boss)
	p.ids["holder"] = fmt.Sprint(s.holder.ID)
	for _, f := range furnishing {
		method, path, _ := strings.Cut(f.call, " ")
		answer := apptest.Call(s.t, s.gateway, method, fmt.Sprintf("/api/v4/projects/%d/%s", p.project.ID, p.expand(path)), token, jsonOrNothing(p.expand(f.body)))
		if answer.Status >= 300 {
			s.t.Fatalf("%s: %d %v", f.call, answer.Status, answer.Body)
		}
		p.keep(f.name, answer.Body)
	}
	runner := apptest.Call(s.t, s.gateway, "POST", "/api/v4/runners", "", map[string]any{"token": p.ids["registration"]})
	p.keep("runner", runner.Body)
}

// keep remembers the id in an answer, or the first one of a list, or a token without an id.
func (p *place) keep(name string, answer any) {
	if list, ok := answer.([]any); ok {
		answer = list[0]
	}
	object, _ := answer.(map[string]any)
	p.ids[name] = fmt.Sprint(cmp.Or(object["id"], object["token"]))
}

func (p *place) expand(text string) string {
	for name, id := range p.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// addOwn adds the things that are the holder's own.
func (s *scene) addOwn() {
	s.made++
	token := s.Token(s.holder)
	make := func(path string, body any) string {
		answer := apptest.Call(s.t, s.gateway, "POST", "/api/v4"+path, token, body)
		if answer.Status != http.StatusCreated {
			s.t.Fatalf("POST %s: %d %v", path, answer.Status, answer.Body)
		}
		return fmt.Sprint(answer.ID(s.t))
	}
	if old := s.own["/api/v4/user/webhooks"]; old != "" {
		apptest.Call(s.t, s.gateway, "DELETE", "/api/v4/user/webhooks/"+old, token, nil)
	}
	hook := make("/user/webhooks", map[string]any{"url": "https://chat.example/own"})
	spare, _ := s.AddToken(s.holder)
	s.own["/api/v4/user/webhooks"], s.own["/user_settings/notifications/webhooks"] = hook, hook
	s.own["/api/v4/personal_access_tokens"] = fmt.Sprint(spare.ID)
	s.own["/user_settings/personal_access_tokens"] = fmt.Sprint(spare.ID)
	victim := fmt.Sprint(s.User(fmt.Sprintf("victim-%d", s.made)).ID)
	s.own["/api/v4/users"], s.own["/admin/users"] = victim, victim
	s.own["/user_settings/applications"] = s.application()
	s.own["/api/v4/applications"], s.own["/admin/applications"] = s.own["/user_settings/applications"], s.own["/user_settings/applications"]
	token = s.Token(s.boss)
	site := make("/geo_sites", map[string]any{"name": fmt.Sprintf("Berlin %d", s.made), "url": "https://berlin.example"})
	s.own["/api/v4/geo_sites"], s.own["/api/v4/geo_nodes"] = site, site
	one := mail.Address{Email: "ada@example.com"}
	if err := s.Mails.Send(s.t.Context(), mail.Message{From: one, To: one, At: s.Now(), Subject: "Alert", ID: "1@example.com"}); err != nil {
		s.t.Fatal(err)
	}
	s.own["/admin/mails"] = "1"
}

// application adds an application of the holder.
func (s *scene) application() string {
	b := apptest.NewBrowser(s.t, s.gateway)
	b.Cookies = s.callers[0].cookies
	b.Post("/user_settings/applications", values("name", "Weather", "redirect_uri", callback, "scopes[]", "api", "confidential", "1")).Want(http.StatusCreated)
	list := b.Get("/user_settings/applications").Want(http.StatusOK).Body.String()
	delete(b.Cookies, "__Host-gatehouse_notice")
	return regexp.MustCompile(`/user_settings/applications/(\d+)"`).FindStringSubmatch(list)[1]
}

// warmUp makes a request with every token and session, as the first one in a minute notes
// its use.
func (s *scene) warmUp() {
	for _, c := range s.callers {
		s.ask(c, permission{call: "GET /api/v4/user"}, "/api/v4/user", "")
		s.ask(c, permission{call: "GET /user_settings/applications"}, "/user_settings/applications", "")
	}
}

// address returns the path of the call about the place.
func (s *scene) address(r permission, at *place) string {
	_, path, found := strings.Cut(r.call, " ")
	if !found {
		path = r.call
	}
	path = strings.ReplaceAll(path, "{$}", "")
	if before, _, found := strings.Cut(path, "/{id}"); found {
		path = strings.ReplaceAll(path, "{id}", s.id(before, at))
	}
	if strings.Contains(path, "merge_requests/{iid}/approval_rules") {
		path = strings.ReplaceAll(path, "{rule_id}", at.ids["own_rule"])
	}
	return placeholder.ReplaceAllStringFunc(underscored.ReplaceAllString(path, "{$1}"), func(name string) string {
		return cmp.Or(at.ids[strings.Trim(name, "{}")], fixed[name], "1")
	}) + r.who.query
}

var (
	underscored = regexp.MustCompile(`\{([a-z]+)_id\}`)
	fixed       = map[string]string{"{username}": "holder", "{license}": "MIT", "{kind}": "groups", "{name}": "style.css", "{message}": "1000000", "{file}": "1.ics", "{path...}": "x"}
)

// id returns the id of what the path before it has.
func (s *scene) id(before string, at *place) string {
	switch before {
	case "/api/v4/projects", "/console":
		return fmt.Sprint(at.project.ID)
	case "/api/v4/groups", "/api/v4/namespaces", "/console/groups":
		return fmt.Sprint(at.group.ID)
	}
	return cmp.Or(s.own[before], "1000000")
}

// ask makes the call at the address and returns what came of it.
func (s *scene) ask(c *caller, r permission, address, body string) outcome {
	method, _, _ := strings.Cut(r.call, " ")
	if strings.HasPrefix(method, "/") {
		method = http.MethodGet
	}
	return s.send(s.request(c, method, address, body, r.isPage()), r.isPage())
}

// request returns the caller's request. A browser sends forms from the site's own pages.
func (s *scene) request(c *caller, method, address, body string, page bool) *http.Request {
	request := httptest.NewRequest(method, address, strings.NewReader(body))
	request.RemoteAddr = "192.0.2.7:7"
	switch {
	case page && method != http.MethodGet:
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Sec-Fetch-Site", "same-origin")
	case body != "":
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	for name, value := range c.cookies {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	return request
}

// outcome is what came of a request.
type outcome struct {
	reply   reply
	status  int
	body    string
	written bool // something was stored
}

func (s *scene) send(r *http.Request, page bool) outcome {
	before, w := s.version(s.t), httptest.NewRecorder()
	s.gateway.ServeHTTP(w, r)
	answer := w.Result()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	o := outcome{status: answer.StatusCode, body: string(body), written: s.version(s.t) != before}
	o.reply = replyOf(answer, o.body, page)
	return o
}

// reply is what a call comes to, as far as it is about who makes it.
type reply string

const (
	served         reply = "served"
	refusedToken   reply = "401, or to sign in"
	refusedScope   reply = "403 insufficient_scope"
	refusedUser    reply = "403"
	refusedToKnow  reply = "404"
	refusedByError reply = "an internal error"
)

func replyOf(answer *http.Response, body string, page bool) reply {
	location, _ := url.Parse(answer.Header.Get("Location"))
	switch {
	case answer.StatusCode >= 500:
		return refusedByError
	case answer.StatusCode == http.StatusUnauthorized, page && location != nil && location.Path == "/users/sign_in" && answer.StatusCode < 400:
		return refusedToken
	case answer.StatusCode == http.StatusForbidden && strings.Contains(body, `"insufficient_scope"`):
		return refusedScope
	case answer.StatusCode == http.StatusForbidden:
		return refusedUser
	case answer.StatusCode == http.StatusNotFound:
		return refusedToKnow
	}
	return served
}

// unlogged keeps the log of a test with thousands of requests out of its output.
func unlogged(t *testing.T) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { slog.SetDefault(before) })
}
