package project

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
)

// Membership is a user's direct membership, with the full path of the place.
type Membership struct {
	Member
	FullPath string
}

// MembershipsOf returns a page of the user's memberships of groups or of projects,
// also those that have ended. The newest groups and projects come first. The Total
// is not counted.
func (r *Rules) MembershipsOf(ctx context.Context, k Kind, userID int64, req page.Request) (page.Of[Membership], error) {
	found, err := r.MembershipPage(ctx, k, userID, req)
	if err != nil {
		return page.Of[Membership]{}, err
	}
	all := make([]Membership, len(found.Items))
	reads, ctx := errgroup.WithContext(ctx)
	for n, m := range found.Items {
		reads.Go(func() error {
			at, err := r.at(ctx, m.Place)
			if err == nil {
				all[n] = Membership{m, at.Where()}
			}
			return fault.IgnoreNotFound(err) // deleted in between
		})
	}
	err = reads.Wait()
	gone := func(m Membership) bool { return m.FullPath == "" }
	return page.Of[Membership]{Items: slices.DeleteFunc(all, gone), Total: found.Total, More: found.More, Next: found.Next}, err
}

// at returns the group or project that the place is.
func (r *Rules) at(ctx context.Context, p Place) (GroupOrProject, error) {
	if p.Kind == InProject {
		return r.Project(ctx, p.ID)
	}
	return r.Group(ctx, p.ID)
}

// Leave ends the actor's own membership of the group or project. It returns a
// fault.NotFound error when there is none, and a fault.Conflict error when it is
// changed at the same time.
func (r *Rules) Leave(ctx context.Context, by audit.Actor, p Place) error {
	at, err := r.at(ctx, p)
	if err != nil {
		return err
	}
	m, err := r.Member(ctx, p, by.UserID)
	if err != nil {
		return err
	}
	return r.end(ctx, by, at, m)
}
