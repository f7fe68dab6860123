package dynamodb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

var (
	groupItem = shape{directory, "GROUP#<id>", "GROUP", "a group or a user's namespace", ""}
	groupList = shape{directory, "LIST#groups", "<id>", "a group in the list of all, with what filters need", ""}
	pathItem  = shape{directory, "PATH#<full_path>", "PATH", "who has the path", ""}
	groupIDs  = idCounter.key("groups")
)

// pathKey claims a full path for a user's namespace, a group or a project.
func pathKey(fullPath string) key { return pathItem.key(pathInKey(fullPath)) }

// pathInKey is the form of a path in keys.
func pathInKey(fullPath string) string { return bounded(strings.ToLower(fullPath)) }

var groups = kind[project.Group]{
	noun:     "group",
	notFound: project.ErrGroupNotFound,
	changed:  project.ErrGroupChanged,
	key:      func(g project.Group) key { return groupItem.key(g.ID) },
	fields:   groupFields,
	entry: func(g *project.Group) fields {
		return fields{{"id", &g.ID}, {"ancestors", &g.Ancestors}, {"visibility", (*string)(&g.Visibility)}}
	},
}

func groupFields(g *project.Group) fields {
	return fields{
		{"id", &g.ID}, {"parent_id", &g.ParentID}, {"owner_id", &g.OwnerID}, {"ancestors", &g.Ancestors},
		{"name", &g.Name}, {"path", &g.Path}, {"full_path", &g.FullPath},
		{"visibility", (*string)(&g.Visibility)}, {"created_at", &g.CreatedAt}, {"version", &g.Version},
	}
}

// children counts the groups and projects in a group. Adding one counts up in the
// same transaction, and only a group without children can be removed.
const children = "children"

func emptyGroupFields(g *project.Group) fields {
	return append(groupFields(g), field{children, new(int64)})
}

func mustRemoveEmpty(groupID int64) change {
	return mustRemove(groupItem.key(groupID)).when(children+" = :none", item{":none": number(0)})
}

// CreateGroup stores the group with its creator as a member.
func (s *Store) CreateGroup(ctx context.Context, g project.Group, creator int64) (project.Group, error) {
	var err error
	if g.ID, err = s.next(ctx, groupIDs); err != nil {
		return project.Group{}, err
	}
	g.Version = 1
	owner := project.Member{Place: g.Place(), UserID: creator, Role: project.Owner, CreatedAt: g.CreatedAt}
	ofPlace, ofUser := memberKeys(owner)
	changes := []change{requireExists(userItem.key(creator)).orElse(user.ErrNotFound)}
	if g.ParentID != 0 {
		changes = append(changes, within(g.ParentID))
	}
	return g, s.write(ctx, append(changes,
		claimPath(g.FullPath, fields{{"group_id", &g.ID}}),
		create(groupItem.key(g.ID), emptyGroupFields(&g)),
		create(groupList.key(g.ID), groups.entry(&g)),
		create(ofPlace, memberFields(&owner)),
		create(ofUser, memberFields(&owner)),
	)...)
}

// within counts one more child of the group, which must exist.
func within(groupID int64) change {
	return add(groupItem.key(groupID), children, 1).orElse(project.ErrGroupNotFound)
}

func claimPath(fullPath string, fs fields) change {
	return create(pathKey(fullPath), fs).orElse(fault.Field("path", fault.Taken))
}

// Group returns the group or user's namespace with this id.
func (s *Store) Group(ctx context.Context, id int64) (project.Group, error) {
	return groups.get(ctx, s, groupItem.key(id))
}

// GroupsByID returns the groups and users' namespaces with these ids that exist.
func (s *Store) GroupsByID(ctx context.Context, ids []int64) (map[int64]project.Group, error) {
	return groups.withIDs(ctx, s, ids, func(thing *project.Group) *int64 { return &thing.ID })
}

// GroupByPath returns the group or user's namespace with this full path.
func (s *Store) GroupByPath(ctx context.Context, fullPath string) (project.Group, error) {
	id, err := s.claimant(ctx, pathKey(fullPath), "group_id")
	if err != nil {
		return project.Group{}, fmt.Errorf("find group by path: %w", err)
	}
	if id == 0 {
		return project.Group{}, groups.notFound
	}
	return s.Group(ctx, id)
}

// Groups returns a page of the real groups that pass the filter.
func (s *Store) Groups(ctx context.Context, f project.Filter, r page.Request) (page.Of[project.Group], error) {
	return groups.page(ctx, s, groupList.key(), r, f.Group)
}

// WidestBelow returns the widest visibility of what is in the group. The lists
// of groups and projects hold all that it takes.
func (s *Store) WidestBelow(ctx context.Context, groupID int64) (project.Visibility, error) {
	var inGroups, inProjects project.Visibility
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		inGroups, err = widest(ctx, s, groups, groupList.key(), func(g project.Group) (project.Visibility, bool) {
			return g.Visibility, slices.Contains(g.Ancestors, groupID)
		})
		return err
	})
	reads.Go(func() (err error) {
		inProjects, err = widest(ctx, s, projects, projectList.key(), func(p project.Project) (project.Visibility, bool) {
			return p.Visibility, slices.Contains(p.Lineage, groupID)
		})
		return err
	})
	err := reads.Wait()
	return project.Widest(inGroups, inProjects), err
}

// widest returns the widest visibility of the things in a list that look reports
// to be inside. The search ends at public, because nothing is wider.
func widest[T any](ctx context.Context, s *Store, k kind[T], list key, look func(T) (v project.Visibility, inside bool)) (project.Visibility, error) {
	found := project.Private
	err := s.query(ctx, list, forward, func(it item) (more bool, err error) {
		var entry T
		err = k.entry(&entry).read(it)
		if v, inside := look(entry); inside {
			found = project.Widest(found, v)
		}
		return found != project.Public, err
	})
	if err != nil {
		return found, fmt.Errorf("list %ss: %w", k.noun, err)
	}
	return found, nil
}

// UpdateGroup changes Name and Visibility of a real group, which is listed; a
// user's namespace is not.
func (s *Store) UpdateGroup(ctx context.Context, g project.Group) error {
	next := g.Version + 1
	visibility := field{"visibility", (*string)(&g.Visibility)}
	return s.write(ctx,
		groups.explain(set(groupItem.key(g.ID), fields{{"name", &g.Name}, visibility, {"version", &next}}).version(g.Version)),
		groups.explain(set(groupList.key(g.ID), fields{visibility})),
	)
}

// DeleteGroup removes the group and its members.
func (s *Store) DeleteGroup(ctx context.Context, id int64) error {
	g, err := s.Group(ctx, id)
	if err != nil {
		return err
	}
	if g.OwnerID != 0 {
		return project.ErrGroupNotFound
	}
	changes := []change{
		mustRemoveEmpty(id).orElse(project.ErrGroupNotEmpty).ifMissing(project.ErrGroupNotFound),
		mustRemove(pathKey(g.FullPath)), mustRemove(groupList.key(id)),
		remove(countOf(g.Place())),
	}
	if g.ParentID != 0 {
		changes = append(changes, add(groupItem.key(g.ParentID), children, -1))
	}
	return s.removeWithMembers(ctx, membersOf(g.Place()), changes...)
}
