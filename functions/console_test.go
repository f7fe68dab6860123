package functions_test

import (
	"net/http"
	"net/url"
	"time"

	"gatehouse/shared/errortracking"
	"gatehouse/shared/incident"
	"gatehouse/shared/integration"
	"gatehouse/shared/oncall"
	"gatehouse/shared/paging/permit"
	"gatehouse/shared/project"
	"gatehouse/shared/runner"
	"gatehouse/shared/session"
	"gatehouse/shared/signin"
	"gatehouse/shared/undelivered"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

func aboutTheConsole() []scenario {
	const (
		console   = "/console/{path}"
		settings  = console + "/settings"
		incidents = console + "/incidents"
		hot       = incidents + "/1"
		one       = settings + "/integrations/{integration}"
		onCall    = console + "/oncall/{schedule}"
		week      = "name=Week&value=1&unit=weeks&starts_at=2026-01-05T09:00"
		hooks     = settings + "/webhooks"
		given     = settings + "/undelivered"
		sample    = `sample={"what":"Down","else":"Slow"}&chosen=1`
		again     = `integration={integration}&payload={"what":"Down","else":"Slow","fingerprint":"again"}`
	)
	return []scenario{
		{rest: "POST /projects/{web}/monitor/integrations", send: `{"name":"Off","type":"http","active":true}`, status: 201, keep: "integration", stored: names(integration.EventCreated)},
		{name: "alerts", do: func(w *walk) {
			w.deliver("integration", `{"title":"alert 0"}`, `{"title":"alert 1"}`, `{"title":"alert 2"}`)
		}},
		{rest: "PATCH /projects/{web}/monitor/integrations/{integration}", send: `{"active":false}`, status: 200, stored: names(integration.EventDisabled)},

		{page: "GET /console/search", cost: cost{2, 0, 0}},
		{page: "GET /console/search?q=web", cost: cost{4, 0, 0}},
		{page: "GET /console/search?q=web%2399", cost: cost{5, 0, 0}},
		{page: "GET /console/search?q=99&in={path}", cost: cost{5, 0, 0}},

		// The session, then its user, and then the project by its path are four of
		// the steps.
		{page: "GET " + console + "/alerts", cost: cost{7, 0, 0}}, // entries, alerts, their events
		{page: "GET " + console + "/alerts?sort=severity"},
		{page: "GET " + console + "/alerts?assignee=nobody&host=web-1", cost: cost{7, 0, 0}},
		{page: "GET " + console + "/alerts/counts.json", cost: cost{5, 0, 0}},
		{page: "GET " + console + "/alerts/1", cost: cost{6, 0, 0}},
		{page: "POST " + console + "/alerts/1/status", send: "status=acknowledged", status: 303, cost: cost{7, 1, 0}},
		{page: "POST " + console + "/alerts/1/silence", send: "for=hour", status: 303, cost: cost{7, 1, 0}},
		{page: "POST " + console + "/alerts/1/silence", send: "for=end", status: 303},
		{name: "a mail's link", do: func(w *walk) { w.keepToken("token", 2) }},
		{page: "GET " + permit.Path + "?token={token}", cost: cost{3, 0, 0}},
		{page: "POST " + permit.Path, send: "token={token}", status: 200, cost: cost{4, 1, 0}},
		{page: "POST " + console + "/alerts", send: "deed=hour&alerts[]=2.2&alerts[]=3.1", status: 303, cost: cost{8, 2, 0}},
		{page: "POST " + console + "/alerts", send: "deed=acknowledge&all=1", status: 303, cost: cost{11, 1, 0}},
		{page: "POST " + console + "/alerts", send: "deed=resolve", status: 422},
		{page: "GET " + console + "/alerts/1/assignee", cost: cost{6, 0, 0}},
		{page: "POST " + console + "/alerts/1/assignee", send: "user_id={root}", status: 303},
		{page: "POST " + incidents, send: "title=Disks&severity=high&alerts=1", status: 303, stored: names(incident.EventCreated), cost: cost{9, 4, 5}},
		{page: "GET " + incidents, cost: cost{6, 0, 0}},
		{page: "GET " + incidents + "?search=disks&severity=high", cost: cost{6, 0, 0}},
		{page: "GET " + hot, cost: cost{7, 0, 0}},
		{page: "POST " + hot + "/alerts", send: "alert=2", status: 303, stored: names(incident.EventLinked), cost: cost{9, 2, 5}},
		{page: "POST " + hot + "/alerts/2/delete", status: 303, stored: names(incident.EventUnlinked), cost: cost{9, 2, 5}},
		{page: "POST " + console + "/alerts/2/incident", send: "incident=1", status: 303, stored: names(incident.EventLinked), cost: cost{9, 2, 5}},
		{page: "POST " + console + "/alerts/2/incident/delete", status: 303, stored: names(incident.EventUnlinked), cost: cost{10, 2, 5}},
		{page: "POST " + console + "/alerts/2/incident", send: "incident=1", status: 303, stored: names(incident.EventLinked)},
		{page: "GET " + hot + "/edit", cost: cost{5, 0, 0}},
		{page: "POST " + hot + "/edit", send: "title=Disks&severity=low&description=Hurry", status: 303, stored: names(incident.EventChanged), cost: cost{6, 1, 5}},
		{page: "POST " + hot + "/status", send: "status=acknowledged", status: 303, stored: names(incident.EventChanged), cost: cost{6, 1, 5}},
		{page: "GET " + hot + "/assignee", cost: cost{6, 0, 0}},
		{page: "POST " + hot + "/assignee", send: "user_id={root}", status: 303, stored: names(incident.EventChanged), cost: cost{7, 1, 5}},
		{page: "POST " + hot + "/notes", send: "note=On it.", status: 303, stored: names(incident.EventNoted), cost: cost{6, 1, 5}},
		{page: "POST " + hot + "/state", send: "state=closed", status: 303, stored: names(incident.EventClosed), cost: cost{11, 3, 5}},
		{page: "POST " + hot + "/state", send: "state=opened", status: 303, stored: names(incident.EventReopened), cost: cost{6, 1, 5}},
		{page: "GET " + incidents + "/new?alert=1", cost: cost{5, 0, 0}},
		{page: "GET " + console + "/oncall", cost: cost{5, 0, 0}},
		{page: "GET " + console + "/oncall/new", cost: cost{4, 0, 0}},
		{page: "POST " + console + "/oncall", send: "name=Primary&timezone=Europe/Berlin", status: 303, stored: names(oncall.EventCreated), cost: cost{7, 2, 5}},
		{rest: "GET /projects/{web}/monitor/schedules", status: 200, keep: "schedule"},
		{rest: "POST /users", send: `{"username":"ada","name":"Ada","email":"ada@example.com","password":"the password of ada"}`, status: 201, keep: "ada", stored: names(user.EventCreated)},
		{rest: "POST /projects/{web}/members", send: `{"user_id":{ada},"access_level":30}`, status: 201, stored: names(project.EventMemberAdded)},
		{page: "GET " + onCall + "/rotations/new", cost: cost{5, 0, 0}},
		{page: "POST " + onCall + "/rotations", send: week + "&do=preview&add=ada", status: 200, cost: cost{11, 0, 0}},
		{page: "POST " + onCall + "/rotations", send: week + "&do=save&people[]={ada}", status: 303, stored: names(oncall.EventRotationAdded), cost: cost{7, 1, 5}},
		{page: "GET " + onCall + "/rotations/1", cost: cost{6, 0, 0}},
		{page: "POST " + onCall + "/rotations/1", send: week + "&do=save&people[]={ada}&people[]={root}", status: 303, stored: names(oncall.EventRotationChanged), cost: cost{7, 1, 5}},
		{page: "GET " + onCall, cost: cost{6, 0, 0}},
		{page: "POST " + onCall, send: "name=First&timezone=UTC", status: 303, stored: names(oncall.EventChanged), cost: cost{6, 1, 5}},
		{page: "POST " + onCall + "/overrides", send: "user=root&from=2099-01-05T20:00&to=2099-01-06T08:00", status: 303, stored: names(oncall.EventOverrideAdded), cost: cost{9, 1, 5}},
		{page: "POST " + onCall + "/overrides/2/delete", status: 303, stored: names(oncall.EventOverrideDeleted), cost: cost{6, 1, 5}},
		{page: "POST " + onCall + "/swaps", send: "given={ada} 2099-01-05T09:00:00Z 2099-01-12T09:00:00Z&taken={root} 2099-01-12T09:00:00Z 2099-01-19T09:00:00Z", status: 303, stored: names(oncall.EventSwapped), cost: cost{7, 1, 5}},
		{page: "GET " + console + "/oncall", cost: cost{6, 0, 0}},
		{page: "GET " + console + "/oncall/escalation", cost: cost{5, 0, 0}},
		{page: "POST " + console + "/oncall/escalation", send: "do=save&repeat=1&seen=0&after[]=0&until[]=acknowledged&whom[]=schedule-{schedule}&person[]=&after[]=5&until[]=resolved&whom[]=person&person[]=ada", status: 303, stored: names(oncall.EventPolicy), cost: cost{12, 2, 5}},
		{page: "GET " + console + "/oncall/escalation", cost: cost{6, 0, 0}},
		{page: "POST " + console + "/oncall/escalation", send: "do=save&repeat=0&seen=1", status: 303, stored: names(oncall.EventPolicy), cost: cost{6, 1, 5}},
		{page: "POST " + onCall + "/feed", status: 201, stored: names(oncall.EventFeedRenewed), cost: cost{6, 1, 5}},
		{page: "POST " + onCall + "/feed/delete", status: 303, stored: names(oncall.EventFeedEnded), cost: cost{6, 1, 5}},
		{page: "GET " + console + "/oncall/calendar", cost: cost{5, 0, 0}},
		{page: "POST " + console + "/oncall/calendar", status: 201, stored: names(oncall.EventFeedRenewed), cost: cost{6, 1, 4}},
		{page: "POST " + console + "/oncall/calendar/delete", status: 303, stored: names(oncall.EventFeedEnded), cost: cost{6, 1, 4}},
		{page: "POST " + onCall + "/rotations/1/delete", status: 303, stored: names(oncall.EventRotationDeleted), cost: cost{6, 1, 5}},
		{page: "POST " + onCall + "/delete", status: 303, stored: names(oncall.EventDeleted), cost: cost{7, 1, 5}},
		{page: "GET " + hooks, cost: cost{5, 0, 0}},
		{page: "GET " + hooks + "/new", cost: cost{4, 0, 0}},
		{page: "POST " + hooks, send: "url=https://chat.example/hooks/x&active=1", status: 201, stored: names(webhook.EventCreated), cost: cost{8, 2, 5}},
		{rest: "GET /projects/{web}/monitor/webhooks", status: 200, keep: "hook"},
		{page: "GET " + hooks + "/{hook}", cost: cost{5, 0, 0}},
		{page: "POST " + hooks + "/{hook}/active", status: 303, stored: names(webhook.EventDisabled), cost: cost{6, 1, 5}},
		{page: "POST " + hooks + "/{hook}/test", status: 303, cost: cost{8, 2, 0}},
		{page: "POST " + hooks + "/{hook}", send: "url=https://chat.example/hooks/y", status: 303, stored: names(webhook.EventChanged), cost: cost{6, 1, 5}},
		{page: "POST " + hooks + "/{hook}/rotate", status: 200, stored: names(webhook.EventRotated), cost: cost{6, 1, 5}},
		{page: "POST " + hooks + "/{hook}/delete", status: 303, stored: names(webhook.EventDeleted), cost: cost{6, 1, 5}},
		{name: "an undelivered message", do: func(w *walk) { w.giveUp("undelivered") }},
		{page: "GET " + given, cost: cost{5, 0, 0}},
		{page: "POST " + given + "/{undelivered}/retry", status: 303, stored: names(undelivered.EventRetried), cost: cost{7, 1, 5}},
		{page: "GET " + settings + "/integrations", cost: cost{5, 0, 0}},
		{page: "GET " + one, cost: cost{5, 0, 0}},
		{page: "POST " + one, send: "name=Off&active=1", status: 303, stored: names(integration.EventEnabled)},
		{page: "POST " + one + "/key", status: 303, stored: names(integration.EventKeyReset)},
		{page: "POST " + one + "/path_key", status: 303, stored: names(integration.EventPathKeyRenewed)},
		{page: "POST " + one + "/path_key/delete", status: 303, stored: names(integration.EventPathKeyEnded)},
		{page: "POST " + one + "/delete", status: 303, stored: names(integration.EventDeleted)},
		{page: "POST " + settings + "/integrations", send: "name=Uptime&type=http&active=1", status: 303, stored: names(integration.EventCreated)},
		{page: "POST " + settings + "/alerts", send: "create_incident=1&retention_days=30", status: 303, stored: names(integration.EventAlertSettingsChanged)},
		{page: "POST " + settings + "/error_tracking", send: "active=1&tracker=integrated", status: 303, stored: names(errortracking.EventChanged)},
		{page: "POST " + settings + "/error_tracking/client_keys", status: 303, stored: names(errortracking.EventClientKeyCreated)},
		{page: "GET " + settings + "/error_tracking"},
		{rest: "GET /projects/{web}/error_tracking/client_keys", status: 200, keep: "clientkey"},
		{page: "POST " + settings + "/error_tracking/client_keys/{clientkey}/delete", status: 303, stored: names(errortracking.EventClientKeyDeleted)},
		{page: "POST " + console + "/environments", send: "name=staging", status: 303, stored: names(project.EventEnvironmentCreated)},
		{rest: "GET /projects/{web}/environments", status: 200, keep: "staging"},
		{page: "POST " + console + "/environments/{staging}/delete", status: 303, stored: names(project.EventEnvironmentDeleted)},
		{page: "GET /console", cost: cost{4, 0, 0}},
		// The session, its user, the memberships, and the projects are four of the steps.
		{page: "GET /", cost: cost{5, 0, 0}},
		{page: "GET " + console},
		{page: "GET " + console + "/alerts/test"},
		{page: "GET " + console + "/environments"},
		{rest: "GET /projects/{web}/monitor/integrations", status: 200, keep: "integration"},
		{page: "POST " + one + "/mapping", send: sample + `&path_title=["what"]&do=save`, status: 303, stored: names(integration.EventChanged)},
		{page: "POST " + one + "/mapping", send: sample + `&path_title=["else"]&do=save`, status: 303, stored: names(integration.EventChanged)},
		{page: "POST " + console + "/alerts/test", send: again, status: 200},
		{page: "POST " + console + "/alerts/test", send: again, status: 200},
		{page: "POST " + one + "/replay", send: "alert=4", status: 303, stored: names(integration.EventReplayed)},
		{page: "POST " + console + "/alerts/4/status", send: "status=resolved", status: 303},
		{page: "POST " + console + "/alerts/4/status", send: "status=triggered", status: 303},
		{page: "POST " + console + "/alerts/4/status", send: "status=resolved", status: 303},
		{name: "the session an hour later", do: func(w *walk) {
			w.pass(session.TouchEvery)
			w.see(w.t, w.browser, w.things.expand(console))
		}},
		{name: "sign-in after alerts expired", do: func(w *walk) {
			w.pass(32 * 24 * time.Hour)
			w.browser = w.signIn(w.t)
		}, stored: names(signin.EventSignIn)},
		{page: "GET " + console + "/alerts"}, // takes what expired from the numbers
		{page: "POST " + settings + "/general/delete", status: 303, stored: names(project.EventProjectDeleted)},
	}
}

// aboutTeams goes from nothing to a group with a project and members, by pages alone.
func aboutTeams() []scenario {
	const (
		groups  = "/console/groups"
		acme    = groups + "/acme"
		members = acme + "/members"
		shop    = "/console/acme/shop"
		private = "&visibility=private"
	)
	var ada *http.Client
	adaAdds := func(username string, status int) func(*walk) {
		return func(w *walk) {
			w.form(w.t, ada, shop+"/members", values("username", username, "access_level", "20"), status)
		}
	}
	return []scenario{
		{page: "GET " + groups, cost: cost{3, 0, 0}},
		{page: "GET " + groups + "?all=1", cost: cost{3, 0, 0}},
		{page: "GET " + groups + "/new", cost: cost{3, 0, 0}},
		{page: "POST " + groups, send: "name=Acme" + private, status: 303, stored: names(project.EventGroupCreated), cost: cost{6, 2, 4}},
		{rest: "GET /groups/acme", status: 200, keep: "group"},
		{page: "GET " + groups + "/new?parent={group}", cost: cost{3, 0, 0}},
		{page: "POST " + groups, send: "name=Team&parent_id={group}" + private, status: 303, stored: names(project.EventGroupCreated)},
		{page: "GET " + acme, cost: cost{5, 0, 0}},
		{page: "GET " + acme + "/subgroups", cost: cost{6, 0, 0}},
		{page: "GET " + acme + "/settings", cost: cost{4, 0, 0}},
		{page: "POST " + acme + "/settings", send: "name=Acme+Corp&visibility=internal", status: 303, stored: names(project.EventGroupChanged), cost: cost{7, 1, 4}},
		{page: "POST " + acme + "/team/settings/delete", status: 303, stored: names(project.EventGroupDeleted), cost: cost{9, 1, 4}},
		{page: "GET /console/new", cost: cost{4, 0, 0}},
		{page: "GET /console/new?namespace={group}", cost: cost{3, 0, 0}},
		{page: "POST /console", send: "name=Shop&namespace_id={group}" + private, status: 303, stored: names(project.EventProjectCreated), cost: cost{6, 2, 5}},
		{page: "GET " + shop, cost: cost{5, 0, 0}},
		{page: "GET " + shop + "/settings/general", cost: cost{4, 0, 0}},
		{page: "POST " + shop + "/settings/general", send: "name=Web+shop&visibility=internal", status: 303, stored: names(project.EventProjectChanged), cost: cost{8, 1, 5}},
		{rest: "POST /users", send: `{"username":"ada","name":"Ada","email":"ada@example.com","password":"the password of ada"}`, status: 201, keep: "ada", stored: names(user.EventCreated)},
		{page: "GET " + members, cost: cost{6, 0, 0}},
		{page: "POST " + members, send: "username=ada&access_level=30", status: 303, stored: names(project.EventMemberAdded), cost: cost{8, 1, 4}},
		{page: "GET " + members + "/{ada}", cost: cost{5, 0, 0}},
		{page: "POST " + members + "/{ada}", send: "access_level=40&expires_at=2999-12-31", status: 303, stored: names(project.EventMemberChanged), cost: cost{7, 1, 4}},
		{page: "GET " + shop + "/members", cost: cost{5, 0, 0}},
		{page: "GET " + shop + "/members?from={group}", cost: cost{6, 0, 0}},
		{page: "POST " + shop + "/members", send: "username=ada&access_level=50", status: 303, stored: names(project.EventMemberAdded)},
		{name: "sign-in of ada", do: func(w *walk) {
			ada = newBrowser(w.t)
			w.form(w.t, ada, "/users/sign_in", values("login", "ada", "password", w.secret("the password of ada")), http.StatusSeeOther)
		}, stored: names(signin.EventSignIn)},
		{rest: "POST /users", send: `{"username":"ben","name":"Ben","email":"ben@example.com","password":"the password of ben"}`, status: 201, stored: names(user.EventCreated)},
		{name: "a member whom ada adds, which is counted", do: adaAdds("ben", http.StatusSeeOther), stored: names(project.EventMemberAdded)},
		{name: "a member whom ada adds again, which is not", do: adaAdds("ben", http.StatusConflict)},
		{page: "POST " + shop + "/members/{ada}", send: "access_level=20", status: 303, stored: names(project.EventMemberChanged)},
		{page: "POST " + shop + "/members/{ada}/delete", status: 303, stored: names(project.EventMemberRemoved), cost: cost{7, 1, 5}},
		{page: "POST " + members + "/{ada}/delete", status: 303, stored: names(project.EventMemberRemoved), cost: cost{7, 1, 4}},
		{page: "POST " + shop + "/settings/general/delete", status: 303, stored: names(project.EventProjectDeleted)},
		{rest: "POST /groups/acme/runners/reset_registration_token", status: 201, stored: names(runner.EventTokenReset)}, // goes with the group
		{page: "POST " + acme + "/settings/delete", status: 303, stored: names(project.EventGroupDeleted)},
	}
}

// keepToken keeps the token of a link that acknowledges an alert of the project in the name
// of the administrator.
func (w *walk) keepToken(name string, iid int64) {
	w.t.Helper()
	p, err := w.app.Projects.FindProject(w.t.Context(), w.things.expand("{path}"))
	if err != nil {
		w.t.Fatal(err)
	}
	a, err := w.app.Alerts.Alert(w.t.Context(), p.ID, iid)
	if err != nil {
		w.t.Fatal(err)
	}
	link, err := url.Parse(w.app.Permits.Acknowledge(w.administrator(w.t).ID, a, w.now().Add(time.Hour)))
	if err != nil {
		w.t.Fatal(err)
	}
	w.things[name] = map[string]any{"id": w.secret(link.Query().Get("token"))}
}
