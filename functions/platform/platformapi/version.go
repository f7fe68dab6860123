package platformapi

import (
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/scope"
	"gatehouse/shared/version"
	"gatehouse/shared/web"
)

// versionBody names the release that answers.
type versionBody struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
}

// metadataBody is versionBody with what clients of the field look for besides.
type metadataBody struct {
	versionBody
	Kas        kasBody `json:"kas"`
	Enterprise bool    `json:"enterprise"` // always false
}

// kasBody says that there is no agent server for clusters.
type kasBody struct {
	Enabled             bool    `json:"enabled"`
	ExternalURL         *string `json:"externalUrl"`
	ExternalK8sProxyURL *string `json:"externalK8sProxyUrl"`
	Version             *string `json:"version"`
}

func (a *api) routeVersion(mux *web.Mux) {
	anyone := a.app.Auth.User(scope.ReadUser)
	mux.Handle("GET /api/v4/version", anyone(showVersion))
	mux.Handle("GET /api/v4/metadata", anyone(showMetadata))
}

func newVersionBody() versionBody { return versionBody{version.Number, version.Revision()} }

func showVersion(w http.ResponseWriter, _ *http.Request, _ auth.Caller) error {
	return web.JSON(w, http.StatusOK, newVersionBody())
}

func showMetadata(w http.ResponseWriter, _ *http.Request, _ auth.Caller) error {
	return web.JSON(w, http.StatusOK, metadataBody{versionBody: newVersionBody()})
}
