package project

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/page"
)

// maxShared is how many memberships of each of two users Share looks at.
const maxShared = 100

// Share reports whether both users have a role in one group or project now. Among more
// than maxShared memberships of one of them it may find none that they share.
func (r *Rules) Share(ctx context.Context, userID, otherID int64) (bool, error) {
	viewers := []Viewer{{UserID: userID}, {UserID: otherID}}
	reads, readCtx := errgroup.WithContext(ctx)
	for i := range viewers {
		reads.Go(func() (err error) {
			viewers[i].Memberships, err = r.SomeMemberships(readCtx, viewers[i].UserID, maxShared)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return false, err
	}
	// Of two places in which they have roles, one in the other, both have one in the lower.
	places, err := r.placesOf(ctx, slices.Concat(viewers[0].Memberships, viewers[1].Memberships))
	shared := func(at GroupOrProject) bool {
		return viewers[0].RoleIn(at, r.now()) > NoRole && viewers[1].RoleIn(at, r.now()) > NoRole
	}
	return slices.ContainsFunc(places, shared), err
}

// placesOf returns the groups and projects of the memberships.
func (r *Rules) placesOf(ctx context.Context, all Memberships) ([]GroupOrProject, error) {
	ids := map[Kind][]int64{}
	for _, m := range all {
		if !slices.Contains(ids[m.Kind], m.ID) {
			ids[m.Kind] = append(ids[m.Kind], m.ID)
		}
	}
	var groups map[int64]Group
	var projects map[int64]Project
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		groups, err = r.GroupsByID(ctx, ids[InGroup])
		return err
	})
	reads.Go(func() (err error) {
		projects, err = r.ProjectsByID(ctx, ids[InProject])
		return err
	})
	err := reads.Wait()
	var places []GroupOrProject
	for _, g := range groups {
		places = append(places, g)
	}
	for _, p := range projects {
		places = append(places, p)
	}
	return places, err
}

// MaxBeside is how many groups, and how many projects, Beside names.
const MaxBeside = 8

// Beside returns the newest groups and projects of which the user is a direct member now:
// those by which others know the user. It costs as much however many more there are.
func (r *Rules) Beside(ctx context.Context, userID int64) (places []Place, err error) {
	found := make([]page.Of[Member], 2)
	reads, ctx := errgroup.WithContext(ctx)
	for n, k := range []Kind{InGroup, InProject} {
		reads.Go(func() (err error) {
			found[n], err = r.MembershipPage(ctx, k, userID, page.Request{Number: 1, Size: MaxBeside, Uncounted: true})
			return err
		})
	}
	err = reads.Wait()
	for _, m := range slices.Concat(found[0].Items, found[1].Items) {
		if m.Active(r.now()) {
			places = append(places, m.Place)
		}
	}
	return places, err
}
