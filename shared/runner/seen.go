package runner

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/project"
)

// Seen is a runner as a viewer sees it.
type Seen struct {
	Stored
	// Projects and Groups have the runner; these are those of which the viewer is a
	// member. The first is that which the runner belongs to, if it is among them.
	Projects []project.Project
	Groups   []project.Group
	Manages  bool // the viewer may change the runner
	admin    bool
	shared   bool // several projects have it
}

// One returns the runner with this id. Those of the instance are for everyone, others
// for who manages them or a project that they are assigned to. It returns a
// fault.NotFound error, or ErrNoAccess.
func (r *Rules) One(ctx context.Context, v project.Viewer, id int64) (Seen, error) {
	s, err := runners.FindListed(ctx, r.store, all, id)
	if err != nil {
		return Seen{}, err
	}
	switch TypeOf(s.Place) {
	case GroupType:
		return r.ofGroup(ctx, v, s)
	case ProjectType:
		return r.ofProjects(ctx, v, s)
	}
	return Seen{Stored: s, Manages: v.Admin, admin: v.Admin}, nil
}

func (r *Rules) ofGroup(ctx context.Context, v project.Viewer, s Stored) (Seen, error) {
	var found map[int64]project.Group
	reads, readCtx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		found, err = r.store.GroupsByID(readCtx, []int64{s.Place.ID})
		return err
	})
	reads.Go(func() (err error) {
		v.Memberships, err = r.memberships(readCtx, v, home(s).Places())
		return err
	})
	if err := reads.Wait(); err != nil {
		return Seen{}, err
	}
	if !manages(v, s, r.now()) {
		return Seen{}, ErrNoAccess
	}
	return Seen{Stored: s, Groups: slices.Collect(maps.Values(found)), Manages: true, admin: v.Admin}, nil
}

// ofProjects first reads the projects, because the roles in them depend on the groups
// above each.
func (r *Rules) ofProjects(ctx context.Context, v project.Viewer, s Stored) (Seen, error) {
	ids := append([]int64{s.Place.ID}, s.Thing.Projects...)
	found, err := r.store.ProjectsByID(ctx, ids)
	if err != nil {
		return Seen{}, err
	}
	places := map[project.Place]bool{}
	for _, p := range found {
		for _, at := range p.Places() {
			places[at] = true
		}
	}
	if v.Memberships, err = r.memberships(ctx, v, slices.Collect(maps.Keys(places))); err != nil {
		return Seen{}, err
	}
	now := r.now()
	seen := Seen{Stored: s, Manages: manages(v, s, now), admin: v.Admin, shared: len(found) > 1}
	uses := false
	for _, id := range ids {
		p, there := found[id]
		if role := v.RoleIn(p, now); there && role > project.NoRole {
			seen.Projects = append(seen.Projects, p)
			uses = uses || role >= roleToManage(ProjectType)
		}
	}
	if !seen.Manages && !uses {
		return Seen{}, ErrNoAccess
	}
	return seen, nil
}

// memberships returns those that the roles of the viewer in the places come from.
func (r *Rules) memberships(ctx context.Context, v project.Viewer, places []project.Place) (project.Memberships, error) {
	if v.Admin || len(places) == 0 {
		return nil, nil
	}
	return r.store.MembershipsAt(ctx, v.UserID, places...)
}
