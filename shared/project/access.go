package project

import (
	"slices"
	"time"
)

// Viewer is what decides which groups and projects a user can access.
type Viewer struct {
	UserID      int64
	NamespaceID int64 // of the user's own namespace; only lists need it
	Admin       bool
	Memberships Memberships // lists read what they need of them
}

// RoleIn returns the viewer's role in the group or project: the highest there
// and in the groups above. Administrators own everything, and users own their
// namespace with the projects in it.
func (v Viewer) RoleIn(at GroupOrProject, now time.Time) Role {
	if v.owns(at) {
		return Owner
	}
	return v.Memberships.role(at.Places(), now)
}

// owns reports whether the viewer is an owner without any membership.
func (v Viewer) owns(at GroupOrProject) bool {
	ownerID, _ := at.Access()
	return v.Admin || ownerID != 0 && ownerID == v.UserID
}

// Sees reports whether a signed-in user with this role sees a group or project
// with this visibility.
func Sees(r Role, v Visibility) bool { return r > NoRole || v == Internal || v == Public }

// Filter passes groups or projects one by one. It says plainly what the lists of a
// Selection have, without a look at everything.
type Filter struct {
	All     bool    // passes everything
	OwnerID int64   // passes projects in this user's own namespace
	Places  []Place // passes these places and everything below them
	// MembersOnly stops passing what every signed-in user sees.
	MembersOnly bool
	// Open stops passing what is private.
	Open bool
	// Search keeps only projects with this text in their name or full path, in
	// any letter case. It does not apply to groups.
	Search string
}

// Project reports whether the filter passes the project.
func (f Filter) Project(p Project) bool {
	return f.passes(p.OwnerID, p.Visibility, p.Places()) && Finds(p.SearchText(), f.Search)
}

// Group reports whether the filter passes the group.
func (f Filter) Group(g Group) bool {
	return f.passes(0, g.Visibility, g.Places())
}

func (f Filter) passes(ownerID int64, v Visibility, places []Place) bool {
	if f.Open && v == Private {
		return false
	}
	return f.All || !f.MembersOnly && Sees(NoRole, v) || ownerID != 0 && ownerID == f.OwnerID ||
		slices.ContainsFunc(f.Places, func(p Place) bool { return slices.Contains(places, p) })
}
