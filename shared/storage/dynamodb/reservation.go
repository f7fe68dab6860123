package dynamodb

import (
	"context"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/reservation"
)

// A reserved path is the item that claimed the path, without the thing that had it. The
// list may have paths that were taken since.
var reservedList = shape{directory, "LIST#reserved-paths", "<path>", "a reserved path in the list of all", "a year after its user or group"}

var reservations = kind[reservation.Reservation]{
	noun:     "reserved path",
	notFound: reservation.ErrNone,
	key:      func(r reservation.Reservation) key { return pathKey(r.Path) },
	fields:   reservationFields,
	entry:    func(r *reservation.Reservation) fields { return fields{{"path", &r.Path}} },
}

const reservedUntil, reservedFor = "reserved_until", "reserved_for"

func reservationFields(r *reservation.Reservation) fields {
	return fields{{"path", &r.Path}, {reservedFor, &r.Owners}, {reservedUntil, &r.Until}}
}

// reserve turns the claim of a path into its reservation, and lists it.
func reserve(path string, owners []int64, now time.Time) []change {
	r := reservation.Of(path, owners, now)
	claimed := replace(pathKey(path), reservationFields(&r).until(r.Until))
	claimed.condition = exists
	return []change{claimed, listReserved(r)}
}

func listReserved(r reservation.Reservation) change {
	return replace(reservedList.key(r.Path), reservations.entry(&r).until(r.Until))
}

// giveUp ends the claim of a group to its path, which at the top is reserved for those of
// the members who own the group.
func giveUp(g project.Group, members []project.Member, now time.Time) []change {
	if g.ParentID != 0 {
		return []change{mustRemove(pathKey(g.FullPath))}
	}
	var owners []int64
	for _, m := range members {
		if m.Role == project.Owner && m.Active(now) {
			owners = append(owners, m.UserID)
		}
	}
	return reserve(g.FullPath, owners, now)
}

// claimPath claims the path for a new thing of the user: a free path, or a reserved one
// that the user may take.
func claimPath(fullPath string, userID int64, now time.Time, fs fields) change {
	c := create(pathKey(fullPath), fs)
	if strings.Contains(fullPath, "/") {
		return c
	}
	return c.when(isNew+" OR "+reservedUntil+" <= :now OR contains("+reservedFor+", :user)",
		item{":now": number(now.UnixMicro()), ":user": number(userID)})
}

// pathError is the error of a thing whose path is in this field, and is not free: of the
// stored claim.
func pathError(field string, stored item) error {
	if stored[reservedUntil] != nil {
		return reservation.Refuse(field)
	}
	return fault.Field(field, fault.Taken)
}

// FreePath ends the reservation of a path.
func (s *Store) FreePath(ctx context.Context, path string, by int64) error {
	var changes []change
	if by != 0 {
		changes = append(changes, administrator(by))
	}
	freed := remove(pathKey(path)).when("attribute_exists("+reservedUntil+")", nil).orElse(reservation.ErrNone)
	return s.write(ctx, append(changes, freed)...)
}
