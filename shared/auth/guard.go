package auth

import (
	"context"
	"net/http"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// UserHandler serves a request of an authenticated caller.
type UserHandler func(w http.ResponseWriter, r *http.Request, c Caller) error

// ProjectHandler serves a request about a project in which the caller has the
// required role.
type ProjectHandler func(w http.ResponseWriter, r *http.Request, c Caller, p project.Project) error

// GroupHandler serves a request about such a group.
type GroupHandler func(w http.ResponseWriter, r *http.Request, c Caller, g project.Group) error

// User guards a handler for every user. The token needs the scope api or, to
// read, read_api or one of the scopes in also.
func (a *Auth) User(also ...scope.Scope) func(UserHandler) http.Handler {
	return func(next UserHandler) http.Handler {
		return web.Handler(func(w http.ResponseWriter, r *http.Request) error {
			c, err := a.authenticate(r, also)
			if err != nil {
				return err
			}
			return next(w, r, c)
		})
	}
}

// Admin guards a handler for administrators, with the scopes of User.
func (a *Auth) Admin(also ...scope.Scope) func(UserHandler) http.Handler {
	return func(next UserHandler) http.Handler {
		return a.User(also...)(func(w http.ResponseWriter, r *http.Request, c Caller) error {
			if !c.User.Admin {
				return errForbidden
			}
			return next(w, r, c)
		})
	}
}

// Project guards a handler for callers with at least this role in the project
// with the reference {id}; project.NoRole is for everyone who sees it.
func (a *Auth) Project(role project.Role) func(ProjectHandler) http.Handler {
	return func(next ProjectHandler) http.Handler {
		return guard(a, a.projects.FindProject, role, "Project", next)
	}
}

// Group guards a handler for callers with at least this role in the group with
// the reference {id}. A user's namespace is no group here.
func (a *Auth) Group(role project.Role) func(GroupHandler) http.Handler {
	find := func(ctx context.Context, reference string) (project.Group, error) {
		g, err := a.projects.FindGroup(ctx, reference)
		if err == nil && g.OwnerID != 0 {
			err = errNotVisible
		}
		return g, err
	}
	return func(next GroupHandler) http.Handler { return guard(a, find, role, "Group", next) }
}

func guard[P project.GroupOrProject](
	a *Auth, find func(context.Context, string) (P, error), role project.Role, subject string,
	next func(http.ResponseWriter, *http.Request, Caller, P) error,
) http.Handler {
	return web.Handler(func(w http.ResponseWriter, r *http.Request) error {
		token, err := credential(r)
		if err != nil {
			return err
		}
		find := func(ctx context.Context) (P, error) { return find(ctx, r.PathValue("id")) }
		check := func(c Caller) (Caller, error) { return a.checkRequest(r, c, nil) }
		c, v, at, err := authorize(r.Context(), a, token, check, find)
		if err != nil {
			return web.NotFound(subject, err)
		}
		if c.Role, err = a.checkRole(v, at, role, subject); err != nil {
			return err
		}
		return next(w, r, c, at)
	})
}

// Viewer returns what decides which groups and projects the caller can access.
func (a *Auth) Viewer(ctx context.Context, c Caller) (project.Viewer, error) {
	memberships, err := a.projects.Memberships(ctx, c.User.ID)
	return project.Viewer{UserID: c.User.ID, Admin: c.User.Admin, Memberships: memberships}, err
}

// RoleIn returns the user's role in the project. An unknown or blocked user has
// none.
func (a *Auth) RoleIn(ctx context.Context, p project.Project, userID int64) (project.Role, error) {
	var u user.User
	var memberships project.Memberships
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		u, err = a.users.User(ctx, userID)
		return fault.IgnoreNotFound(err)
	})
	reads.Go(func() (err error) {
		memberships, err = a.projects.Memberships(ctx, userID)
		return err
	})
	if err := reads.Wait(); err != nil || u.ID == 0 || u.Blocked() {
		return project.NoRole, err
	}
	return project.Viewer{UserID: u.ID, Admin: u.Admin, Memberships: memberships}.RoleIn(p, a.now()), nil
}

// Namespace returns the group or user's namespace with this id if the caller
// has at least this role there. Only its owner and administrators see a user's
// namespace. A "not found" error names the subject.
func (a *Auth) Namespace(ctx context.Context, c Caller, id int64, role project.Role, subject string) (project.Group, error) {
	g, err := a.projects.Group(ctx, id)
	if err != nil {
		return project.Group{}, web.NotFound(subject, err)
	}
	v, err := a.Viewer(ctx, c)
	if err != nil {
		return project.Group{}, err
	}
	_, err = a.checkRole(v, g, role, subject)
	return g, err
}

// authenticate returns the caller if the token has a scope for the request.
func (a *Auth) authenticate(r *http.Request, also []scope.Scope) (Caller, error) {
	token, err := credential(r)
	if err != nil {
		return Caller{}, err
	}
	c, err := a.Recognise(r.Context(), token)
	if err != nil {
		return Caller{}, err
	}
	return a.checkRequest(r, c, also)
}

// authorize resolves the token, finds the group or project and checks the
// caller. All reads after that of the token run in parallel. Only a caller who
// passes the check learns that the group or project does not exist.
func authorize[P any](
	ctx context.Context, a *Auth, token secret.Text, check func(Caller) (Caller, error), find func(context.Context) (P, error),
) (c Caller, v project.Viewer, at P, err error) {
	b, err := a.bearer(ctx, token)
	if err != nil {
		return c, v, at, err
	}
	var missing error
	var memberships project.Memberships
	c, err = a.resolve(ctx, b, func(ctx context.Context) error {
		at, missing = find(ctx)
		return fault.IgnoreNotFound(missing)
	}, func(ctx context.Context) (err error) {
		memberships, err = a.projects.Memberships(ctx, b.userID)
		return err
	})
	if err == nil {
		c, err = check(c)
	}
	switch {
	case err != nil:
		return c, v, at, err
	case missing != nil:
		return c, v, at, missing
	case c.User.ID != b.userID: // acts as another user
		v, err = a.Viewer(ctx, c)
		return c, v, at, err
	}
	return c, project.Viewer{UserID: c.User.ID, Admin: c.User.Admin, Memberships: memberships}, at, nil
}

// checkRequest checks the scope, and replaces the user if the request asks to
// act as another one.
func (a *Auth) checkRequest(r *http.Request, c Caller, also []scope.Scope) (Caller, error) {
	enough := scope.Of(scope.API)
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		enough = append(scope.Of(scope.API, scope.ReadAPI), also...)
	}
	if err := c.checkScope(enough); err != nil {
		return Caller{}, err
	}
	name, err := sudoName(r)
	switch {
	case err != nil && c.User.Admin:
		return Caller{}, err // it is unknown which user the administrator meant
	case err != nil:
		return c, nil // the endpoint reports it after its own checks
	}
	c, err = a.actAs(r.Context(), c, name)
	if err == nil && c.By != 0 {
		a.trail.Record(r.Context(), audit.Event{
			Name: EventSudoUsed, ActorID: c.By, UserID: c.User.ID, Details: audit.Details{"call": r.Pattern},
		})
	}
	return c, err
}

// checkScope returns an error unless the token has one of the scopes.
func (c Caller) checkScope(enough scope.Set) error {
	if !c.Scopes.HasAny(enough...) {
		return insufficientScope(enough...)
	}
	return nil
}

var (
	errForbidden  = fault.New(fault.Forbidden, "")
	errNotVisible = fault.New(fault.NotFound, "not visible")
)

// checkRole returns the viewer's role in the group or project. It is an error if
// the viewer does not see that, or the role is below the needed one.
func (a *Auth) checkRole(viewer project.Viewer, at project.GroupOrProject, needed project.Role, subject string) (project.Role, error) {
	role := viewer.RoleIn(at, a.now())
	_, visibility := at.Access()
	switch {
	case !project.Sees(role, visibility):
		return role, web.NotFound(subject, errNotVisible)
	case role < needed:
		return role, errForbidden
	}
	return role, nil
}

// EventSudoUsed belongs to the user as whom the administrator acted.
var EventSudoUsed = audit.Declare("sudo.used", "An administrator acted as this user")
