package functions_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/mail"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"
)

const (
	heaviestPage = 30 << 10 // bytes of HTML
	mostRequests = 3        // beyond authentication, authorization and reading the place
)

// asksMore is how many requests some pages still make, most of them at the same time: no
// page may join them, and none may ask more than here. functions/docs/growth.md says why.
var asksMore = map[string]int{
	"GET /{$}":                           35, // one for each group that one joined, up to fifty
	"GET /console/{id}/alerts":           8,  // two lists of open alerts, the alerts, their events with people, numbers, days, tools, messages
	"GET /console/{id}/incidents":        5,  // a list for each status, the incidents, their people
	"GET /console/groups/{id}/subgroups": 4,  // a list for each visibility
	"GET /admin/deprecations":            16, // a list for each deprecated name
}

// waitsMore is how many round trips a page waits for, one after the other, where they are
// more: the start page reads the memberships, what is in their places, the projects and their
// people.
var waitsMore = map[string]int{"GET /{$}": 4}

// rows is more than a page of a list has.
const rows = 25

// No page weighs more than its budget, however much there is to show: full pages of rows
// with the longest names.
func TestPagesStayLight(t *testing.T) {
	unlogged(t)
	s := newCrowd(t, sqlitetest.Open(t))
	assets := 0
	for _, asset := range []string{"style.css", "site.js", "icon.svg"} {
		assets += zipped(t, s.open("/assets/"+asset))
	}
	heaviest, page := 0, ""
	for _, r := range pages() {
		body := s.open(s.address(r, s.places[project.Private])).Body.Bytes()
		if len(body) > heaviestPage {
			t.Errorf("%s weighs %d bytes, want at most %d: show fewer rows, or less in each", r.call, len(body), heaviestPage)
		}
		if len(body) > heaviest {
			heaviest, page = len(body), r.call
		}
	}
	t.Logf("the heaviest page is %s with %d bytes; what all pages share is %d bytes compressed", page, heaviest, assets)
}

func zipped(t *testing.T, w *httptest.ResponseRecorder) int {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(w.Body.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Len()
}

// No page asks more of DynamoDB than its budget, however much there is to show, nor has it
// wait for more round trips one after the other. What authentication, authorization and
// reading the place take is what the simplest page takes.
func TestPagesAskLittle(t *testing.T) {
	needEmulator(t)
	unlogged(t)
	options, counter := emulated(t), &requests{}
	options.HTTPClient = counter
	s := newCrowd(t, dynamodb.New(options))
	at := s.places[project.Private]
	asked := func(address string) (made, waits int) {
		s.open(address) // the first time may bring what a release before left up to date
		counter.made = 0
		waits = counter.during(func() { s.open(address) }).steps
		return counter.made, waits
	}
	type ask struct{ made, waits int }
	simplest := func(address string) (of ask) { of.made, of.waits = asked(address); return of }
	home, group := fmt.Sprintf("/console/%d", at.project.ID), fmt.Sprintf("/console/groups/%d", s.above.ID)
	alone, inProject, inGroup := simplest("/user_settings/applications/new"), simplest(home+"/oncall/new"), simplest(group+"/settings")
	for _, r := range pages() {
		address, base := s.address(r, at), alone
		switch {
		case strings.HasSuffix(r.call, "/applications/{id}"):
			base = simplest(address + "/edit") // finding it tells who may see it
		case strings.HasPrefix(address, home+"/"):
			base = inProject
		case strings.HasPrefix(address, "/console/groups/") && strings.Contains(r.call, "{id}"):
			base = inGroup
		}
		made, waits := asked(address)
		made, waits = made-base.made, waits-base.waits
		most := max(mostRequests, asksMore[r.call])
		if made > most || waits > max(mostRequests, waitsMore[r.call]) {
			t.Errorf("%s makes %d requests of DynamoDB in %d steps beyond those for its reader and place, want at most %d in %d", r.call, made, waits, most, max(mostRequests, waitsMore[r.call]))
		}
		if asksMore[r.call] > max(made, mostRequests) {
			t.Errorf("%s makes %d requests of DynamoDB: lower its line in asksMore, or remove it", r.call, made)
		}
	}
}

// requests counts the requests of DynamoDB.
type requests struct {
	steps
	made int // while no other request is under way
}

func (c *requests) Do(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.made++
	c.mu.Unlock()
	return c.steps.Do(r)
}

// pages lists the pages that somebody opens.
func pages() (all []permission) {
	for _, r := range permissions {
		if r.isPage() && r.reads() && !strings.HasPrefix(r.call, "GET /assets/") && !strings.HasSuffix(r.call, ".csv") {
			all = append(all, r)
		}
	}
	return all
}

// crowd is a scene with one administrator, who has and sees as much as pages can show.
type crowd struct{ *scene }

func newCrowd(t *testing.T, store storage.Store) crowd {
	t.Helper()
	s := &scene{
		App: apptest.Over(t, store), t: t, direct: map[project.Role]user.User{},
		own: map[string]string{}, places: map[project.Visibility]*place{},
	}
	s.gateway = functions.Gateway(s.App.App)
	s.boss, s.other, s.ended = s.Admin("boss"), s.User("other"), s.User("ended")
	s.holder = s.boss
	s.above = s.Group("acme", project.Group{}, s.holder, project.Private)
	s.person("administrator", s.boss, noMember)
	at := s.newPlace(project.Private)
	s.places[project.Private] = at
	s.furnish(at)
	s.addOwn()
	c := crowd{s}
	c.fill(at)
	return c
}

// many is what there is more of than a page shows: {n} differs, and {long} and {word} are about as long as
// a name or address may be.
var many = []struct{ call, body string }{
	{"POST projects/{project}/environments", `{"name":"{long}"}`},
	{"POST projects/{project}/error_tracking/client_keys", ""},
	{"POST projects/{project}/monitor/integrations", `{"name":"{long}","type":"http","active":true}`},
	{"POST projects/{project}/monitor/integrations/{integration}/test", `{"payload":{"title":"{long}","service":"{long}","monitoring_tool":"{long}","hosts":["{long}"],"description":"{long}{long}{long}"}}`},
	{"PUT projects/{project}/monitor/alerts/{n}", `{"assignee_id":{worker}}`},
	{"POST projects/{project}/monitor/incidents", `{"title":"{long}","description":"{long}","assignee_id":{worker}}`},
	{"POST projects/{project}/monitor/incidents/1/alerts", `{"alert_iid":{n}}`},
	{"POST projects/{project}/monitor/incidents/1/timeline", `{"note":"{long}"}`},
	{"POST projects/{project}/monitor/webhooks", `{"url":"https://chat.example/{word}"}`},
	{"POST projects/{project}/monitor/schedules", `{"name":"{long}","timezone":"UTC"}`},
	{"POST projects/{project}/monitor/schedules/{schedule}/rotations", `{"name":"{long}","starts_at":"2026-01-01T09:00","length":{"value":1,"unit":"weeks"},"participants":[{holder}]}`},
	{"POST groups", `{"name":"{long}","path":"group-{n}"}`},
	{"POST projects", `{"name":"{long}","path":"project-{n}"}`},
	{"POST users", `{"username":"crowd-{n}","name":"{long}","email":"crowd-{n}@example.com","password":"correct horse"}`},
	{"POST user/personal_access_tokens", `{"name":"{long}","scopes":["read_user"]}`},
	{"POST user/webhooks", `{"url":"https://chat.example/{word}"}`},
	{"POST applications", `{"name":"{long}","redirect_uri":"https://app.example/{word}","scopes":"api"}`},
}

// fill adds many things of each kind, as far as there may be so many.
func (c crowd) fill(at *place) {
	token, word, worker := c.Token(c.boss), strings.Repeat("W", 200), c.User("worker")
	c.Member(at.project.Place(), worker, project.Developer)
	for _, m := range many {
		method, path, _ := strings.Cut(m.call, " ")
		for n := range rows {
			ids := strings.NewReplacer("{n}", fmt.Sprint(n+2), "{worker}", fmt.Sprint(worker.ID), "{long}", fmt.Sprintf("%03d %s", n, word), "{word}", fmt.Sprint(word, n), "{project}", fmt.Sprint(at.project.ID))
			answer := apptest.Call(c.t, c.gateway, method, "/api/v4/"+at.expand(ids.Replace(path)), token, jsonOrNothing(at.expand(ids.Replace(m.body))))
			if answer.Status >= 300 && n == 0 {
				c.t.Fatalf("%s: %d %v", m.call, answer.Status, answer.Body)
			}
		}
	}
	for n := range rows {
		c.signIn(c.boss)
		to := mail.Address{Email: "ada@example.com"}
		if err := c.Mails.Send(c.t.Context(), mail.Message{From: to, To: to, At: c.Now(), Subject: word, ID: fmt.Sprintf("%d@example.com", n+100)}); err != nil {
			c.t.Fatal(err)
		}
	}
}

// open opens a page as the administrator does.
func (c crowd) open(address string) *httptest.ResponseRecorder {
	c.t.Helper()
	w := httptest.NewRecorder()
	c.gateway.ServeHTTP(w, c.request(&caller{cookies: c.callers[0].cookies}, http.MethodGet, address, "", true))
	if w.Code >= 500 {
		c.t.Errorf("GET %s = %d %.200s", address, w.Code, w.Body)
	}
	return w
}
