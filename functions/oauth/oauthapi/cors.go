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
}

var authorization = []string{"Authorization"}
