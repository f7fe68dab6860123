package dynamodb

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

var (
	projectItem = shape{directory, "PROJECT#<id>", "PROJECT", "a project", ""}
	projectList = shape{directory, "LIST#projects", "<id>", "a project in the list of all, with what filters need", ""}
	projectIDs  = idCounter.key("projects")
)

var projects = kind[project.Project]{
	noun:     "project",
	notFound: project.ErrNotFound,
	changed:  project.ErrChanged,
	key:      func(p project.Project) key { return projectItem.key(p.ID) },
	fields:   projectFields,
	entry: func(p *project.Project) fields {
		return fields{
			{"id", &p.ID}, {"owner_id", &p.OwnerID}, {"lineage", &p.Lineage}, {"name", &p.Name},
			{"full_path", &p.FullPath}, {"visibility", (*string)(&p.Visibility)},
		}
	},
}

func projectFields(p *project.Project) fields {
	return fields{
		{"id", &p.ID}, {"namespace_id", &p.NamespaceID}, {"namespace_path", &p.NamespacePath},
		{"owner_id", &p.OwnerID}, {"lineage", &p.Lineage}, {"name", &p.Name}, {"path", &p.Path},
		{"full_path", &p.FullPath}, {"visibility", (*string)(&p.Visibility)}, {"created_at", &p.CreatedAt},
		{"version", &p.Version},
	}
}

// CreateProject stores the project.
func (s *Store) CreateProject(ctx context.Context, p project.Project) (project.Project, error) {
	var err error
	if p.ID, err = s.next(ctx, projectIDs); err != nil {
		return project.Project{}, err
	}
	p.Version = 1
	return p, s.write(ctx,
		within(p.NamespaceID),
		claimPath(p.FullPath, fields{{"project_id", &p.ID}}),
		create(projectItem.key(p.ID), projectFields(&p)),
		create(projectList.key(p.ID), projects.entry(&p)),
	)
}

// Project returns the project with this id.
func (s *Store) Project(ctx context.Context, id int64) (project.Project, error) {
	return projects.get(ctx, s, projectItem.key(id))
}

// ProjectByPath returns the project with this full path.
func (s *Store) ProjectByPath(ctx context.Context, fullPath string) (project.Project, error) {
	id, err := s.claimant(ctx, pathKey(fullPath), "project_id")
	if err != nil {
		return project.Project{}, fmt.Errorf("find project by path: %w", err)
	}
	if id == 0 {
		return project.Project{}, projects.notFound
	}
	return s.Project(ctx, id)
}

// Projects returns a page of the projects that pass the filter.
func (s *Store) Projects(ctx context.Context, f project.Filter, r page.Request) (page.Of[project.Project], error) {
	return projects.page(ctx, s, projectList.key(), r, f.Project)
}

// UpdateProject changes Name and Visibility.
func (s *Store) UpdateProject(ctx context.Context, p project.Project) error {
	next := p.Version + 1
	changed := fields{{"name", &p.Name}, {"visibility", (*string)(&p.Visibility)}}
	return s.write(ctx,
		projects.explain(set(projectItem.key(p.ID), append(changed, field{"version", &next})).version(p.Version)),
		set(projectList.key(p.ID), changed),
	)
}

func requireProject(id int64) change {
	return requireExists(projectItem.key(id)).orElse(project.ErrNotFound)
}

// DeleteProject removes the project and its members, and right after that what
// belongs to it and is unreachable without it.
func (s *Store) DeleteProject(ctx context.Context, id int64) error {
	p, err := s.Project(ctx, id)
	if err != nil {
		return err
	}
	err = s.removeWithMembers(ctx, membersOf(p.Place()),
		mustRemove(projectItem.key(id)).orElse(project.ErrNotFound),
		mustRemove(pathKey(p.FullPath)),
		mustRemove(projectList.key(id)),
		add(groupItem.key(p.NamespaceID), children, -1),
		remove(countOf(p.Place())),
		remove(trackingItem.key(id)),
		markDeleted(id),
	)
	if err != nil {
		return err
	}
	return errors.Join(s.removeClientKeys(ctx, id), s.removeIntake(ctx, p), s.removeAlerts(ctx, id))
}
