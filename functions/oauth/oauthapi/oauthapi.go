// Package oauthapi serves the identity provider's endpoints for machines: tokens,
// token information, user information, revocation, introspection, discovery, the
// authorization of Git requests, and the service's health. It has no pages.
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
	mux.Handle("GET /-/health", web.Handler(health))
	mux.Handle("GET /-/ready", web.Handler(api.ready))
	mux.TellDeprecations(app.BaseURL, refusePreview)
	return web.Routed{Handler: web.Wrap(app.BaseURL, cors.Wrap(mux)), Patterns: mux.Patterns()}
}

// cors lets applications in browsers get, use and revoke tokens. Other paths are
// closed to other origins: the introspection endpoint is for servers.
var cors = web.CORS{
	"/oauth/token":      {Methods: []string{"POST", "OPTIONS"}, RequestHeaders: authorization},
	"/oauth/revoke":     {Methods: []string{"POST", "OPTIONS"}, RequestHeaders: authorization},
	"/oauth/token/info": {Methods: []string{"GET", "HEAD", "OPTIONS"}, RequestHeaders: []string{"Authorization", "Gatehouse-Api-Preview"}},
	"/oauth/userinfo":   {Methods: []string{"GET", "HEAD", "POST", "OPTIONS"}, RequestHeaders: authorization},

	"/oauth/discovery/keys":                   public,
	"/.well-known/openid-configuration":       public,
	"/.well-known/oauth-authorization-server": public,
	"/.well-known/webfinger":                  public,
}

// public is the policy of what everyone may read.
var public = web.CORSPolicy{Methods: []string{"GET", "HEAD"}}

var authorization = []string{"Authorization"}
