package sqlite

import (
	"context"
	"errors"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/walk"
)

var members = newKind("members", memberColumns, project.ErrMemberNotFound, nil)

func memberColumns(m *project.Member) columns {
	return columns{
		{"kind", &m.Kind}, {"place_id", &m.ID}, {"user_id", &m.UserID}, {"role", &m.Role},
		{"expires_at", &m.ExpiresAt}, {"created_at", &m.CreatedAt},
	}
}

const byMember = "WHERE kind = ? AND place_id = ? AND user_id = ?"

// AddMember stores a membership.
func (s *Store) AddMember(ctx context.Context, m project.Member) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requirePlace(m.Place); err != nil {
			return err
		}
		if err := tx.refuse(project.ErrMemberExists, "SELECT 1 FROM members "+byMember, m.Kind, m.ID, m.UserID); err != nil {
			return err
		}
		return tx.addMember(m)
	})
}

func (tx *transaction) requirePlace(p project.Place) error {
	if p.Kind == project.InProject {
		return tx.requireProject(p.ID)
	}
	return groups.require(tx, "WHERE id = ?", p.ID)
}

func (tx *transaction) addMember(m project.Member) error {
	if err := users.require(tx, "WHERE id = ?", m.UserID); err != nil {
		return err
	}
	_, err := members.insert(tx, &m)
	return err
}

// UpdateMember changes the role of a member and when the membership ends.
func (s *Store) UpdateMember(ctx context.Context, was, next project.Member, staying ...project.Member) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.checkTerms(was, staying...); err != nil {
			return err
		}
		return tx.exec("UPDATE members SET role = ?, expires_at = ? "+byMember,
			next.Role, micros(next.ExpiresAt), was.Kind, was.ID, was.UserID)
	})
}

// checkTerms returns an error unless the membership and those that stay have the role and
// the end that the caller read.
func (tx *transaction) checkTerms(was project.Member, staying ...project.Member) error {
	for _, other := range staying {
		if err := tx.checkTerms(other); errors.Is(err, project.ErrMemberNotFound) {
			return project.ErrMemberChanged
		} else if err != nil {
			return err
		}
	}
	stored, err := members.find(context.Background(), tx, byMember, was.Kind, was.ID, was.UserID)
	if err == nil && (stored.Role != was.Role || micros(stored.ExpiresAt) != micros(was.ExpiresAt)) {
		return project.ErrMemberChanged
	}
	return err
}

// RemoveMember ends a membership.
func (s *Store) RemoveMember(ctx context.Context, was project.Member, staying ...project.Member) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.checkTerms(was, staying...); err != nil {
			return err
		}
		return tx.exec("DELETE FROM members "+byMember, was.Kind, was.ID, was.UserID)
	})
}

func (tx *transaction) removeMembers(p project.Place) error {
	return tx.exec("DELETE FROM members WHERE kind = ? AND place_id = ?", p.Kind, p.ID)
}

// Members returns a page of the members of these places.
func (s *Store) Members(ctx context.Context, now time.Time, r page.Request, places ...project.Place) (page.Of[project.Member], error) {
	list := walk.List[project.Member]{
		Position: project.Member.Position, Order: page.Ascending, Merge: project.Higher(now),
		Search: func(m project.Member) bool { return m.Active(now) },
		Time:   func(m project.Member) time.Time { return m.CreatedAt },
	}
	for _, place := range places {
		list.Sources = append(list.Sources, s.membersOf(place))
	}
	return list.Page(ctx, r)
}

// membersOf is the source of the place's members, also of those whose role ended.
func (s *Store) membersOf(place project.Place) walk.Source[project.Member] {
	const clause = "WHERE kind = ? AND place_id = ? AND user_id > ? ORDER BY user_id LIMIT ?"
	return func(ctx context.Context, after page.Position, n int) ([]project.Member, error) {
		return members.all(ctx, s.readers, clause, place.Kind, place.ID, after.ID, n)
	}
}

// CountMembers returns how many members these places have.
func (s *Store) CountMembers(ctx context.Context, now time.Time, places ...project.Place) (int, error) {
	const query = `WITH counted AS (SELECT member_counts.* FROM json_each(?1) AS place CROSS JOIN member_counts` + ofPlace + `),
		few AS (SELECT DISTINCT user_id FROM counted CROSS JOIN members USING (kind, place_id)
			WHERE counted.members <= ?2 AND (expires_at = 0 OR expires_at > ?3))
		SELECT (SELECT count(*) FROM few) + (SELECT coalesce(sum(members), 0) FROM counted WHERE members > ?2)`
	n, err := one(ctx, s.readers, scalar[int64], query, text(places), project.FewMembers, micros(now))
	return min(int(n), page.CountLimit+1), err
}

// ofKind selects a user's memberships of places of a kind. SQLite would rather look
// through everyone's, in the primary key.
const ofKind = "INDEXED BY members_by_user WHERE user_id = ? AND kind = ?"

// MembershipsIn returns the user's memberships of places of this kind.
func (s *Store) MembershipsIn(ctx context.Context, k project.Kind, userID int64) (project.Memberships, error) {
	return members.all(ctx, s.readers, ofKind+" ORDER BY place_id", userID, k)
}

// MembershipPage returns a page of those, the newest places first.
func (s *Store) MembershipPage(ctx context.Context, k project.Kind, userID int64, r page.Request) (page.Of[project.Member], error) {
	return walk.List[project.Member]{
		Sources:  []walk.Source[project.Member]{members.newest(s, "place_id", ofKind, userID, k)},
		Position: placeOf,
	}.Page(ctx, r)
}

// placeOf is the position of a membership in the list of its user.
func placeOf(m project.Member) page.Position { return page.At(m.ID) }

// SomeMemberships returns up to n memberships of the user.
func (s *Store) SomeMemberships(ctx context.Context, userID int64, n int) (project.Memberships, error) {
	return members.all(ctx, s.readers, "WHERE user_id = ? LIMIT ?", userID, n)
}

// MembershipsAt returns the user's memberships of these places.
func (s *Store) MembershipsAt(ctx context.Context, userID int64, places ...project.Place) (project.Memberships, error) {
	return s.MembershipsAmong(ctx, []int64{userID}, places...)
}

// MembershipsAmong returns those of all these users.
func (s *Store) MembershipsAmong(ctx context.Context, userIDs []int64, places ...project.Place) (project.Memberships, error) {
	return many(ctx, s.readers, members.scan, membershipsAmong, text(places), text(userIDs))
}

// ofPlace joins what belongs to the places in a list.
const ofPlace = " ON kind = place.value ->> 'Kind' AND place_id = place.value ->> 'ID' "

var membershipsAmong = "SELECT " + memberColumns(new(project.Member)).names("members") +
	" FROM json_each(?) AS place CROSS JOIN members" + ofPlace + "WHERE user_id IN (SELECT value FROM json_each(?))"
