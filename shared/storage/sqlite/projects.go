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
		{"visibility", &p.Visibility}, {"settings", settingsOf[project.ProjectSettings]{&p.Settings}},
		{"created_at", &p.CreatedAt}, {"version", &p.Version},
		{"search", derived(func() any { return p.SearchText() })},
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
	if err := tx.exec("INSERT INTO paths (key, project_id) VALUES (?, ?)", key(p.FullPath), p.ID); err != nil {
		return err
	}
	return tx.enter(project.InProject, p.ID, p.Visibility, p.Lineage)
}

func (tx *transaction) requireProject(id int64) error {
	return projects.require(tx, "WHERE id = ?", id)
}

// Project returns the project with this id.
func (s *Store) Project(ctx context.Context, id int64) (project.Project, error) {
	return projects.find(ctx, s.readers, "WHERE projects.id = ?", id)
}

// ProjectsByID returns the projects with these ids that exist.
func (s *Store) ProjectsByID(ctx context.Context, ids []int64) (map[int64]project.Project, error) {
	return projects.withIDs(ctx, s, ids, func(p project.Project) int64 { return p.ID })
}

// ProjectByPath returns the project with this full path.
func (s *Store) ProjectByPath(ctx context.Context, fullPath string) (project.Project, error) {
	return projects.find(ctx, s.readers, "WHERE projects.id = (SELECT project_id FROM paths WHERE key = ?)", key(fullPath))
}

// Projects returns a page of the selected projects.
func (s *Store) Projects(ctx context.Context, selected project.Selection, r page.Request) (page.Of[project.Project], error) {
	found, err := projects.listed(ctx, s, s.directory(selected, project.InProject, r.Oldest), r, func(p project.Project) int64 { return p.ID })
	if err != nil || selected.Meanwhile == nil {
		return found, err
	}
	ids := make([]int64, len(found.Items))
	for n, p := range found.Items {
		ids[n] = p.ID
	}
	return found, selected.Meanwhile(ctx, ids)
}

// UpdateProject changes the name, the visibility and the settings of a project.
func (s *Store) UpdateProject(ctx context.Context, p project.Project) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		stored, err := projects.find(context.Background(), tx, "WHERE projects.id = ?", p.ID)
		switch {
		case err != nil:
			return err
		case stored.Version != p.Version:
			return projects.changed
		}
		if err := tx.move(project.InProject, p.ID, stored.Visibility, p.Visibility, stored.Lineage); err != nil {
			return err
		}
		stored.Name = p.Name
		if err := changeSettings(tx, "projects", p.ID, stored.Settings, p.Settings); err != nil {
			return err
		}
		return tx.exec("UPDATE projects SET name = ?, visibility = ?, search = ?, version = version + 1 WHERE id = ?",
			p.Name, p.Visibility, stored.SearchText(), p.ID)
	})
}

// DeleteProject removes a project. What belongs to it is removed by foreign
// keys; only its alerts, which can be many, are removed after it.
func (s *Store) DeleteProject(ctx context.Context, id int64) error {
	err := s.writer.do(ctx, func(tx *transaction) error {
		p, err := projects.find(context.Background(), tx, "WHERE projects.id = ?", id)
		if err != nil {
			return err
		}
		if err := projects.delete(tx, "WHERE id = ?", id); err != nil {
			return err
		}
		if err := tx.leave(project.InProject, id, p.Visibility, p.Lineage); err != nil {
			return err
		}
		at := project.Place{Kind: project.InProject, ID: id}
		if err := tx.removeRecords(at); err != nil {
			return err
		}
		return tx.removeMembers(at)
	})
	if err != nil {
		return err
	}
	return s.removeAlerts(ctx, id)
}
