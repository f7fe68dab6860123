package project

import (
	"strings"
	"time"
)

// Viewer is a user as far as access to groups and projects goes.
type Viewer struct {
	UserID      int64
	Admin       bool
	Memberships Memberships
}

// RoleIn returns the viewer's role in the project: the highest among the
// project and the groups above it. Administrators, and the user in whose
// namespace the project is, own it.
func (v Viewer) RoleIn(p Project, now time.Time) Role {
	return v.role(p.OwnerID, p.Places(), now)
}

// RoleInGroup returns the viewer's role in the group, likewise.
func (v Viewer) RoleInGroup(g Group, now time.Time) Role {
	return v.role(g.OwnerID, g.Places(), now)
}

func (v Viewer) role(ownerID int64, places []Place, now time.Time) Role {
	if v.Admin || ownerID != 0 && ownerID == v.UserID {
		return Owner
	}
	return v.Memberships.role(places, now)
}

// Sees reports whether somebody with this role sees a thing of this
// visibility. The caller is signed in.
func Sees(r Role, v Visibility) bool { return r > NoRole || v == Internal || v == Public }

// Filter says which groups or projects a list holds: all of them, or those a
// viewer sees.
type Filter struct {
	All     bool
	OwnerID int64   // sees what is in this user's own namespace
	Places  []Place // sees what is in these places or below
	// MembersOnly leaves out what everybody sees.
	MembersOnly bool
	// Search, unless empty, leaves out the projects that have it neither in
	// their name nor in their full path, in any letter case. A list of groups
	// is not searched.
	Search string
}

// Filter returns what the viewer sees.
func (v Viewer) Filter(now time.Time) Filter {
	f := Filter{All: v.Admin, OwnerID: v.UserID}
	for _, m := range v.Memberships {
		if m.Active(now) {
			f.Places = append(f.Places, m.Place)
		}
	}
	return f
}

// Project reports whether the filter passes the project.
func (f Filter) Project(p Project) bool {
	return f.passes(p.OwnerID, p.Visibility, p.Places()) && (f.finds(p.Name) || f.finds(p.FullPath))
}

func (f Filter) finds(name string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(f.Search))
}

// Group reports whether the filter passes the group.
func (f Filter) Group(g Group) bool {
	return f.passes(0, g.Visibility, g.Places())
}

func (f Filter) passes(ownerID int64, v Visibility, places []Place) bool {
	if f.All || !f.MembersOnly && Sees(NoRole, v) || ownerID != 0 && ownerID == f.OwnerID {
		return true
	}
	for _, p := range f.Places {
		for _, q := range places {
			if p == q {
				return true
			}
		}
	}
	return false
}
