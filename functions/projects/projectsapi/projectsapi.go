// Package projectsapi serves the REST API about projects, their members their
// environments, license policies, merge requests, approvals and runners, and what other
// groups serve below a project.
package projectsapi

import (
	"context"
	"net/http"

	"golang.org/x/sync/errgroup"

	"gatehouse/functions/errortracking/errortrackingapi"
	"gatehouse/functions/monitor/monitorapi"
	"gatehouse/shared/app"
	"gatehouse/shared/auth"
	"gatehouse/shared/fault"
	"gatehouse/shared/memberapi"
	"gatehouse/shared/project"
	"gatehouse/shared/projectapi"
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
	mux.Handle("GET /api/v4/projects/{id}/environments/{environment_id}", in(project.Developer)(api.showEnvironment))
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

func (a *api) list(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	q, err := projectapi.Read(web.Params(r))
	if err != nil {
		return err
	}
	viewer := project.Viewer{UserID: c.User.ID, NamespaceID: c.User.NamespaceID, Admin: c.User.Admin}
	return q.Answer(w, r, a.app, c, a.app.Projects.Sight(viewer, q.Narrowing).Projects)
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
	in, usual, err := a.aroundProject(r.Context(), c, *namespaceID, visibility == nil)
	if err != nil {
		return err
	}
	draft := project.ProjectDraft(name, path, usual)
	if visibility != nil {
		draft.Visibility = project.Visibility(*visibility)
	}
	edits = append(edits, mirrored(in.FullPath+"/"+draft.Path))
	p, err := a.app.Projects.CreateProject(r.Context(), c.Actor(), draft, in, edits...)
	if err != nil {
		return web.NotFound("Namespace", err)
	}
	c.Role = project.Maintainer // in the namespace, at least
	return a.answer(w, r, http.StatusCreated, c, p)
}

// aroundProject returns the namespace of a new project, where the caller must be a
// maintainer, and, if wanted, the visibility that projects have there unless somebody chooses.
func (a *api) aroundProject(ctx context.Context, c auth.Caller, namespaceID int64, wanted bool) (in project.Group, usual project.Visibility, err error) {
	var policy project.Policy
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		in, err = a.app.Auth.Namespace(ctx, c, namespaceID, project.Maintainer, "Namespace")
		return err
	})
	if wanted {
		reads.Go(func() (err error) {
			policy, err = a.app.Projects.Policy(ctx)
			return err
		})
	}
	err = reads.Wait()
	return in, policy.VisibilityOfProject(in), err
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (a *api) show(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	return a.answer(w, r, http.StatusOK, c, p)
}

// answer answers with one project, the name of its namespace, and the caller's roles.
func (a *api) answer(w http.ResponseWriter, r *http.Request, status int, c auth.Caller, p project.Project) error {
	body := projectapi.New(a.app, p, c.Role >= project.Maintainer)
	reads, ctx := errgroup.WithContext(r.Context())
	body.Namespace.Name = body.Namespace.Path // that of a user's namespace
	if p.OwnerID == 0 {
		reads.Go(func() error {
			group, err := a.app.Projects.Group(ctx, p.NamespaceID)
			body.Namespace.Name = group.Name
			return fault.IgnoreNotFound(err)
		})
	}
	reads.Go(func() error {
		inProject, inGroup, err := a.app.Projects.MemberRoles(ctx, c.User.ID, c.Known, p)
		body.Permissions = projectapi.NewPermissions(inProject, inGroup)
		return err
	})
	if err := reads.Wait(); err != nil {
		return err
	}
	return web.JSON(w, status, body)
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
	return a.answer(w, r, http.StatusOK, c, p)
}

func (a *api) remove(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	err := a.app.Projects.DeleteProject(r.Context(), c.Actor(), p)
	return web.Deleted(w, "Project", err)
}
