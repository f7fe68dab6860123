package auth

import (
	"context"

	"gatehouse/shared/git"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/web"
)

// Git returns the caller with this token and the project of a Git request. The
// checks are those of the REST API, in its order, but without sudo.
func (a *Auth) Git(ctx context.Context, token secret.Text, r git.Request) (Caller, project.Project, error) {
	check := func(c Caller) (Caller, error) { return c, c.checkScope(r.Operation.Scopes()) }
	var p project.Project
	c, v, err := a.authorize(ctx, token, check, func(ctx context.Context) (err error) {
		p, err = a.projects.ProjectByPath(ctx, r.Project)
		return err
	})
	if err != nil {
		return Caller{}, project.Project{}, web.NotFound("Project", err)
	}
	c.Role = v.RoleIn(p, a.now())
	if err := checkRole(c.Role, r.Operation.Role(p.Visibility), p.Visibility, "Project"); err != nil {
		return Caller{}, project.Project{}, err
	}
	return c, p, nil
}
