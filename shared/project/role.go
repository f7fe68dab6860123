package project

import "context"

// Known are memberships of a user, read before it is known in which group or
// project the user's role is asked for: beside the read of that, not after it.
// The zero Known knows nothing.
type Known struct {
	memberships Memberships
	all         bool // the user has no others
}

// maxKnown is how many memberships Known reads. Most people have no more, so that
// Known is all that it takes to tell their role anywhere.
const maxKnown = 25

// Known reads the user's memberships, or some of them if they are many.
func (r *Rules) Known(ctx context.Context, userID int64) (Known, error) {
	found, err := r.SomeMemberships(ctx, userID, maxKnown+1)
	return Known{found, err == nil && len(found) <= maxKnown}, err
}

// RoleIn returns the viewer's role in the group or project, as Viewer.RoleIn does.
// If the known memberships are not all of the viewer's, it reads those of the
// group or project and of the groups above, which are a few at any rate.
func (r *Rules) RoleIn(ctx context.Context, v Viewer, known Known, at GroupOrProject) (role Role, err error) {
	v.Memberships = known.memberships
	if !known.all && !v.owns(at) {
		v.Memberships, err = r.MembershipsAt(ctx, v.UserID, at.Places()...)
	}
	return v.RoleIn(at, r.now()), err
}
