// Package consoleapi serves the pages on which people find their projects and
// set up what watches them.
package consoleapi

import (
	"embed"
	"io/fs"
	"net/http"

	"gatehouse/shared/app"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

//go:embed templates
var files embed.FS

// notices are what people read after an action.
var notices = site.Notices{
	"tracking-on":       "Error tracking is on.",
	"tracking-external": "Error tracking is on, with the external tracker.",
	"tracking-off":      "Error tracking is off.",
	"key-created":       "The client key was created. It is the first in the list.",
	"key-deleted":       "The client key was deleted. Nothing can report errors with it any more.",
}

type api struct {
	app  *app.App
	site *site.Site
}

// New returns the handler of the group.
func New(app *app.App) http.Handler {
	templates, err := fs.Sub(files, "templates")
	if err != nil {
		panic(err) // not reached: the directory is embedded
	}
	a := &api{app: app, site: site.New(app, templates, notices)}
	user, anyone, maintainer := a.site.SignedIn, a.in(project.NoRole), a.in(project.Maintainer)

	mux := web.NewMux()
	mux.Handle("GET /console", user(a.listProjects))
	mux.Handle("GET /console/{id}", anyone(a.showProject))
	mux.Handle("GET /console/{id}/settings", maintainer(toFirstSection))
	mux.Handle("GET /console/{id}/settings/error_tracking", maintainer(a.showTracking))
	mux.Handle("POST /console/{id}/settings/error_tracking", maintainer(a.changeTracking))
	mux.Handle("POST /console/{id}/settings/error_tracking/client_keys", maintainer(a.createKey))
	mux.Handle("POST /console/{id}/settings/error_tracking/client_keys/{key}/delete", maintainer(a.deleteKey))
	return web.Around(web.References(a.site.Serve(mux), "/console/"))
}
