package project

import (
	"context"
	"strconv"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/reservation"
	"gatehouse/shared/user"
)

// MaxTopLevelGroups is how many top-level groups a user can make who is no administrator.
const MaxTopLevelGroups = 1000

// FewMembers is how many members of a place are counted one by one.
const FewMembers = 100

// Reader reads groups, projects, members and environments. Reads see every
// write that was acknowledged before. Paths are compared without regard to
// case, and a group, a project and a user's namespace never share one.
type Reader interface {
	// Group returns the group or user's namespace with this id, or a
	// fault.NotFound error.
	Group(ctx context.Context, id int64) (Group, error)

	// GroupsByID returns the groups and users' namespaces with these ids, by
	// id. It leaves out ids that do not exist.
	GroupsByID(ctx context.Context, ids []int64) (map[int64]Group, error)

	// GroupsIn returns the groups with these ids and the newest of those below them,
	// at any depth, by id: at most so many, which must not be fewer than the ids. It
	// reports whether it left out some. It leaves out ids that do not exist.
	GroupsIn(ctx context.Context, ids []int64, most int) (found map[int64]Group, more bool, err error)

	// GroupByPath returns the group or user's namespace with this full path,
	// or a fault.NotFound error.
	GroupByPath(ctx context.Context, fullPath string) (Group, error)

	// Groups returns a page of the selected real groups, the newest first.
	Groups(ctx context.Context, selected Selection, r page.Request) (page.Of[Group], error)

	// WidestBelow returns the widest visibility among the groups and projects
	// in the group, at any depth; Private when there are none.
	WidestBelow(ctx context.Context, groupID int64) (Visibility, error)

	// Project returns the project with this id, or a fault.NotFound error.
	Project(ctx context.Context, id int64) (Project, error)

	// ProjectsByID returns the projects with these ids, by id. It leaves out ids
	// that do not exist.
	ProjectsByID(ctx context.Context, ids []int64) (map[int64]Project, error)

	// ProjectByPath returns the project with this full path, or a
	// fault.NotFound error.
	ProjectByPath(ctx context.Context, fullPath string) (Project, error)

	// Projects returns a page of the selected projects, the newest first. It
	// is not counted if there is a search, or if the selection has a member of
	// more than MaxCounted projects.
	Projects(ctx context.Context, selected Selection, r page.Request) (page.Of[Project], error)

	// Members returns a page of the members of these places, which differ, by
	// ascending user id, each user once with the highest role, that of the first place among
	// equals. It leaves out memberships that ended by now, which is a
	// search, and the total.
	Members(ctx context.Context, now time.Time, r page.Request, places ...Place) (page.Of[Member], error)

	// CountMembers returns how many members Members lists, and at most
	// page.CountLimit+1. In a place with more than FewMembers it counts the
	// memberships instead: also those that ended, and a user who has one in another
	// place twice.
	CountMembers(ctx context.Context, now time.Time, places ...Place) (int, error)

	// MembershipsIn returns the user's memberships of places of this kind, also
	// expired ones, by ascending id of the place.
	MembershipsIn(ctx context.Context, k Kind, userID int64) (Memberships, error)

	// MembershipPage returns a page of those, by descending id of the place. Its
	// Total is -1.
	MembershipPage(ctx context.Context, k Kind, userID int64, r page.Request) (page.Of[Member], error)

	// SomeMemberships returns n memberships of the user, also expired ones, or
	// all if there are fewer. It costs as much as it returns.
	SomeMemberships(ctx context.Context, userID int64, n int) (Memberships, error)

	// MembershipsAt returns the user's memberships of these places, which differ,
	// also expired ones. It costs as much however many others there are.
	MembershipsAt(ctx context.Context, userID int64, places ...Place) (Memberships, error)

	// MembershipsAmong returns those of all these users, who differ.
	MembershipsAmong(ctx context.Context, userIDs []int64, places ...Place) (Memberships, error)

	// Environments returns all environments of the project, by ascending id.
	Environments(ctx context.Context, p Project) ([]Environment, error)
}

// The reasons why a store refuses an operation.
var (
	ErrNotFound = fault.New(fault.NotFound, "project not found")
	ErrChanged  = fault.New(fault.Conflict, "the project was changed in between")

	ErrGroupNotFound = fault.New(fault.NotFound, "group not found")
	ErrGroupChanged  = fault.New(fault.Conflict, "the group was changed in between")
	ErrTooManyGroups = fault.New(fault.Conflict, "you have made the most top-level groups you can have: "+strconv.Itoa(MaxTopLevelGroups))
	ErrGroupNotEmpty = fault.New(fault.Conflict, "the group holds projects or groups")

	ErrMemberNotFound = fault.New(fault.NotFound, "member not found")
	ErrMemberChanged  = fault.New(fault.Conflict, "the member was changed in between")
	ErrMemberExists   = fault.New(fault.Conflict, "the user is a member already")
)

// Store keeps groups, projects, members and environments.
type Store interface {
	Reader
	reservation.Store

	// User returns the user with this id, or a fault.NotFound error.
	User(ctx context.Context, id int64) (user.User, error)

	// CreateGroup stores the group under the next id, makes the creator a
	// member as Owner, and returns it with ID and Version. A taken path is a
	// fault.Fields error on "path", and one that is reserved for others a
	// reservation.Refused error; a missing parent is fault.NotFound; either
	// way nothing is stored.
	CreateGroup(ctx context.Context, g Group, creator int64) (Group, error)

	// CreateGroupWithin does the same with a top-level group unless the creator, who is no
	// administrator, owns so many top-level groups of their own making: then it returns
	// ErrTooManyGroups.
	CreateGroupWithin(ctx context.Context, most int, g Group, creator int64) (Group, error)

	// UpdateGroup changes Name, Visibility and Settings of the group if its Version
	// is still the stored one, and adds one to the stored version. It returns a
	// fault.Conflict error when the group was changed in between and a
	// fault.NotFound error when it is gone.
	UpdateGroup(ctx context.Context, g Group) error

	// DeleteGroup removes the group and its members. It returns a
	// fault.Conflict error while the group holds projects or groups, also
	// when one is created at the same time, and fault.NotFound when there is
	// no such group. The path of a top-level group is reserved for its owners then.
	DeleteGroup(ctx context.Context, id int64, now time.Time) error

	// CreateProject stores the project under the next id and returns it with
	// ID and Version. A taken path is a fault.Fields error on "path"; a
	// missing namespace is fault.NotFound; either way nothing is stored.
	CreateProject(ctx context.Context, p Project) (Project, error)

	// UpdateProject changes Name, Visibility and Settings as UpdateGroup does.
	UpdateProject(ctx context.Context, p Project) error

	// DeleteProject removes the project with its members and everything else
	// that belongs to it, or returns a fault.NotFound error. If it has many
	// alerts, some are removed later.
	DeleteProject(ctx context.Context, id int64) error

	// AddMember stores a membership. It returns a fault.Conflict error when
	// the user is a member of the place already, and a fault.NotFound error
	// when the place or the user is gone.
	AddMember(ctx context.Context, m Member) error

	// UpdateMember replaces the member's Role and ExpiresAt by those of next,
	// if they are still those of was. It returns a fault.Conflict error when
	// they changed in between, and a fault.NotFound error when there is no
	// such member. It also returns a fault.Conflict error, and changes nothing,
	// when one of the staying members changed since they were read, or is gone.
	UpdateMember(ctx context.Context, was, next Member, staying ...Member) error

	// RemoveMember ends a membership if its Role and ExpiresAt are still those
	// of was, with the same errors as UpdateMember.
	RemoveMember(ctx context.Context, was Member, staying ...Member) error

	// CreateEnvironment stores the environment under the next id. A taken name
	// is a fault.Fields error on "name"; ErrTooManyEnvironments means that the
	// project has MaxEnvironments.
	CreateEnvironment(ctx context.Context, p Project, e Environment) (Environment, error)

	// DeleteEnvironment removes the environment, or returns a fault.NotFound
	// error.
	DeleteEnvironment(ctx context.Context, p Project, id int64) error
}
