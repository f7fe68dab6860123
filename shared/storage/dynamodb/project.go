package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gatehouse/shared/fault"
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
			{"full_path", &p.FullPath}, {"visibility", (*string)(&p.Visibility)}, {"created_at", &p.CreatedAt},
		}
	},
}

func projectFields(p *project.Project) fields {
	return fields{
		{"id", &p.ID}, {"namespace_id", &p.NamespaceID}, {"namespace_path", &p.NamespacePath},
		{"owner_id", &p.OwnerID}, {"lineage", &p.Lineage}, {"name", &p.Name}, {"path", &p.Path},
		{"full_path", &p.FullPath}, {"visibility", (*string)(&p.Visibility)}, {"created_at", &p.CreatedAt},
		{"version", &p.Version}, settingsField(&p.Settings),
	}
}

// CreateProject stores the project.
func (s *Store) CreateProject(ctx context.Context, p project.Project) (project.Project, error) {
	var err error
	if p.ID, err = s.next(ctx, projectIDs); err != nil {
		return project.Project{}, err
	}
	p.Version = 1
	next := listingOfProject(p)
	n := recount(listing{}, next)
	return p, s.write(ctx, slices.Concat(
		n.ofGroups(p.Lineage, 1),
		[]change{
			create(pathKey(p.FullPath), fields{{"project_id", &p.ID}}).orElse(fault.Field("path", fault.Taken)),
			create(projectItem.key(p.ID), append(projectFields(&p), next.mark()...)),
			create(projectList.key(p.ID), projects.entry(&p)),
		},
		n.ofInstance(p.ID), relist(listing{}, next), attendAll(p),
	)...)
}

// Project returns the project with this id.
func (s *Store) Project(ctx context.Context, id int64) (project.Project, error) {
	return projects.get(ctx, s, projectItem.key(id))
}

// ProjectsByID returns the projects with these ids that exist.
func (s *Store) ProjectsByID(ctx context.Context, ids []int64) (map[int64]project.Project, error) {
	return projects.withIDs(ctx, s, ids, projectID)
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

// Projects returns a page of the selected projects.
func (s *Store) Projects(ctx context.Context, selected project.Selection, r page.Request) (page.Of[project.Project], error) {
	of := selection{s, selected, project.InProject, &rereader{s, map[key]item{}}, r.Oldest}
	complete, err := s.listsComplete(ctx)
	if err != nil {
		return page.Of[project.Project]{}, err
	}
	list, keep := of.list(r), stillSelected(ctx, of, project.Filter.Project)
	if !complete {
		filter, err := of.filter(ctx)
		if err != nil {
			return page.Of[project.Project]{}, err
		}
		list = unlisted(of, projects, projectList.key(), filter.Project, projectID)
		keep = always
	}
	return pageOf(ctx, of.items, projects, list, r, projectID, keep, selected.Meanwhile)
}

// UpdateProject changes Name, Visibility and Settings.
func (s *Store) UpdateProject(ctx context.Context, p project.Project) error {
	err := s.updateProject(ctx, p)
	if errors.Is(err, projects.changed) { // or it was only listed meanwhile
		err = s.updateProject(ctx, p)
	}
	return err
}

func (s *Store) updateProject(ctx context.Context, p project.Project) error {
	stored, it, err := projects.stored(ctx, s, projectItem.key(p.ID))
	switch {
	case err != nil:
		return err
	case stored.Version != p.Version:
		return projects.changed
	}
	was, err := listingOfProject(stored).listedIn(it)
	if err != nil {
		return err
	}
	stored.Name, stored.Visibility, stored.Version = p.Name, p.Visibility, p.Version+1
	next := listingOfProject(stored)
	n := recount(was, next)
	changed := fields{{"name", &p.Name}, {"visibility", (*string)(&p.Visibility)}, {"version", &stored.Version}}
	own := set(projectItem.key(p.ID), slices.Concat(changed, changedSettings(stored.Settings, &p.Settings), next.mark()))
	return s.write(ctx, slices.Concat(
		[]change{projects.asRead(own, p.Version, it), set(projectList.key(p.ID), projects.entry(&stored))},
		n.ofInstance(p.ID), relist(was, next), n.ofGroups(stored.Lineage, 0),
	)...)
}

func requireProject(id int64) change {
	return requireExists(projectItem.key(id)).orElse(project.ErrNotFound)
}

// DeleteProject removes the project and its members, and right after that what
// belongs to it and is unreachable without it.
func (s *Store) DeleteProject(ctx context.Context, id int64) error {
	var p project.Project
	err := projects.persist(func() (err error) {
		p, err = s.removeProject(ctx, id)
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(s.removeClientKeys(ctx, id), s.removeIntake(ctx, p), s.removeAlerts(ctx, id), s.removeRecords(ctx, p.Place()), s.removeSummary(ctx, p))
}

func (s *Store) removeProject(ctx context.Context, id int64) (project.Project, error) {
	p, it, err := projects.stored(ctx, s, projectItem.key(id))
	if err != nil {
		return p, err
	}
	was, err := listingOfProject(p).listedIn(it)
	if err != nil {
		return p, err
	}
	found, err := members.all(ctx, s, membersOf(p.Place()))
	if err != nil {
		return p, err
	}
	n := recount(was, listing{})
	return p, s.removeWithMembers(ctx, membersOf(p.Place()), found, slices.Concat(
		[]change{
			projects.asRead(mustRemove(projectItem.key(id)), p.Version, it),
			mustRemove(pathKey(p.FullPath)),
			mustRemove(projectList.key(id)), remove(countOf(p.Place())),
			remove(trackingItem.key(id)),
			markDeleted(id),
		},
		n.ofInstance(id), relist(was, listing{}), n.ofGroups(p.Lineage, -1),
	)...)
}
