package project

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/throttle"
)

// MembersOf returns a page of the members of these places without the total. Pass
// Places for everyone with a role, and Place for direct members.
func (r *Rules) MembersOf(ctx context.Context, wanted page.Request, places ...Place) (page.Of[Member], error) {
	return r.Members(ctx, r.now(), wanted, places...)
}

// MembersAmong returns those of the users who are members of these places, by ascending
// user id, each once with the highest role.
func (r *Rules) MembersAmong(ctx context.Context, userIDs []int64, places ...Place) ([]Member, error) {
	ids := slices.Compact(slices.Sorted(slices.Values(userIDs)))
	found, err := r.MembershipsAmong(ctx, ids, places...)
	highest, higher := map[int64]Member{}, Higher(r.now())
	for _, m := range found {
		if other, twice := highest[m.UserID]; twice {
			m = higher(other, m)
		}
		highest[m.UserID] = m
	}
	var members []Member
	for _, id := range ids {
		if m, there := highest[id]; there && m.Active(r.now()) {
			members = append(members, m)
		}
	}
	return members, err
}

// TotalOf returns the total of the list of which MembersOf returned this page. The
// last page of a short list tells it without a read. That of a long one would tell
// another total than the pages before it.
func (r *Rules) TotalOf(ctx context.Context, found page.Of[Member], wanted page.Request, places ...Place) (int, error) {
	last := wanted.Offset() + len(found.Items)
	if len(found.Items) > 0 && !found.More && !wanted.After.Some() && last <= FewMembers {
		return last, nil
	}
	n, err := r.CountMembers(ctx, r.now(), places...)
	return page.Count(n), err
}

// SomeFrom returns members of these places with at least this role, n of them or
// fewer. It looks only at the first page.MaxSize members.
func (r *Rules) SomeFrom(ctx context.Context, least Role, n int, places ...Place) ([]Member, error) {
	found, err := r.Members(ctx, r.now(), page.Request{Number: 1, Size: page.MaxSize}, places...)
	from := slices.DeleteFunc(found.Items, func(m Member) bool { return m.Role < least })
	return from[:min(n, len(from))], err
}

// Position is the place of the member in a list.
func (m Member) Position() page.Position { return page.At(m.UserID) }

// Higher returns the function that returns that of two memberships that has not ended
// by now, with the higher role, or the first.
func Higher(now time.Time) func(a, b Member) Member {
	return func(a, b Member) Member {
		if b.Active(now) && (!a.Active(now) || b.Role > a.Role) {
			return b
		}
		return a
	}
}

// Member returns the user's direct membership of the place, or a
// fault.NotFound error when there is none or it has ended.
func (r *Rules) Member(ctx context.Context, at Place, userID int64) (Member, error) {
	m, err := r.stored(ctx, at, userID)
	if err == nil && !m.Active(r.now()) {
		return Member{}, ErrMemberNotFound
	}
	return m, err
}

// stored returns the user's direct membership of the place, even if it has
// ended.
func (r *Rules) stored(ctx context.Context, at Place, userID int64) (Member, error) {
	found, err := r.MembershipsAt(ctx, userID, at)
	switch {
	case err != nil:
		return Member{}, err
	case len(found) == 0:
		return Member{}, ErrMemberNotFound
	}
	return found[0], nil
}

// GroupOrProject is a Group or a Project.
type GroupOrProject interface {
	Place() Place
	Places() []Place
	Where() string
	Access() (ownerID int64, v Visibility)
}

// Inviter is who makes users members of a group or project.
type Inviter struct {
	audit.Actor
	Role  Role // there
	Admin bool // has no limits
}

// Nobody is asked before others make them a member. So these limit how many
// memberships an account gives others in an hour, and how many all others together
// give an account.
var (
	invitationLimit = throttle.Limit{Failures: 100, Window: time.Hour}
	invitedLimit    = throttle.Limit{Failures: 100, Window: time.Hour}
)

// Invite makes a user a member. The inviter needs the ManagerRole in the group or
// project and cannot give a role above their own there. Invite calls also while it
// counts the invitation; its error comes first. It returns a fault.Conflict error
// for a present member, a fault.NotFound error for an unknown user, and a
// fault.TooMany error beyond the limits.
func (r *Rules) Invite(ctx context.Context, by Inviter, at GroupOrProject, m Member, also ...func(context.Context) error) error {
	m.Place, m.CreatedAt = at.Place(), r.now()
	invitation, err := r.countInvitation(ctx, by, m, also)
	if err == nil {
		err = r.checkTerms(by.Role, m)
	}
	if err == nil {
		err = r.addOrRenew(ctx, m)
	}
	if err != nil {
		return errors.Join(err, r.attempts.Withdraw(ctx, invitation))
	}
	r.trail.Record(ctx, m.event(EventMemberAdded, by.Actor, at, NoRole))
	return nil
}

// countInvitation counts the invitation, unless it is of the inviter or by an
// administrator, and calls also at the same time.
func (r *Rules) countInvitation(ctx context.Context, by Inviter, m Member, also []func(context.Context) error) (throttle.Attempt, error) {
	var invitation throttle.Attempt
	var refused error
	calls, callCtx := errgroup.WithContext(ctx)
	for _, call := range also {
		calls.Go(func() error { return call(callCtx) })
	}
	if !by.Admin && m.UserID != by.UserID {
		invitation, refused = r.attempts.Count(ctx,
			throttle.Deed{Kind: throttle.Invitation, Account: strconv.FormatInt(by.UserID, 10), Limit: invitationLimit},
			throttle.Deed{Kind: throttle.Invited, Account: strconv.FormatInt(m.UserID, 10), Limit: invitedLimit})
	}
	if err := calls.Wait(); err != nil {
		return invitation, err
	}
	return invitation, refused
}

// addOrRenew adds the member. It replaces a membership that has ended.
func (r *Rules) addOrRenew(ctx context.Context, m Member) error {
	err := r.store.AddMember(ctx, m)
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
	return r.store.UpdateMember(ctx, was, m)
}

// ChangeMember gives a member, as it was read, another role or end. The actor
// needs the ManagerRole, and neither the old nor the new role may be above the
// actor's own. It returns a fault.Conflict error when the member was changed in
// between.
func (r *Rules) ChangeMember(ctx context.Context, by audit.Actor, role Role, at GroupOrProject, was, next Member) error {
	if err := checkStanding(role, was); err != nil {
		return err
	}
	if err := r.checkTerms(role, next); err != nil {
		return err
	}
	var staying []Member
	if next.Role < Owner || next.endsBefore(was) {
		var err error
		if staying, err = r.ownerBeside(ctx, by, at, was); err != nil {
			return err
		}
	}
	if err := r.store.UpdateMember(ctx, was, next, staying...); err != nil {
		return err
	}
	r.trail.Record(ctx, next.event(EventMemberChanged, by, at, was.Role))
	return nil
}

// Expel ends a membership: the actor's own, or that of a member with no higher
// role if the actor's role is at least the ManagerRole. It returns a
// fault.Conflict error when the member is changed at the same time.
func (r *Rules) Expel(ctx context.Context, by audit.Actor, role Role, at GroupOrProject, userID int64) error {
	if role < at.Place().ManagerRole() && userID != by.UserID {
		return errNoManager
	}
	m, err := r.Member(ctx, at.Place(), userID)
	if err != nil {
		return err
	}
	if err := checkStanding(role, m); err != nil {
		return err
	}
	return r.end(ctx, by, at, m)
}

// end ends a membership as it was read.
func (r *Rules) end(ctx context.Context, by audit.Actor, at GroupOrProject, m Member) error {
	staying, err := r.ownerBeside(ctx, by, at, m)
	if err != nil {
		return err
	}
	if err := r.store.RemoveMember(ctx, m, staying...); err != nil {
		return err
	}
	r.trail.Record(ctx, Member{UserID: m.UserID}.event(EventMemberRemoved, by, at, NoRole))
	return nil
}

// ManagerRole is the role needed to change other users' memberships.
func (p Place) ManagerRole() Role {
	if p.Kind == InGroup {
		return Owner
	}
	return Maintainer
}

// ErrLastOwner means that a top-level group would be without an owner.
var ErrLastOwner = fault.New(fault.Conflict, "this is the last owner of the group: make somebody else an owner first, or delete the group")

// ownerBeside returns an owner whom a top-level group keeps when this one gives up the role
// or gets an end, and nobody for other places and roles. Only an administrator, who can make
// another owner, ends the role of the last one.
func (r *Rules) ownerBeside(ctx context.Context, by audit.Actor, at GroupOrProject, m Member) ([]Member, error) {
	if at.Place().Kind != InGroup || len(at.Places()) > 1 || m.Role != Owner {
		return nil, nil
	}
	for wanted := (page.Request{Number: 1, Size: page.MaxSize}); ; wanted.Number++ {
		found, err := r.Members(ctx, r.now(), wanted, at.Place())
		if err != nil {
			return nil, err
		}
		for _, other := range found.Items {
			if stays, err := r.staysOwner(ctx, other, m); err != nil || stays {
				return []Member{other}, err
			}
		}
		if !found.More {
			return nil, r.checkAdministrator(ctx, by, ErrLastOwner)
		}
		wanted.After = found.Next
	}
}

// staysOwner reports whether the other member is an owner for at least as long as this one,
// and not blocked.
func (r *Rules) staysOwner(ctx context.Context, other, m Member) (bool, error) {
	if other.UserID == m.UserID || other.Role != Owner || other.endsBefore(m) {
		return false, nil
	}
	u, err := r.store.User(ctx, other.UserID)
	return err == nil && !u.Blocked(), fault.IgnoreNotFound(err)
}

// endsBefore reports whether the membership ends before the other one.
func (m Member) endsBefore(other Member) bool {
	return !m.ExpiresAt.IsZero() && (other.ExpiresAt.IsZero() || m.ExpiresAt.Before(other.ExpiresAt))
}

var errNoManager = fault.New(fault.Forbidden, "")

// checkTerms checks what an actor with this role gives a member.
func (r *Rules) checkTerms(own Role, m Member) error {
	switch {
	case own < m.ManagerRole():
		return errNoManager
	case !m.Role.Valid():
		return fault.Field("access_level", "does not have a valid value")
	case m.Role > own:
		return fault.New(fault.Forbidden, "the role is above your own")
	case !m.Active(r.now()):
		return fault.Field("expires_at", "must be in the future")
	}
	return nil
}

func checkStanding(own Role, m Member) error {
	if m.Role > own {
		return fault.New(fault.Forbidden, "the member's role is above your own")
	}
	return nil
}
