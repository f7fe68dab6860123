package sqlite

import (
	"context"

	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

const memberColumns = "kind, place_id, user_id, role, expires_at, created_at"

func scanMember(r row) (m project.Member, err error) {
	return m, r.Scan(&m.Kind, &m.ID, &m.UserID, &m.Role, intoTime(&m.ExpiresAt), intoTime(&m.CreatedAt))
}

// AddMember stores a membership.
func (s *Store) AddMember(ctx context.Context, m project.Member) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requirePlace(m.Place); err != nil {
			return err
		}
		const known = "SELECT 1 FROM members WHERE kind = ? AND place_id = ? AND user_id = ?"
		if err := tx.refuse(project.ErrMemberExists, known, m.Kind, m.ID, m.UserID); err != nil {
			return err
		}
		return tx.addMember(m)
	})
}

func (tx *transaction) requirePlace(p project.Place) error {
	if p.Kind == project.InProject {
		return tx.require(project.ErrNotFound, "SELECT 1 FROM projects WHERE id = ?", p.ID)
	}
	return tx.requireNamespace(p.ID)
}

func (tx *transaction) addMember(m project.Member) error {
	if err := tx.require(user.ErrNotFound, "SELECT 1 FROM users WHERE id = ?", m.UserID); err != nil {
		return err
	}
	return tx.exec("INSERT INTO members ("+memberColumns+") VALUES (?, ?, ?, ?, ?, ?)",
		m.Kind, m.ID, m.UserID, m.Role, micros(m.ExpiresAt), micros(m.CreatedAt))
}

// UpdateMember changes the role of a member and when the membership ends.
func (s *Store) UpdateMember(ctx context.Context, was, next project.Member) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.checkTerms(was); err != nil {
			return err
		}
		return tx.exec("UPDATE members SET role = ?, expires_at = ? WHERE kind = ? AND place_id = ? AND user_id = ?",
			next.Role, micros(next.ExpiresAt), was.Kind, was.ID, was.UserID)
	})
}

// checkTerms returns a fault.Conflict error when the membership has not the
// role and the end any more that were read, and a fault.NotFound error when
// there is none.
func (tx *transaction) checkTerms(was project.Member) error {
	const query = "SELECT " + memberColumns + " FROM members WHERE kind = ? AND place_id = ? AND user_id = ?"
	stored, err := find(context.Background(), tx, project.ErrMemberNotFound, scanMember, query, was.Kind, was.ID, was.UserID)
	if err == nil && (stored.Role != was.Role || micros(stored.ExpiresAt) != micros(was.ExpiresAt)) {
		return project.ErrMemberChanged
	}
	return err
}

// RemoveMember ends a membership.
func (s *Store) RemoveMember(ctx context.Context, was project.Member) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.checkTerms(was); err != nil {
			return err
		}
		return tx.exec("DELETE FROM members WHERE kind = ? AND place_id = ? AND user_id = ?", was.Kind, was.ID, was.UserID)
	})
}

func (tx *transaction) removeMembers(p project.Place) error {
	return tx.exec("DELETE FROM members WHERE kind = ? AND place_id = ?", p.Kind, p.ID)
}

// Members returns every membership of these places.
func (s *Store) Members(ctx context.Context, places ...project.Place) ([]project.Member, error) {
	const query = "SELECT " + memberColumns + ` FROM json_each(?) AS place CROSS JOIN members
		ON kind = place.value ->> 'Kind' AND place_id = place.value ->> 'ID' ORDER BY place.key, user_id`
	return many(ctx, s.readers, scanMember, query, text(places))
}

// Memberships returns every membership of the user.
func (s *Store) Memberships(ctx context.Context, userID int64) (project.Memberships, error) {
	return many(ctx, s.readers, scanMember, "SELECT "+memberColumns+" FROM members WHERE user_id = ?", userID)
}
