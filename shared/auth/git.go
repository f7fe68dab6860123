package auth

import (
	"context"

	"gatehouse/shared/git"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/web"
)

// Git returns who makes a Git request with this token, and the project that
// the request is about, in which the caller's role suffices. The checks are
// those of the REST API, in its order; nobody acts as another user here.
func (a *Auth) Git(ctx context.Context, token secret.Text, r git.Request) (Caller, project.Project, error) {
	enter := func(c Caller) (Caller, error) { return c, c.may(r.Operation.Scopes()) }
	var p project.Project
	c, v, err := a.visitBy(ctx, token, enter, func(ctx context.Context) (err error) {
		p, err = a.projects.ProjectByPath(ctx, r.Project)
		return err
	})
	if err != nil {
		return Caller{}, project.Project{}, web.NotFound("Project", err)
	}
	c.Role = v.RoleIn(p, a.now())
	if err := admit(c.Role, r.Operation.Role(p.Visibility), p.Visibility, "Project"); err != nil {
		return Caller{}, project.Project{}, err
	}
	return c, p, nil
}
