package platformapi_test

import (
	"testing"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/scope"
	"gatehouse/shared/version"
)

func TestVersion(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada := a.User("ada")
	release := object{"version": version.Number, "revision": version.Revision()}
	metadata := with(release, object{
		"kas":        object{"enabled": false, "externalUrl": nil, "externalK8sProxyUrl": nil, "version": nil},
		"enterprise": false,
	})
	for _, token := range []string{a.Token(ada), a.Token(ada, scope.ReadUser), a.OAuthToken(ada, scope.ReadAPI)} {
		apptest.Call(t, h, "GET", api+"/version", token, nil).Want(t, 200, release)
		apptest.Call(t, h, "GET", api+"/metadata", token, nil).Want(t, 200, metadata)
	}
	for _, path := range []string{"/version", "/metadata"} {
		apptest.Call(t, h, "GET", api+path, "", nil).WantMessage(t, 401, "401 Unauthorized")
		apptest.Call(t, h, "GET", api+path, a.OAuthToken(ada, scope.OpenID), nil).Want(t, 403, nil)
	}
}
