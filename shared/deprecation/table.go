package deprecation

import "slices"

// Releases are the days of the releases that deprecated something.
var Releases = map[string]string{
	"16.0": "2023-05-22",
	"16.9": "2024-02-15",
	"17.0": "2024-05-16",
	"17.6": "2024-11-21",
	"17.7": "2024-12-19",
}

// firstServed is the day on which Gatehouse first told clients of the entries that
// no release deprecated.
const firstServed = "2026-11-22"

// Calls that answer with the same things.
var (
	sites = []string{
		"GET /api/v4/geo_nodes", "POST /api/v4/geo_nodes", "GET /api/v4/geo_nodes/{id}", "PUT /api/v4/geo_nodes/{id}",
		"DELETE /api/v4/geo_nodes/{id}", "GET /api/v4/geo_nodes/status", "GET /api/v4/geo_nodes/{id}/status",
		"PUT /api/v4/geo_nodes/{id}/status", "POST /api/v4/geo_nodes/{id}/repair", "GET /api/v4/geo_nodes/current/failures",
	}
	mergeRequests = []string{
		"GET /api/v4/projects/{id}/merge_requests", "POST /api/v4/projects/{id}/merge_requests",
		"GET /api/v4/projects/{id}/merge_requests/{iid}", "PUT /api/v4/projects/{id}/merge_requests/{iid}",
		"PUT /api/v4/projects/{id}/merge_requests/{iid}/merge", "PUT /api/v4/projects/{id}/merge_requests/{iid}/platform_state",
		changesOfMergeRequest,
	}
	licenses = []string{
		"GET /api/v4/projects/{id}/managed_licenses", "POST /api/v4/projects/{id}/managed_licenses",
		"GET /api/v4/projects/{id}/managed_licenses/{license}", "PATCH /api/v4/projects/{id}/managed_licenses/{license}",
		"DELETE /api/v4/projects/{id}/managed_licenses/{license}",
	}
	approvals   = []string{"GET /api/v4/projects/{id}/approvals", "POST /api/v4/projects/{id}/approvals"}
	settings    = []string{"GET /api/v4/projects/{id}/merge_request_approval_setting", "PUT /api/v4/projects/{id}/merge_request_approval_setting"}
	runnerLists = []string{
		"GET /api/v4/runners", "GET /api/v4/runners/all", "GET /api/v4/projects/{id}/runners", "GET /api/v4/groups/{id}/runners",
	}
	runners      = []string{"GET /api/v4/runners/{runner_id}", "PUT /api/v4/runners/{runner_id}", "POST /api/v4/projects/{id}/runners"}
	instance     = []string{"GET /api/v4/application/settings", "PUT /api/v4/application/settings"}
	groups       = []string{"GET /api/v4/groups", "POST /api/v4/groups", "GET /api/v4/groups/{id}", "PUT /api/v4/groups/{id}"}
	projects     = []string{"GET /api/v4/projects", "POST /api/v4/projects", "GET /api/v4/projects/{id}", "PUT /api/v4/projects/{id}"}
	integrations = []string{
		"GET /api/v4/projects/{id}/monitor/integrations", "POST /api/v4/projects/{id}/monitor/integrations",
		"GET /api/v4/projects/{id}/monitor/integrations/{integration_id}", "PUT /api/v4/projects/{id}/monitor/integrations/{integration_id}",
		"PATCH /api/v4/projects/{id}/monitor/integrations/{integration_id}",
		"POST /api/v4/projects/{id}/monitor/integrations/{integration_id}/reset_key",
	}
	changedIntegrations = []string{
		"POST /api/v4/projects/{id}/monitor/integrations", "PUT /api/v4/projects/{id}/monitor/integrations/{integration_id}",
		"PATCH /api/v4/projects/{id}/monitor/integrations/{integration_id}",
	}
)

const changesOfMergeRequest = "GET /api/v4/projects/{id}/merge_requests/{iid}/changes"

// IDs of the entries that a handler has to name, because the request alone does
// not show that it uses them.
const (
	MetricsAPIURL = "metrics-api-url"
	OnCallLink    = "oncall-link"
)

// mirrorNames are the former parameters of a pull mirror.
var mirrorNames = []string{"import_url", "mirror", "mirror_branch_regex", "mirror_trigger_builds", "only_mirror_protected_branches"}

// Table is what REST v4 has deprecated. All of it works until there is a v5, which
// nobody develops yet. To deprecate something, add an entry.
var Table = []Entry{
	{
		ID: "geo-nodes", Subject: "Geo sites",
		Old: "The addresses of geo_nodes", New: "Those of geo_sites, with the same parameters and answers",
		Instead: "use geo_sites",
		Places:  moved("geo_nodes", "geo_sites", sites...),
		Before:  "GET /api/v4/geo_nodes/1", After: "GET /api/v4/geo_sites/1",
	},
	{
		ID: "merged-by", Subject: "Who merged a merge request",
		Old: "The field merged_by", New: "The field merge_user, which also names who let it merge by itself",
		Instead: "read merge_user",
		Places:  answers([]string{"merged_by"}, mergeRequests...),
		Before:  `{"iid": 1, "merged_by": {"id": 7, "username": "ada"}}`, After: `{"iid": 1, "merge_user": {"id": 7, "username": "ada"}}`,
	},
	{
		ID: "merge-status", Subject: "Whether a merge request can be merged",
		Old: "The field merge_status", New: "The field detailed_merge_status, which also says why not",
		Instead: "read detailed_merge_status",
		Places:  answers([]string{"merge_status"}, mergeRequests...),
		Values: []Pair{
			{`"unchecked"`, `"unchecked"`}, {`"checking"`, `"checking"`}, {`"can_be_merged"`, `"mergeable"`},
			{`"cannot_be_merged"`, `"conflict"`}, {`"cannot_be_merged_recheck"`, `"checking"`},
		},
		Before: `{"iid": 1, "merge_status": "can_be_merged"}`, After: `{"iid": 1, "detailed_merge_status": "mergeable"}`,
	},
	{
		ID: "private-profile-null", Subject: "Private profiles of users",
		Old: "The value null for private_profile, which stands for the default", New: "The values true and false",
		Instead: "send true or false",
		Places:  valued(parameters([]string{"private_profile"}, "POST /api/v4/users", "PUT /api/v4/users/{id}"), nil),
		Values:  []Pair{{"null", "false"}},
		Before:  `PUT /api/v4/users/7 {"private_profile": null}`, After: `PUT /api/v4/users/7 {"private_profile": false}`,
	},
	{
		ID: "merge-request-changes", Subject: "Changes of a merge request",
		Old: "The address changes of a merge request", New: "Its address diffs, a list in pages",
		Instead: "use diffs",
		Places:  moved("/changes", "/diffs", changesOfMergeRequest),
		Before:  "GET /api/v4/projects/42/merge_requests/1/changes", After: "GET /api/v4/projects/42/merge_requests/1/diffs",
	},
	{
		ID: "managed-licenses", Subject: "Licenses of a project",
		Old: "The addresses of managed_licenses", New: "Those of license_approval_policies",
		Instead: "use license_approval_policies",
		Places:  moved("managed_licenses", "license_approval_policies", licenses...),
		Before:  "GET /api/v4/projects/42/managed_licenses", After: "GET /api/v4/projects/42/license_approval_policies",
	},
	{
		ID: "approvers", Subject: "Who approves merge requests of a project",
		Old:     "The fields approvers, approver_groups and approval_groups of the approvals, which are always empty",
		New:     "The approval rules of the project or of a merge request",
		Instead: "read approval_rules",
		Places:  answers([]string{"approvers", "approver_groups", "approval_groups"}, approvals...),
		Before:  "GET /api/v4/projects/42/approvals", After: "GET /api/v4/projects/42/approval_rules",
	},
	{
		ID: "runner-active", Subject: "Runners that take no jobs",
		Old:     "The property active, and the statuses active and paused",
		New:     "The property and the filter paused, which say the opposite of active. A status is online, offline or not_connected",
		Instead: "send paused",
		Places: slices.Concat(
			parameters([]string{"active"}, "POST /api/v4/runners", "PUT /api/v4/runners/{runner_id}"),
			valued(parameters([]string{"status", "scope"}, runnerLists...), "active", "paused"),
			answers([]string{"active"}, slices.Concat(runnerLists, runners)...)),
		Values: []Pair{{"true", "false"}, {"false", "true"}}, Both: Refused,
		Before: `PUT /api/v4/runners/5 {"active": false}`, After: `PUT /api/v4/runners/5 {"paused": true}`,
	},
	{
		ID: "runner-ip-address", Subject: "Addresses of runners", Since: "17.0",
		Old: "The field ip_address, which is always empty", New: "Nothing",
		Instead: "do without",
		Places:  answers([]string{"ip_address"}, slices.Concat(runnerLists, runners)...),
		Before:  `{"id": 5, "ip_address": ""}`, After: `{"id": 5}`,
	},
	{
		ID: "default-branch-protection", Subject: "How default branches are protected", Since: "17.0",
		Old: "The number default_branch_protection", New: "The object default_branch_protection_defaults",
		Instead: "send default_branch_protection_defaults",
		Places: slices.Concat(
			parameters([]string{"default_branch_protection"}, "POST /api/v4/groups", "PUT /api/v4/groups/{id}", "PUT /api/v4/application/settings"),
			answers([]string{"default_branch_protection"}, slices.Concat(groups, instance)...)),
		Values: protectionPairs(), Both: NewCounts,
		Before: `PUT /api/v4/groups/3 {"default_branch_protection": 2}`,
		After: `PUT /api/v4/groups/3 {"default_branch_protection_defaults":` +
			` {"allowed_to_push": [{"access_level": 40}], "allowed_to_merge": [{"access_level": 40}], "allow_force_push": false}}`,
	},
	{
		ID: "require-password-to-approve", Subject: "Approvals that need the password", Since: "16.9",
		Old: "The setting require_password_to_approve", New: "The setting require_reauthentication_to_approve, with the same value",
		Instead: "send require_reauthentication_to_approve",
		Places: slices.Concat(
			parameters([]string{"require_password_to_approve"}, "POST /api/v4/projects/{id}/approvals", "PUT /api/v4/projects/{id}/merge_request_approval_setting"),
			answers([]string{"require_password_to_approve"}, slices.Concat(approvals, settings)...)),
		Values: []Pair{{"true", "true"}, {"false", "false"}}, Both: NewCounts,
		Before: `POST /api/v4/projects/42/approvals {"require_password_to_approve": true}`,
		After:  `POST /api/v4/projects/42/approvals {"require_reauthentication_to_approve": true}`,
	},
	{
		ID: "pull-mirror", Subject: "Pull mirrors of projects", Since: "17.6",
		Old:     "The parameters and fields import_url, mirror, mirror_branch_regex, mirror_trigger_builds and only_mirror_protected_branches of a project",
		New:     "The address mirror/pull of the project, where they are url, enabled and, under the same names, the rest",
		Instead: "use mirror/pull",
		Places: slices.Concat(
			parameters(mirrorNames, "POST /api/v4/projects", "PUT /api/v4/projects/{id}"),
			answers(mirrorNames, projects...)),
		Before: `PUT /api/v4/projects/42 {"mirror": true, "import_url": "https://git.example.com/web.git"}`,
		After:  `PUT /api/v4/projects/42/mirror/pull {"enabled": true, "url": "https://git.example.com/web.git"}`,
	},
	{
		ID: "restrict-user-defined-variables", Subject: "Who may set variables of a pipeline", Since: "17.7",
		Old:     "The setting restrict_user_defined_variables",
		New:     "The setting ci_pipeline_variables_minimum_override_role; developer stands for false",
		Instead: "send ci_pipeline_variables_minimum_override_role",
		Places: slices.Concat(
			parameters([]string{"restrict_user_defined_variables"}, "POST /api/v4/projects", "PUT /api/v4/projects/{id}"),
			answers([]string{"restrict_user_defined_variables"}, projects...)),
		Values: []Pair{{"false", `"developer"`}, {"true", `"maintainer"`}}, Both: NewCounts,
		Before: `PUT /api/v4/projects/42 {"restrict_user_defined_variables": true}`,
		After:  `PUT /api/v4/projects/42 {"ci_pipeline_variables_minimum_override_role": "maintainer"}`,
	},
	{
		ID: "token-info-aliases", Subject: "Token information",
		Old: "The fields scopes and expires_in_seconds", New: "The fields scope and expires_in, with the same values",
		Instead: "read scope and expires_in",
		Places:  answers([]string{"scopes", "expires_in_seconds"}, "GET /oauth/token/info"),
		Before:  `{"scopes": ["api"], "expires_in_seconds": 7200}`, After: `{"scope": ["api"], "expires_in": 7200}`,
	},
	{
		ID: MetricsAPIURL, Subject: "The API base URL of a metrics integration", Since: "16.0",
		Old: "The property api_url of an integration of the type metrics", New: "Nothing: nothing was ever read from there",
		Instead: "leave it out",
		Places: slices.Concat(
			beside("type", "metrics", parameters([]string{"api_url"}, changedIntegrations...)),
			beside("type", "metrics", sole(answers([]string{"api_url"}, integrations...)))),
		Before: `{"name": "Alertmanager", "type": "metrics", "active": true, "api_url": "https://prometheus.example.com"}`,
		After:  `{"name": "Alertmanager", "type": "metrics", "active": true}`,
	},
	{
		ID: OnCallLink, Subject: "The direct link to an on-call service",
		Old:     "Integrations of the type oncall_link, which put a link in the place of the list of alerts",
		New:     "The list of alerts; have the monitoring tools send to an integration, and to the on-call service as well",
		Instead: "use an integration of the type http",
		Places: slices.Concat(
			valued(parameters([]string{"type"}, changedIntegrations...), "oncall_link"),
			beside("type", "oncall_link", parameters([]string{"api_url"}, changedIntegrations...)),
			beside("type", "oncall_link", sole(answers([]string{"api_url"}, integrations...)))),
		Before: `{"name": "On call", "type": "oncall_link", "active": true, "api_url": "https://oncall.example.com"}`,
		After:  `{"name": "Alerts", "type": "http", "active": true}`,
	},
}
