package sqlite

import (
	"context"

	"gatehouse/shared/project"
)

var environments = newKind("environments", environmentColumns, project.ErrEnvironmentNotFound, nil)

func environmentColumns(e *project.Environment) columns {
	return columns{{"id", given{&e.ID}}, {"project_id", &e.ProjectID}, {"name", &e.Name}}
}

// Environments returns the environments of a project.
func (s *Store) Environments(ctx context.Context, p project.Project) ([]project.Environment, error) {
	return environments.all(ctx, s.readers, "WHERE project_id = ? ORDER BY id", p.ID)
}

// CreateEnvironment stores an environment.
func (s *Store) CreateEnvironment(ctx context.Context, p project.Project, e project.Environment) (project.Environment, error) {
	e.ProjectID = p.ID
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireProject(p.ID); err != nil {
			return err
		}
		const named = "SELECT 1 FROM environments WHERE project_id = ? AND name = ?"
		if err := tx.checkFree(claim{"name", named, []any{p.ID, e.Name}}); err != nil {
			return err
		}
		count, err := one(context.Background(), tx, scalar[int64], "SELECT count(*) FROM environments WHERE project_id = ?", p.ID)
		if err != nil {
			return err
		}
		if count >= project.MaxEnvironments {
			return project.ErrTooManyEnvironments
		}
		e.ID, err = environments.insert(tx, &e)
		return err
	})
	return e, err
}

// DeleteEnvironment removes an environment.
func (s *Store) DeleteEnvironment(ctx context.Context, p project.Project, id int64) error {
	return environments.remove(ctx, s, "WHERE id = ? AND project_id = ?", id, p.ID)
}
