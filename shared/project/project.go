// Package project holds the rules for groups, projects and their members:
// what things are called, who may see them and who may do what.
package project

import "time"

// Group is a namespace for projects and further groups. Every user has a
// namespace as well, which is a Group with an OwnerID.
type Group struct {
	ID         int64 // unique among groups and users' namespaces
	ParentID   int64 // zero: a top-level group
	OwnerID    int64 // the user whose own namespace it is; zero for a real group
	Ancestors  []int64
	Name       string
	Path       string
	FullPath   string // the paths of its ancestors and its own, joined with "/"; permanent
	Visibility Visibility
	CreatedAt  time.Time
	Version    int64 // counts the changes; a change names the version it read
}

// Lineage lists the group's ancestors from the top, then the group.
func (g Group) Lineage() []int64 {
	return append(g.Ancestors[:len(g.Ancestors):len(g.Ancestors)], g.ID)
}

// Project is where alerts, incidents and errors belong.
type Project struct {
	ID            int64
	NamespaceID   int64
	NamespacePath string
	OwnerID       int64   // the user in whose own namespace it is; zero in a group
	Lineage       []int64 // its namespace and the ancestors of that, from the top
	Name          string
	Path          string
	FullPath      string // NamespacePath + "/" + Path; permanent
	Visibility    Visibility
	CreatedAt     time.Time
	Version       int64 // counts the changes; a change names the version it read
}

// Visibility tells who may see a group or a project besides its members.
type Visibility string

// The visibilities.
const (
	Private  Visibility = "private"  // members only
	Internal Visibility = "internal" // everybody who is signed in
	Public   Visibility = "public"   // everybody
)

var openness = map[Visibility]int{Private: 1, Internal: 2, Public: 3}

// Valid reports whether it is one of the visibilities.
func (v Visibility) Valid() bool { return openness[v] > 0 }

// Wider reports whether more people see v than see other.
func (v Visibility) Wider(other Visibility) bool { return openness[v] > openness[other] }

// Widest returns the widest of these; Private when there are none.
func Widest(all ...Visibility) Visibility {
	widest := Private
	for _, v := range all {
		if v.Wider(widest) {
			widest = v
		}
	}
	return widest
}

// Role is what a member may do; a higher role may do all that a lower may.
type Role int

// The roles, with the access levels by which they are known on the wire.
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

// Place is a group or a project, as something one can be a member of.
type Place struct {
	Kind Kind
	ID   int64
}

// Kind tells groups from projects.
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
	ExpiresAt time.Time // the start of the day on which it ends, UTC; zero: never
	CreatedAt time.Time
}

// Active reports whether the membership still counts.
func (m Member) Active(now time.Time) bool { return m.ExpiresAt.IsZero() || now.Before(m.ExpiresAt) }

// Memberships are the places in which one user has a role.
type Memberships []Member

// role returns the highest role the memberships give in the project or group
// whose places these are.
func (ms Memberships) role(places []Place, now time.Time) Role {
	highest := NoRole
	for _, m := range ms {
		for _, p := range places {
			if m.Place == p && m.Active(now) {
				highest = max(highest, m.Role)
			}
		}
	}
	return highest
}

// Place returns the project as a place.
func (p Project) Place() Place { return Place{InProject, p.ID} }

// Place returns the group as a place.
func (g Group) Place() Place { return Place{InGroup, g.ID} }

// Where returns the project's full path.
func (p Project) Where() string { return p.FullPath }

// Where returns the group's full path.
func (g Group) Where() string { return g.FullPath }

// Places lists where a membership counts for the project: the project itself
// and every group above it.
func (p Project) Places() []Place { return append(groups(p.Lineage), p.Place()) }

// Places lists where a membership counts for the group: the group itself and
// every group above it.
func (g Group) Places() []Place { return groups(g.Lineage()) }

func groups(ids []int64) []Place {
	places := make([]Place, len(ids), len(ids)+1)
	for i, id := range ids {
		places[i] = Place{InGroup, id}
	}
	return places
}
