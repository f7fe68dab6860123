package project

import (
	"strings"
	"time"
)

// Viewer is what decides which groups and projects a user can access.
type Viewer struct {
	UserID      int64
	Admin       bool
	Memberships Memberships
}

// RoleIn returns the viewer's role in the project: the highest in the project
// and the groups above it. Administrators own every project, and users those in
// their own namespace.
func (v Viewer) RoleIn(p Project, now time.Time) Role {
	return v.role(p.OwnerID, p.Places(), now)
}

// RoleInGroup returns the viewer's role in the group by the same rules.
func (v Viewer) RoleInGroup(g Group, now time.Time) Role {
	return v.role(g.OwnerID, g.Places(), now)
}

func (v Viewer) role(ownerID int64, places []Place, now time.Time) Role {
	if v.Admin || ownerID != 0 && ownerID == v.UserID {
		return Owner
	}
	return v.Memberships.role(places, now)
}

// Sees reports whether a signed-in user with this role sees a group or project
// with this visibility.
func Sees(r Role, v Visibility) bool { return r > NoRole || v == Internal || v == Public }

// Filter selects groups or projects for a list.
type Filter struct {
	All     bool    // passes everything
	OwnerID int64   // passes projects in this user's own namespace
	Places  []Place // passes these places and everything below them
	// MembersOnly stops passing what every signed-in user sees.
	MembersOnly bool
	// Search keeps only projects with this text in their name or full path, in
	// any letter case. It does not apply to groups.
	Search string
}

// Filter returns the filter that passes what the viewer sees.
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
