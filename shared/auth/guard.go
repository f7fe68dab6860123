package auth

import (
	"context"
	"errors"
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

// Bearer guards a handler for every user whose token is valid, whatever its scopes are.
func (a *Auth) Bearer(next UserHandler) http.Handler {
	return web.Handler(func(w http.ResponseWriter, r *http.Request) error {
		token, err := credential(r)
		if err != nil {
			return err
		}
		c, err := a.Recognise(r.Context(), token)
		if err == nil {
			c, err = a.actAsAsked(r, c)
		}
		if err != nil {
			return err
		}
		return next(w, r, c)
	})
}

// Admin guards a handler for administrators, with the scopes of User.
func (a *Auth) Admin(also ...scope.Scope) func(UserHandler) http.Handler {
	return func(next UserHandler) http.Handler {
		return a.User(also...)(func(w http.ResponseWriter, r *http.Request, c Caller) error {
			if err := c.CheckAdmin(); err != nil {
				return err
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
		c, at, err := authorize(r.Context(), a, token, check, find)
		if err != nil {
			return web.NotFound(subject, err)
		}
		if err = checkRole(c.Role, at, role, subject); err != nil {
			return err
		}
		return next(w, r, c, at)
	})
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
		memberships, err = a.projects.MembershipsAt(ctx, userID, p.Places()...)
		return err
	})
	if err := reads.Wait(); err != nil || u.ID == 0 || u.Blocked() {
		return project.NoRole, err
	}
	return project.Viewer{UserID: u.ID, Admin: u.Admin, Memberships: memberships}.RoleIn(p, a.now()), nil
}

// roleOf returns the caller's role in the group or project, and what is known then.
func (a *Auth) roleOf(ctx context.Context, c Caller, known project.Known, at project.GroupOrProject) (project.Role, project.Known, error) {
	return a.projects.RoleIn(ctx, project.Viewer{UserID: c.User.ID, Admin: c.User.Admin}, known, at)
}

// Namespace returns the group or user's namespace with this id if the caller
// has at least this role there. Only its owner and administrators see a user's
// namespace. A "not found" error names the subject.
func (a *Auth) Namespace(ctx context.Context, c Caller, id int64, role project.Role, subject string) (project.Group, error) {
	g, err := a.projects.Group(ctx, id)
	if err != nil {
		return project.Group{}, web.NotFound(subject, err)
	}
	own, _, err := a.roleOf(ctx, c, project.Known{}, g)
	if err != nil {
		return project.Group{}, err
	}
	return g, checkRole(own, g, role, subject)
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

// authorize resolves the token, finds the group or project and returns the caller
// with their role in it. What is read after the token is read at once, and only the
// role of a user with many memberships takes one more read after that. Only a caller
// who passes the check learns that the group or project does not exist.
func authorize[P project.GroupOrProject](
	ctx context.Context, a *Auth, token secret.Text, check func(Caller) (Caller, error), find func(context.Context) (P, error),
) (c Caller, at P, err error) {
	b, err := a.bearer(ctx, token)
	if err != nil {
		return c, at, err
	}
	var missing error
	var known project.Known
	c, err = a.resolve(ctx, b, func(ctx context.Context) error {
		at, missing = find(ctx)
		return fault.IgnoreNotFound(missing)
	}, func(ctx context.Context) (err error) {
		known, err = a.projects.Known(ctx, b.userID)
		return err
	})
	if err == nil {
		c, err = check(c)
	}
	switch {
	case err != nil:
		return c, at, err
	case missing != nil:
		return c, at, missing
	case c.User.ID != b.userID: // acts as another user
		known = project.Known{}
	}
	c.Role, c.Known, err = a.roleOf(ctx, c, known, at)
	return c, at, err
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
	return a.actAsAsked(r, c)
}

// actAsAsked replaces the user if the request asks to act as another one.
func (a *Auth) actAsAsked(r *http.Request, c Caller) (Caller, error) {
	name, err := sudoName(r)
	switch {
	case err != nil && c.User.Admin, errors.Is(err, errSudoInGet):
		return Caller{}, err // it is unknown which user the caller meant
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

// checkRole returns an error if a caller with this role does not see the group or
// project, or the role is below the needed one.
func checkRole(role project.Role, at project.GroupOrProject, needed project.Role, subject string) error {
	_, visibility := at.Access()
	switch {
	case !project.Sees(role, visibility):
		return web.NotFound(subject, errNotVisible)
	case role < needed:
		return errForbidden
	}
	return nil
}

// EventSudoUsed belongs to the user as whom the administrator acted.
var EventSudoUsed = audit.Declare("sudo.used", "An administrator acted as this user")
