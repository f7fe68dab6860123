package dynamodb

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/project"
)

// A membership is two equal items, written together: one is found from the
// user, who is asked about on every request, and one from the place.
var members = kind[project.Member]{noun: "member", notFound: project.ErrMemberNotFound, changed: project.ErrMemberChanged, fields: memberFields}

func memberFields(m *project.Member) fields {
	return append(fields{
		{"kind", (*string)(&m.Kind)},
		{"place_id", &m.ID},
		{"user_id", &m.UserID},
		{"created_at", &m.CreatedAt},
	}, termsOf(m)...)
}

// termsOf lists what can change of a membership.
func termsOf(m *project.Member) fields {
	return fields{{"role", (*int)(&m.Role)}, {"expires_at", &m.ExpiresAt}}
}

// AddMember stores a membership.
func (s *Store) AddMember(ctx context.Context, m project.Member) error {
	ofPlace, ofUser := memberKeys(m)
	err := s.write(ctx,
		create(ofPlace, memberFields(&m)),
		create(ofUser, memberFields(&m)),
		present(placeKey(m.Place)),
		present(userKey(m.UserID)),
	)
	if _, gone := refused(err, 2); gone {
		if m.Kind == project.InProject {
			return project.ErrNotFound
		}
		return project.ErrGroupNotFound
	}
	if _, gone := refused(err, 3); gone {
		return users.notFound
	}
	if _, again := refused(err, 0); again {
		return project.ErrMemberExists
	}
	return err
}

// UpdateMember changes Role and ExpiresAt.
func (s *Store) UpdateMember(ctx context.Context, was, next project.Member) error {
	ofPlace, ofUser := memberKeys(was)
	err := s.write(ctx,
		set(ofPlace, termsOf(&next)).whose(termsOf(&was)),
		set(ofUser, termsOf(&next)),
	)
	return members.refused(err, 0)
}

// RemoveMember ends a membership.
func (s *Store) RemoveMember(ctx context.Context, was project.Member) error {
	ofPlace, ofUser := memberKeys(was)
	return members.refused(s.write(ctx, drop(ofPlace).whose(termsOf(&was)), drop(ofUser)), 0)
}

// Members returns every membership of these places.
func (s *Store) Members(ctx context.Context, places ...project.Place) ([]project.Member, error) {
	found := make([][]project.Member, len(places))
	reads, ctx := errgroup.WithContext(ctx)
	for i, place := range places {
		reads.Go(func() (err error) {
			found[i], err = members.all(ctx, s, membersOf(place))
			return err
		})
	}
	err := reads.Wait()
	return slices.Concat(found...), err
}

// Memberships returns every membership of the user.
func (s *Store) Memberships(ctx context.Context, userID int64) (project.Memberships, error) {
	return members.all(ctx, s, membershipsOf(userID))
}

// maxTogether is how many memberships end in one transaction, which has room
// for a hundred changes.
const maxTogether = 40

// removeWithMembers makes the changes that remove a user or a place, together
// with the memberships in the partition. Those beyond maxTogether, and those
// that were added meanwhile, end right after: nothing can be added any more.
func (s *Store) removeWithMembers(ctx context.Context, partition key, changes ...change) error {
	found, err := members.all(ctx, s, partition)
	if err != nil {
		return err
	}
	together := found[:min(len(found), maxTogether)]
	if err := s.write(ctx, append(changes, ending(together)...)...); err != nil {
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
		if err := s.write(ctx, ending(some)...); err != nil {
			return err
		}
	}
	return nil
}

func ending(ms []project.Member) []change {
	var changes []change
	for _, m := range ms {
		ofPlace, ofUser := memberKeys(m)
		changes = append(changes, forget(ofPlace), forget(ofUser))
	}
	return changes
}
