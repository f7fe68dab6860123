package dynamodb

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/walk"
)

var (
	memberOfUser    = shape{directory, "USER#<id>", "MEMBER#<kind>#<place>", "a membership, found from the user", ""}
	memberOfGroup   = shape{directory, "GROUP#<id>", "MEMBER#<user>", "a membership, found from the group", ""}
	memberOfProject = shape{directory, "PROJECT#<id>", "MEMBER#<user>", "a membership, found from the project", ""}
)

func memberKeys(m project.Member) (ofPlace, ofUser key) {
	return membersOf(m.Place).entry(m.UserID), memberOfUser.key(m.UserID, string(m.Kind), m.ID)
}

// membersOf is the partition of the place's members.
func membersOf(p project.Place) key {
	if p.Kind == project.InProject {
		return memberOfProject.key(p.ID)
	}
	return memberOfGroup.key(p.ID)
}

func requirePlace(p project.Place) change {
	if p.Kind == project.InProject {
		return requireProject(p.ID)
	}
	return requireExists(groupItem.key(p.ID)).orElse(project.ErrGroupNotFound)
}

// A membership is two equal items, written together: one is found from the user,
// as every request needs it, and one from the place.
var members = kind[project.Member]{
	noun:     "member",
	notFound: project.ErrMemberNotFound,
	changed:  project.ErrMemberChanged,
	key: func(m project.Member) key {
		_, ofUser := memberKeys(m)
		return ofUser
	},
	fields: memberFields,
	entry:  memberFields,
}

func memberFields(m *project.Member) fields {
	return append(fields{
		{"kind", (*string)(&m.Kind)}, {"place_id", &m.ID}, {"user_id", &m.UserID}, {"created_at", &m.CreatedAt},
	}, termsOf(m)...)
}

// termsOf lists what can change of a membership.
func termsOf(m *project.Member) fields {
	return fields{{"role", (*int)(&m.Role)}, {"expires_at", &m.ExpiresAt}}
}

// AddMember stores a membership.
func (s *Store) AddMember(ctx context.Context, m project.Member) error {
	ofPlace, ofUser := memberKeys(m)
	return s.write(ctx,
		requirePlace(m.Place),
		requireExists(userItem.key(m.UserID)).orElse(users.notFound),
		create(ofPlace, memberFields(&m)).orElse(project.ErrMemberExists),
		create(ofUser, memberFields(&m)),
		addToCount(countOf(m.Place), 1),
	)
}

// UpdateMember changes Role and ExpiresAt.
func (s *Store) UpdateMember(ctx context.Context, was, next project.Member, staying ...project.Member) error {
	ofPlace, ofUser := memberKeys(was)
	return s.write(ctx, append(requireMembers(staying),
		members.explain(set(ofPlace, termsOf(&next)).ifEqual(termsOf(&was))),
		set(ofUser, termsOf(&next)),
	)...)
}

// requireMembers requires that these are as they were read.
func requireMembers(staying []project.Member) (required []change) {
	for _, m := range staying {
		ofPlace, _ := memberKeys(m)
		required = append(required, requireExists(ofPlace).ifEqual(termsOf(&m)).orElse(project.ErrMemberChanged))
	}
	return required
}

// RemoveMember ends a membership. In a place that is being deleted it would create the
// count anew.
func (s *Store) RemoveMember(ctx context.Context, was project.Member, staying ...project.Member) error {
	ofPlace, ofUser := memberKeys(was)
	return s.write(ctx, append(requireMembers(staying),
		members.explain(mustRemove(ofPlace).ifEqual(termsOf(&was))), mustRemove(ofUser),
		requirePlace(was.Place), addToCount(countOf(was.Place), -1),
	)...)
}

// Members returns a page of the members of these places.
func (s *Store) Members(ctx context.Context, now time.Time, r page.Request, places ...project.Place) (page.Of[project.Member], error) {
	list := walk.List[project.Member]{
		Position: project.Member.Position, Order: page.Ascending, Merge: project.Higher(now),
		Search: func(m project.Member) bool { return m.Active(now) },
		Time:   func(m project.Member) time.Time { return m.CreatedAt },
	}
	for _, place := range places {
		list.Sources = append(list.Sources, s.membersAfter(place))
	}
	return list.Page(ctx, r)
}

// membersAfter is the source of the place's members, also of those whose role ended.
func (s *Store) membersAfter(place project.Place) walk.Source[project.Member] {
	at := membersOf(place)
	return func(ctx context.Context, after page.Position, n int) (found []project.Member, err error) {
		err = s.run(ctx, &sdk.QueryInput{
			TableName: s.table(at), ScanIndexForward: aws.Bool(forward), Limit: atOnce(n),
			KeyConditionExpression:    aws.String("pk = :pk AND sk BETWEEN :low AND :high"),
			ExpressionAttributeValues: item{":pk": text(at.pk), ":low": text(at.entry(after.ID + 1).sk), ":high": text(at.entry(math.MaxInt64).sk)},
		}, func(it item) (more bool, err error) {
			m, err := members.read(it)
			found = append(found, m)
			return len(found) < n, err
		})
		if err != nil {
			return nil, fmt.Errorf("list members: %w", err)
		}
		return found, nil
	}
}

// MembershipsIn returns the user's memberships of places of this kind.
func (s *Store) MembershipsIn(ctx context.Context, k project.Kind, userID int64) (project.Memberships, error) {
	return members.all(ctx, s, memberOfUser.key(userID, string(k)))
}

// MembershipPage returns a page of those, the newest places first. It reads no
// memberships behind the page.
func (s *Store) MembershipPage(ctx context.Context, k project.Kind, userID int64, r page.Request) (page.Of[project.Member], error) {
	return walk.List[project.Member]{
		Sources:  []walk.Source[project.Member]{members.newest(s, memberOfUser.key(userID, string(k)))},
		Position: placeOf,
	}.Page(ctx, r)
}

// placeOf is the position of a membership in the list of its user.
func placeOf(m project.Member) page.Position { return page.At(m.ID) }

// SomeMemberships returns up to n memberships of the user.
func (s *Store) SomeMemberships(ctx context.Context, userID int64, n int) (project.Memberships, error) {
	return members.some(ctx, s, memberOfUser.key(userID), n)
}

// MembershipsAt returns the user's memberships of these places.
func (s *Store) MembershipsAt(ctx context.Context, userID int64, places ...project.Place) (project.Memberships, error) {
	return s.MembershipsAmong(ctx, []int64{userID}, places...)
}

// MembershipsAmong returns those of all these users.
func (s *Store) MembershipsAmong(ctx context.Context, userIDs []int64, places ...project.Place) (project.Memberships, error) {
	var wanted []project.Member
	for _, userID := range userIDs {
		for _, place := range places {
			wanted = append(wanted, project.Member{Place: place, UserID: userID})
		}
	}
	return members.complete(ctx, s, wanted)
}

// maxTogether is how many memberships one transaction removes. It can make a
// hundred changes: three for each, and two for each of twenty groups above a place.
const maxTogether = 15

// removeWithMembers makes the changes that remove a user or a place, and removes
// the memberships in the partition, which are the found ones. Those beyond maxTogether, and those added
// meanwhile, are removed right after, when none can be added any more.
func (s *Store) removeWithMembers(ctx context.Context, partition key, found []project.Member, changes ...change) error {
	together := found[:min(len(found), maxTogether)]
	if err := s.write(ctx, append(changes, removals(partition, together)...)...); err != nil {
		return err
	}
	return s.removeMembers(ctx, partition)
}

func (s *Store) removeMembers(ctx context.Context, partition key) error {
	found, err := members.all(ctx, s, partition)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(found, maxTogether) {
		if err := s.write(ctx, removals(partition, some)...); err != nil {
			return err
		}
	}
	return nil
}

// removals removes the memberships in the partition of a user or of a place. A
// place that stays is counted again when the count is needed.
func removals(partition key, ms []project.Member) []change {
	var changes []change
	for _, m := range ms {
		ofPlace, ofUser := memberKeys(m)
		changes = append(changes, remove(ofPlace), remove(ofUser))
		if partition.pk == ofUser.pk {
			changes = append(changes, forgetCount(countOf(m.Place)))
		}
	}
	return changes
}
