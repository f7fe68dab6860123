package sqlite

import (
	"context"

	"gatehouse/shared/project"
)

func scanEnvironment(r row) (e project.Environment, err error) {
	return e, r.Scan(&e.ID, &e.ProjectID, &e.Name)
}

// Environments returns the environments of a project.
func (s *Store) Environments(ctx context.Context, p project.Project) ([]project.Environment, error) {
	return many(ctx, s.readers, scanEnvironment,
		"SELECT id, project_id, name FROM environments WHERE project_id = ? ORDER BY id", p.ID)
}

// CreateEnvironment stores an environment.
func (s *Store) CreateEnvironment(ctx context.Context, p project.Project, e project.Environment) (project.Environment, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.require(project.ErrNotFound, "SELECT 1 FROM projects WHERE id = ?", p.ID); err != nil {
			return err
		}
		const named = "SELECT 1 FROM environments WHERE project_id = ? AND name = ?"
		if err := tx.checkFree(claim{"name", named, []any{p.ID, e.Name}}); err != nil {
			return err
		}
		count, err := one(context.Background(), tx, scanInt64, "SELECT count(*) FROM environments WHERE project_id = ?", p.ID)
		if err != nil {
			return err
		}
		if count >= project.MaxEnvironments {
			return project.ErrTooManyEnvironments
		}
		e.ID, err = tx.insert("INSERT INTO environments (project_id, name) VALUES (?, ?)", p.ID, e.Name)
		return err
	})
	return e, err
}

// DeleteEnvironment removes an environment.
func (s *Store) DeleteEnvironment(ctx context.Context, p project.Project, id int64) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.changeOne(project.ErrEnvironmentNotFound, "DELETE FROM environments WHERE id = ? AND project_id = ?", id, p.ID)
	})
}
