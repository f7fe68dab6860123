package dynamodb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"golang.org/x/sync/errgroup"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

var (
	countInGroup   = shape{directory, "GROUP#<id>", "MEMBERS", "how many members a group has", ""}
	countInProject = shape{directory, "PROJECT#<id>", "MEMBERS", "how many members a project has", ""}
)

func countOf(p project.Place) key {
	if p.Kind == project.InProject {
		return countInProject.key(p.ID)
	}
	return countInGroup.key(p.ID)
}

// CountMembers returns how many members these places have.
func (s *Store) CountMembers(ctx context.Context, now time.Time, places ...project.Place) (int, error) {
	keys := make([]key, len(places))
	for i, place := range places {
		keys[i] = countOf(place)
	}
	kept, err := s.getAll(ctx, keys)
	if err != nil {
		return 0, fmt.Errorf("read counts of members: %w", err)
	}
	users, many := make([][]int64, len(places)), make([]int, len(places))
	reads, ctx := errgroup.WithContext(ctx)
	for i, place := range places {
		reads.Go(func() (err error) {
			users[i], many[i], err = s.countAt(ctx, place, kept[keys[i]], now)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return 0, fmt.Errorf("count members: %w", err)
	}
	all := slices.Concat(users...)
	slices.Sort(all)
	total := len(slices.Compact(all))
	for _, n := range many {
		total += n
	}
	return min(total, page.CountLimit+1), nil
}

// countAt returns the users who are members of the place or, if it has many
// members, only how many these are, with those whose role ended. That is kept.
func (s *Store) countAt(ctx context.Context, place project.Place, kept item, now time.Time) (users []int64, many int, err error) {
	count, begun, err := readCount(kept)
	if err != nil || begun && count.total() > s.fewMembers {
		return nil, count.total(), err
	}
	users, all, err := s.fewUsers(ctx, place, now)
	if err != nil || all {
		return users, 0, err
	}
	many, err = s.beginMemberCount(ctx, place, kept, count)
	return nil, many, err
}

// fewUsers returns the users who are members of the place, and whether these are
// all: it reads no more than a few.
func (s *Store) fewUsers(ctx context.Context, place project.Place, now time.Time) (users []int64, all bool, err error) {
	input, looked := s.partition(membersOf(place), forward), 0
	input.ProjectionExpression, input.Limit = aws.String("user_id, expires_at"), atOnce(s.fewMembers+1)
	err = s.run(ctx, input, func(it item) (more bool, err error) {
		var m project.Member
		err = fields{{"user_id", &m.UserID}, {"expires_at", &m.ExpiresAt}}.read(it)
		if m.Active(now) {
			users = append(users, m.UserID)
		}
		looked++
		return looked <= s.fewMembers, err
	})
	return users, looked <= s.fewMembers, err
}

// beginMemberCount counts the members of the place and keeps the count, unless
// members came or went meanwhile: then the next call does so.
func (s *Store) beginMemberCount(ctx context.Context, place project.Place, kept item, count keptCount) (n int, err error) {
	input := s.partition(membersOf(place), forward)
	input.ProjectionExpression = aws.String("user_id")
	err = s.run(ctx, input, func(item) (more bool, err error) {
		n++
		return true, nil
	})
	if err != nil {
		return 0, err
	}
	return n, s.writeIf(ctx, count.begin(countOf(place), kept, n))
}
