package platformapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"gatehouse/shared/auth"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/runner"
	"gatehouse/shared/runnerapi"
	"gatehouse/shared/secret"
	"gatehouse/shared/web"
)

func (a *api) routeRunners(mux *web.Mux) {
	admin, anyone, owner := a.app.Auth.Admin(), a.app.Auth.User(), a.app.Auth.Group(project.Owner)

	mux.Handle("GET /api/v4/runners", anyone(a.listOwnRunners))
	mux.Handle("GET /api/v4/runners/all", admin(a.listAllRunners))
	mux.Handle("GET /api/v4/runners/{runner_id}", anyone(a.ofRunner(a.showRunner)))
	mux.Handle("PUT /api/v4/runners/{runner_id}", anyone(a.ofRunner(a.changeRunner)))
	mux.Handle("DELETE /api/v4/runners/{runner_id}", anyone(a.ofRunner(a.removeRunner)))
	mux.Handle("GET /api/v4/groups/{id}/runners", owner(a.listGroupRunners))

	mux.Handle("POST /api/v4/runners/reset_registration_token", admin(a.resetRunnerToken))
	mux.Handle("POST /api/v4/groups/{id}/runners/reset_registration_token", owner(a.resetGroupRunnerToken))
	mux.Handle("POST /api/v4/runners", a.newRunner(admin(a.createRunner)))
	mux.Handle("POST /api/v4/runners/verify", web.Handler(a.verifyRunner))
	mux.Handle("DELETE /api/v4/runners", web.Handler(a.unregisterRunner))
}

const runnerSubject = "Runner"

func (a *api) ofRunner(next handlerOf[runner.Seen]) auth.UserHandler {
	return func(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
		id, err := web.PathID(r, "runner_id")
		if err != nil {
			return web.NotFound(runnerSubject, err)
		}
		s, err := a.app.Runners.One(r.Context(), runnerapi.Viewer(c), id)
		if err != nil {
			return web.NotFound(runnerSubject, err)
		}
		return next(w, r, c, s)
	}
}

// runnerDetails is a runner on the wire with everything about it.
type runnerDetails struct {
	runnerapi.Body
	TagList         []string        `json:"tag_list"`
	RunUntagged     bool            `json:"run_untagged"`
	Locked          bool            `json:"locked"`
	AccessLevel     runner.Access   `json:"access_level"`
	MaximumTimeout  *int64          `json:"maximum_timeout"` // in seconds
	MaintenanceNote *string         `json:"maintenance_note"`
	ContactedAt     web.Time        `json:"contacted_at"`
	Version         *string         `json:"version"` // this and the next are null
	Revision        *string         `json:"revision"`
	Platform        *string         `json:"platform"`
	Architecture    *string         `json:"architecture"`
	Projects        []runnerProject `json:"projects"`
	Groups          []runnerGroup   `json:"groups"`
}

type runnerProject struct {
	ID                int64    `json:"id"`
	Name              string   `json:"name"`
	NameWithNamespace string   `json:"name_with_namespace"`
	Path              string   `json:"path"`
	PathWithNamespace string   `json:"path_with_namespace"`
	CreatedAt         web.Time `json:"created_at"`
}

type runnerGroup struct {
	ID     int64  `json:"id"`
	WebURL string `json:"web_url"`
	Name   string `json:"name"`
}

func (a *api) newRunnerDetails(s runner.Seen) runnerDetails {
	r := s.Thing
	details := runnerDetails{
		Body: runnerapi.NewBody(a.app)(s.Stored), TagList: append([]string{}, r.Tags...), RunUntagged: r.RunUntagged, Locked: r.Locked,
		AccessLevel: r.AccessLevel, MaintenanceNote: runnerapi.OrNull(r.MaintenanceNote), ContactedAt: web.Time(r.ContactedAt),
		Projects: []runnerProject{}, Groups: []runnerGroup{},
	}
	if r.MaximumTimeout > 0 {
		details.MaximumTimeout = &r.MaximumTimeout
	}
	for _, p := range s.Projects {
		details.Projects = append(details.Projects, runnerProject{
			ID: p.ID, Name: p.Name, NameWithNamespace: p.NamespacePath + " / " + p.Name, Path: p.Path,
			PathWithNamespace: p.FullPath, CreatedAt: web.Time(p.CreatedAt),
		})
	}
	for _, g := range s.Groups {
		details.Groups = append(details.Groups, runnerGroup{ID: g.ID, WebURL: a.app.BaseURL + g.PagePath(), Name: g.Name})
	}
	return details
}

func (a *api) listOwnRunners(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	return runnerapi.List(a.app, w, r, func(ctx context.Context, f runner.Filter, req page.Request) (page.Of[runner.Stored], error) {
		return a.app.Runners.Own(ctx, runnerapi.Viewer(c), f, req)
	})
}

func (a *api) listAllRunners(w http.ResponseWriter, r *http.Request, _ auth.Caller) error {
	return runnerapi.List(a.app, w, r, a.app.Runners.All)
}

func (a *api) listGroupRunners(w http.ResponseWriter, r *http.Request, _ auth.Caller, g project.Group) error {
	return runnerapi.List(a.app, w, r, func(ctx context.Context, f runner.Filter, req page.Request) (page.Of[runner.Stored], error) {
		return a.app.Runners.OfGroup(ctx, g, f, req)
	})
}

func (a *api) showRunner(w http.ResponseWriter, _ *http.Request, _ auth.Caller, s runner.Seen) error {
	return web.JSON(w, http.StatusOK, a.newRunnerDetails(s))
}

// readRunner reads the parameters that a new runner and a change have in common.
func readRunner(params *web.Values) (runner.Change, error) {
	c := runner.Change{
		Description: params.OptionalString("description"), MaintenanceNote: params.OptionalString("maintenance_note"),
		Paused: params.NullableBool("paused"), Locked: params.OptionalBool("locked"), RunUntagged: params.OptionalBool("run_untagged"),
		Tags: params.OptionalTexts("tag_list"), MaximumTimeout: params.OptionalInt("maximum_timeout"),
	}
	c.NoTimeout = c.MaximumTimeout == nil && params.Has("maximum_timeout")
	if level := web.Choice(params, "access_level", runner.Accesses); level != "" {
		c.AccessLevel = &level
	}
	if active := params.NullableBool("active"); active != nil {
		if c.Paused != nil {
			return c, web.BadParameters("active, paused are mutually exclusive")
		}
		paused := !*active
		c.Paused = &paused
	}
	return c, params.Err()
}

// runnerParameters are those that a change of a runner can have.
var runnerParameters = []string{
	"description", "active", "paused", "tag_list", "run_untagged", "locked", "access_level", "maximum_timeout", "maintenance_note",
}

func (a *api) changeRunner(w http.ResponseWriter, r *http.Request, c auth.Caller, s runner.Seen) error {
	params := web.Params(r)
	change, err := readRunner(params)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(runnerParameters, params.Has) {
		return web.BadParameters(strings.Join(runnerParameters, ", ") + " are missing, at least one parameter must be provided")
	}
	s, err = a.app.Runners.Change(r.Context(), c.Actor(), s, change)
	if err != nil {
		return web.NotFound(runnerSubject, err)
	}
	return web.JSON(w, http.StatusOK, a.newRunnerDetails(s))
}

func (a *api) removeRunner(w http.ResponseWriter, r *http.Request, c auth.Caller, s runner.Seen) error {
	return web.Deleted(w, runnerSubject, a.app.Runners.Delete(r.Context(), c.Actor(), s))
}

func (a *api) resetRunnerToken(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	return runnerapi.ResetToken(a.app, w, r, c, record.Instance, "")
}

func (a *api) resetGroupRunnerToken(w http.ResponseWriter, r *http.Request, c auth.Caller, g project.Group) error {
	return runnerapi.ResetToken(a.app, w, r, c, g.Place(), g.Where())
}

// readNewRunner reads the parameters of a new runner.
func readNewRunner(params *web.Values) (runner.Change, error) {
	c, err := readRunner(params)
	if info := params.OptionalJSON("info"); err == nil && info != nil {
		var sent struct {
			Name *string `json:"name"`
		}
		if json.Unmarshal(info, &sent) != nil {
			return c, web.BadParameters("info is invalid")
		}
		c.Name = sent.Name
	}
	return c, err
}

// newRunner serves who has a registration token. Without one it has the administrator
// make a runner.
func (a *api) newRunner(byAdmin http.Handler) http.Handler {
	return web.Handler(func(w http.ResponseWriter, r *http.Request) error {
		params := web.Params(r)
		token := params.OptionalString("token")
		if token == nil && params.Err() == nil {
			byAdmin.ServeHTTP(w, r)
			return nil
		}
		change, err := readNewRunner(params)
		if err != nil {
			return err
		}
		made, err := a.app.Runners.Register(r.Context(), secret.NewText(*token), web.ClientAddress(r), change)
		if err != nil {
			return err
		}
		return web.JSON(w, http.StatusCreated, runnerapi.NewRegisteredBody(made.Stored, made.Token))
	})
}

func (a *api) createRunner(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	change, err := readNewRunner(web.Params(r))
	if err != nil {
		return err
	}
	made, err := a.app.Runners.Create(r.Context(), c.Actor(), change)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusCreated, runnerapi.NewRegisteredBody(made.Stored, made.Token))
}

// readRunnerToken reads the token of a runner.
func readRunnerToken(r *http.Request) (secret.Text, error) {
	params := web.Params(r)
	token := params.String("token")
	return secret.NewText(token), params.Err()
}

func (a *api) verifyRunner(w http.ResponseWriter, r *http.Request) error {
	token, err := readRunnerToken(r)
	if err != nil {
		return err
	}
	s, err := a.app.Runners.Verify(r.Context(), token, web.ClientAddress(r))
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, runnerapi.NewRegisteredBody(s, token))
}

func (a *api) unregisterRunner(w http.ResponseWriter, r *http.Request) error {
	token, err := readRunnerToken(r)
	if err != nil {
		return err
	}
	return web.Deleted(w, runnerSubject, a.app.Runners.Unregister(r.Context(), token, web.ClientAddress(r)))
}
