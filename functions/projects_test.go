package functions_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/approval"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/license"
	"gatehouse/shared/mergerequest"
	"gatehouse/shared/mirror"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/runner"
	"gatehouse/shared/scope"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/user"
)

func aboutProjects() []scenario {
	const (
		environments = "/projects/{web}/environments"
		policies     = "/projects/{web}/license_approval_policies"
		older        = "/projects/{web}/managed_licenses"
		merges       = "/projects/{web}/merge_requests"
		runners      = "/projects/{web}/runners"
		mirrored     = "/projects/{web}/mirror/pull"
		pulled       = `{"enabled":true,"url":"https://git.example/web.git","auth_user":"ada","auth_password":"the word of ada"}`
		fix          = `{"source_branch":"fix","target_branch":"main","title":"Fix it"}`
		approvals    = "/projects/{web}/approvals"
		setting      = "/projects/{web}/merge_request_approval_setting"
		rules        = "/projects/{web}/approval_rules"
		own          = merges + "/{merge}/approval_rules"
		rule         = `{"name":"Security","approvals_required":1}`
		mit          = `{"name":"MIT","approval_status":"allowed"}`
	)
	later := func(w *walk) { // than the token's use was noted
		w.pass(oauth.TouchEvery)
		w.get(w.t, "/api/v4/projects/root%2Fweb", w.access)
	}
	invite := func(path string) func(*walk) {
		return func(w *walk) { // administrators have no limit of invitations
			ada, err := w.app.Users.UserByUsername(w.t.Context(), "ada")
			if err != nil {
				w.t.Fatal(err)
			}
			_, token, err := w.app.Tokens.Create(w.t.Context(), audit.Setup, accesstoken.Request{UserID: ada.ID, Name: "test", Scopes: scope.Of(scope.API)})
			if err != nil {
				w.t.Fatal(err)
			}
			w.call(w.t, "POST", w.things.expand(path), w.secret(token.Reveal()), w.things.expand(`{"user_id":{ben},"access_level":30}`), 201)
		}
	}
	return []scenario{
		{rest: "GET /projects/{web}", status: 200, cost: cost{2, 0, 0}},
		{rest: "GET /projects/root%2Fweb", status: 200, cost: cost{3, 0, 0}},
		{do: later, name: "a project by path, with the use of the token", cost: cost{3, 3, 0}}, // also the application's, on a new day,
		{rest: "GET /projects", status: 200, cost: cost{4, 0, 0}},                              // two of them for the caller
		{rest: "GET /projects?search=web", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /projects?visibility=private&order_by=name", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /projects/{web}/members/all/{root}", status: 404},

		{rest: "POST /groups", send: `{"name":"Team","path":"team","visibility":"public"}`, status: 201, keep: "group", stored: names(project.EventGroupCreated)},
		{rest: "POST /projects", send: `{"name":"App","path":"app","namespace_id":{group}}`, status: 201, keep: "project", stored: names(project.EventProjectCreated)},
		{rest: "PUT /projects/{project}", send: `{"visibility":"public"}`, status: 200, stored: names(project.EventProjectChanged)},
		{rest: "PUT /projects/{project}", send: `{"name":"App"}`, status: 200}, // is its name
		{rest: "PUT /projects/{project}", send: `{"ci_pipeline_variables_minimum_override_role":"owner"}`, status: 200, stored: names(project.EventProjectChanged), cost: cost{7, 1, 5}},
		{rest: "PUT /projects/{project}", send: `{"restrict_user_defined_variables":false}`, deprecated: true, status: 200, stored: names(project.EventProjectChanged)},
		{rest: "DELETE /groups/{group}", status: 409, stored: names(project.EventGroupDeleted)},
		{rest: "POST /users", send: `{"username":"ada","name":"Ada","email":"ada@example.com","password":"the password of ada"}`, status: 201, keep: "ada", stored: names(user.EventCreated)},
		{rest: "POST /projects/{project}/members", send: `{"user_id":{ada},"access_level":30}`, status: 201, stored: names(project.EventMemberAdded)},
		{rest: "DELETE /projects/{project}/members/{ada}", status: 204, stored: names(project.EventMemberRemoved)},
		{rest: "POST /projects/{project}/members", send: `{"username":"ada","access_level":30}`, status: 201, stored: names(project.EventMemberAdded)},
		{rest: "PUT /projects/{project}/members/{ada}", send: `{"access_level":40}`, status: 200, stored: names(project.EventMemberChanged)},
		{rest: "POST /groups/{group}/members", send: `{"user_id":{ada},"access_level":50}`, status: 201, stored: names(project.EventMemberAdded)},
		{rest: "POST /users", send: `{"username":"ben","name":"Ben","email":"ben@example.com","password":"the password of ben"}`, status: 201, keep: "ben", stored: names(user.EventCreated)},
		{do: invite("/projects/{project}/members"), name: "a user invites another to a project", stored: names(project.EventMemberAdded)},
		{rest: "DELETE /projects/{project}/members/{ben}", status: 204, stored: names(project.EventMemberRemoved)},
		{do: invite("/projects/{project}/members"), name: "the user invites the other one again", stored: names(project.EventMemberAdded)},
		{do: invite("/groups/{group}/members"), name: "a user invites another to a group", stored: names(project.EventMemberAdded)},
		{rest: "GET /projects/{project}/members", status: 200, cost: cost{4, 0, 0}},
		{rest: "POST /projects/{project}/members", send: `{"user_id":{root},"access_level":30}`, status: 201, stored: names(project.EventMemberAdded)},
		{rest: "GET /projects/{project}/members?per_page=1", status: 200}, // begins to keep the count
		{rest: "GET /projects/{project}/members?per_page=1", status: 200, cost: cost{4, 0, 0}},
		{rest: "DELETE /projects/{project}/members/{root}", status: 204, stored: names(project.EventMemberRemoved)},
		{rest: "GET /projects/{project}/members/all", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET /projects/{project}/members/{ada}", status: 200, cost: cost{4, 0, 0}},
		{rest: "DELETE /users/{ada}", status: 204, stored: names(user.EventDeleted)},
		{rest: "DELETE /projects/{project}", status: 204, stored: names(project.EventProjectDeleted)},
		{rest: "DELETE /groups/{group}", status: 204, stored: names(project.EventGroupDeleted)},

		{rest: "POST " + environments, send: `{"name":"production"}`, status: 201, keep: "environment", alone: true, stored: names(project.EventEnvironmentCreated)},
		{rest: "POST " + environments, send: `{"name":"production"}`, status: 400, stored: names(project.EventEnvironmentCreated)}, // refused
		{rest: "POST " + environments, status: 400, alone: true},
		{rest: "GET " + environments, status: 200, alone: true},
		{rest: "GET " + environments + "/{environment}", status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "GET " + environments + "?name=production", status: 200},
		{rest: "DELETE " + environments + "/{environment}", status: 204, alone: true, stored: names(project.EventEnvironmentDeleted)},
		{rest: "DELETE " + environments + "/{environment}", status: 404}, // is gone
		{rest: "POST " + environments, send: `{"name":"staging"}`, status: 201, stored: names(project.EventEnvironmentCreated)},

		{rest: "POST " + policies, send: mit, status: 201, keep: "policy", alone: true, stored: names(license.EventCreated), cost: cost{4, 2, 5}},
		{rest: "POST " + older, send: mit, deprecated: true, status: 400, stored: names(license.EventCreated)}, // refused
		{rest: "POST " + older, deprecated: true, status: 400, alone: true},
		{rest: "GET " + policies, status: 200, cost: cost{3, 0, 0}},
		{rest: "GET " + older + "/{policy}", deprecated: true, status: 200, alone: true, cost: cost{3, 2, 0}},
		{rest: "GET " + policies + "/mit", status: 200, cost: cost{4, 0, 0}},
		{rest: "PATCH " + policies + "/{policy}", send: `{"approval_status":"denied"}`, status: 200, alone: true, stored: names(license.EventChanged), cost: cost{4, 1, 5}},
		{rest: "PATCH " + older + "/mit", send: `{"approval_status":"allowed"}`, deprecated: true, status: 200, stored: names(license.EventChanged)},
		{rest: "DELETE " + older + "/{policy}", deprecated: true, status: 204, alone: true, stored: names(license.EventDeleted)},
		{rest: "DELETE " + policies + "/{policy}", status: 404},
		{rest: "POST " + older, send: mit, deprecated: true, status: 201, alone: true, stored: names(license.EventCreated)},

		{rest: "POST " + merges, send: fix, status: 201, keep: "merge", alone: true, stored: names(mergerequest.EventCreated), cost: cost{5, 3, 5}},
		{rest: "POST " + merges, send: fix, status: 409, stored: names(mergerequest.EventCreated)}, // refused
		{rest: "POST " + merges, status: 400, alone: true},
		{rest: "GET " + merges, status: 200, alone: true, cost: cost{4, 0, 0}},
		{rest: "GET " + merges + "?state=opened", status: 200, cost: cost{4, 0, 0}},
		{rest: "GET " + merges + "/{merge}", status: 200, alone: true, cost: cost{4, 0, 0}},
		{rest: "PUT " + merges + "/{merge}", send: `{"title":"Fix everything"}`, status: 200, alone: true, stored: names(mergerequest.EventChanged), cost: cost{5, 1, 5}},
		{rest: "PUT " + merges + "/{merge}/merge", status: 405, after: "merge", alone: true},
		{rest: "PUT " + merges + "/{merge}/merge", send: `{"auto_merge":true}`, status: 200, stored: names(mergerequest.EventChanged)},
		{rest: "PUT " + merges + "/{merge}/platform_state", send: `{"merge_status":"can_be_merged","overflow":false,"diffs":[{"new_path":"a"}]}`,
			status: 200, alone: true, cost: cost{7, 2, 0}},
		{rest: "GET " + merges + "/{merge}/changes", deprecated: true, status: 200, alone: true, cost: cost{5, 2, 0}},
		{rest: "GET " + merges + "/{merge}/diffs", status: 200, alone: true, cost: cost{4, 0, 0}},
		{rest: "PUT " + merges + "/{merge}/merge", status: 200, stored: names(mergerequest.EventMerged), cost: cost{5, 1, 5}},

		{rest: "GET " + approvals, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "POST " + approvals, send: `{"require_password_to_approve":true}`, deprecated: true, status: 201, alone: true,
			stored: names(approval.EventSettings), cost: cost{4, 3, 5}},
		{rest: "POST " + approvals, send: `{"approvals_before_merge":2}`, status: 201, stored: names(approval.EventSettings), cost: cost{4, 1, 5}},
		{rest: "GET " + setting, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "PUT " + setting, send: `{"require_password_to_approve":false}`, deprecated: true, status: 200, alone: true, stored: names(approval.EventSettings)},
		{rest: "PUT " + setting, send: `{"allow_author_approval":true}`, status: 200, stored: names(approval.EventSettings), cost: cost{4, 1, 5}},
		{rest: "POST " + rules, send: rule, status: 201, keep: "rule", alone: true, stored: names(approval.EventCreated)},
		{rest: "POST " + rules, status: 400, alone: true},
		{rest: "POST " + rules, send: rule, status: 400}, // has the name
		{rest: "GET " + rules, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "PUT " + rules + "/{rule}", send: `{"user_ids":[{root}]}`, status: 200, stored: names(approval.EventChanged), cost: cost{6, 1, 5}},
		{rest: "GET " + rules, status: 200, cost: cost{4, 0, 0}},
		{rest: "GET " + rules + "/{rule}", status: 200, alone: true, cost: cost{4, 0, 0}},
		{rest: "PUT " + rules + "/{rule}", send: `{"approvals_required":2}`, status: 200, alone: true, stored: names(approval.EventChanged)},
		{rest: "POST " + own, send: rule, status: 201, keep: "own", alone: true, stored: names(approval.EventCreated)},
		{rest: "POST " + own, send: `{"approval_project_rule_id":{rule},"name":"Copy","approvals_required":2}`, status: 201, stored: names(approval.EventCreated)},
		{rest: "GET " + own, status: 200, alone: true, cost: cost{5, 0, 0}},
		{rest: "GET " + own + "/{own}", status: 200, alone: true, cost: cost{5, 0, 0}},
		{rest: "PUT " + own + "/{own}", send: `{"name":"Another"}`, status: 200, alone: true, stored: names(approval.EventChanged)},
		{rest: "DELETE " + own + "/{own}", status: 204, alone: true, stored: names(approval.EventDeleted)},
		{rest: "DELETE " + rules + "/{rule}", status: 204, alone: true, stored: names(approval.EventDeleted), cost: cost{4, 1, 5}},
		{rest: "DELETE " + rules + "/{rule}", status: 404},

		{rest: "POST " + runners + "/reset_registration_token", status: 201, alone: true, stored: names(runner.EventTokenReset), cost: cost{4, 1, 5}},
		{do: runnerIn("elsewhere", `{"name":"Elsewhere","path":"elsewhere"}`), name: "a runner of another project", stored: names(project.EventProjectCreated, runner.EventTokenReset, runner.EventCreated)},
		{rest: "POST " + runners, send: `{"runner_id":{runner}}`, status: 201, stored: names(runner.EventAssigned), cost: cost{5, 1, 5}},
		{rest: "POST " + runners, send: `{"runner_id":{runner}}`, status: 400},
		{rest: "POST " + runners, status: 400, alone: true},
		{rest: "GET " + runners, status: 200, alone: true, cost: cost{4, 0, 0}},
		{rest: "GET " + runners + "?scope=paused", deprecated: true, status: 200, alone: true},
		{rest: "DELETE " + runners + "/99", status: 404, alone: true},
		{rest: "DELETE " + runners + "/{runner}", status: 204, stored: names(runner.EventUnassigned), cost: cost{5, 1, 5}},
		{rest: "DELETE /runners/{runner}", status: 204, stored: names(runner.EventDeleted)},
		{rest: "POST /groups", send: `{"name":"Runs","path":"runs"}`, status: 201, keep: "runs", stored: names(project.EventGroupCreated)},
		{do: runnerIn("inside", `{"name":"Inside","path":"inside","namespace_id":{runs}}`), name: "a runner of a project in a group", stored: names(project.EventProjectCreated, runner.EventTokenReset, runner.EventCreated)},
		{rest: "DELETE /projects/{inside}", status: 204, stored: names(project.EventProjectDeleted)},

		{rest: "PUT " + mirrored, send: pulled, status: 200, keep: "mirror", alone: true, stored: names(project.EventProjectChanged), cost: cost{6, 1, 5}},
		{rest: "PUT " + mirrored, send: `{"url":"http://localhost"}`, status: 400, alone: true},
		{rest: "GET " + mirrored, status: 200, alone: true, cost: cost{3, 0, 0}},
		{rest: "POST " + mirrored, status: 202, after: "mirror", alone: true, stored: names(mirror.EventScheduled), cost: cost{4, 1, 5}},
		{rest: "PUT " + mirrored + "/status", send: `{"update_status":"failed","last_error":"the word of ada is too old"}`, status: 200, cost: cost{4, 1, 0}},
		{rest: "PUT " + mirrored, send: `{"auth_password":"another word"}`, status: 200, stored: names(project.EventProjectChanged), cost: cost{9, 3, 5}},
		{rest: "PUT /projects/{web}", send: `{"mirror":false}`, deprecated: true, status: 200, alone: true, stored: names(project.EventProjectChanged)},
		{rest: "POST " + mirrored, status: 400, alone: true},
		{rest: "DELETE /projects/{web}", status: 204, stored: names(project.EventProjectDeleted)},
	}
}

// runnerIn makes a project with a runner.
func runnerIn(name, draft string) func(*walk) {
	return func(w *walk) {
		token := w.root.Token.Reveal()
		w.keep(name, w.call(w.t, "POST", "/projects", token, w.things.expand(draft), 201))
		reset := w.things.expand("/projects/{" + name + "}/runners/reset_registration_token")
		w.keep("registration", w.call(w.t, "POST", reset, token, "", 201))
		registration, _ := w.things["registration"]["token"].(string)
		w.keep("runner", w.call(w.t, "POST", "/runners", "", `{"token":"`+w.secret(registration)+`"}`, 201))
		w.secret(w.things["runner"]["token"].(string))
	}
}

// Four accounts make one person a member a hundred times in an hour, however often
// the person leaves, and then nobody does but administrators.
func TestForcedMembershipsHaveALimit(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { forceMemberships(t, apptest.New(t)) })
	t.Run("dynamodb", func(t *testing.T) {
		needEmulator(t)
		forceMemberships(t, apptest.Over(t, dynamodb.New(emulated(t))))
	})
}

func forceMemberships(t *testing.T, a *apptest.App) {
	ben, eve := a.User("ben"), a.User("eve")
	var groups []project.Group
	var owners []project.Inviter
	for n := range 4 {
		owner := a.User(fmt.Sprint("owner-", n))
		groups = append(groups, a.Group(fmt.Sprint("group-", n), project.Group{}, owner, project.Private))
		owners = append(owners, project.Inviter{Actor: audit.ByUser(owner.ID), Role: project.Owner})
	}
	invite := func(by project.Inviter, n int, u user.User) error {
		return a.Projects.Invite(t.Context(), by, groups[n], project.Member{UserID: u.ID, Role: project.Guest})
	}
	leave := func(n int) {
		if err := a.Projects.Leave(t.Context(), audit.ByUser(ben.ID), groups[n].Place()); err != nil {
			t.Error(err)
		}
	}
	var invited atomic.Int32
	for range 26 {
		var callers sync.WaitGroup
		for n := range groups {
			callers.Go(func() {
				switch err := invite(owners[n], n, ben); {
				case err == nil:
					invited.Add(1)
					leave(n)
				case !fault.Is(err, fault.TooMany):
					t.Error(err)
				}
			})
		}
		callers.Wait()
	}
	if got := invited.Load(); got != 100 {
		t.Errorf("of 104 invitations of one person %d were taken, want 100", got)
	}
	if err := invite(owners[0], 0, eve); err != nil {
		t.Errorf("an invitation of somebody else: %v", err)
	}
	admin := owners[1]
	admin.Admin = true
	if err := invite(admin, 1, ben); err != nil {
		t.Errorf("an invitation by an administrator: %v", err)
	}
	a.Pass(time.Hour)
	if err := invite(owners[2], 2, ben); err != nil {
		t.Errorf("an invitation an hour later: %v", err)
	}
}
