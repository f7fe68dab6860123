package sqlite

import (
	"context"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

var groups = newKind("namespaces", groupColumns, project.ErrGroupNotFound, project.ErrGroupChanged)

func groupColumns(g *project.Group) columns {
	return columns{
		{"id", given{&g.ID}}, {"parent_id", (*reference)(&g.ParentID)},
		{"owner_id", (*reference)(&g.OwnerID)}, {"ancestors", (*list[int64])(&g.Ancestors)}, {"name", &g.Name},
		{"path", &g.Path}, {"full_path", &g.FullPath}, {"visibility", &g.Visibility},
		{"settings", settingsOf[project.GroupSettings]{&g.Settings}}, {"created_at", &g.CreatedAt}, {"version", &g.Version},
	}
}

// CreateGroup stores a group with its creator as its owner.
func (s *Store) CreateGroup(ctx context.Context, g project.Group, creator int64) (project.Group, error) {
	err := s.writer.do(ctx, func(tx *transaction) error { return tx.createGroup(&g, creator) })
	return g, err
}

// CreateGroupWithin does so unless the creator has made so many.
func (s *Store) CreateGroupWithin(ctx context.Context, most int, g project.Group, creator int64) (project.Group, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		const made = `SELECT 1 FROM members JOIN namespaces ON namespaces.id = place_id
			WHERE user_id = ? AND kind = ? AND role = ? AND parent_id IS NULL AND members.created_at = namespaces.created_at
			AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = members.user_id AND admin) LIMIT 1 OFFSET ?`
		if err := tx.refuse(project.ErrTooManyGroups, made, creator, project.InGroup, project.Owner, most-1); err != nil {
			return err
		}
		return tx.createGroup(&g, creator)
	})
	return g, err
}

func (tx *transaction) createGroup(g *project.Group, creator int64) error {
	if g.ParentID != 0 {
		if err := groups.require(tx, "WHERE id = ?", g.ParentID); err != nil {
			return err
		}
	}
	if err := tx.checkFree(path("path", g.FullPath)); err != nil {
		return err
	}
	if err := tx.take("path", g.FullPath, creator, g.CreatedAt); err != nil {
		return err
	}
	if err := tx.addNamespace(g); err != nil {
		return err
	}
	if err := tx.enter(project.InGroup, g.ID, g.Visibility, g.Lineage()); err != nil {
		return err
	}
	return tx.addMember(project.Member{
		Place: g.Place(), UserID: creator, Role: project.Owner, CreatedAt: g.CreatedAt,
	})
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

// Groups returns a page of the selected groups.
func (s *Store) Groups(ctx context.Context, selected project.Selection, r page.Request) (page.Of[project.Group], error) {
	selected.Search = "" // is for projects
	return groups.listed(ctx, s, s.directory(selected, project.InGroup, r.Oldest), r, func(g project.Group) int64 { return g.ID })
}

// WidestBelow returns the widest visibility of the groups and projects in the group.
func (s *Store) WidestBelow(ctx context.Context, groupID int64) (project.Visibility, error) {
	const query = `SELECT visibility FROM contents WHERE group_id = ?1 AND kind = 'project' AND things > 0
		UNION ALL SELECT visibility FROM contents WHERE group_id = ?1 AND kind = 'group'
			AND things > (SELECT contents.visibility = namespaces.visibility FROM namespaces WHERE id = ?1)`
	found, err := many(ctx, s.readers, scalar[project.Visibility], query, groupID)
	return project.Widest(found...), err
}

// realGroup excludes the namespaces of users.
const realGroup = "WHERE id = ? AND owner_id IS NULL"

// UpdateGroup changes the name, the visibility and the settings of a group.
func (s *Store) UpdateGroup(ctx context.Context, g project.Group) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		stored, err := groups.find(context.Background(), tx, realGroup, g.ID)
		switch {
		case err != nil:
			return err
		case stored.Version != g.Version:
			return groups.changed
		}
		if err := tx.move(project.InGroup, g.ID, stored.Visibility, g.Visibility, stored.Lineage()); err != nil {
			return err
		}
		if err := changeSettings(tx, "namespaces", g.ID, stored.Settings, g.Settings); err != nil {
			return err
		}
		return tx.exec("UPDATE namespaces SET name = ?, visibility = ?, version = version + 1 WHERE id = ?",
			g.Name, g.Visibility, g.ID)
	})
}

// DeleteGroup removes an empty group. Its path is removed by a foreign key.
func (s *Store) DeleteGroup(ctx context.Context, id int64, now time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		const held = `SELECT 1 FROM namespaces WHERE parent_id = ?1
			UNION ALL SELECT 1 FROM projects WHERE namespace_id = ?1`
		if err := tx.refuse(project.ErrGroupNotEmpty, held, id); err != nil {
			return err
		}
		g, err := groups.find(context.Background(), tx, realGroup, id)
		if err != nil {
			return err
		}
		if err := tx.reserveGroup(g, now); err != nil {
			return err
		}
		if err := groups.delete(tx, realGroup, id); err != nil {
			return err
		}
		if err := tx.leave(project.InGroup, id, g.Visibility, g.Lineage()); err != nil {
			return err
		}
		if err := tx.exec("DELETE FROM contents WHERE group_id = ?", id); err != nil {
			return err
		}
		at := project.Place{Kind: project.InGroup, ID: id}
		if err := tx.removeRecords(at); err != nil {
			return err
		}
		return tx.removeMembers(at)
	})
}
