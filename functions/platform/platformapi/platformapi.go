// Package platformapi serves the REST API for users, personal access tokens,
// groups, applications, the settings of the instance, geo sites and runners, and the
// description of the whole API.
package platformapi

import (
	"context"
	"net/http"

	"gatehouse/shared/app"
	"gatehouse/shared/auth"
	"gatehouse/shared/memberapi"
	"gatehouse/shared/oauth"
	"gatehouse/shared/openapi"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

type api struct{ app *app.App }

// New returns the group's handler.
func New(app *app.App) http.Handler {
	mux := web.NewMux()
	api := &api{app}
	api.routeVersion(mux)
	api.routeUsers(mux)
	api.routeTokens(mux)
	api.routeNotifications(mux)
	api.routeGroups(mux)
	api.routeNamespaces(mux)
	api.routeApplications(mux)
	api.routeSettings(mux)
	api.routeGeo(mux)
	api.routeRunners(mux)
	mux.HandleFunc("GET /api/v4/openapi.json", openapi.Serve)
	mux.Handle("GET /api/v4/deprecations", listDeprecations(app.BaseURL))
	mux.Handle("GET /api/v4/deprecations/uses", app.Auth.User()(api.listDeprecatedUses))
	return web.NewREST(app.BaseURL, mux, "/api/v4/groups/", "/api/v4/namespaces/")
}

func (a *api) routeUsers(mux *web.Mux) {
	admin, reader := a.app.Auth.Admin(), a.app.Auth.Admin(scope.ReadUser)

	mux.Handle("GET /api/v4/user", a.app.Auth.User(scope.ReadUser)(a.showSelf))
	mux.Handle("PUT /api/v4/user", a.app.Auth.User()(a.changeSelf))
	mux.Handle("GET /api/v4/users", a.app.Auth.User(scope.ReadUser)(a.listUsers))
	mux.Handle("POST /api/v4/users", admin(a.createUser))
	mux.Handle("GET /api/v4/users/{id}", reader(a.ofUser(a.showUser)))
	mux.Handle("PUT /api/v4/users/{id}", admin(a.ofUser(a.changeUser)))
	mux.Handle("DELETE /api/v4/users/{id}", admin(a.deleteUser))
	mux.Handle("POST /api/v4/users/{id}/block", admin(a.setState(a.app.Users.Block)))
	mux.Handle("POST /api/v4/users/{id}/unblock", admin(a.setState(a.app.Users.Unblock)))
	mux.Handle("POST /api/v4/users/{id}/reset_link", admin(a.ofUser(a.createResetLink)))
	mux.Handle("DELETE /api/v4/users/{id}/two_factor", admin(a.ofUser(a.resetTwoFactor)))
	mux.Handle("DELETE /api/v4/users/{id}/sessions", admin(a.ofUser(a.endSessions)))
}

func (a *api) routeTokens(mux *web.Mux) {
	admin, anyone := a.app.Auth.Admin(), a.app.Auth.User()

	mux.Handle("POST /api/v4/users/{id}/personal_access_tokens", admin(byPerson(a.ofUser(a.createTokenFor))))
	mux.Handle("POST /api/v4/user/personal_access_tokens", anyone(byPerson(a.createToken)))
	mux.Handle("GET /api/v4/personal_access_tokens", anyone(a.listTokens))
	mux.Handle("GET /api/v4/personal_access_tokens/self", a.app.Auth.Bearer(a.ofToken(a.showToken)))
	mux.Handle("DELETE /api/v4/personal_access_tokens/self", a.app.Auth.Bearer(a.ofToken(a.revokeToken)))
	mux.Handle("GET /api/v4/personal_access_tokens/{id}", anyone(a.ofToken(a.showToken)))
	mux.Handle("DELETE /api/v4/personal_access_tokens/{id}", anyone(a.ofToken(a.revokeToken)))
	mux.Handle("POST /api/v4/personal_access_tokens/{id}/rotate", anyone(byPerson(a.ofToken(a.rotateToken))))
}

func (a *api) routeGroups(mux *web.Mux) {
	anyone, in := a.app.Auth.User(), a.app.Auth.Group

	mux.Handle("GET /api/v4/groups", anyone(a.listGroups))
	mux.Handle("POST /api/v4/groups", anyone(a.createGroup))
	mux.Handle("GET /api/v4/groups/{id}", in(project.NoRole)(a.showGroup))
	mux.Handle("GET /api/v4/groups/{id}/projects", in(project.NoRole)(a.listGroupProjects))
	mux.Handle("GET /api/v4/groups/{id}/subgroups", in(project.NoRole)(a.listSubgroups))
	mux.Handle("PUT /api/v4/groups/{id}", in(project.Owner)(a.changeGroup))
	mux.Handle("DELETE /api/v4/groups/{id}", in(project.Owner)(a.deleteGroup))
	memberapi.Mount(mux, a.app, "/api/v4/groups/{id}", in)
}

func (a *api) routeApplications(mux *web.Mux) {
	admin := a.app.Auth.Admin()

	mux.Handle("GET /api/v4/applications", admin(a.listApplications))
	mux.Handle("POST /api/v4/applications", admin(a.createApplication))
	mux.Handle("DELETE /api/v4/applications/{id}", admin(a.ofApplication(a.deleteApplication)))
	mux.Handle("POST /api/v4/applications/{id}/renew-secret", admin(a.ofApplication(a.renewSecret)))
}

// handlerOf serves a request about the thing with the id in the path.
type handlerOf[T any] func(w http.ResponseWriter, r *http.Request, c auth.Caller, thing T) error

func (a *api) ofUser(next handlerOf[user.User]) auth.UserHandler {
	return of("User", a.app.Users.User, next)
}

func (a *api) ofApplication(next handlerOf[oauth.Client]) auth.UserHandler {
	return of("Application", a.app.OAuth.ClientByID, next)
}

func of[T any](subject string, read func(context.Context, int64) (T, error), next handlerOf[T]) auth.UserHandler {
	return func(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
		thing, err := found(r, subject, read)
		if err != nil {
			return err
		}
		return next(w, r, c, thing)
	}
}

// found reads the thing with the id in the path.
func found[T any](r *http.Request, subject string, read func(context.Context, int64) (T, error)) (thing T, err error) {
	id, err := web.PathID(r, "id")
	if err == nil {
		thing, err = read(r.Context(), id)
	}
	return thing, web.NotFound(subject, err)
}
