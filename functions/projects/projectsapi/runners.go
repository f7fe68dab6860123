package projectsapi

import (
	"context"
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/runner"
	"gatehouse/shared/runnerapi"
	"gatehouse/shared/web"
)

func (a *api) routeRunners(mux *web.Mux) {
	maintainer := a.app.Auth.Project(project.Maintainer)

	mux.Handle("GET /api/v4/projects/{id}/runners", maintainer(a.listRunners))
	mux.Handle("POST /api/v4/projects/{id}/runners", maintainer(a.assignRunner))
	mux.Handle("DELETE /api/v4/projects/{id}/runners/{runner_id}", maintainer(a.unassignRunner))
	mux.Handle("POST /api/v4/projects/{id}/runners/reset_registration_token", maintainer(a.resetRunnerToken))
}

func (a *api) listRunners(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	return runnerapi.List(a.app, w, r, func(ctx context.Context, f runner.Filter, req page.Request) (page.Of[runner.Stored], error) {
		return a.app.Runners.OfProject(ctx, p, f, req)
	})
}

func (a *api) assignRunner(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	id := params.Int("runner_id")
	if err := params.Err(); err != nil {
		return err
	}
	assigned, err := a.app.Runners.Assign(r.Context(), c.Actor(), runnerapi.Viewer(c), p, id)
	if err != nil {
		return web.NotFound("Runner", err)
	}
	return web.JSON(w, http.StatusCreated, runnerapi.NewBody(a.app)(assigned))
}

func (a *api) unassignRunner(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	id, err := web.PathID(r, "runner_id")
	if err == nil {
		err = a.app.Runners.Unassign(r.Context(), c.Actor(), p, id)
	}
	return web.Deleted(w, "Runner", err)
}

func (a *api) resetRunnerToken(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	return runnerapi.ResetToken(a.app, w, r, c, p.Place(), p.Where())
}
