package dynamodb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

var (
	groupItem = shape{directory, "GROUP#<id>", "GROUP", "a group or a user's namespace", ""}
	groupList = shape{directory, "LIST#groups", "<id>", "a group in the list of all, with what filters need", ""}
	pathItem  = shape{directory, "PATH#<full_path>", "PATH", "who has the path, or for whom it is reserved", "a year after its user or group"}
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
		settingsField(&g.Settings),
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
	return s.createGroup(ctx, g, creator, requireExists(userItem.key(creator)).orElse(user.ErrNotFound))
}

// madeGroups is an attribute of a user: at least how many top-level groups of their own
// making they owned when these were counted last, and made since.
const madeGroups = "made_groups"

// CreateGroupWithin does so unless the creator has made so many. It counts the creator's
// groups only when as many were made as may be.
func (s *Store) CreateGroupWithin(ctx context.Context, most int, g project.Group, creator int64) (project.Group, error) {
	counted := change{
		key: userItem.key(creator), action: update, add: item{madeGroups: number(1)},
		condition: exists + " AND (attribute_not_exists(" + madeGroups + ") OR " + madeGroups + " < :most OR #admin = :yes)",
		names:     map[string]string{"#admin": "admin"},
		values:    item{":most": number(int64(most)), ":yes": &types.AttributeValueMemberBOOL{Value: true}},
	}.orElse(project.ErrTooManyGroups).ifMissing(user.ErrNotFound).keepNonce()
	made, err := s.createGroup(ctx, g, creator, counted)
	if errors.Is(err, project.ErrTooManyGroups) {
		if err = s.countMade(ctx, most, creator); err == nil {
			made, err = s.createGroup(ctx, g, creator, counted)
		}
	}
	return made, err
}

// countMade counts anew the top-level groups that the user made and owns, or returns
// project.ErrTooManyGroups.
func (s *Store) countMade(ctx context.Context, most int, userID int64) error {
	stored, err := s.get(ctx, userItem.key(userID))
	if err != nil {
		return err
	}
	memberships, err := s.MembershipsIn(ctx, project.InGroup, userID)
	if err != nil {
		return err
	}
	memberships = slices.DeleteFunc(memberships, func(m project.Member) bool { return m.Role != project.Owner })
	var ids []int64
	for _, m := range memberships {
		ids = append(ids, m.ID)
	}
	found, err := s.GroupsByID(ctx, ids)
	made := 0
	for _, m := range memberships {
		if g, exists := found[m.ID]; exists && g.ParentID == 0 && g.CreatedAt.Equal(m.CreatedAt) {
			made++
		}
	}
	if err == nil && made >= most {
		err = project.ErrTooManyGroups
	}
	if err != nil {
		return err
	}
	return s.writeIf(ctx, change{
		key: userItem.key(userID), action: update, item: item{madeGroups: number(int64(made))},
	}.when(madeGroups+" = :was", item{":was": stored[madeGroups]}).keepNonce())
}

// createGroup stores the group with this change, which requires the creator.
func (s *Store) createGroup(ctx context.Context, g project.Group, creator int64, required change) (project.Group, error) {
	var err error
	if g.ID, err = s.next(ctx, groupIDs); err != nil {
		return project.Group{}, err
	}
	g.Version = 1
	owner := project.Member{Place: g.Place(), UserID: creator, Role: project.Owner, CreatedAt: g.CreatedAt}
	ofPlace, ofUser := memberKeys(owner)
	next := listingOfGroup(g)
	n := recount(listing{}, next)
	stored := create(groupItem.key(g.ID), append(emptyGroupFields(&g), next.mark()...))
	maps.Copy(stored.item, n.item())
	above := n.ofGroups(g.Ancestors, 1)
	err = s.write(ctx, slices.Concat(
		[]change{required},
		above,
		[]change{
			claimPath(g.FullPath, creator, g.CreatedAt, fields{{"group_id", &g.ID}}),
			stored,
			create(groupList.key(g.ID), groups.entry(&g)),
			create(ofPlace, memberFields(&owner)),
			create(ofUser, memberFields(&owner)),
		},
		n.ofInstance(g.ID), relist(listing{}, next),
	)...)
	if claim, refused := failed(err, 1+len(above)); refused {
		err = pathError("path", claim)
	}
	return g, err
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

// Groups returns a page of the selected real groups.
func (s *Store) Groups(ctx context.Context, selected project.Selection, r page.Request) (page.Of[project.Group], error) {
	selected.Search = "" // is for projects
	of := selection{s, selected, project.InGroup, s, r.Oldest}
	complete, err := s.listsComplete(ctx)
	if err != nil {
		return page.Of[project.Group]{}, err
	}
	list, keep := of.list(r), stillSelected(ctx, of, project.Filter.Group)
	if !complete {
		filter, err := of.filter(ctx)
		if err != nil {
			return page.Of[project.Group]{}, err
		}
		list = unlisted(of, groups, groupList.key(), filter.Group, groupID)
		keep = always
	}
	return pageOf(ctx, of.items, groups, list, r, groupID, keep, nil)
}

// WidestBelow returns the widest visibility of what is in the group, which counts it.
func (s *Store) WidestBelow(ctx context.Context, id int64) (project.Visibility, error) {
	complete, err := s.listsComplete(ctx)
	if err != nil {
		return project.Private, err
	}
	if !complete {
		return s.widestUnlisted(ctx, id)
	}
	it, err := s.get(ctx, groupItem.key(id))
	if err != nil {
		return project.Private, fmt.Errorf("get group: %w", err)
	}
	for _, v := range []project.Visibility{project.Public, project.Internal} {
		if n, err := countBelow(it, v); n > 0 || err != nil {
			return v, err
		}
	}
	return project.Private, nil
}

// countBelow counts the groups and projects with this visibility in the group that
// the item is, without the group itself.
func countBelow(it item, v project.Visibility) (int, error) {
	var as listedState
	if err := as.fields().read(it); err != nil {
		return 0, err
	}
	inGroups, err := countIn(it, project.InGroup, v)
	if err != nil {
		return 0, err
	}
	if inGroups > 0 && as.visibility == v {
		inGroups--
	}
	inProjects, err := countIn(it, project.InProject, v)
	return inGroups + inProjects, err
}

// UpdateGroup changes Name, Visibility and Settings of a real group; a user's namespace
// is not listed.
func (s *Store) UpdateGroup(ctx context.Context, g project.Group) error {
	err := s.updateGroup(ctx, g)
	if errors.Is(err, groups.changed) { // or it was only listed meanwhile
		err = s.updateGroup(ctx, g)
	}
	return err
}

func (s *Store) updateGroup(ctx context.Context, g project.Group) error {
	stored, it, err := groups.stored(ctx, s, groupItem.key(g.ID))
	switch {
	case err != nil:
		return err
	case stored.OwnerID != 0:
		return groups.notFound
	case stored.Version != g.Version:
		return groups.changed
	}
	was, err := listingOfGroup(stored).listedIn(it)
	if err != nil {
		return err
	}
	stored.Name, stored.Visibility, stored.Version = g.Name, g.Visibility, g.Version+1
	next := listingOfGroup(stored)
	n := recount(was, next)
	visibility := field{"visibility", (*string)(&g.Visibility)}
	changed := fields{{"name", &g.Name}, visibility, {"version", &stored.Version}}
	own := set(groupItem.key(g.ID), slices.Concat(changed, changedSettings(stored.Settings, &g.Settings), next.mark()))
	own.add = n.item()
	return s.write(ctx, slices.Concat(
		[]change{groups.asRead(own, g.Version, it), groups.explain(set(groupList.key(g.ID), fields{visibility}))},
		n.ofInstance(g.ID), relist(was, next), n.ofGroups(stored.Ancestors, 0),
	)...)
}

// DeleteGroup removes the group and its members, and right after that its records.
func (s *Store) DeleteGroup(ctx context.Context, id int64, now time.Time) error {
	if err := groups.persist(func() error { return s.deleteGroup(ctx, id, now) }); err != nil {
		return err
	}
	return s.removeRecords(ctx, project.Group{ID: id}.Place())
}

func (s *Store) deleteGroup(ctx context.Context, id int64, now time.Time) error {
	g, it, err := groups.stored(ctx, s, groupItem.key(id))
	if err != nil {
		return err
	}
	if g.OwnerID != 0 {
		return project.ErrGroupNotFound
	}
	was, err := listingOfGroup(g).listedIn(it)
	if err != nil {
		return err
	}
	n := recount(was, listing{})
	found, err := members.all(ctx, s, membersOf(g.Place()))
	if err != nil {
		return err
	}
	empty := mustRemoveEmpty(id).and("version = :was", item{":was": number(g.Version)}).listedLike(it)
	err = s.removeWithMembers(ctx, membersOf(g.Place()), found, slices.Concat(
		[]change{empty.ifMissing(groups.notFound), mustRemove(groupList.key(id)), remove(countOf(g.Place()))},
		giveUp(g, found, now), n.ofInstance(id), relist(was, listing{}), n.ofGroups(g.Ancestors, -1),
	)...)
	stored, unmet := failed(err, 0)
	if !unmet {
		return err
	}
	held := int64(0)
	if err := (fields{{children, &held}}).read(stored); held > 0 || err != nil {
		return cmp.Or(err, project.ErrGroupNotEmpty)
	}
	return groups.changed
}
