package oauthapi

import "gatehouse/shared/web"

// cors lets applications that run in browsers get, use and revoke tokens. A
// path that is not here is closed to other origins: the introspection
// endpoint is for servers.
var cors = web.CORS{
	"/oauth/token":      {Methods: []string{"POST", "OPTIONS"}, RequestHeaders: authorization},
	"/oauth/revoke":     {Methods: []string{"POST", "OPTIONS"}, RequestHeaders: authorization},
	"/oauth/token/info": {Methods: []string{"GET", "HEAD", "OPTIONS"}, RequestHeaders: authorization},
	"/oauth/userinfo":   {Methods: []string{"GET", "HEAD", "POST", "OPTIONS"}, RequestHeaders: authorization},

	"/oauth/discovery/keys":                   public,
	"/.well-known/openid-configuration":       public,
	"/.well-known/oauth-authorization-server": public,
	"/.well-known/webfinger":                  public,
}

// public is for what everybody may read.
var public = web.CORSPolicy{Methods: []string{"GET", "HEAD"}}

var authorization = []string{"Authorization"}
