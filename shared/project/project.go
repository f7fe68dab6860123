// Package project has the rules for groups and projects, their members and their
// environments.
package project

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/route"
)

// Group is a namespace for projects and other groups. The own namespace of a
// user is also a Group, one with an OwnerID.
type Group struct {
	ID         int64   // unique among groups and users' namespaces
	ParentID   int64   // zero: a top-level group
	OwnerID    int64   // the user, if it is a user's own namespace; zero for a real group
	Ancestors  []int64 // from the top
	Name       string
	Path       string
	FullPath   string // the paths of its ancestors and its own, joined with "/"; permanent
	Visibility Visibility
	Settings   GroupSettings
	CreatedAt  time.Time
	Version    int64 // counts the changes; a change requires the version that was read
}

// Lineage lists the group's ancestors from the top, then the group.
func (g Group) Lineage() []int64 {
	return append(g.Ancestors[:len(g.Ancestors):len(g.Ancestors)], g.ID)
}

// Project holds integrations, alerts, environments and client keys.
type Project struct {
	ID            int64
	NamespaceID   int64
	NamespacePath string
	OwnerID       int64   // the user, if it is in a user's own namespace; zero in a group
	Lineage       []int64 // its namespace and the namespace's ancestors, from the top
	Name          string
	Path          string
	FullPath      string // NamespacePath + "/" + Path; permanent
	Visibility    Visibility
	Settings      ProjectSettings
	CreatedAt     time.Time
	Version       int64 // counts the changes; a change requires the version that was read
}

// Visibility says who may see a group or project besides its members.
type Visibility string

// The visibilities.
const (
	Private  Visibility = "private"  // members only
	Internal Visibility = "internal" // every signed-in user
	Public   Visibility = "public"   // everyone
)

var openness = map[Visibility]int{Private: 1, Internal: 2, Public: 3}

// Valid reports whether it is one of the visibilities.
func (v Visibility) Valid() bool { return openness[v] > 0 }

// Wider reports whether more people see v than see other.
func (v Visibility) Wider(other Visibility) bool { return openness[v] > openness[other] }

// Widest returns the widest visibility, or Private for none.
func Widest(all ...Visibility) Visibility {
	widest := Private
	for _, v := range all {
		if v.Wider(widest) {
			widest = v
		}
	}
	return widest
}

// Role is what a member may do. A higher role includes the lower ones.
type Role int

// The roles, as access levels on the wire.
const (
	NoRole     Role = 0
	Guest      Role = 10
	Planner    Role = 15
	Reporter   Role = 20
	Developer  Role = 30
	Maintainer Role = 40
	Owner      Role = 50
)

// Valid reports whether a member can have the role.
func (r Role) Valid() bool {
	switch r {
	case Guest, Planner, Reporter, Developer, Maintainer, Owner:
		return true
	}
	return false
}

var roleNames = map[Role]string{
	Guest: "Guest", Planner: "Planner", Reporter: "Reporter", Developer: "Developer", Maintainer: "Maintainer", Owner: "Owner",
}

// String returns the role's name.
func (r Role) String() string { return roleNames[r] }

// Place identifies a group or a project that users can be members of.
type Place struct {
	Kind Kind
	ID   int64
}

// Kind is a kind of Place: a group or a project.
type Kind string

// The kinds of a Place.
const (
	InGroup   Kind = "group"
	InProject Kind = "project"
)

// Member is a user's role in a place.
type Member struct {
	Place
	UserID    int64
	Role      Role
	ExpiresAt time.Time // the first instant after it, a midnight in UTC; zero: never
	CreatedAt time.Time
}

// Active reports whether the membership has not ended.
func (m Member) Active(now time.Time) bool { return m.ExpiresAt.IsZero() || now.Before(m.ExpiresAt) }

// Memberships are all memberships of one user.
type Memberships []Member

// role returns the highest role that the memberships give in these places.
func (ms Memberships) role(places []Place, now time.Time) Role {
	highest := NoRole
	for _, m := range ms {
		if m.Active(now) && slices.Contains(places, m.Place) {
			highest = max(highest, m.Role)
		}
	}
	return highest
}

// SearchText is the text in which searches look for the project: its name and its
// full path in lower case, on a line each.
func (p Project) SearchText() string { return strings.ToLower(p.Name + "\n" + p.FullPath) }

// Finds reports whether the search, in any letter case, is part of a line of a
// SearchText.
func Finds(searchText, search string) bool {
	return !strings.Contains(search, "\n") && strings.Contains(searchText, strings.ToLower(search))
}

// Place identifies the project.
func (p Project) Place() Place { return Place{InProject, p.ID} }

// Place identifies the group.
func (g Group) Place() Place { return Place{InGroup, g.ID} }

// Where returns the project's full path, for the audit trail.
func (p Project) Where() string { return p.FullPath }

// Where returns the group's full path, for the audit trail.
func (g Group) Where() string { return g.FullPath }

// The pages of groups and projects are below these paths.
const (
	groupPages   = "/console/groups/"
	projectPages = "/console/"
)

// PagePath is the path of the page about it: a person's for a user's namespace.
func (g Group) PagePath() string {
	if g.OwnerID != 0 {
		return "/users/" + g.FullPath
	}
	if _, rest := route.SplitGroup(g.FullPath); rest != "" || g.FullPath == "new" {
		return groupPages + strconv.FormatInt(g.ID, 10) // the address of the path leads elsewhere
	}
	return groupPages + g.FullPath
}

// PagePath is the path of the project's page. Full paths need no escaping.
func (p Project) PagePath() string {
	if strings.HasPrefix(p.FullPath, "groups/") { // a name that older groups can have
		return projectPages + strconv.FormatInt(p.ID, 10)
	}
	return projectPages + p.FullPath
}

// Access returns the user in whose own namespace the project is, or zero, and
// its visibility.
func (p Project) Access() (ownerID int64, v Visibility) { return p.OwnerID, p.Visibility }

// Access returns the user whose own namespace the group is, or zero, and its
// visibility. Only members see a user's namespace.
func (g Group) Access() (ownerID int64, v Visibility) {
	if g.OwnerID != 0 {
		return g.OwnerID, Private
	}
	return 0, g.Visibility
}

// Places lists the places that give roles in the project: the project and
// every group above it.
func (p Project) Places() []Place { return append(groups(p.Lineage), p.Place()) }

// Places lists the places that give roles in the group: the group and every
// group above it.
func (g Group) Places() []Place { return groups(g.Lineage()) }

func groups(ids []int64) []Place {
	places := make([]Place, len(ids), len(ids)+1)
	for i, id := range ids {
		places[i] = Place{InGroup, id}
	}
	return places
}
