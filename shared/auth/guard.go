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

// UserHandler serves a request of a known caller.
type UserHandler func(w http.ResponseWriter, r *http.Request, c Caller) error

// ProjectHandler serves a request for a project that the caller sees, in a
// role that suffices.
type ProjectHandler func(w http.ResponseWriter, r *http.Request, c Caller, p project.Project) error

// GroupHandler serves a request for a group, likewise.
type GroupHandler func(w http.ResponseWriter, r *http.Request, c Caller, g project.Group) error

// User lets through every known caller whose token has a scope that suffices:
// api for everything, read_api for reading, and for reading also the ones
// named here.
func (a *Auth) User(also ...scope.Scope) func(UserHandler) http.Handler {
	return func(next UserHandler) http.Handler {
		return web.Handler(func(w http.ResponseWriter, r *http.Request) error {
			c, err := a.call(r, also)
			if err != nil {
				return err
			}
			return next(w, r, c)
		})
	}
}

// Admin lets administrators through, by the scopes that User takes.
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

// Project lets through callers with the role in the project that {id} names.
// project.NoRole is for everybody who sees it.
func (a *Auth) Project(role project.Role) func(ProjectHandler) http.Handler {
	return func(next ProjectHandler) http.Handler {
		return web.Handler(func(w http.ResponseWriter, r *http.Request) error {
			var p project.Project
			c, v, err := a.visit(r, func(ctx context.Context) (err error) {
				p, err = a.projects.FindProject(ctx, r.PathValue("id"))
				return err
			})
			if err != nil {
				return web.NotFound("Project", err)
			}
			c.Role = v.RoleIn(p, a.now())
			if err := admit(c.Role, role, p.Visibility, "Project"); err != nil {
				return err
			}
			return next(w, r, c, p)
		})
	}
}

// Group lets through callers with the role in the group that {id} names.
func (a *Auth) Group(role project.Role) func(GroupHandler) http.Handler {
	return func(next GroupHandler) http.Handler {
		return web.Handler(func(w http.ResponseWriter, r *http.Request) error {
			var g project.Group
			c, v, err := a.visit(r, func(ctx context.Context) (err error) {
				g, err = a.projects.FindGroup(ctx, r.PathValue("id"))
				return err
			})
			if err != nil {
				return web.NotFound("Group", err)
			}
			if g.OwnerID != 0 {
				return web.NotFound("Group", errNotVisible)
			}
			c.Role = v.RoleInGroup(g, a.now())
			if err := admit(c.Role, role, g.Visibility, "Group"); err != nil {
				return err
			}
			return next(w, r, c, g)
		})
	}
}

// Viewer returns the caller as far as access to groups and projects goes.
func (a *Auth) Viewer(ctx context.Context, c Caller) (project.Viewer, error) {
	memberships, err := a.projects.Memberships(ctx, c.User.ID)
	return project.Viewer{UserID: c.User.ID, Admin: c.User.Admin, Memberships: memberships}, err
}

// RoleIn returns the role that somebody has in the project: none, if there is
// no such user or the user is blocked.
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

// Namespace returns the group or user's namespace with this id, in which the
// caller must have the role. A user's namespace is visible to nobody else, and
// subject is what to call the namespace that is not.
func (a *Auth) Namespace(ctx context.Context, c Caller, id int64, role project.Role, subject string) (project.Group, error) {
	g, err := a.projects.Group(ctx, id)
	if err != nil {
		return project.Group{}, web.NotFound(subject, err)
	}
	v, err := a.Viewer(ctx, c)
	if err != nil {
		return project.Group{}, err
	}
	if g.OwnerID != 0 {
		g.Visibility = project.Private
	}
	return g, admit(v.RoleInGroup(g, a.now()), role, g.Visibility, subject)
}

// call recognises the caller and checks the scope.
func (a *Auth) call(r *http.Request, also []scope.Scope) (Caller, error) {
	token, err := credential(r)
	if err != nil {
		return Caller{}, err
	}
	c, err := a.Recognise(r.Context(), token)
	if err != nil {
		return Caller{}, err
	}
	return a.enter(r, c, also)
}

// visit does the same for a request about a project or group, which find
// reads.
func (a *Auth) visit(r *http.Request, find func(context.Context) error) (Caller, project.Viewer, error) {
	token, err := credential(r)
	if err != nil {
		return Caller{}, project.Viewer{}, err
	}
	enter := func(c Caller) (Caller, error) { return a.enter(r, c, nil) }
	return a.visitBy(r.Context(), token, enter, find)
}

// visitBy lets the caller whose token it is enter, and returns what is needed
// to tell the role in the project or group that find reads. That, the user's
// memberships, the user and the client are read side by side; that there is no
// such place is told only to callers who may enter.
func (a *Auth) visitBy(ctx context.Context, token secret.Text, enter func(Caller) (Caller, error), find func(context.Context) error) (Caller, project.Viewer, error) {
	b, err := a.bearer(ctx, token)
	if err != nil {
		return Caller{}, project.Viewer{}, err
	}
	var missing error
	var memberships project.Memberships
	c, err := a.resolve(ctx, b, func(ctx context.Context) error {
		missing = find(ctx)
		return fault.IgnoreNotFound(missing)
	}, func(ctx context.Context) (err error) {
		memberships, err = a.projects.Memberships(ctx, b.userID)
		return err
	})
	if err == nil {
		c, err = enter(c)
	}
	switch {
	case err != nil:
		return Caller{}, project.Viewer{}, err
	case missing != nil:
		return Caller{}, project.Viewer{}, missing
	case c.User.ID != b.userID: // acting as somebody else
		v, err := a.Viewer(ctx, c)
		return c, v, err
	}
	return c, project.Viewer{UserID: c.User.ID, Admin: c.User.Admin, Memberships: memberships}, nil
}

// enter checks the scope and puts another user in the caller's place when the
// request asks for that.
func (a *Auth) enter(r *http.Request, c Caller, also []scope.Scope) (Caller, error) {
	enough := scope.Of(scope.API)
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		enough = append(scope.Of(scope.API, scope.ReadAPI), also...)
	}
	if err := c.may(enough); err != nil {
		return Caller{}, err
	}
	name, err := sudo(r)
	switch {
	case err != nil && c.User.Admin:
		return Caller{}, err // as whom the administrator meant to act cannot be known
	case err != nil:
		return c, nil // the endpoint tells, after its own checks
	}
	c, err = a.as(r.Context(), c, name)
	if err == nil && c.By != 0 {
		a.trail.Record(r.Context(), audit.Event{
			Name: EventSudoUsed, ActorID: c.By, UserID: c.User.ID, Details: audit.Details{"call": r.Pattern},
		})
	}
	return c, err
}

// may returns an error unless the caller's token has one of the scopes.
func (c Caller) may(enough scope.Set) error {
	if !c.Scopes.HasAny(enough...) {
		return insufficientScope(enough)
	}
	return nil
}

var (
	errForbidden  = fault.New(fault.Forbidden, "")
	errNotVisible = fault.New(fault.NotFound, "not visible")
)

// admit checks that a place is visible to somebody with the role has, and that
// the role suffices.
func admit(has, needed project.Role, v project.Visibility, subject string) error {
	switch {
	case !project.Sees(has, v):
		return web.NotFound(subject, errNotVisible)
	case has < needed:
		return errForbidden
	}
	return nil
}
