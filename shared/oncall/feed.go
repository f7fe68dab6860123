package oncall

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
)

// Calendar is what a feed shows: shifts with the names that they need.
type Calendar struct {
	Name   string
	Shifts []NamedShift
}

// NamedShift is a shift in a calendar.
type NamedShift struct {
	Shift
	ScheduleID int64
	Schedule   string
	Rotation   string // empty: none
	Project    string // its full path
	User       string // the name
}

// The bounds of a feed.
const (
	feedMonths = 12
	maxEntries = 5000
	feedSecret = 20 // bytes
)

// The address of a feed begins with FeedsPath, and FeedEnd ends its path.
const (
	FeedsPath = "/-/calendar/"
	FeedEnd   = ".ics"
)

// FeedPath returns the path and query at which whoever knows the token reads the feed of a
// schedule.
func FeedPath(p project.Project, s Stored, token secret.Text) string {
	return feedPath(fmt.Sprintf("schedules/%d/%d", p.ID, s.ID), token)
}

// OwnFeedPath returns those of the feed of a user.
func OwnFeedPath(userID int64, token secret.Text) string {
	return feedPath(fmt.Sprintf("users/%d", userID), token)
}

func feedPath(name string, token secret.Text) string {
	return FeedsPath + name + FeedEnd + "?" + url.Values{"token": {token.Reveal()}}.Encode()
}

// ErrNoFeed says that there is no feed, or that the secret is another.
var ErrNoFeed = fault.New(fault.NotFound, "calendar feed not found")

// RenewFeed makes the secret of the schedule's feed and ends the former one. Only the
// digest of the secret is kept.
func (r *Rules) RenewFeed(ctx context.Context, by Who, p project.Project, was Stored) (secret.Text, error) {
	fresh := secret.New("", feedSecret)
	return fresh, r.setFeed(ctx, by, EventFeedRenewed, p, was, fresh.Digest().String())
}

// EndFeed ends the schedule's feed. That there is none is no error, and not in the
// trail.
func (r *Rules) EndFeed(ctx context.Context, by Who, p project.Project, was Stored) error {
	if was.Thing.Feed == "" {
		return by.maintains()
	}
	return r.setFeed(ctx, by, EventFeedEnded, p, was, "")
}

func (r *Rules) setFeed(ctx context.Context, by Who, name audit.Name, p project.Project, was Stored, digest string) error {
	if err := by.maintains(); err != nil {
		return err
	}
	_, err := r.edit(ctx, by, name, p, was, func(s *Schedule) (audit.Details, error) {
		s.Feed = digest
		return nil, nil
	})
	return err
}

// ownFeed is the feed of a user. It is stored in the instance under the user's id.
type ownFeed struct {
	Digest string `json:"digest"` // of the secret; empty: there is no feed
}

var ownFeeds = record.Of[ownFeed]{Kind: record.ShiftFeed}

// RenewOwnFeed makes the secret of the feed of the user in whose name the actor acts, and
// ends the former one.
func (r *Rules) RenewOwnFeed(ctx context.Context, by audit.Actor) (secret.Text, error) {
	fresh := secret.New("", feedSecret)
	return fresh, r.setOwnFeed(ctx, by, EventFeedRenewed, fresh.Digest().String())
}

// HasOwnFeed reports whether the user has a feed.
func (r *Rules) HasOwnFeed(ctx context.Context, userID int64) (bool, error) {
	feed, err := ownFeeds.Find(ctx, r.store, record.Instance, userID)
	return feed.Thing.Digest != "", fault.IgnoreNotFound(err)
}

// EndOwnFeed ends that feed. That there is none is no error, and not in the trail.
func (r *Rules) EndOwnFeed(ctx context.Context, by audit.Actor) error {
	return r.setOwnFeed(ctx, by, EventFeedEnded, "")
}

func (r *Rules) setOwnFeed(ctx context.Context, by audit.Actor, name audit.Name, digest string) error {
	was, err := ownFeeds.FindOr(ctx, r.store, record.Instance, by.UserID, ownFeed{}, r.now())
	if err != nil || digest == was.Thing.Digest {
		return err
	}
	return r.trail.Do(ctx, by.Event(name, nil), func(ctx context.Context) error {
		_, err := ownFeeds.Change(ctx, r.store, was, func(f *ownFeed) error {
			f.Digest = digest
			return nil
		})
		return err
	})
}

// matches reports in constant time whether the text is the secret with the stored digest.
func matches(stored string, given secret.Text) bool {
	var digest secret.Digest
	n, err := hex.Decode(digest[:], []byte(stored))
	return err == nil && n == len(digest) && digest.Matches(given)
}

// ScheduleFeed returns the shifts of the schedule from now on, if the secret is that of its
// feed.
func (r *Rules) ScheduleFeed(ctx context.Context, projectID, scheduleID int64, given secret.Text) (Calendar, error) {
	s, err := schedules.Find(ctx, r.store, project.Place{Kind: project.InProject, ID: projectID}, scheduleID)
	if err != nil || !matches(s.Thing.Feed, given) {
		return Calendar{}, noFeed(err)
	}
	found, err := r.store.ProjectsByID(ctx, []int64{projectID})
	p, there := found[projectID]
	if err != nil || !there {
		return Calendar{}, noFeed(err)
	}
	shifts, err := r.named(ctx, p, s, func(Shift) bool { return true })
	return Calendar{s.Thing.Name, upTo(maxEntries, shifts)}, err
}

// UserFeed returns the shifts of the user in all projects from now on, if the secret is that
// of their feed.
func (r *Rules) UserFeed(ctx context.Context, userID int64, given secret.Text) (Calendar, error) {
	feed, err := ownFeeds.Find(ctx, r.store, record.Instance, userID)
	if err != nil || !matches(feed.Thing.Digest, given) {
		return Calendar{}, noFeed(err)
	}
	users, err := r.store.UsersByID(ctx, []int64{userID})
	if u, there := users[userID]; err != nil || !there || u.Blocked() {
		return Calendar{}, noFeed(err)
	}
	shifts, err := r.ofUser(ctx, userID)
	return Calendar{"On call", upTo(maxEntries, shifts)}, err
}

// noFeed returns the error, or ErrNoFeed for none and for one that something is not found.
func noFeed(err error) error {
	if err := fault.IgnoreNotFound(err); err != nil {
		return err
	}
	return ErrNoFeed
}

// ofUser returns the shifts of the user in all schedules, of which the newest hundred are
// looked at.
func (r *Rules) ofUser(ctx context.Context, userID int64) ([]NamedShift, error) {
	found, err := schedules.Listed(ctx, r.store, []record.List{listOf(userID)}, record.Find[Schedule]{}, page.Request{Number: 1, Size: page.MaxSize})
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, s := range found.Items {
		ids = append(ids, s.Place.ID)
	}
	projects, err := r.store.ProjectsByID(ctx, slices.Compact(slices.Sorted(slices.Values(ids))))
	if err != nil {
		return nil, err
	}
	shifts := make([][]NamedShift, len(found.Items))
	reads, group := errgroup.WithContext(ctx)
	reads.SetLimit(8)
	for i, s := range found.Items {
		if p, there := projects[s.Place.ID]; there {
			reads.Go(func() (err error) {
				shifts[i], err = r.named(group, p, s, func(shift Shift) bool { return shift.UserID == userID })
				return err
			})
		}
	}
	err = reads.Wait()
	return slices.Concat(shifts...), err
}

// named returns the shifts of the schedule from now on that are wanted, with names.
func (r *Rules) named(ctx context.Context, p project.Project, s Stored, wanted func(Shift) bool) ([]NamedShift, error) {
	who, err := r.People(ctx, p, s.Thing)
	if err != nil {
		return nil, err
	}
	var all []NamedShift
	for _, shift := range s.Thing.upcoming(r.now(), who.Present, wanted) {
		rotation, _ := s.Thing.Rotation(shift.RotationID)
		u, _ := who.User(shift.UserID)
		all = append(all, NamedShift{Shift: shift, ScheduleID: s.ID, Schedule: s.Thing.Name, Rotation: rotation.Name, Project: p.FullPath, User: u.Name})
	}
	return all, nil
}

// upcoming returns the wanted shifts of the next year, or the first of them. It computes a
// month at a time, because a year of many short shifts is more than a feed has.
func (s Schedule) upcoming(now time.Time, present Presence, wanted func(Shift) bool) (all []Shift) {
	for month := range feedMonths {
		from, until := now.AddDate(0, month, 0), now.AddDate(0, month+1, 0)
		for _, shift := range s.ShiftsBetween(from, until, present) {
			seen := month > 0 && shift.StartsAt.Before(from)
			if !seen && wanted(shift) {
				all = append(all, shift)
			}
		}
		if len(all) >= maxEntries {
			return all[:maxEntries]
		}
	}
	return all
}

// upTo returns the first n shifts, by their start.
func upTo(n int, shifts []NamedShift) []NamedShift {
	slices.SortStableFunc(shifts, func(a, b NamedShift) int { return inOrder(a.Shift, b.Shift) })
	return shifts[:min(n, len(shifts))]
}
