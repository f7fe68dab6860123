// Package oauthapi serves what machines ask of the identity provider: tokens,
// what a token is good for, who its user is, revocation, introspection,
// discovery, what a Git front end may let through, and the service's health. It
// has no pages.
package oauthapi

import (
	"net/http"

	"gatehouse/shared/app"
	"gatehouse/shared/oidc"
	"gatehouse/shared/web"
)

type api struct {
	app.App
	openID *oidc.Provider
}

// New returns the group's handler.
func New(app *app.App) http.Handler {
	api := &api{*app, app.OpenID()}
	api.OAuth = app.OAuth.WithIdentities(api.openID)
	mux := web.NewMux()
	mux.Handle("POST /oauth/token", handler(api.token))
	mux.Handle("GET /oauth/token/info", handler(api.tokenInfo))
	mux.Handle("POST /oauth/revoke", handler(api.revoke))
	mux.Handle("POST /oauth/introspect", handler(api.introspect))
	mux.Handle("GET /oauth/userinfo", handler(api.userInfo))
	mux.Handle("POST /oauth/userinfo", handler(api.userInfo))
	mux.Handle("GET /oauth/discovery/keys", handler(api.keySet))
	mux.Handle("GET /.well-known/openid-configuration", handler(api.metadata))
	mux.Handle("GET /.well-known/oauth-authorization-server", handler(api.metadata))
	mux.Handle("GET /.well-known/webfinger", handler(api.webFinger))
	mux.Handle(gitAuthorizePath, gitHandler(api.gitAuthorize))
	mux.Handle(gitAuthorizePath+"/{path...}", gitHandler(api.gitAuthorize))
	mux.Handle("GET /-/health", web.Handler(api.health))
	return web.Wrap(cors.Wrap(mux))
}

// health reports whether the store answers.
func (a *api) health(w http.ResponseWriter, r *http.Request) error {
	if err := a.Ping(r.Context()); err != nil {
		return web.JSON(w, http.StatusServiceUnavailable, map[string]string{"status": "unavailable"})
	}
	return web.JSON(w, http.StatusOK, map[string]string{"status": "ok"})
}
