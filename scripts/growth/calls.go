package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// call is something that clients do. {name} stands for a value of the site.
type call struct {
	name string
	on   string // the function
	call string // method and target
	who  string // see site.request
	body string
	want int // the status; zero: 200

	// base names the call that reads only who asks and the place that it is
	// about. What DynamoDB reads for that is not this call's own.
	base string
	// above says why what it takes of DynamoDB may be above the budget.
	above string
	// before arranges each request, and after takes what later ones need.
	before func(*site) error
	after  func(*site, *answer) error
	// do takes the place of a request, and is only for stores that can.
	do func(context.Context, *site) (can bool, err error)
}

// The calls that only find out who asks, and what about.
const (
	byToken  = "GET /user"
	inPlace  = "a refused call of a project"
	bySignIn = "a page"
	onPage   = "a page of a project"
	refresh  = "refresh"
	byOAuth  = "token info"
)

func (c call) isBase() bool {
	switch c.name {
	case byToken, inPlace, bySignIn, onPage, refresh, byOAuth:
		return true
	}
	return false
}

const (
	alertList  = "GET /api/v4/projects/{busy}/monitor/alerts"
	memberList = "/api/v4/projects/{busy}/members"
)

// Why calls may be above the budget.
const (
	mergesGroups = "it merges the lists of all groups that the person is in, 16 side by side, and reads what each counts: two units for each group"
	namesRoles   = "it names the person's role in up to 200 groups, which are found among all memberships and read one by one"
	goesBack     = "entries are in a partition for each month: it reads the newest month, then four, then the rest of the year, until the page is full"
	entryAfter   = "its entry in the audit trail follows the change, which can fail"
	looksAtMany  = "no key serves it: a page reads up to 500 items, in two looks or, to order them, in one"
	readsPlaces  = "it reads the memberships before the three steps for what is there, and of each of up to 50 groups the first projects, for a unit each"
	findsPerson  = "it finds the person by user name first, in two requests"
)

// calls are the calls of the table, the bases first.
var calls = []call{
	{name: byToken, on: "platform", call: "GET /api/v4/user", who: "token manager"},
	{name: inPlace, on: "projects", call: "GET /api/v4/projects/{busy}/environments?page=0", who: "token manager", want: http.StatusBadRequest},
	{name: bySignIn, on: "account", call: "GET /user_settings/personal_access_tokens/new", who: "session manager"},
	{name: onPage, on: "console", call: "GET /console/{busy}/settings", who: "session manager", want: http.StatusFound},
	{name: byOAuth, on: "oauth", call: "GET /oauth/token/info", who: "api many"},
	{name: refresh, on: "oauth", call: "POST /oauth/token", body: refreshing("api refreshed"), after: keep("api refreshed")},

	{name: "alerts, first page", on: "monitor", call: alertList, who: "token manager", base: inPlace},
	{name: "alerts, page 100", on: "monitor", call: alertList + "?page={alerts page}", who: "token manager", base: inPlace},
	{name: "alerts, a page by Link", on: "monitor", call: "GET {next}", who: "token manager", base: inPlace, before: followLinks},
	{name: "alerts, search", on: "monitor", call: alertList + "?search=disk", who: "token manager", base: inPlace},
	{name: "alerts by severity", on: "monitor", call: alertList + "?order_by=severity", who: "token manager", base: inPlace},
	{name: "alerts by status", on: "monitor", call: alertList + "?order_by=status", who: "token manager", base: inPlace},
	{name: "open grave alerts", on: "monitor", call: alertList + "?status=triggered,acknowledged&severity=critical,high", who: "token manager", base: inPlace},
	{name: "alert", on: "monitor", call: alertList + "/{alert}", who: "token manager", base: inPlace},
	{name: "alert page", on: "console", call: "GET /console/{busy}/alerts/{alert}", who: "session manager", base: onPage},
	{name: "page of alerts", on: "console", call: "GET /console/{busy}/alerts", who: "session manager", base: onPage},
	{name: "page of a project", on: "console", call: "GET /console/{busy}", who: "session manager", base: onPage},
	{name: "new alert", on: "alerts", call: "POST {intake}", who: "key", body: `{"title":"Disk full","fingerprint":"new-{n}"}`},
	{name: "repeated alert", on: "alerts", call: "POST {intake}", who: "key", body: `{"title":"Disk full","fingerprint":"repeated"}`},

	{name: "home, few", on: "console", call: "GET /", who: "session few", base: bySignIn, above: readsPlaces},
	{name: "home, many", on: "console", call: "GET /", who: "session many", base: bySignIn, above: readsPlaces},
	{name: "console, few", on: "console", call: "GET /console", who: "session few", base: bySignIn},
	{name: "console, many", on: "console", call: "GET /console", who: "session many", base: bySignIn, above: mergesGroups},
	{name: "console search, few", on: "console", call: "GET /console?search=web", who: "session few", base: bySignIn},
	{name: "console search, many", on: "console", call: "GET /console?search=web", who: "session many", base: bySignIn, above: mergesGroups},
	{name: "console search without a hit, few", on: "console", call: "GET /console?search=unheard", who: "session few", base: bySignIn},
	{name: "console search without a hit, many", on: "console", call: "GET /console?search=unheard", who: "session many", base: bySignIn, above: mergesGroups},
	{name: "GET /projects, few", on: "projects", call: "GET /api/v4/projects", who: "token few", base: byToken},
	{name: "GET /projects, many", on: "projects", call: "GET /api/v4/projects", who: "token many", base: byToken, above: mergesGroups},
	{name: "GET /projects, many, page 100", on: "projects", call: "GET /api/v4/projects?page={projects page}", who: "token many", base: byToken, above: mergesGroups},
	{name: "GET /projects?search=, few", on: "projects", call: "GET /api/v4/projects?search=web", who: "token few", base: byToken},
	{name: "GET /projects?search=, many", on: "projects", call: "GET /api/v4/projects?search=web", who: "token many", base: byToken, above: mergesGroups},
	{name: "GET /groups, few", on: "platform", call: "GET /api/v4/groups", who: "token few", base: byToken},
	{name: "GET /groups, many", on: "platform", call: "GET /api/v4/groups", who: "token many", base: byToken, above: mergesGroups},
	{name: "GET /projects/:id", on: "projects", call: "GET /api/v4/projects/{busy}", who: "token manager", base: inPlace},
	{name: "GET /projects?visibility=, few", on: "projects", call: "GET /api/v4/projects?visibility=public", who: "token few", base: byToken, above: looksAtMany},
	{name: "GET /projects?visibility=, many", on: "projects", call: "GET /api/v4/projects?visibility=public", who: "token many", base: byToken, above: mergesGroups},
	{name: "GET /projects?order_by=name, few", on: "projects", call: "GET /api/v4/projects?order_by=name&sort=asc", who: "token few", base: byToken, above: looksAtMany},
	{name: "GET /projects?sort=asc, few", on: "projects", call: "GET /api/v4/projects?sort=asc", who: "token few", base: byToken},
	{name: "GET /projects?order_by=name, administrator", on: "projects", call: "GET /api/v4/projects?order_by=name&sort=asc", who: "token operator", base: byToken, above: looksAtMany},
	{name: "GET /groups?search=, few", on: "platform", call: "GET /api/v4/groups?search=group00", who: "token few", base: byToken, above: looksAtMany},
	{name: "GET /groups?search= without a hit, few", on: "platform", call: "GET /api/v4/groups?search=unheard", who: "token few", base: byToken, above: looksAtMany},
	{name: "GET /groups?order_by=path, few", on: "platform", call: "GET /api/v4/groups?order_by=path&sort=asc", who: "token few", base: byToken, above: looksAtMany},
	{name: "projects of a group, few", on: "platform", call: "GET /api/v4/groups/{group}/projects", who: "token few", base: inPlace},
	{name: "projects in subgroups, administrator", on: "platform", call: "GET /api/v4/groups/{group}/projects?include_subgroups=true", who: "token operator", base: inPlace},
	{name: "subgroups of a group, few", on: "platform", call: "GET /api/v4/groups/{group}/subgroups", who: "token few", base: inPlace},
	{name: "namespaces, few", on: "platform", call: "GET /api/v4/namespaces", who: "token few", base: byToken},
	{name: "namespaces, many", on: "platform", call: "GET /api/v4/namespaces", who: "token many", base: byToken, above: mergesGroups},
	{name: "namespaces, administrator", on: "platform", call: "GET /api/v4/namespaces", who: "token operator", base: byToken},
	{name: "GET /users?active=true, administrator", on: "platform", call: "GET /api/v4/users?active=true", who: "token operator", base: byToken},
	{name: "GET /users?admins=true, administrator", on: "platform", call: "GET /api/v4/users?admins=true", who: "token operator", base: byToken, above: looksAtMany},
	{name: "GET /users?order_by=name, administrator", on: "platform", call: "GET /api/v4/users?order_by=name&sort=asc", who: "token operator", base: byToken, above: looksAtMany},
	{name: "GET /users?sort=asc, administrator", on: "platform", call: "GET /api/v4/users?sort=asc", who: "token operator", base: byToken},
	{name: "GET /users, administrator", on: "platform", call: "GET /api/v4/users", who: "token operator", base: byToken},
	{name: "members of a project", on: "projects", call: "GET " + memberList, who: "token manager", base: inPlace},
	{name: "members of a project by query", on: "projects", call: "GET " + memberList + "?query=user0", who: "token manager", base: inPlace},
	{name: "members of a project by query without a hit", on: "projects", call: "GET " + memberList + "?query=unheard", who: "token manager", base: inPlace, above: looksAtMany},
	{name: "one member", on: "projects", call: "GET " + memberList + "/{member}", who: "token manager", base: inPlace},
	{name: "change of a member", on: "projects", call: "PUT " + memberList + "/{member}", body: `{"access_level":{role}}`, who: "token manager", base: inPlace, above: entryAfter},
	{name: "settings of a project, many", on: "monitor", call: "GET /api/v4/projects/{busy}/monitor/settings", who: "token many", base: inPlace},
	{name: "environments of a project, many", on: "projects", call: "GET /api/v4/projects/{busy}/environments", who: "token many", base: inPlace},

	{name: "userinfo, few", on: "oauth", call: "GET /oauth/userinfo", who: "openid few", base: byOAuth},
	{name: "userinfo, many", on: "oauth", call: "GET /oauth/userinfo", who: "openid many", base: byOAuth, above: namesRoles},
	{name: "userinfo, many, refused", on: "oauth", call: "GET /oauth/userinfo", who: "api many", want: http.StatusForbidden, base: byOAuth},
	{name: "refresh with openid, many", on: "oauth", call: "POST /oauth/token", body: refreshing("openid refreshed"), after: keep("openid refreshed"), base: refresh, above: namesRoles},
	{name: "authorized applications, many", on: "account", call: "GET /user_settings/authorized_applications", who: "session many", base: bySignIn},
	{name: "sessions, many", on: "account", call: "GET /user_settings/sessions", who: "session many", base: bySignIn},
	{name: "page of tokens, many", on: "account", call: "GET /user_settings/personal_access_tokens", who: "session many", base: bySignIn},
	{name: "GET /personal_access_tokens, many", on: "platform", call: "GET /api/v4/personal_access_tokens", who: "token many", base: byToken},
	{name: "GET /personal_access_tokens?search=, many", on: "platform", call: "GET /api/v4/personal_access_tokens?search=unheard", who: "token many", base: byToken},
	{name: "audit page", on: "account", call: "GET /admin/audit", who: "session operator", base: bySignIn},
	{name: "audit page, rare event", on: "account", call: "GET /admin/audit?event={rare}", who: "session operator", base: bySignIn, above: goesBack},
	{name: "audit page, absent event", on: "account", call: "GET /admin/audit?event={absent}", who: "session operator", base: bySignIn, above: goesBack},
	{name: "audit page by person", on: "account", call: "GET /admin/audit?user=few", who: "session operator", base: bySignIn, above: findsPerson},
	{name: "own audit, many", on: "account", call: "GET /user_settings/audit", who: "session many", base: bySignIn},
	{name: "own audit, many, absent event", on: "account", call: "GET /user_settings/audit?event={absent}", who: "session many", base: bySignIn},
	{name: "sweep with nothing due", do: sweep},
}

// refreshing is the form that refreshes the tokens that are kept under a name.
func refreshing(name string) string {
	return "grant_type=refresh_token&refresh_token={refresh " + name + "}&{client}"
}

func keep(name string) func(*site, *answer) error {
	return func(s *site, a *answer) error { return s.keepTokens(name, a) }
}

var nextLink = regexp.MustCompile(`<([^>]*)>; rel="next"`)

// followLinks finds the address of the third page as a client does.
func followLinks(s *site) error {
	if s.values["next"] != "" {
		return nil
	}
	target := "/api/v4/projects/{busy}/monitor/alerts"
	for range 2 {
		a := s.send("monitor", s.request("GET", target, "token manager", ""))
		link := nextLink.FindStringSubmatch(a.header.Get("Link"))
		if link == nil {
			return fmt.Errorf("%s answered %d without a link to the next page", target, a.status)
		}
		next, err := url.Parse(link[1])
		if err != nil {
			return err
		}
		target = next.RequestURI()
	}
	s.values["next"] = target
	return nil
}

// sweep deletes what has expired, if the store does not do that itself.
func sweep(ctx context.Context, s *site) (bool, error) {
	store, ok := s.store.(interface {
		Sweep(ctx context.Context, now time.Time) error
	})
	if !ok {
		return false, nil
	}
	return true, store.Sweep(ctx, s.Now())
}

// make makes the call once. It returns how long that took, and the status if it is
// not the wanted one.
func (c call) make(ctx context.Context, s *site) (took time.Duration, refused int, err error) {
	if c.do != nil {
		start := time.Now()
		_, err := c.do(ctx, s)
		return time.Since(start), 0, err
	}
	s.calls++
	s.values["n"] = strconv.FormatInt(s.Now().UnixMicro(), 36) + strconv.Itoa(s.calls)
	s.values["role"] = strconv.Itoa(20 + s.calls%2*10)
	if c.before != nil {
		if err := c.before(s); err != nil {
			return 0, 0, err
		}
	}
	method, target, _ := strings.Cut(c.call, " ")
	r := s.request(method, target, c.who, c.body)
	start := time.Now()
	a := s.send(c.on, r)
	took = time.Since(start)
	if a.status != max(c.want, http.StatusOK) {
		return took, a.status, nil
	}
	if c.after != nil {
		err = c.after(s, a)
	}
	return took, 0, err
}
