package project

import (
	"context"
	"slices"
)

// Known are memberships of a user, read before it is known in which group or
// project the user's role is asked for: beside the read of that, not after it.
// The zero Known knows nothing.
type Known struct {
	memberships Memberships
	all         bool  // the user has no others
	at          Place // they are all that give the user a role here; none if zero
}

// tell reports whether they tell the user's role in the place.
func (k Known) tell(at Place) bool { return k.all || k.at == at }

// maxKnown is how many memberships Known reads. Most people have no more, so that
// Known is all that it takes to tell their role anywhere.
const maxKnown = 25

// Known reads the user's memberships, or some of them if they are many.
func (r *Rules) Known(ctx context.Context, userID int64) (Known, error) {
	found, err := r.SomeMemberships(ctx, userID, maxKnown+1)
	return Known{memberships: found, all: err == nil && len(found) <= maxKnown}, err
}

// RoleIn returns the viewer's role in the group or project, as Viewer.RoleIn does.
// If the known memberships do not tell it, it reads those of the group or project and of
// the groups above, which are a few at any rate. It returns what is known then.
func (r *Rules) RoleIn(ctx context.Context, v Viewer, known Known, at GroupOrProject) (Role, Known, error) {
	var err error
	if !v.owns(at) {
		known, err = r.knownIn(ctx, v.UserID, known, at)
	}
	v.Memberships = known.memberships
	return v.RoleIn(at, r.now()), known, err
}

// knownIn returns what tells the user's role in the group or project.
func (r *Rules) knownIn(ctx context.Context, userID int64, known Known, at GroupOrProject) (Known, error) {
	if known.tell(at.Place()) {
		return known, nil
	}
	ms, err := r.MembershipsAt(ctx, userID, at.Places()...)
	return Known{memberships: ms, at: at.Place()}, err
}

// MemberRoles returns the roles that the user's memberships give in the project: that of
// the project itself, and the highest of the groups that it is in.
func (r *Rules) MemberRoles(ctx context.Context, userID int64, known Known, p Project) (inProject, inGroup Role, err error) {
	known, err = r.knownIn(ctx, userID, known, p)
	ms := known.memberships
	own := p.Place()
	groups := slices.DeleteFunc(p.Places(), func(at Place) bool { return at == own })
	return ms.role([]Place{own}, r.now()), ms.role(groups, r.now()), err
}
