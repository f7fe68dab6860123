package functions_test

import (
	"gatehouse/shared/accesstoken"
	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

func aboutProjects() []scenario {
	const environments = "/projects/{web}/environments"
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
		{do: later, name: "a project by path, with the use of the token", cost: cost{3, 2, 0}},
		{rest: "GET /projects", status: 200, cost: cost{4, 0, 0}}, // two of them for the caller

		{rest: "POST /groups", send: `{"name":"Team","path":"team","visibility":"public"}`, status: 201, keep: "group", stored: names(project.EventGroupCreated)},
		{rest: "POST /projects", send: `{"name":"App","path":"app","namespace_id":{group}}`, status: 201, keep: "project", stored: names(project.EventProjectCreated)},
		{rest: "PUT /projects/{project}", send: `{"visibility":"public"}`, status: 200, stored: names(project.EventProjectChanged)},
		{rest: "PUT /projects/{project}", send: `{"name":"App"}`, status: 200}, // is its name
		{rest: "DELETE /groups/{group}", status: 409, stored: names(project.EventGroupDeleted)},
		{rest: "POST /users", send: `{"username":"ada","name":"Ada","email":"ada@example.com","password":"the password of ada"}`, status: 201, keep: "ada", stored: names(user.EventCreated)},
		{rest: "POST /projects/{project}/members", send: `{"user_id":{ada},"access_level":30}`, status: 201, stored: names(project.EventMemberAdded)},
		{rest: "PUT /projects/{project}/members/{ada}", send: `{"access_level":40}`, status: 200, stored: names(project.EventMemberChanged)},
		{rest: "POST /groups/{group}/members", send: `{"user_id":{ada},"access_level":50}`, status: 201, stored: names(project.EventMemberAdded)},
		{rest: "POST /users", send: `{"username":"ben","name":"Ben","email":"ben@example.com","password":"the password of ben"}`, status: 201, keep: "ben", stored: names(user.EventCreated)},
		{do: invite("/projects/{project}/members"), name: "a user invites another to a project", stored: names(project.EventMemberAdded)},
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

		{rest: "POST " + environments, send: `{"name":"production"}`, status: 201, keep: "environment", needs: project.Developer, stored: names(project.EventEnvironmentCreated)},
		{rest: "POST " + environments, send: `{"name":"production"}`, status: 400, stored: names(project.EventEnvironmentCreated)}, // refused
		{rest: "POST " + environments, status: 400, needs: project.Developer},
		{rest: "GET " + environments, status: 200, needs: project.Developer},
		{rest: "DELETE " + environments + "/{environment}", status: 204, needs: project.Developer, stored: names(project.EventEnvironmentDeleted)},
		{rest: "DELETE " + environments + "/{environment}", status: 404}, // is gone
		{rest: "POST " + environments, send: `{"name":"staging"}`, status: 201, stored: names(project.EventEnvironmentCreated)},
		{rest: "DELETE /projects/{web}", status: 204, stored: names(project.EventProjectDeleted)},
	}
}
