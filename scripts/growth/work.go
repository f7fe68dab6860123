package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"gatehouse/scripts/growth/partition"
)

// work is a call with how often it comes in a second.
type work struct {
	call
	rate float64
	anew string // see partition.Load
}

const (
	newText  = `"title":"Disk almost full on db-7.example.com","description":"` + description + `","hosts":["db-7.example.com"],"service":"database"`
	oneAlert = "POST {intake}"
)

// works are a busy instance of a million users: a thousand alerts in a second, of
// which each ends again, two hundred views of the console, and applications and
// scripts that work with tokens.
var works = []work{
	{rate: 300, anew: partition.Alert, call: call{name: "new alert", on: "alerts", call: oneAlert, who: "key", body: `{` + newText + `,"fingerprint":"new-{n}"}`}},
	{rate: 20, anew: partition.Alert, call: call{name: "webhook of ten new alerts", on: "alerts", call: oneAlert, who: "key", body: tenAlerts()}},
	{rate: 500, call: call{name: "repeated alert", on: "alerts", call: oneAlert, who: "key", body: `{` + newText + `,"fingerprint":"repeated"}`}},
	{rate: 500, anew: partition.Alert, call: call{name: "recovery", on: "alerts", call: oneAlert, who: "key", body: `{"fingerprint":"{ending}","end_time":"2026-01-01T00:00:00Z"}`, before: fireEnding}},

	{rate: 140, call: call{name: "console view", on: "console", call: "GET /console", who: "session actor"}},
	{rate: 10, call: call{name: "console view, administrator", on: "console", call: "GET /console", who: "session operator"}},
	{rate: 15, call: call{name: "console search", on: "console", call: "GET /console?search=web", who: "session actor"}},
	{rate: 5, call: call{name: "console search without a hit", on: "console", call: "GET /console?search=unheard", who: "session actor"}},
	{rate: 30, call: call{name: "page of alerts", on: "console", call: "GET /console/{project}/alerts", who: "session actor"}},
	{rate: 100, call: call{name: "list of alerts", on: "monitor", call: "GET /api/v4/projects/{project}/monitor/alerts", who: "token actor"}},
	{rate: 50, call: call{name: "GET /projects", on: "projects", call: "GET /api/v4/projects", who: "token actor"}},
	{rate: 100, call: call{name: "project by id", on: "projects", call: "GET /api/v4/projects/{project}", who: "token actor"}},
	{rate: 100, call: call{name: "project by path", on: "projects", call: "GET /api/v4/projects/{path}", who: "token actor"}},
	{rate: 100, call: call{name: "GET /user", on: "platform", call: "GET /api/v4/user", who: "token actor"}},

	{rate: 50, call: call{name: "sign-in", on: "account", call: "POST /users/sign_in", body: "login={login}&password={password}", want: http.StatusSeeOther}},
	{rate: 50, call: call{name: "authorization", on: "account", call: authorization + "openid+read_api", who: "session actor", want: http.StatusFound}},
	{rate: 50, call: call{name: "code exchange", on: "oauth", call: "POST /oauth/token", body: exchange, before: authorizeActor}},
	{rate: 200, call: call{name: "refresh", on: "oauth", call: "POST /oauth/token", body: refreshing("actor"), before: allowActor}},
	{rate: 1000, call: call{name: "token info", on: "oauth", call: "GET /oauth/token/info", who: "actor"}},
	{rate: 5, anew: partition.User, call: call{name: "new user", on: "platform", call: "POST /api/v4/users", who: "token operator", want: http.StatusCreated,
		body: `{"name":"New","username":"new-{n}","email":"new-{n}@example.com","password":"` + actorsPassword + `"}`}},
	{rate: 5, anew: partition.Project, call: call{name: "new project", on: "projects", call: "POST /api/v4/projects", who: "token actor", want: http.StatusCreated,
		body: `{"name":"New {n}","path":"new-{n}"}`}},
	{rate: 5, call: call{name: "new token", on: "platform", call: "POST /api/v4/users/{user}/personal_access_tokens", who: "token operator", want: http.StatusCreated,
		body: `{"name":"Script","scopes":["read_api"]}`}},
	{rate: 50, call: call{name: "userinfo", on: "oauth", call: "GET /oauth/userinfo", who: "actor"}},
}

// tenAlerts is a webhook in the format of Prometheus.
func tenAlerts() string {
	alerts := make([]string, 10)
	for n := range alerts {
		alerts[n] = fmt.Sprintf(`{"status":"firing","startsAt":"2026-01-01T00:00:00Z","labels":{"alertname":"Disk almost full","call":"{n}","pod":"%d"},`+
			`"annotations":{"description":"%s"}}`, n, description)
	}
	return `{"version":"4","groupKey":"","status":"firing","receiver":"","groupLabels":{},"commonLabels":{},` +
		`"commonAnnotations":{},"externalURL":"","alerts":[` + strings.Join(alerts, ",") + `]}`
}

func authorizeActor(s *site) error { return s.authorize("actor", "openid+read_api") }

func allowActor(s *site) error { return s.allow("actor", "actor", "openid+read_api") }

// fireEnding opens the alert that ends.
func fireEnding(s *site) error {
	s.values["ending"] = fmt.Sprintf("ending-%s-%d", s.values["login"], s.calls)
	a := s.send("alerts", s.request("POST", "{intake}", "key", `{`+newText+`,"fingerprint":"{ending}"}`))
	if a.status != http.StatusOK {
		return fmt.Errorf("the alert was answered %d %s", a.status, &a.body)
	}
	return nil
}

// samples makes the call of each actor, and returns what each took. If nothing has
// to be arranged for each call, the call is made once before: DynamoDB writes the
// use of a token or a session only once a minute.
func (w work) samples(ctx context.Context, s *site, rec *recorder, all actors) (samples [][]partition.Use, err error) {
	arrange := w.before
	if w.before = nil; arrange == nil {
		arrange = func(s *site) error { return w.once(ctx, s) }
	}
	for _, actor := range all {
		s.act(actor)
		if err := arrange(s); err != nil {
			return nil, err
		}
		uses := rec.during(func() { err = w.once(ctx, s) })
		if err != nil {
			return nil, err
		}
		samples = append(samples, uses)
	}
	return samples, nil
}

func (w work) once(ctx context.Context, s *site) error {
	_, refused, err := w.make(ctx, s)
	if err == nil && refused != 0 {
		err = fmt.Errorf("answered %d", refused)
	}
	return err
}
