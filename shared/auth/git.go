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
	find := func(ctx context.Context) (project.Project, error) { return a.projects.ProjectByPath(ctx, r.Project) }
	c, v, p, err := authorize(ctx, a, token, check, find)
	if err != nil {
		return Caller{}, project.Project{}, web.NotFound("Project", err)
	}
	if c.Role, err = a.checkRole(v, p, r.Operation.Role(p.Visibility), "Project"); err != nil {
		return Caller{}, project.Project{}, err
	}
	return c, p, nil
}
