package sqlite

import (
	"context"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// A project's namespace is permanent, and so is what it takes from it.
const (
	projectColumns = `projects.id, namespaces.id, full_path, ifnull(owner_id, 0), ancestors, projects.name,
		projects.path, projects.visibility, projects.created_at, projects.version`
	projectTables = "projects JOIN namespaces ON namespaces.id = namespace_id"
)

func scanProject(r row) (p project.Project, err error) {
	err = r.Scan(&p.ID, &p.NamespaceID, &p.NamespacePath, &p.OwnerID, intoList(&p.Lineage), &p.Name,
		&p.Path, &p.Visibility, intoTime(&p.CreatedAt), &p.Version)
	p.Lineage = append(p.Lineage, p.NamespaceID)
	p.FullPath = p.NamespacePath + "/" + p.Path
	return p, err
}

// CreateProject stores a project.
func (s *Store) CreateProject(ctx context.Context, p project.Project) (project.Project, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireNamespace(p.NamespaceID); err != nil {
			return err
		}
		if err := tx.checkFree(path("path", p.FullPath)); err != nil {
			return err
		}
		return tx.addProject(&p)
	})
	return p, err
}

func (tx *transaction) addProject(p *project.Project) (err error) {
	p.Version = 1
	p.ID, err = tx.insert(`
		INSERT INTO projects (namespace_id, name, path, visibility, created_at, version) VALUES (?, ?, ?, ?, ?, ?)`,
		p.NamespaceID, p.Name, p.Path, p.Visibility, micros(p.CreatedAt), p.Version)
	if err != nil {
		return err
	}
	return tx.exec("INSERT INTO paths (key, project_id) VALUES (?, ?)", key(p.FullPath), p.ID)
}

// Project returns the project with this id.
func (s *Store) Project(ctx context.Context, id int64) (project.Project, error) {
	const query = "SELECT " + projectColumns + " FROM " + projectTables + " WHERE projects.id = ?"
	return find(ctx, s.readers, project.ErrNotFound, scanProject, query, id)
}

// ProjectByPath returns the project with this full path.
func (s *Store) ProjectByPath(ctx context.Context, fullPath string) (project.Project, error) {
	const query = "SELECT " + projectColumns + " FROM " + projectTables +
		" WHERE projects.id = (SELECT project_id FROM paths WHERE key = ?)"
	return find(ctx, s.readers, project.ErrNotFound, scanProject, query, key(fullPath))
}

// Projects returns a page of the projects that pass the filter.
func (s *Store) Projects(ctx context.Context, f project.Filter, r page.Request) (page.Of[project.Project], error) {
	const passing = projectTables + ` WHERE (? OR NOT ? AND projects.visibility IN ('internal', 'public') OR owner_id = ?
		OR projects.id IN (SELECT value FROM json_each(?)) OR namespaces.id IN (` + below + `))
		AND (instr(gatehouse_key(projects.name), ?) OR instr(gatehouse_key(full_path || '/' || projects.path), ?))`
	search := key(f.Search)
	return list(ctx, s, scanProject, projectColumns, passing, r,
		f.All, f.MembersOnly, f.OwnerID, places(f, project.InProject), places(f, project.InGroup), search, search)
}

// UpdateProject changes the name and the visibility of a project.
func (s *Store) UpdateProject(ctx context.Context, p project.Project) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.checkVersion(project.ErrNotFound, project.ErrChanged, "SELECT version FROM projects WHERE id = ?", p.ID, p.Version); err != nil {
			return err
		}
		return tx.exec("UPDATE projects SET name = ?, visibility = ?, version = version + 1 WHERE id = ?",
			p.Name, p.Visibility, p.ID)
	})
}

// DeleteProject removes a project. Its path, and what else there are not many
// of, goes by a foreign key; its alerts follow.
func (s *Store) DeleteProject(ctx context.Context, id int64) error {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.changeOne(project.ErrNotFound, "DELETE FROM projects WHERE id = ?", id); err != nil {
			return err
		}
		return tx.removeMembers(project.Place{Kind: project.InProject, ID: id})
	})
	if err != nil {
		return err
	}
	return s.portions(ctx, "DELETE FROM alerts WHERE id IN (SELECT id FROM alerts WHERE project_id = ? LIMIT 500)", id)
}
