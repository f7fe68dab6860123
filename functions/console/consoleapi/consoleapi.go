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
var notices = site.Notices{}

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
	return web.Around(web.References(a.site.Serve(mux), "/console/"))
}
