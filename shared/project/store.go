package project

import (
	"context"

	"gatehouse/shared/page"
)

// Store keeps groups, projects and members. Reads see every
// write that was acknowledged before. Paths are compared without regard to
// case, and a group, a project and a user's namespace never share one.
type Store interface {
	// CreateGroup stores the group under the next id, makes the creator a
	// member as Owner, and returns it with ID and Version. A taken path is a
	// fault.Fields error on "path"; a parent that is gone is fault.NotFound;
	// either way nothing is stored.
	CreateGroup(ctx context.Context, g Group, creator int64) (Group, error)

	// Group returns the group or user's namespace with this id, or a
	// fault.NotFound error.
	Group(ctx context.Context, id int64) (Group, error)

	// GroupsByID returns the groups and users' namespaces with these ids that
	// exist, by id.
	GroupsByID(ctx context.Context, ids []int64) (map[int64]Group, error)

	// GroupByPath returns the group or user's namespace with this full path,
	// or a fault.NotFound error.
	GroupByPath(ctx context.Context, fullPath string) (Group, error)

	// Groups returns a page of the real groups that pass the filter, the
	// newest first.
	Groups(ctx context.Context, f Filter, r page.Request) (page.Of[Group], error)

	// WidestBelow returns the widest visibility among the groups and projects
	// in the group, at any depth; Private when there are none.
	WidestBelow(ctx context.Context, groupID int64) (Visibility, error)

	// UpdateGroup changes Name and Visibility of the group whose Version is
	// still the stored one; the stored version then counts one more. It
	// returns a fault.Conflict error when somebody changed the group in
	// between and a fault.NotFound error when it is gone.
	UpdateGroup(ctx context.Context, g Group) error

	// DeleteGroup removes the group and its members. It returns a
	// fault.Conflict error while the group holds projects or groups, also
	// when one is created at the same time, and fault.NotFound when there is
	// no such group.
	DeleteGroup(ctx context.Context, id int64) error

	// CreateProject stores the project under the next id and returns it with
	// ID and Version. A taken path is a fault.Fields error on "path"; a
	// namespace that is gone is fault.NotFound; either way nothing is stored.
	CreateProject(ctx context.Context, p Project) (Project, error)

	// Project returns the project with this id, or a fault.NotFound error.
	Project(ctx context.Context, id int64) (Project, error)

	// ProjectByPath returns the project with this full path, or a
	// fault.NotFound error.
	ProjectByPath(ctx context.Context, fullPath string) (Project, error)

	// Projects returns a page of the projects that pass the filter, the
	// newest first.
	Projects(ctx context.Context, f Filter, r page.Request) (page.Of[Project], error)

	// UpdateProject changes Name and Visibility as UpdateGroup does.
	UpdateProject(ctx context.Context, p Project) error

	// DeleteProject removes the project with its members and all that belongs
	// to it, or returns a fault.NotFound error. Of many alerts some go later.
	DeleteProject(ctx context.Context, id int64) error

	// AddMember stores a membership. It returns a fault.Conflict error when
	// the user is a member of the place already, and a fault.NotFound error
	// when the place or the user is gone.
	AddMember(ctx context.Context, m Member) error

	// UpdateMember gives the member, who still has the Role and ExpiresAt that
	// were read, those of next. It returns a fault.Conflict error when these
	// changed in between, and a fault.NotFound error when there is no such
	// member.
	UpdateMember(ctx context.Context, was, next Member) error

	// RemoveMember ends a membership whose Role and ExpiresAt are still those
	// that were read, with the same errors as UpdateMember.
	RemoveMember(ctx context.Context, was Member) error

	// Members returns every membership of these places, those of the first
	// place first, each place's by ascending user id.
	Members(ctx context.Context, places ...Place) ([]Member, error)

	// Memberships returns every membership of the user, also expired ones.
	Memberships(ctx context.Context, userID int64) (Memberships, error)
}
