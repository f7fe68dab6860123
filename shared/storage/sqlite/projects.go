package sqlite

import (
	"context"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// A project's namespace is permanent, and so is what the project takes from it.
var projects = kind[project.Project]{
	table: "projects", join: " JOIN namespaces ON namespaces.id = namespace_id",
	notFound: project.ErrNotFound, changed: project.ErrChanged, columns: projectColumns, complete: completeProject,
}.prepared()

func projectColumns(p *project.Project) columns {
	return columns{
		{"id", given{&p.ID}}, {"namespace_id", &p.NamespaceID}, {"namespaces.full_path", given{&p.NamespacePath}},
		{"namespaces.owner_id", given{(*reference)(&p.OwnerID)}},
		{"namespaces.ancestors", given{(*list[int64])(&p.Lineage)}}, {"name", &p.Name}, {"path", &p.Path},
		{"visibility", &p.Visibility}, {"created_at", &p.CreatedAt}, {"version", &p.Version},
	}
}

func completeProject(p *project.Project) {
	p.Lineage = append(p.Lineage, p.NamespaceID)
	p.FullPath = p.NamespacePath + "/" + p.Path
}

// CreateProject stores a project.
func (s *Store) CreateProject(ctx context.Context, p project.Project) (project.Project, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := groups.require(tx, "WHERE id = ?", p.NamespaceID); err != nil {
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
	if p.ID, err = projects.insert(tx, p); err != nil {
		return err
	}
	return tx.exec("INSERT INTO paths (key, project_id) VALUES (?, ?)", key(p.FullPath), p.ID)
}

func (tx *transaction) requireProject(id int64) error {
	return projects.require(tx, "WHERE id = ?", id)
}

// Project returns the project with this id.
func (s *Store) Project(ctx context.Context, id int64) (project.Project, error) {
	return projects.find(ctx, s.readers, "WHERE projects.id = ?", id)
}

// ProjectByPath returns the project with this full path.
func (s *Store) ProjectByPath(ctx context.Context, fullPath string) (project.Project, error) {
	return projects.find(ctx, s.readers, "WHERE projects.id = (SELECT project_id FROM paths WHERE key = ?)", key(fullPath))
}

// Projects returns a page of the projects that pass the filter.
func (s *Store) Projects(ctx context.Context, f project.Filter, r page.Request) (page.Of[project.Project], error) {
	const passing = `WHERE (? OR NOT ? AND projects.visibility IN ('internal', 'public') OR owner_id = ?
		OR projects.id IN (SELECT value FROM json_each(?)) OR namespaces.id IN (` + below + `))
		AND (instr(gatehouse_key(projects.name), ?) OR instr(gatehouse_key(full_path || '/' || projects.path), ?))`
	search := key(f.Search)
	return projects.page(ctx, s, r, passing,
		f.All, f.MembersOnly, f.OwnerID, places(f, project.InProject), places(f, project.InGroup), search, search)
}

// UpdateProject changes the name and the visibility of a project.
func (s *Store) UpdateProject(ctx context.Context, p project.Project) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := projects.requireVersion(tx, p.Version, "WHERE id = ?", p.ID); err != nil {
			return err
		}
		return tx.exec("UPDATE projects SET name = ?, visibility = ?, version = version + 1 WHERE id = ?",
			p.Name, p.Visibility, p.ID)
	})
}

// DeleteProject removes a project. What belongs to it is removed by foreign
// keys; only its alerts, which can be many, are removed after it.
func (s *Store) DeleteProject(ctx context.Context, id int64) error {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := projects.delete(tx, "WHERE id = ?", id); err != nil {
			return err
		}
		return tx.removeMembers(project.Place{Kind: project.InProject, ID: id})
	})
	if err != nil {
		return err
	}
	return s.portions(ctx, "DELETE FROM alerts WHERE id IN (SELECT id FROM alerts WHERE project_id = ? LIMIT 500)", id)
}
