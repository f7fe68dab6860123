package functions_test

import (
	"strings"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/auth"
	"gatehouse/shared/geo"
	"gatehouse/shared/instance"
	"gatehouse/shared/notice"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/recovery"
	"gatehouse/shared/reservation"
	"gatehouse/shared/runner"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

func aboutThePlatform() []scenario {
	const build = `{"description":"Build","tag_list":["linux"]}`
	const report = `{"healthy":true,"projects_count":41,"failures":[{"project_id":1}]}`
	return []scenario{
		{rest: "GET /version", status: 200, cost: cost{2, 0, 0}},
		{rest: "GET /metadata", status: 200},
		{rest: "POST /applications", send: `{"name":"REST","redirect_uri":"` + callback + `","scopes":"api"}`, status: 201, keep: "application", stored: names(oauth.EventApplicationCreated)},
		{rest: "POST /applications/{application}/renew-secret", status: 201, stored: names(oauth.EventSecretRenewed)},
		{rest: "GET /applications", status: 200},
		{rest: "DELETE /applications/{application}", status: 204, stored: names(oauth.EventApplicationDeleted)},

		{rest: "POST /users", send: `{"username":"ben","name":"Ben","email":"ben@example.com","password":"the password of ben"}`, status: 201, keep: "ben", stored: names(user.EventCreated)},
		{rest: "POST /users", send: `{"username":"boss","name":"Boss","email":"boss@example.com","password":"the password of ben","admin":true}`,
			status: 201, stored: names(user.EventCreated, user.EventAdminGranted)},
		{rest: "PUT /users/{ben}", send: `{"name":"Benjamin","admin":true,"password":"another password of ben"}`,
			status: 200, stored: names(user.EventAdminGranted, user.EventPasswordChanged, user.EventChanged)},
		{rest: "PUT /users/{ben}", send: `{"name":"Benjamin","admin":false}`, status: 200, stored: names(user.EventAdminRevoked)},
		{rest: "PUT /user", send: `{"name":"Root"}`, status: 200, stored: names(user.EventChanged)},
		{rest: "PUT /user", send: `{"password":"another password","current_password":"not right"}`, status: 400, stored: names(user.EventPasswordRefused)},
		{rest: "POST /users/{ben}/reset_link", status: 201, stored: names(recovery.EventLinkMade), cost: cost{4, 0, 4}},
		{rest: "DELETE /users/{ben}/sessions", status: 204, stored: names(user.EventSessionsEnded)},
		{rest: "PUT /users/{ben}", send: `{"private_profile":false}`, status: 200, cost: cost{6, 1, 0}},
		{rest: "PUT /users/{ben}", send: `{"private_profile":null}`, deprecated: true, status: 200, cost: cost{6, 3, 0}}, // the first use of the day is also listed
		{rest: "PUT /users/{ben}", send: `{"private_profile":null}`, deprecated: true, status: 200, cost: cost{6, 2, 0}},
		{rest: "GET /deprecations", status: 200},
		{rest: "GET /deprecations/uses", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /deprecations/uses?application_id={app}", status: 200, cost: cost{4, 0, 0}},
		{page: "GET /admin/deprecations", cost: cost{5, 0, 0}},
		{rest: "POST /users/{ben}/block", status: 201, stored: names(user.EventBlocked)},
		{rest: "POST /users/{ben}/unblock", status: 201, stored: names(user.EventUnblocked)},
		{rest: "GET /users", status: 200, cost: cost{4, 0, 0}}, // two of them for the caller
		{rest: "GET /users?username=ben", status: 200},
		{do: func(w *walk) { w.call(w.t, "GET", "/user?sudo=ben", w.root.Token.Reveal(), "", 200) }, name: "sudo", stored: names(auth.EventSudoUsed)},

		{rest: "POST /users/{ben}/personal_access_tokens", send: `{"name":"ci","scopes":["api"]}`, status: 201, keep: "token", stored: names(accesstoken.EventCreated)},
		{rest: "POST /personal_access_tokens/{token}/rotate", status: 201, keep: "token", stored: names(accesstoken.EventRotated)},
		{rest: "DELETE /personal_access_tokens/{token}", status: 204, stored: names(accesstoken.EventRevoked)},

		{rest: "GET /user/notifications", status: 200, cost: cost{3, 0, 0}},
		{rest: "PUT /user/notifications", send: `{}`, status: 200, cost: cost{3, 0, 0}},
		{rest: "PUT /user/notifications", send: `{"email_alerts":false,"quiet_hours":true,"quiet_timezone":"Europe/Berlin"}`, status: 200, stored: names(notice.EventChanged), cost: cost{4, 1, 4}},
		{rest: "PUT /user/notifications", send: `{"email_pages":false}`, status: 400, cost: cost{4, 0, 0}},
		{rest: "POST /user/notifications/test", status: 202},
		{rest: "POST /user/webhooks", send: `{"url":"https://chat.example/secret-path"}`, status: 201, keep: "hook", stored: names(webhook.EventOwnCreated), cost: cost{5, 2, 4}},
		{rest: "POST /user/webhooks", send: `{"url":"https://10.0.0.1"}`, status: 400},
		{rest: "GET /user/webhooks", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /user/webhooks/{hook}", status: 200, cost: cost{3, 0, 0}},
		{rest: "GET /user/webhooks/1000000", status: 404},
		{rest: "POST /user/notifications/test", status: 202, cost: cost{6, 1, 0}},
		{rest: "PUT /user/webhooks/{hook}", send: `{"url":"https://chat.example/other"}`, status: 200, stored: names(webhook.EventOwnChanged), cost: cost{4, 1, 4}},
		{rest: "PUT /user/webhooks/{hook}", send: `{"active":false}`, status: 200, stored: names(webhook.EventOwnDisabled)},
		{rest: "PUT /user/webhooks/{hook}", send: `{"active":true}`, status: 200, stored: names(webhook.EventOwnEnabled)},
		{rest: "POST /user/webhooks/{hook}/rotate_secret", status: 200, stored: names(webhook.EventOwnRotated)},
		{rest: "DELETE /user/webhooks/{hook}", status: 204, stored: names(webhook.EventOwnDeleted)},

		{rest: "POST /groups", send: `{"name":"Team","path":"team"}`, status: 201, keep: "group", stored: names(project.EventGroupCreated), cost: cost{6, 2, 4}},
		{rest: "PUT /groups/{group}", send: `{"visibility":"public"}`, status: 200, stored: names(project.EventGroupChanged)},
		{rest: "PUT /groups/{group}", send: `{"visibility":"public"}`, status: 200}, // is its visibility
		{rest: "PUT /groups/{group}", send: `{"default_branch_protection_defaults":{"allowed_to_push":[30]}}`, status: 200, stored: names(project.EventGroupChanged), cost: cost{5, 1, 4}},
		{rest: "PUT /groups/{group}", send: `{"default_branch_protection":1,"default_branch_protection_defaults":null}`, deprecated: true, status: 200, stored: names(project.EventGroupChanged)},
		{rest: "GET /groups/{group}", status: 200, cost: cost{2, 0, 0}},
		{rest: "GET /groups", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /groups?search=x&order_by=path", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /groups/{group}/projects?include_subgroups=true", status: 200, cost: cost{3, 0, 0}},
		{rest: "GET /groups/{group}/subgroups", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /namespaces", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /namespaces/{group}", status: 200, cost: cost{3, 0, 0}},
		{rest: "GET /users?active=true", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /personal_access_tokens?state=active&sort=name_asc", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /groups/{group}/members?query=a", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /groups/{group}/members/all/{root}", status: 200, cost: cost{4, 0, 0}},
		{rest: "POST /groups/{group}/members", send: `{"user_id":{ben},"access_level":30}`, status: 201, stored: names(project.EventMemberAdded)},
		{rest: "POST /users/{ben}/personal_access_tokens", send: `{"name":"find","scopes":["read_user"]}`, status: 201, keep: "finder", stored: names(accesstoken.EventCreated)},
		{name: "the first use of a token", do: finding("boss")},
		{name: "the exact user name, by one who is no administrator", do: finding("boss&username=boss"), cost: cost{4, 0, 0}},
		{name: "a part of a name", do: finding("oss"), cost: cost{5, 0, 0}},
		{rest: "PUT /groups/{group}/members/{ben}", send: `{"access_level":40}`, status: 200, stored: names(project.EventMemberChanged)},
		{rest: "GET /groups/{group}/members?per_page=1", status: 200}, // begins to keep the count
		{rest: "GET /groups/{group}/members/all?per_page=1", status: 200, cost: cost{4, 0, 0}},
		{rest: "DELETE /groups/{group}/members/{ben}", status: 204, stored: names(project.EventMemberRemoved)},
		{rest: "DELETE /groups/{group}", status: 204, stored: names(project.EventGroupDeleted)},
		{rest: "POST /user/webhooks?sudo={ben}", send: `{"url":"https://chat.example/of-ben"}`, status: 201, stored: names(webhook.EventOwnCreated, auth.EventSudoUsed)},
		{rest: "DELETE /users/{ben}", status: 204, stored: names(user.EventDeleted)},
		{rest: "POST /users", send: `{"username":"ben","name":"Ben","email":"ben@example.com","password":"the password of ben"}`,
			status: 201, stored: names(user.EventCreated, reservation.EventFreed)},

		{rest: "GET /application/settings", status: 200, cost: cost{3, 0, 0}},
		{rest: "PUT /application/settings", send: `{"default_branch_protection_defaults":{"allowed_to_push":[{"access_level":60}]}}`, status: 200, stored: names(instance.EventChanged), cost: cost{4, 1, 4}},
		{rest: "PUT /application/settings", send: `{"default_branch_protection":3}`, deprecated: true, status: 200, stored: names(instance.EventChanged)},
		{rest: "PUT /application/settings", send: `{"default_branch_protection_defaults":{"allowed_to_merge":[30]}}`, status: 200}, // is 3
		{rest: "PUT /application/settings", send: `{"can_create_group":false,"sign_in_text":"Hello","default_group_visibility":"internal"}`, status: 200, stored: names(instance.EventChanged), cost: cost{4, 1, 4}},
		{rest: "POST /groups", send: `{"name":"Crew","path":"crew"}`, status: 201, stored: names(project.EventGroupCreated)}, // by an administrator
		{rest: "PUT /application/settings", send: `{"can_create_group":null,"sign_in_text":null,"default_group_visibility":null}`, status: 200, stored: names(instance.EventChanged)},
		{rest: "PUT /application/settings", send: `{"help_page_support_url":"javascript:alert(1)"}`, status: 400},

		{rest: "POST /geo_sites", send: `{"name":"Berlin","url":"https://berlin.example","primary":true}`, status: 201, keep: "site", stored: names(geo.EventCreated), cost: cost{4, 2, 4}},
		{rest: "POST /geo_nodes", send: `{"name":"berlin","url":"https://other.example"}`, deprecated: true, status: 400, stored: names(geo.EventCreated)}, // refused
		{rest: "PUT /geo_sites/{site}", send: `{"sync_object_storage":true}`, status: 200, stored: names(geo.EventChanged), cost: cost{4, 1, 4}},
		{rest: "PUT /geo_nodes/{site}", send: `{"name":"Bonn"}`, deprecated: true, status: 200, stored: names(geo.EventChanged)},
		{rest: "GET /geo_sites", status: 200, cost: cost{3, 0, 0}},
		{rest: "GET /geo_nodes/{site}", deprecated: true, status: 200, cost: cost{3, 2, 0}},
		{rest: "PUT /geo_sites/{site}/status", send: report, status: 200, cost: cost{4, 1, 0}},
		{rest: "GET /geo_sites/{site}/status", status: 200, cost: cost{3, 0, 0}},
		{rest: "GET /geo_nodes/status", deprecated: true, status: 200, cost: cost{3, 1, 0}},
		{rest: "GET /geo_nodes/current/failures", deprecated: true, status: 200, cost: cost{3, 1, 0}},
		{rest: "POST /geo_nodes/{site}/repair", deprecated: true, status: 200, stored: names(geo.EventRepaired)},
		{rest: "DELETE /geo_nodes/{site}", deprecated: true, status: 204, stored: names(geo.EventDeleted)},
		{rest: "DELETE /geo_nodes/{site}", deprecated: true, status: 404},

		{rest: "POST /runners/reset_registration_token", status: 201, keep: "registration", stored: names(runner.EventTokenReset), cost: cost{4, 1, 4}},
		{do: registerRunner, name: "a runner registers itself", stored: names(runner.EventCreated), cost: cost{3, 2, 4}},
		{do: withRunner("POST /runners/verify", 200), name: "a runner is in contact", cost: cost{2, 1, 0}},
		{do: withRunner("POST /runners/verify", 200), name: "a runner is in contact soon after", cost: cost{1, 0, 0}},
		{do: withRunner("DELETE /runners", 204), name: "a runner deletes itself", stored: names(runner.EventDeleted), cost: cost{2, 1, 4}},
		{rest: "POST /runners", send: build, status: 201, keep: "runner", stored: names(runner.EventCreated), cost: cost{4, 2, 4}},
		{rest: "POST /runners", send: `{"token":"gtrr-i0-unheard"}`, status: 403},
		{rest: "POST /runners", send: `{"active":false}`, deprecated: true, status: 201, stored: names(runner.EventCreated)},
		{rest: "GET /runners", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /runners/all", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /runners/all?status=not_connected&tag_list=linux", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /runners/all?status=active", deprecated: true, status: 200, cost: cost{4, 2, 0}},
		{rest: "GET /runners/{runner}", status: 200, cost: cost{4, 0, 0}},
		{rest: "PUT /runners/{runner}", send: `{"paused":true}`, status: 200, stored: names(runner.EventChanged), cost: cost{5, 1, 4}},
		{rest: "PUT /runners/{runner}", send: `{"active":true}`, deprecated: true, status: 200, stored: names(runner.EventChanged)},
		{rest: "DELETE /runners/{runner}", status: 204, stored: names(runner.EventDeleted), cost: cost{5, 1, 4}},
		{rest: "POST /groups", send: `{"name":"Runs","path":"runs"}`, status: 201, keep: "runs", stored: names(project.EventGroupCreated)},
		{rest: "POST /groups/{runs}/runners/reset_registration_token", status: 201, keep: "registration", stored: names(runner.EventTokenReset)},
		{do: registerRunner, name: "a runner of a group registers itself", stored: names(runner.EventCreated), cost: cost{4, 2, 4}},
		{do: withRunner("POST /runners/verify", 200), name: "a runner of a group is in contact", cost: cost{2, 1, 0}},
		{rest: "GET /groups/{runs}/runners", status: 200, cost: cost{4, 0, 0}},
		{rest: "DELETE /groups/{runs}", status: 204, stored: names(project.EventGroupDeleted)},
	}
}

// registerRunner has a runner register itself with the last registration token.
func registerRunner(w *walk) {
	registration, _ := w.things["registration"]["token"].(string)
	w.keep("registered", w.call(w.t, "POST", "/runners", "", `{"token":"`+w.secret(registration)+`"}`, 201))
}

// withRunner has the runner that registered last make a call with its token.
func withRunner(call string, status int) func(*walk) {
	return func(w *walk) {
		method, path, _ := strings.Cut(call, " ")
		token, _ := w.things["registered"]["token"].(string)
		w.call(w.t, method, path, "", `{"token":"`+w.secret(token)+`"}`, status)
	}
}

// finding searches people with the token of one who is no administrator.
func finding(text string) func(*walk) {
	return func(w *walk) {
		w.call(w.t, "GET", "/users?search="+text, w.things["finder"]["token"].(string), "", 200)
	}
}
