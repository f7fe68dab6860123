package project

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"gatehouse/shared/fault"
)

// MembersOf returns who is a member by way of these places, each user once
// with the highest role, by ascending user id. Memberships that have ended do
// not count. For Places it is everybody with a role there, for the Place alone
// its direct members.
func (r *Rules) MembersOf(ctx context.Context, places ...Place) ([]Member, error) {
	all, err := r.Members(ctx, places...)
	if err != nil {
		return nil, err
	}
	now := r.now()
	highest := map[int64]Member{}
	for _, m := range all {
		if m.Active(now) && m.Role > highest[m.UserID].Role {
			highest[m.UserID] = m
		}
	}
	byUser := func(a, b Member) int { return cmp.Compare(a.UserID, b.UserID) }
	return slices.SortedFunc(maps.Values(highest), byUser), nil
}

// MembersFrom returns those of MembersOf who have the role or a higher one.
func (r *Rules) MembersFrom(ctx context.Context, least Role, places ...Place) ([]Member, error) {
	all, err := r.MembersOf(ctx, places...)
	return slices.DeleteFunc(all, func(m Member) bool { return m.Role < least }), err
}

// Member returns the user's membership of the place itself, or a
// fault.NotFound error when there is none that still counts.
func (r *Rules) Member(ctx context.Context, at Place, userID int64) (Member, error) {
	m, err := r.stored(ctx, at, userID)
	if err == nil && !m.Active(r.now()) {
		return Member{}, errNoMember
	}
	return m, err
}

var errNoMember = fault.New(fault.NotFound, "no such member")

// stored returns the user's membership of the place itself, also one that has
// ended.
func (r *Rules) stored(ctx context.Context, at Place, userID int64) (Member, error) {
	members, err := r.Members(ctx, at)
	if err != nil {
		return Member{}, err
	}
	for _, m := range members {
		if m.UserID == userID {
			return m, nil
		}
	}
	return Member{}, errNoMember
}

// Invite makes a user a member. Nobody gives a role above the own one. It
// returns a fault.Conflict error for a member, and a fault.NotFound error when
// there is no such user.
func (r *Rules) Invite(ctx context.Context, by Role, m Member) error {
	if err := r.checkTerms(by, m); err != nil {
		return err
	}
	m.CreatedAt = r.now()
	err := r.AddMember(ctx, m)
	if !errors.Is(err, fault.Conflict) {
		return err
	}
	was, err := r.stored(ctx, m.Place, m.UserID)
	switch {
	case err != nil:
		return err
	case was.Active(r.now()):
		return fault.New(fault.Conflict, "Member already exists")
	}
	return r.UpdateMember(ctx, was, m) // renews a membership that has ended
}

// ChangeMember gives a member, as it was read, another role or another end.
// Nobody changes a member with a role above the own one. It returns a
// fault.Conflict error when somebody else changed the member since.
func (r *Rules) ChangeMember(ctx context.Context, by Role, was, next Member) error {
	if err := checkStanding(by, was); err != nil {
		return err
	}
	if err := r.checkTerms(by, next); err != nil {
		return err
	}
	return r.UpdateMember(ctx, was, next)
}

// Expel ends a membership. Nobody expels a member with a role above the own
// one. It returns a fault.Conflict error when somebody else changes the member
// meanwhile.
func (r *Rules) Expel(ctx context.Context, by Role, at Place, userID int64) error {
	m, err := r.Member(ctx, at, userID)
	if err != nil {
		return err
	}
	if err := checkStanding(by, m); err != nil {
		return err
	}
	return r.RemoveMember(ctx, m)
}

func (r *Rules) checkTerms(by Role, m Member) error {
	switch {
	case m.Role > by:
		return fault.New(fault.Forbidden, "the role is above your own")
	case !m.Active(r.now()):
		return fault.Field("expires_at", "must be in the future")
	}
	return nil
}

func checkStanding(by Role, m Member) error {
	if m.Role > by {
		return fault.New(fault.Forbidden, "the member's role is above your own")
	}
	return nil
}
