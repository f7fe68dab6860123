// Package projectsapi serves the REST API about projects, their members their
// environments, license policies, merge requests, approvals and runners, and what other
// groups serve below a project.
package projectsapi

import (
	"net/http"

	"gatehouse/functions/errortracking/errortrackingapi"
	"gatehouse/functions/monitor/monitorapi"
	"gatehouse/shared/app"
	"gatehouse/shared/auth"
	"gatehouse/shared/memberapi"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

type api struct{ app *app.App }

// New returns the group's handler.
func New(app *app.App) http.Handler {
	api := &api{app}
	anyone, in := app.Auth.User(), app.Auth.Project

	mux := web.NewMux()
	mux.Handle("GET /api/v4/projects", anyone(api.list))
	mux.Handle("POST /api/v4/projects", anyone(api.create))
	mux.Handle("GET /api/v4/projects/{id}", in(project.NoRole)(api.show))
	mux.Handle("PUT /api/v4/projects/{id}", in(project.Maintainer)(api.change))
	mux.Handle("DELETE /api/v4/projects/{id}", in(project.Owner)(api.remove))
	mux.Handle("GET /api/v4/projects/{id}/environments", in(project.Developer)(api.listEnvironments))
	mux.Handle("POST /api/v4/projects/{id}/environments", in(project.Developer)(api.addEnvironment))
	mux.Handle("DELETE /api/v4/projects/{id}/environments/{environment_id}", in(project.Developer)(api.removeEnvironment))
	api.routeLicenses(mux)
	api.routeMerges(mux)
	api.routeApprovals(mux)
	api.routeApprovalRules(mux)
	api.routeRunners(mux)
	api.routeMirror(mux)
	errortrackingapi.Mount(mux, app)
	monitorapi.Mount(mux, app)
	memberapi.Mount(mux, app, "/api/v4/projects/{id}", in)
	return web.NewREST(app.BaseURL, mux, "/api/v4/projects/")
}

// body is a project on the wire.
type body struct {
	ID                int64              `json:"id"`
	Name              string             `json:"name"`
	Path              string             `json:"path"`
	PathWithNamespace string             `json:"path_with_namespace"`
	Namespace         namespace          `json:"namespace"`
	Visibility        project.Visibility `json:"visibility"`
	CreatedAt         web.Time           `json:"created_at"`
	variablesBody
	mirroredBody
}

type namespace struct {
	ID       int64  `json:"id"`
	FullPath string `json:"full_path"`
}

// newBody returns the project as its maintainers see it, or as others do.
func newBody(p project.Project, maintained bool) body {
	return body{
		ID: p.ID, Name: p.Name, Path: p.Path, PathWithNamespace: p.FullPath,
		Namespace: namespace{p.NamespaceID, p.NamespacePath}, Visibility: p.Visibility, CreatedAt: web.Time(p.CreatedAt),
		variablesBody: newVariablesBody(p.Settings),
		mirroredBody:  newMirroredBody(p.Settings.Mirror, maintained),
	}
}

func (a *api) list(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	narrowing := memberapi.ReadNarrowing(params, params.BoolOr("membership", false))
	narrowing.Search = text(params.OptionalString("search"))
	archived, req := params.BoolOr("archived", false), params.Page()
	if err := params.Err(); err != nil {
		return err
	}
	viewer := project.Viewer{UserID: c.User.ID, NamespaceID: c.User.NamespaceID, Admin: c.User.Admin}
	var projects page.Of[project.Project] // no project is archived
	if !archived {
		var err error
		if projects, err = a.app.Projects.VisibleProjects(r.Context(), viewer, narrowing, req); err != nil {
			return err
		}
	}
	return web.List(w, r, a.app.BaseURL, req, projects, func(p project.Project) body {
		return newBody(p, c.User.Admin || p.OwnerID == c.User.ID) // for others the role is not known here
	})
}

// create creates a project in the caller's own namespace or in a group that the
// caller maintains.
func (a *api) create(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	name, path := text(params.OptionalString("name")), text(params.OptionalString("path"))
	namespaceID, visibility := params.OptionalInt("namespace_id"), params.OptionalString("visibility")
	edits, mirrored := readVariables(params), a.readMirrored(params)
	if err := params.Err(); err != nil {
		return err
	}
	if !params.Has("name") && !params.Has("path") {
		return web.BadParameters("name, path are missing, at least one parameter must be provided")
	}
	if namespaceID == nil {
		namespaceID = &c.User.NamespaceID
	}
	in, err := a.app.Auth.Namespace(r.Context(), c, *namespaceID, project.Maintainer, "Namespace")
	if err != nil {
		return err
	}
	draft := project.ProjectDraft(name, path, project.Private)
	if visibility != nil {
		draft.Visibility = project.Visibility(*visibility)
	}
	edits = append(edits, mirrored(in.FullPath+"/"+draft.Path))
	p, err := a.app.Projects.CreateProject(r.Context(), c.Actor(), draft, in, edits...)
	if err != nil {
		return web.NotFound("Namespace", err)
	}
	return web.JSON(w, http.StatusCreated, newBody(p, true))
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (a *api) show(w http.ResponseWriter, _ *http.Request, c auth.Caller, p project.Project) error {
	return web.JSON(w, http.StatusOK, newBody(p, c.Role >= project.Maintainer))
}

func (a *api) change(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	change, edits, mirrored := memberapi.ReadChange(params), readVariables(params), a.readMirrored(params)
	if err := params.Err(); err != nil {
		return err
	}
	p, err := a.app.Mirrors.ChangeProject(r.Context(), c.Actor(), p, change, append(edits, mirrored(p.FullPath))...)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return web.JSON(w, http.StatusOK, newBody(p, true))
}

func (a *api) remove(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	err := a.app.Projects.DeleteProject(r.Context(), c.Actor(), p)
	return web.Deleted(w, "Project", err)
}
