package functions_test

import (
	"slices"
	"strings"

	"gatehouse/shared/project"
	"gatehouse/shared/scope"
)

// permission is a line of the table of who may do what.
type permission struct {
	call string // a call of the REST API, or a page or form: the pattern of its route
	who  who
}

// who is the rule about the callers that a call serves.
type who struct {
	kind   kind
	role   project.Role  // the least one, for members
	also   []scope.Scope // that suffice to read, beside api and read_api
	person bool          // not an application, though it may do all else for its user
	known  bool          // strangers learn that the thing exists
	bare   bool          // to be read it takes parameters, or something that happens elsewhere
	admins bool          // administrators are served as well as the holder
	query  string        // of the address
	body   string        // JSON that names the group or project, where the address names none
	says   string        // what the documentation says
}

type kind int

const (
	anybody  kind = iota + 1 // nothing is asked for
	bearers                  // the request brings a proof of its own, which the call's tests are about
	signedIn                 // every user
	ruling                   // administrators
	members                  // of the project or group in the address
	ofThing                  // whoever has the thing in the address; for others it does not exist
)

// noMember is a role that only administrators have.
const noMember = project.Owner + 1

var (
	everybody      = who{kind: anybody, says: "everybody"}
	provers        = who{kind: bearers, says: "who has what it asks for"}
	users          = who{kind: signedIn, says: "every user"}
	administrators = who{kind: ruling, says: "Administrators"}
	holders        = who{kind: ofThing, says: "every user: one's own"}

	viewers     = who{kind: members, says: "every user who sees it"}
	reporters   = who{kind: members, role: project.Reporter, says: "Reporter"}
	developers  = who{kind: members, role: project.Developer, says: "Developer"}
	maintainers = who{kind: members, role: project.Maintainer, says: "Maintainer"}
	owners      = who{kind: members, role: project.Owner, says: "Owner"}
	// runnerManagers have a role in the project of the runner in the address.
	runnerManagers = who{kind: members, role: project.Maintainer, known: true}
	// administratorsThere is for calls below a project, whose strangers do not learn of it.
	administratorsThere = who{kind: members, role: noMember, says: "Administrators"}
)

// reading adds a scope that suffices to read.
func (w who) reading(also scope.Scope) who { w.also = append(slices.Clone(w.also), also); return w }

// inPerson refuses applications.
func (w who) inPerson() who { w.person = true; return w }

// orAdministrators serves administrators as well.
func (w who) orAdministrators() who { w.admins = true; return w }

// naming has the body name the project or group: {project}, {group}.
func (w who) naming(body string) who { w.body = body; return w }

// asking has the call ask for something.
func (w who) asking(query string) who { w.query = "?" + query; return w }

// unread is for what can be read only with parameters, or after something happened.
func (w who) unread() who { w.bare = true; return w }

// say has the documentation say this.
func (w who) say(text string) who { w.says = text; return w }

// isPage reports whether the call is a page or form, for a browser with a session.
func (r permission) isPage() bool {
	_, path, _ := strings.Cut(r.call, " ")
	return slices.ContainsFunc(pagesBelow, func(prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") })
}

var pagesBelow = []string{
	"/{$}", "/assets", "/users", "/user_settings", "/admin", "/console", "/-/deprecations", "/oauth/authorize", "/oauth/authorized_applications",
}

// reads reports whether the call changes nothing.
func (r permission) reads() bool { return strings.HasPrefix(r.call, "GET ") }

// permissions is who may do what: one line for each call of the REST API, and each page and
// form. The checks of the matrix and docs/who-may.md follow from it, and the pages of the
// interface say the same.
var permissions = []permission{
	{"GET /api/v4/projects/{id}/error_tracking/settings", maintainers},
	{"PUT /api/v4/projects/{id}/error_tracking/settings", maintainers},
	{"PATCH /api/v4/projects/{id}/error_tracking/settings", maintainers},
	{"GET /api/v4/projects/{id}/error_tracking/client_keys", maintainers},
	{"POST /api/v4/projects/{id}/error_tracking/client_keys", maintainers},
	{"DELETE /api/v4/projects/{id}/error_tracking/client_keys/{key_id}", maintainers},

	{"GET /api/v4/projects/{id}/monitor/presets", developers},
	{"GET /api/v4/projects/{id}/monitor/integrations", maintainers},
	{"POST /api/v4/projects/{id}/monitor/integrations", maintainers},
	{"POST /api/v4/projects/{id}/monitor/integrations/preview", maintainers},
	{"GET /api/v4/projects/{id}/monitor/integrations/{integration_id}", maintainers},
	{"PUT /api/v4/projects/{id}/monitor/integrations/{integration_id}", maintainers},
	{"PATCH /api/v4/projects/{id}/monitor/integrations/{integration_id}", maintainers},
	{"DELETE /api/v4/projects/{id}/monitor/integrations/{integration_id}", maintainers},
	{"POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/reset_key", maintainers},
	{"POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/path_key", maintainers},
	{"DELETE /api/v4/projects/{id}/monitor/integrations/{integration_id}/path_key", maintainers},
	{"GET /api/v4/projects/{id}/monitor/integrations/{integration_id}/last_payload", maintainers},
	{"POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/preview", maintainers},
	{"POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/replay", maintainers},
	{"POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/test", developers},
	{"GET /api/v4/projects/{id}/monitor/alerts", developers},
	{"PUT /api/v4/projects/{id}/monitor/alerts", developers},
	{"GET /api/v4/projects/{id}/monitor/alerts/{iid}", developers},
	{"GET /api/v4/projects/{id}/monitor/alerts/{iid}/payload", developers},
	{"PUT /api/v4/projects/{id}/monitor/alerts/{iid}", developers},
	{"GET /api/v4/projects/{id}/monitor/incidents", developers},
	{"POST /api/v4/projects/{id}/monitor/incidents", developers},
	{"GET /api/v4/projects/{id}/monitor/incidents/{iid}", developers},
	{"PUT /api/v4/projects/{id}/monitor/incidents/{iid}", developers},
	{"POST /api/v4/projects/{id}/monitor/incidents/{iid}/alerts", developers},
	{"DELETE /api/v4/projects/{id}/monitor/incidents/{iid}/alerts/{alert_iid}", developers},
	{"GET /api/v4/projects/{id}/monitor/incidents/{iid}/timeline", developers},
	{"POST /api/v4/projects/{id}/monitor/incidents/{iid}/timeline", developers},
	{"GET /api/v4/projects/{id}/monitor/undelivered", maintainers},
	{"POST /api/v4/projects/{id}/monitor/undelivered/{message_id}/retry", maintainers},
	{"GET /api/v4/projects/{id}/monitor/webhooks", maintainers},
	{"POST /api/v4/projects/{id}/monitor/webhooks", maintainers},
	{"GET /api/v4/projects/{id}/monitor/webhooks/{webhook_id}", maintainers},
	{"PUT /api/v4/projects/{id}/monitor/webhooks/{webhook_id}", maintainers},
	{"DELETE /api/v4/projects/{id}/monitor/webhooks/{webhook_id}", maintainers},
	{"POST /api/v4/projects/{id}/monitor/webhooks/{webhook_id}/rotate_secret", maintainers},
	{"POST /api/v4/projects/{id}/monitor/webhooks/{webhook_id}/test", maintainers},
	{"GET /api/v4/projects/{id}/monitor/settings", maintainers},
	{"PUT /api/v4/projects/{id}/monitor/settings", maintainers},
	{"GET /api/v4/projects/{id}/monitor/schedules", developers},
	{"POST /api/v4/projects/{id}/monitor/schedules", maintainers},
	{"GET /api/v4/projects/{id}/monitor/schedules/{schedule_id}", developers},
	{"PUT /api/v4/projects/{id}/monitor/schedules/{schedule_id}", maintainers},
	{"DELETE /api/v4/projects/{id}/monitor/schedules/{schedule_id}", maintainers},
	{"GET /api/v4/projects/{id}/monitor/schedules/{schedule_id}/rotations", developers},
	{"POST /api/v4/projects/{id}/monitor/schedules/{schedule_id}/rotations", maintainers},
	{"GET /api/v4/projects/{id}/monitor/schedules/{schedule_id}/rotations/{rotation_id}", developers},
	{"PUT /api/v4/projects/{id}/monitor/schedules/{schedule_id}/rotations/{rotation_id}", maintainers},
	{"DELETE /api/v4/projects/{id}/monitor/schedules/{schedule_id}/rotations/{rotation_id}", maintainers},
	{"GET /api/v4/projects/{id}/monitor/schedules/{schedule_id}/overrides", developers},
	{"POST /api/v4/projects/{id}/monitor/schedules/{schedule_id}/overrides", developers.say("Developer who is on the schedule, about their own shifts; Maintainer, about any")},
	{"DELETE /api/v4/projects/{id}/monitor/schedules/{schedule_id}/overrides/{override_id}", maintainers.say("Developer whom it names; Maintainer")},
	{"GET /api/v4/projects/{id}/monitor/schedules/{schedule_id}/oncall", developers},
	{"GET /api/v4/projects/{id}/monitor/schedules/{schedule_id}/shifts", developers},
	{"POST /api/v4/projects/{id}/monitor/schedules/{schedule_id}/feed", maintainers},
	{"DELETE /api/v4/projects/{id}/monitor/schedules/{schedule_id}/feed", maintainers},
	{"GET /api/v4/projects/{id}/monitor/escalation_policy", developers},
	{"PUT /api/v4/projects/{id}/monitor/escalation_policy", maintainers},

	{"POST /api/v4/user/oncall_feed", users.say("everybody, for themselves")},
	{"DELETE /api/v4/user/oncall_feed", users.say("everybody, for themselves")},
	{"GET /api/v4/version", users.reading(scope.ReadUser)},
	{"GET /api/v4/metadata", users.reading(scope.ReadUser)},
	{"GET /api/v4/user", users.reading(scope.ReadUser)},
	{"PUT /api/v4/user", users},

	{"GET /api/v4/users", administrators.reading(scope.ReadUser).say("Administrators; every user, with `username` or `search`")},
	{"GET /api/v4/users", users.reading(scope.ReadUser).asking("username=stranger").say("Administrators; every user, with `username` or `search`")},
	{"POST /api/v4/users", administrators},
	{"GET /api/v4/users/{id}", administrators.reading(scope.ReadUser)},
	{"PUT /api/v4/users/{id}", administrators},
	{"DELETE /api/v4/users/{id}", administrators},
	{"POST /api/v4/users/{id}/block", administrators},
	{"POST /api/v4/users/{id}/unblock", administrators},
	{"POST /api/v4/users/{id}/reset_link", administrators},
	{"DELETE /api/v4/users/{id}/two_factor", administrators},
	{"DELETE /api/v4/users/{id}/sessions", administrators},
	{"POST /api/v4/users/{id}/personal_access_tokens", administrators.inPerson()},

	{"POST /api/v4/user/personal_access_tokens", users.inPerson()},

	{"GET /api/v4/personal_access_tokens", users.say("every user: one's own; administrators: all")},
	{"GET /api/v4/personal_access_tokens/self", provers.say("every user, with any scope")},
	{"DELETE /api/v4/personal_access_tokens/self", provers.say("every user, with any scope")},
	{"GET /api/v4/personal_access_tokens/{id}", holders.orAdministrators().say("every user: one's own; administrators: all")},
	{"DELETE /api/v4/personal_access_tokens/{id}", holders.orAdministrators().say("every user: one's own; administrators: all")},
	{"POST /api/v4/personal_access_tokens/{id}/rotate", holders.orAdministrators().inPerson().say("every user: one's own; administrators: all")},

	{"GET /api/v4/user/notifications", users},
	{"PUT /api/v4/user/notifications", users},
	{"POST /api/v4/user/notifications/test", users},
	{"GET /api/v4/user/webhooks", users},
	{"POST /api/v4/user/webhooks", users},
	{"GET /api/v4/user/webhooks/{id}", holders.say("every user: one's own")},
	{"PUT /api/v4/user/webhooks/{id}", holders.say("every user: one's own")},
	{"DELETE /api/v4/user/webhooks/{id}", holders.say("every user: one's own")},
	{"POST /api/v4/user/webhooks/{id}/rotate_secret", holders.say("every user: one's own")},

	{"GET /api/v4/groups", users},
	{"GET /api/v4/namespaces", users},
	{"GET /api/v4/namespaces/{id}", viewers.say("every user who sees it: a group as elsewhere, a user's namespace that user and administrators")},
	{"POST /api/v4/groups", users.say("every user, or administrators alone if the [settings](../platform/README.md#application-settings) say so; below a group its owners")},
	{"POST /api/v4/groups", owners.naming(`{"name":"New","path":"new","parent_id":{group}}`).say("every user, or administrators alone if the [settings](../platform/README.md#application-settings) say so; below a group its owners")},
	{"GET /api/v4/groups/{id}", viewers},
	{"PUT /api/v4/groups/{id}", owners},
	{"DELETE /api/v4/groups/{id}", owners},
	{"GET /api/v4/groups/{id}/members", viewers},
	{"GET /api/v4/groups/{id}/members/all", viewers},
	{"GET /api/v4/groups/{id}/members/all/{user_id}", viewers},
	{"GET /api/v4/groups/{id}/projects", viewers},
	{"GET /api/v4/groups/{id}/subgroups", viewers},
	{"POST /api/v4/groups/{id}/members", owners},
	{"GET /api/v4/groups/{id}/members/{user_id}", viewers},
	{"PUT /api/v4/groups/{id}/members/{user_id}", owners},
	{"DELETE /api/v4/groups/{id}/members/{user_id}", owners.say("Owner; members may remove themselves")},

	{"GET /api/v4/applications", administrators},
	{"POST /api/v4/applications", administrators},
	{"DELETE /api/v4/applications/{id}", administrators},
	{"POST /api/v4/applications/{id}/renew-secret", administrators},

	{"GET /api/v4/application/settings", administrators},
	{"PUT /api/v4/application/settings", administrators},

	{"GET /api/v4/geo_sites", administrators},
	{"POST /api/v4/geo_sites", administrators},
	{"GET /api/v4/geo_sites/status", administrators},
	{"GET /api/v4/geo_sites/current/failures", administrators},
	{"GET /api/v4/geo_sites/{id}", administrators},
	{"PUT /api/v4/geo_sites/{id}", administrators},
	{"DELETE /api/v4/geo_sites/{id}", administrators},
	{"GET /api/v4/geo_sites/{id}/status", administrators},
	{"PUT /api/v4/geo_sites/{id}/status", administrators},
	{"POST /api/v4/geo_sites/{id}/repair", administrators},

	{"GET /api/v4/geo_nodes", administrators},
	{"POST /api/v4/geo_nodes", administrators},
	{"GET /api/v4/geo_nodes/status", administrators},
	{"GET /api/v4/geo_nodes/current/failures", administrators},
	{"GET /api/v4/geo_nodes/{id}", administrators},
	{"PUT /api/v4/geo_nodes/{id}", administrators},
	{"DELETE /api/v4/geo_nodes/{id}", administrators},
	{"GET /api/v4/geo_nodes/{id}/status", administrators},
	{"PUT /api/v4/geo_nodes/{id}/status", administrators},
	{"POST /api/v4/geo_nodes/{id}/repair", administrators},

	{"GET /api/v4/runners", users},
	{"GET /api/v4/runners/all", administrators},
	{"GET /api/v4/runners/{runner_id}", runnerManagers.say("who manages it or is a Maintainer of a project that it is assigned to; every user, if it is the instance's")},
	{"PUT /api/v4/runners/{runner_id}", runnerManagers.say("who manages it")},
	{"DELETE /api/v4/runners/{runner_id}", runnerManagers.say("who manages it; administrators, if several projects have it")},

	{"GET /api/v4/groups/{id}/runners", owners},

	{"POST /api/v4/runners/reset_registration_token", administrators},

	{"POST /api/v4/groups/{id}/runners/reset_registration_token", owners},

	{"POST /api/v4/runners", administrators.say("who has a registration token; without one administrators")},
	{"POST /api/v4/runners/verify", provers.say("the runner")},
	{"DELETE /api/v4/runners", provers.say("the runner")},

	{"GET /api/v4/openapi.json", everybody.say("everybody, without a token")},

	{"GET /api/v4/deprecations", everybody.say("everybody, without a token")},
	{"GET /api/v4/deprecations/uses", administrators.say("Administrators; of an application its owner as well")},

	{"GET /api/v4/projects", users},
	{"POST /api/v4/projects", maintainers.naming(`{"name":"New","namespace_id":{group}}`).say("Maintainer of the namespace")},
	{"GET /api/v4/projects/{id}", viewers},
	{"PUT /api/v4/projects/{id}", maintainers},
	{"DELETE /api/v4/projects/{id}", owners},

	{"GET /api/v4/projects/{id}/environments", developers},
	{"GET /api/v4/projects/{id}/environments/{environment_id}", developers},
	{"POST /api/v4/projects/{id}/environments", developers},
	{"DELETE /api/v4/projects/{id}/environments/{environment_id}", developers},

	{"GET /api/v4/projects/{id}/license_approval_policies", viewers},
	{"POST /api/v4/projects/{id}/license_approval_policies", maintainers},
	{"GET /api/v4/projects/{id}/license_approval_policies/{license}", viewers},
	{"PATCH /api/v4/projects/{id}/license_approval_policies/{license}", maintainers},
	{"DELETE /api/v4/projects/{id}/license_approval_policies/{license}", maintainers},

	{"GET /api/v4/projects/{id}/managed_licenses", viewers},
	{"POST /api/v4/projects/{id}/managed_licenses", maintainers},
	{"GET /api/v4/projects/{id}/managed_licenses/{license}", viewers},
	{"PATCH /api/v4/projects/{id}/managed_licenses/{license}", maintainers},
	{"DELETE /api/v4/projects/{id}/managed_licenses/{license}", maintainers},

	{"GET /api/v4/projects/{id}/merge_requests", reporters},
	{"POST /api/v4/projects/{id}/merge_requests", developers},
	{"GET /api/v4/projects/{id}/merge_requests/{iid}", reporters},
	{"PUT /api/v4/projects/{id}/merge_requests/{iid}", developers},
	{"GET /api/v4/projects/{id}/merge_requests/{iid}/changes", reporters},
	{"GET /api/v4/projects/{id}/merge_requests/{iid}/diffs", reporters},
	{"PUT /api/v4/projects/{id}/merge_requests/{iid}/merge", maintainers},
	{"PUT /api/v4/projects/{id}/merge_requests/{iid}/platform_state", maintainers},

	{"GET /api/v4/projects/{id}/approvals", maintainers},
	{"POST /api/v4/projects/{id}/approvals", maintainers},

	{"GET /api/v4/projects/{id}/merge_request_approval_setting", maintainers},
	{"PUT /api/v4/projects/{id}/merge_request_approval_setting", maintainers},

	{"GET /api/v4/projects/{id}/approval_rules", reporters},
	{"POST /api/v4/projects/{id}/approval_rules", maintainers},
	{"GET /api/v4/projects/{id}/approval_rules/{rule_id}", reporters},
	{"PUT /api/v4/projects/{id}/approval_rules/{rule_id}", maintainers},
	{"DELETE /api/v4/projects/{id}/approval_rules/{rule_id}", maintainers},

	{"GET /api/v4/projects/{id}/merge_requests/{iid}/approval_rules", reporters},
	{"POST /api/v4/projects/{id}/merge_requests/{iid}/approval_rules", maintainers},
	{"GET /api/v4/projects/{id}/merge_requests/{iid}/approval_rules/{rule_id}", reporters},
	{"PUT /api/v4/projects/{id}/merge_requests/{iid}/approval_rules/{rule_id}", maintainers},
	{"DELETE /api/v4/projects/{id}/merge_requests/{iid}/approval_rules/{rule_id}", maintainers},

	{"GET /api/v4/projects/{id}/runners", maintainers},
	{"POST /api/v4/projects/{id}/runners", maintainers.say("Maintainer, who also manages the runner")},
	{"DELETE /api/v4/projects/{id}/runners/{runner_id}", maintainers},
	{"POST /api/v4/projects/{id}/runners/reset_registration_token", maintainers},

	{"GET /api/v4/projects/{id}/mirror/pull", maintainers},
	{"PUT /api/v4/projects/{id}/mirror/pull", maintainers},
	{"POST /api/v4/projects/{id}/mirror/pull", maintainers},
	{"PUT /api/v4/projects/{id}/mirror/pull/status", administratorsThere},

	{"GET /api/v4/projects/{id}/members", viewers},
	{"GET /api/v4/projects/{id}/members/all", viewers},
	{"GET /api/v4/projects/{id}/members/all/{user_id}", viewers},
	{"POST /api/v4/projects/{id}/members", maintainers},
	{"GET /api/v4/projects/{id}/members/{user_id}", viewers},
	{"PUT /api/v4/projects/{id}/members/{user_id}", maintainers},
	{"DELETE /api/v4/projects/{id}/members/{user_id}", maintainers.say("Maintainer; members may remove themselves")},

	{"GET /{$}", everybody},
	{"GET /console", users},
	{"GET /console/search", users},
	{"POST /console", users.say("every user: in one's own namespace, and Maintainer of the group")},
	{"GET /console/new", users},
	{"GET /console/groups", users},
	{"POST /console/groups", users.say("every user, or administrators alone if the [settings](../platform/README.md#application-settings) say so; below a group its owners")},
	{"GET /console/groups/new", users},
	{"GET /console/groups/{id}", viewers},
	{"GET /console/groups/{id}/subgroups", viewers},
	{"GET /console/groups/{id}/settings", owners},
	{"POST /console/groups/{id}/settings", owners},
	{"POST /console/groups/{id}/settings/delete", owners},
	{"GET /console/groups/{id}/members", viewers},
	{"POST /console/groups/{id}/members", owners},
	{"GET /console/groups/{id}/members/{user}", owners},
	{"POST /console/groups/{id}/members/{user}", owners},
	{"POST /console/groups/{id}/members/{user}/delete", owners.say("Owner; members may leave")},
	{"GET /console/-/acknowledge", provers.say("who has the link of a message")},
	{"POST /console/-/acknowledge", provers.say("who has the link of a message")},
	{"GET /console/{id}", viewers},
	{"GET /console/{id}/members", viewers},
	{"POST /console/{id}/members", maintainers},
	{"GET /console/{id}/members/{user}", maintainers},
	{"POST /console/{id}/members/{user}", maintainers},
	{"POST /console/{id}/members/{user}/delete", maintainers.say("Maintainer; members may leave")},
	{"GET /console/{id}/settings/general", maintainers},
	{"POST /console/{id}/settings/general", maintainers},
	{"POST /console/{id}/settings/general/delete", owners},
	{"GET /console/{id}/alerts", developers},
	{"POST /console/{id}/alerts", developers},
	{"GET /console/{id}/alerts/counts.json", developers},
	{"GET /console/{id}/alerts/test", developers},
	{"POST /console/{id}/alerts/test", developers},
	{"GET /console/{id}/alerts/{alert}", developers},
	{"POST /console/{id}/alerts/{alert}/status", developers},
	{"GET /console/{id}/alerts/{alert}/assignee", developers},
	{"POST /console/{id}/alerts/{alert}/assignee", developers},
	{"POST /console/{id}/alerts/{alert}/silence", developers},
	{"POST /console/{id}/alerts/{alert}/incident", developers},
	{"POST /console/{id}/alerts/{alert}/incident/delete", developers},
	{"GET /console/{id}/incidents", developers},
	{"POST /console/{id}/incidents", developers},
	{"GET /console/{id}/incidents/new", developers},
	{"GET /console/{id}/incidents/{incident}", developers},
	{"GET /console/{id}/incidents/{incident}/edit", developers},
	{"POST /console/{id}/incidents/{incident}/edit", developers},
	{"POST /console/{id}/incidents/{incident}/status", developers},
	{"POST /console/{id}/incidents/{incident}/state", developers},
	{"GET /console/{id}/incidents/{incident}/assignee", developers},
	{"POST /console/{id}/incidents/{incident}/assignee", developers},
	{"POST /console/{id}/incidents/{incident}/alerts", developers},
	{"POST /console/{id}/incidents/{incident}/alerts/{alert}/delete", developers},
	{"POST /console/{id}/incidents/{incident}/notes", developers},
	{"GET /console/{id}/oncall", developers},
	{"POST /console/{id}/oncall", maintainers},
	{"GET /console/{id}/oncall/new", maintainers},
	{"GET /console/{id}/oncall/escalation", developers},
	{"POST /console/{id}/oncall/escalation", maintainers},
	{"GET /console/{id}/oncall/calendar", developers},
	{"POST /console/{id}/oncall/calendar", developers},
	{"POST /console/{id}/oncall/calendar/delete", developers},
	{"GET /console/{id}/oncall/{schedule}", developers},
	{"POST /console/{id}/oncall/{schedule}", maintainers},
	{"POST /console/{id}/oncall/{schedule}/delete", maintainers},
	{"POST /console/{id}/oncall/{schedule}/feed", maintainers},
	{"POST /console/{id}/oncall/{schedule}/feed/delete", maintainers},
	{"POST /console/{id}/oncall/{schedule}/overrides", developers},
	{"POST /console/{id}/oncall/{schedule}/overrides/{override}/delete", developers},
	{"POST /console/{id}/oncall/{schedule}/swaps", developers},
	{"POST /console/{id}/oncall/{schedule}/rotations", maintainers},
	{"GET /console/{id}/oncall/{schedule}/rotations/new", maintainers},
	{"GET /console/{id}/oncall/{schedule}/rotations/{rotation}", maintainers},
	{"POST /console/{id}/oncall/{schedule}/rotations/{rotation}", maintainers},
	{"POST /console/{id}/oncall/{schedule}/rotations/{rotation}/delete", maintainers},
	{"GET /console/{id}/settings/webhooks", maintainers},
	{"POST /console/{id}/settings/webhooks", maintainers},
	{"GET /console/{id}/settings/webhooks/new", maintainers},
	{"GET /console/{id}/settings/webhooks/{webhook}", maintainers},
	{"POST /console/{id}/settings/webhooks/{webhook}", maintainers},
	{"POST /console/{id}/settings/webhooks/{webhook}/active", maintainers},
	{"POST /console/{id}/settings/webhooks/{webhook}/test", maintainers},
	{"POST /console/{id}/settings/webhooks/{webhook}/rotate", maintainers},
	{"POST /console/{id}/settings/webhooks/{webhook}/delete", maintainers},
	{"GET /console/{id}/settings/undelivered", maintainers},
	{"POST /console/{id}/settings/undelivered/{message}/retry", maintainers},
	{"GET /console/{id}/environments", developers},
	{"POST /console/{id}/environments", developers},
	{"POST /console/{id}/environments/{environment}/delete", developers},
	{"GET /console/{id}/settings", maintainers},
	{"POST /console/{id}/settings/alerts", maintainers},
	{"GET /console/{id}/settings/integrations", maintainers},
	{"POST /console/{id}/settings/integrations", maintainers},
	{"GET /console/{id}/settings/integrations/new", maintainers},
	{"GET /console/{id}/settings/integrations/{integration}", maintainers},
	{"POST /console/{id}/settings/integrations/{integration}", maintainers},
	{"POST /console/{id}/settings/integrations/{integration}/key", maintainers},
	{"POST /console/{id}/settings/integrations/{integration}/path_key", maintainers},
	{"POST /console/{id}/settings/integrations/{integration}/path_key/delete", maintainers},
	{"POST /console/{id}/settings/integrations/{integration}/delete", maintainers},
	{"GET /console/{id}/settings/integrations/{integration}/mapping", maintainers},
	{"POST /console/{id}/settings/integrations/{integration}/mapping", maintainers},
	{"POST /console/{id}/settings/integrations/{integration}/replay", maintainers},
	{"GET /console/{id}/settings/error_tracking", maintainers},
	{"POST /console/{id}/settings/error_tracking", maintainers},
	{"POST /console/{id}/settings/error_tracking/client_keys", maintainers},
	{"POST /console/{id}/settings/error_tracking/client_keys/{key}/delete", maintainers},

	{"GET /assets/{name}", everybody},

	{"GET /-/deprecations", everybody},

	{"GET /users/sign_in", everybody},
	{"POST /users/sign_in", provers.say("who knows the password")},
	{"GET /users/sign_in/passkey", everybody},
	{"POST /users/sign_in/passkey", provers.say("who has a passkey")},
	{"GET /users/two_factor", provers.say("who knows the password")},
	{"POST /users/two_factor", provers.say("who knows the password and has a code")},
	{"GET /users/password/new", everybody.unread()},
	{"POST /users/password/new", provers.say("who has the mail address")},
	{"GET /users/password", provers.say("who has the link of a message")},
	{"POST /users/password", provers.say("who has the link of a message")},
	{"GET /users/confirmation", provers.say("who has the link of a message")},
	{"POST /users/confirmation", provers.say("who has the link of a message")},
	{"GET /users/{username}", users.unread()},
	{"POST /users/sign_out", everybody},

	{"GET /oauth/authorize", users.unread()},
	{"POST /oauth/authorize", everybody},
	{"DELETE /oauth/authorize", everybody},

	{"GET /user_settings", everybody},
	{"GET /user_settings/profile", users},
	{"POST /user_settings/profile", users},
	{"POST /user_settings/profile/confirmation", users},
	{"POST /user_settings/profile/email", users},
	{"POST /user_settings/profile/password", users},
	{"GET /user_settings/applications", users},
	{"GET /user_settings/applications/new", users},
	{"POST /user_settings/applications", users},
	{"GET /user_settings/applications/{id}", holders},
	{"POST /user_settings/applications/{id}", holders},
	{"GET /user_settings/applications/{id}/edit", holders},
	{"POST /user_settings/applications/{id}/renew_secret", holders},
	{"POST /user_settings/applications/{id}/delete", holders},
	{"GET /user_settings/authorized_applications", users},
	{"POST /user_settings/authorized_applications/{id}/revoke", users},

	{"DELETE /oauth/authorized_applications/{id}", users},

	{"GET /user_settings/personal_access_tokens", users},
	{"GET /user_settings/personal_access_tokens/new", users},
	{"POST /user_settings/personal_access_tokens", users},
	{"GET /user_settings/personal_access_tokens/{id}", holders},
	{"POST /user_settings/personal_access_tokens/{id}/rotate", holders},
	{"POST /user_settings/personal_access_tokens/{id}/revoke", holders},
	{"GET /user_settings/two_factor", users},
	{"POST /user_settings/two_factor", users},
	{"POST /user_settings/two_factor/begin", users},
	{"POST /user_settings/two_factor/disable", users},
	{"POST /user_settings/two_factor/recovery_codes", users},
	{"GET /user_settings/passkeys", users},
	{"POST /user_settings/passkeys", users},
	{"POST /user_settings/passkeys/begin", users},
	{"POST /user_settings/passkeys/{number}/rename", users},
	{"POST /user_settings/passkeys/{number}/remove", users},
	{"GET /user_settings/sessions", users},
	{"POST /user_settings/sessions/{id}/end", users},
	{"POST /user_settings/sessions/end_others", users},
	{"GET /user_settings/memberships", users},
	{"GET /user_settings/memberships/{kind}", users},
	{"POST /user_settings/memberships/{kind}/{id}/leave", users},
	{"GET /user_settings/audit", users},
	{"GET /user_settings/notifications", users},
	{"POST /user_settings/notifications", users},
	{"POST /user_settings/notifications/test", users},
	{"POST /user_settings/notifications/webhooks", users},
	{"POST /user_settings/notifications/webhooks/{id}/enable", users},
	{"POST /user_settings/notifications/webhooks/{id}/disable", users},
	{"POST /user_settings/notifications/webhooks/{id}/rotate", users},
	{"POST /user_settings/notifications/webhooks/{id}/delete", users},

	{"GET /admin", administrators},
	{"GET /admin/users", administrators},
	{"GET /admin/users/new", administrators},
	{"POST /admin/users", administrators},
	{"GET /admin/users/{id}", administrators},
	{"GET /admin/users/{id}/access", administrators},
	{"GET /admin/users/{id}/edit", administrators},
	{"POST /admin/users/{id}", administrators},
	{"POST /admin/users/{id}/password", administrators},
	{"POST /admin/users/{id}/sign_out", administrators},
	{"POST /admin/users/{id}/invite", administrators},
	{"POST /admin/users/{id}/delete", administrators},
	{"POST /admin/users/{id}/block", administrators},
	{"POST /admin/users/{id}/unblock", administrators},
	{"POST /admin/users/{id}/confirm", administrators},
	{"POST /admin/users/{id}/reset_link", administrators},
	{"POST /admin/users/{id}/reset_two_factor", administrators},
	{"GET /admin/applications", administrators},
	{"GET /admin/applications/new", administrators},
	{"POST /admin/applications", administrators},
	{"GET /admin/applications/{id}", administrators},
	{"POST /admin/applications/{id}", administrators},
	{"GET /admin/applications/{id}/edit", administrators},
	{"POST /admin/applications/{id}/renew_secret", administrators},
	{"POST /admin/applications/{id}/delete", administrators},
	{"GET /admin/settings", administrators},
	{"POST /admin/settings", administrators},
	{"GET /admin/audit", administrators},
	{"GET /admin/audit.csv", administrators},
	{"GET /admin/deprecations", administrators},
	{"GET /admin/mails", administrators},
	{"GET /admin/mails/{id}", administrators},

	{"GET /-/calendar/schedules/{project_id}/{file}", provers.say("who knows the secret")},
	{"GET /-/calendar/users/{file}", provers.say("who knows the secret")},

	{"POST /oauth/token", provers.say("who has a code, a refresh token or a password, and the client's secret")},
	{"GET /oauth/token/info", provers.say("who has the token")},
	{"POST /oauth/revoke", provers.say("who has the token, and the client's secret")},
	{"POST /oauth/introspect", provers.say("a client with its secret, or who has a token of the same application")},
	{"GET /oauth/userinfo", provers.say("who has a token with the scope `openid`")},
	{"POST /oauth/userinfo", provers.say("who has a token with the scope `openid`")},
	{"GET /oauth/discovery/keys", everybody},

	{"GET /.well-known/openid-configuration", everybody},
	{"GET /.well-known/oauth-authorization-server", everybody},
	{"GET /.well-known/webfinger", everybody.unread()},

	{"/git/authorize", provers.say("who has a token that may read or write the repository")},
	{"/git/authorize/{path...}", provers.say("who has a token that may read or write the repository")},

	{"GET /-/health", everybody},
	{"GET /-/ready", everybody},
}
