package sqlite

import (
	"context"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

var groups = newKind("namespaces", groupColumns, project.ErrGroupNotFound, project.ErrGroupChanged)

func groupColumns(g *project.Group) columns {
	return columns{
		{"id", given{&g.ID}}, {"parent_id", (*reference)(&g.ParentID)},
		{"owner_id", (*reference)(&g.OwnerID)}, {"ancestors", (*list[int64])(&g.Ancestors)}, {"name", &g.Name},
		{"path", &g.Path}, {"full_path", &g.FullPath}, {"visibility", &g.Visibility},
		{"created_at", &g.CreatedAt}, {"version", &g.Version},
	}
}

// CreateGroup stores a group with its creator as its owner.
func (s *Store) CreateGroup(ctx context.Context, g project.Group, creator int64) (project.Group, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if g.ParentID != 0 {
			if err := groups.require(tx, "WHERE id = ?", g.ParentID); err != nil {
				return err
			}
		}
		if err := tx.checkFree(path("path", g.FullPath)); err != nil {
			return err
		}
		if err := tx.addNamespace(&g); err != nil {
			return err
		}
		return tx.addMember(project.Member{
			Place: g.Place(), UserID: creator, Role: project.Owner, CreatedAt: g.CreatedAt,
		})
	})
	return g, err
}

// addNamespace stores a group or a user's namespace, whose path is free.
func (tx *transaction) addNamespace(g *project.Group) (err error) {
	g.Version = 1
	if g.ID, err = groups.insert(tx, g); err != nil {
		return err
	}
	return tx.exec("INSERT INTO paths (key, namespace_id) VALUES (?, ?)", key(g.FullPath), g.ID)
}

// Group returns the group or user's namespace with this id.
func (s *Store) Group(ctx context.Context, id int64) (project.Group, error) {
	return groups.find(ctx, s.readers, "WHERE id = ?", id)
}

// GroupsByID returns the groups and users' namespaces with these ids that exist.
func (s *Store) GroupsByID(ctx context.Context, ids []int64) (map[int64]project.Group, error) {
	return groups.withIDs(ctx, s, ids, func(g project.Group) int64 { return g.ID })
}

// GroupByPath returns the group or user's namespace with this full path.
func (s *Store) GroupByPath(ctx context.Context, fullPath string) (project.Group, error) {
	return groups.find(ctx, s.readers, "WHERE id = (SELECT namespace_id FROM paths WHERE key = ?)", key(fullPath))
}

// below selects the groups with the ids of a list, and all that are in them.
const below = `WITH RECURSIVE below (id) AS (SELECT value FROM json_each(?)
	UNION SELECT namespaces.id FROM namespaces JOIN below ON parent_id = below.id) SELECT id FROM below`

// Groups returns a page of the groups that pass the filter.
func (s *Store) Groups(ctx context.Context, f project.Filter, r page.Request) (page.Of[project.Group], error) {
	const passing = `WHERE owner_id IS NULL AND
		(? OR NOT ? AND visibility IN ('internal', 'public') OR id IN (` + below + `))`
	return groups.page(ctx, s, r, passing, f.All, f.MembersOnly, places(f, project.InGroup))
}

// places lists the ids of the filter's places of one kind.
func places(f project.Filter, kind project.Kind) string {
	ids := []int64{}
	for _, p := range f.Places {
		if p.Kind == kind {
			ids = append(ids, p.ID)
		}
	}
	return text(ids)
}

// WidestBelow returns the widest visibility of the groups and projects in the group.
func (s *Store) WidestBelow(ctx context.Context, groupID int64) (project.Visibility, error) {
	const query = "WITH inside (id) AS (" + below + `)
		SELECT visibility FROM namespaces JOIN inside USING (id) WHERE id <> ?
		UNION SELECT visibility FROM projects JOIN inside ON namespace_id = inside.id`
	found, err := many(ctx, s.readers, scalar[project.Visibility], query, text([]int64{groupID}), groupID)
	return project.Widest(found...), err
}

// realGroup excludes the namespaces of users.
const realGroup = "WHERE id = ? AND owner_id IS NULL"

// UpdateGroup changes the name and the visibility of a group.
func (s *Store) UpdateGroup(ctx context.Context, g project.Group) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := groups.requireVersion(tx, g.Version, realGroup, g.ID); err != nil {
			return err
		}
		return tx.exec("UPDATE namespaces SET name = ?, visibility = ?, version = version + 1 WHERE id = ?",
			g.Name, g.Visibility, g.ID)
	})
}

// DeleteGroup removes an empty group. Its path is removed by a foreign key.
func (s *Store) DeleteGroup(ctx context.Context, id int64) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		const held = `SELECT 1 FROM namespaces WHERE parent_id = ?1
			UNION ALL SELECT 1 FROM projects WHERE namespace_id = ?1`
		if err := tx.refuse(project.ErrGroupNotEmpty, held, id); err != nil {
			return err
		}
		if err := groups.delete(tx, realGroup, id); err != nil {
			return err
		}
		return tx.removeMembers(project.Place{Kind: project.InGroup, ID: id})
	})
}
