// Package participant finds out which users take part in a project. Approval rules and
// merge requests name only such users, because whoever reads them learns the names.
package participant

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/batch"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// Participant is a user with a role in a project, NoRole for one who is blocked or
// does not take part. An administrator has the role of a member like anybody else:
// otherwise whoever has a project would find out who the administrators are.
type Participant struct {
	user.User
	Role project.Role
}

// Store finds users and their memberships.
type Store interface {
	UsersByID(ctx context.Context, ids []int64) (map[int64]user.User, error)
	SomeMemberships(ctx context.Context, userID int64, n int) (project.Memberships, error)
	MembershipsAmong(ctx context.Context, userIDs []int64, places ...project.Place) (project.Memberships, error)
}

// Find returns the users with these ids that exist, by id, with their roles in the
// project. However many they are, they are read in one go.
func Find(ctx context.Context, s Store, p project.Project, userIDs []int64, now time.Time) (map[int64]Participant, error) {
	if len(userIDs) == 0 {
		return nil, nil
	}
	ids := slices.Compact(slices.Sorted(slices.Values(userIDs)))
	users, memberships, err := read(ctx, s, ids, p.Places())
	found := make(map[int64]Participant, len(users))
	for id, u := range users {
		found[id] = Participant{u, roleOf(u, p, memberships, now)}
	}
	return found, err
}

// Up to maxAsked memberships are looked up, one of each user in each place. If that is
// not enough, all memberships of each user are read, unless there are more than maxKnown.
const (
	maxAsked = 100
	maxKnown = 25
)

// read returns the users, and their memberships of the places and maybe of others.
func read(ctx context.Context, s Store, ids []int64, places []project.Place) (users map[int64]user.User, memberships project.Memberships, err error) {
	readUsers := func(ctx context.Context) (err error) {
		users, err = s.UsersByID(ctx, ids)
		return err
	}
	if len(ids)*len(places) <= maxAsked {
		err = batch.Together(ctx, readUsers, func(ctx context.Context) (err error) {
			memberships, err = s.MembershipsAmong(ctx, ids, places...)
			return err
		})
		return users, memberships, err
	}
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() error { return readUsers(ctx) })
	reads.Go(func() (err error) {
		memberships, err = membershipsOf(ctx, s, ids, places)
		return err
	})
	err = reads.Wait() // the results are complete only now
	return users, memberships, err
}

// membershipsOf returns the memberships of many users.
func membershipsOf(ctx context.Context, s Store, userIDs []int64, places []project.Place) (project.Memberships, error) {
	some := make([]project.Memberships, len(userIDs))
	reads, group := errgroup.WithContext(ctx)
	for n, id := range userIDs {
		reads.Go(func() (err error) {
			if some[n], err = s.SomeMemberships(group, id, maxKnown+1); err == nil && len(some[n]) > maxKnown {
				some[n], err = s.MembershipsAmong(group, []int64{id}, places...)
			}
			return err
		})
	}
	err := reads.Wait()
	return slices.Concat(some...), err
}

func roleOf(u user.User, p project.Project, all project.Memberships, now time.Time) project.Role {
	if u.Blocked() {
		return project.NoRole
	}
	own := slices.DeleteFunc(slices.Clone(all), func(m project.Member) bool { return m.UserID != u.ID })
	return project.Viewer{UserID: u.ID, Memberships: own}.RoleIn(p, now)
}

// Check returns a complaint unless all the users take part in the project. It is the
// same for a user who does not exist.
func Check(ctx context.Context, s Store, p project.Project, userIDs []int64, now time.Time) (complaint string, err error) {
	found, err := Find(ctx, s, p, userIDs, now)
	for _, id := range userIDs {
		if found[id].Role == project.NoRole {
			return "has users who are not members of the project", err
		}
	}
	return "", err
}
