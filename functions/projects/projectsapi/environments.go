package projectsapi

import (
	"net/http"
	"slices"
	"strings"

	"gatehouse/shared/auth"
	"gatehouse/shared/listing"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// environment is a project.Environment on the wire.
type environment struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func newEnvironment(e project.Environment) environment { return environment{e.ID, e.Name} }

// environmentStates are those that a list is narrowed to. Every environment is available.
var environmentStates = listing.Parameters{
	States: map[string]listing.States{"states": {All: []string{"available"}, None: []string{"stopped", "stopping"}}},
}

func (a *api) listEnvironments(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	params := web.Params(r)
	name, search, req := params.OptionalString("name"), params.OptionalString("search"), params.Page()
	nothing := environmentStates.Read(params)
	if err := params.Err(); err != nil {
		return err
	}
	if name != nil && search != nil {
		return web.BadParameters("name, search are mutually exclusive")
	}
	all, err := a.app.Projects.Environments(r.Context(), p)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(e project.Environment) bool {
		return nothing || name != nil && e.Name != *name || !strings.Contains(strings.ToLower(e.Name), strings.ToLower(text(search)))
	})
	return web.List(w, r, a.app.BaseURL, req, page.Cut(all, req), newEnvironment)
}

func (a *api) showEnvironment(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	id, err := web.PathID(r, "environment_id")
	if err != nil {
		return web.NotFound("Environment", err)
	}
	e, err := a.app.Projects.Environment(r.Context(), p, id)
	if err != nil {
		return web.NotFound("Environment", err)
	}
	return web.JSON(w, http.StatusOK, newEnvironment(e))
}

func (a *api) addEnvironment(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	name := params.String("name")
	if err := params.Err(); err != nil {
		return err
	}
	e, err := a.app.Projects.AddEnvironment(r.Context(), c.Actor(), p, name)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return web.JSON(w, http.StatusCreated, newEnvironment(e))
}

func (a *api) removeEnvironment(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	id, err := web.PathID(r, "environment_id")
	if err == nil {
		err = a.app.Projects.DeleteEnvironment(r.Context(), c.Actor(), p, id)
	}
	return web.Deleted(w, "Environment", err)
}
