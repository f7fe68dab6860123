package sqlite

import (
	"context"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/reservation"
)

var reservations = newKind("reserved_paths", reservationColumns, reservation.ErrNone, nil)

func reservationColumns(r *reservation.Reservation) columns {
	return columns{{"path", &r.Path}, {"owners", (*list[int64])(&r.Owners)}, {"until", &r.Until}}
}

// reserve reserves the path of a user or top-level group that is deleted.
func (tx *transaction) reserve(path string, owners []int64, now time.Time) error {
	r := reservation.Of(path, owners, now)
	return reservations.put(tx, &r)
}

// reserveGroup reserves the path of a top-level group for its owners.
func (tx *transaction) reserveGroup(g project.Group, now time.Time) error {
	if g.ParentID != 0 {
		return nil
	}
	owners, err := tx.ownersOf(g, now)
	if err != nil {
		return err
	}
	return tx.reserve(g.FullPath, owners, now)
}

// ownersOf returns the users who own the group now.
func (tx *transaction) ownersOf(g project.Group, now time.Time) ([]int64, error) {
	const owners = `SELECT user_id FROM members WHERE kind = ? AND place_id = ? AND role = ? AND (expires_at = 0 OR expires_at > ?)
		ORDER BY user_id LIMIT ?`
	return many(context.Background(), tx, scalar[int64], owners, project.InGroup, g.ID, project.Owner, micros(now), reservation.MaxOwners)
}

// take ends the reservation of a path, if there is one, for a thing of the user that has
// the path in this field. It returns a reservation.Refused error if the path is reserved
// for others.
func (tx *transaction) take(field, path string, userID int64, now time.Time) error {
	if strings.Contains(path, "/") {
		return nil
	}
	r, err := reservations.find(context.Background(), tx, "WHERE path = ?", key(path))
	switch {
	case err != nil:
		return fault.IgnoreNotFound(err)
	case r.Refuses(userID, now):
		return reservation.Refuse(field)
	}
	return tx.exec("DELETE FROM reserved_paths WHERE path = ?", key(path))
}

// FreePath ends the reservation of a path.
func (s *Store) FreePath(ctx context.Context, path string, by int64) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireAdministrator(by); err != nil {
			return err
		}
		return reservations.delete(tx, "WHERE path = ?", key(path))
	})
}
