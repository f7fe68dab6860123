// Package reservation keeps the paths of deleted users and top-level groups from
// strangers, who could otherwise get what is still sent there. The paths below need no
// reservation: only who may create in a namespace can take them, and the namespace keeps
// its path at least as long as what was in it would.
package reservation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
)

// EventFreed is the event that an administrator took a path that was reserved.
var EventFreed = audit.Declare("path.freed", "Reserved path freed")

const (
	// Lasts is how long a path is reserved.
	Lasts = 365 * 24 * time.Hour
	// MaxOwners is how many of a group's owners may take its path again.
	MaxOwners = 100
)

// ErrNone means that the path is not reserved.
var ErrNone = fault.New(fault.NotFound, "the path is not reserved")

// Reservation is a path that is reserved.
type Reservation struct {
	Path   string  // in lower case
	Owners []int64 // the users who may take it
	Until  time.Time
}

// Of returns the reservation of a path that is given up now, for these owners of it.
func Of(path string, owners []int64, now time.Time) Reservation {
	return Reservation{strings.ToLower(path), owners[:min(len(owners), MaxOwners)], now.Add(Lasts)}
}

// Refuses reports whether the user may not take the path. Zero is nobody in particular.
func (r Reservation) Refuses(userID int64, now time.Time) bool {
	return r.Lasts(now) && !slices.Contains(r.Owners, userID)
}

// Lasts reports whether the path is reserved still.
func (r Reservation) Lasts(now time.Time) bool { return now.Before(r.Until) }

// Refused are complaints about a path that is reserved for others.
type Refused struct{ complaints fault.Fields }

// Refuse returns the error of a thing that has a reserved path in this field.
func Refuse(field string) Refused {
	return Refused{fault.Fields{field: {"is reserved, because something that had it was deleted within a year"}}}
}

// Error lists the complaints.
func (r Refused) Error() string { return r.complaints.Error() }

// Unwrap returns the complaints.
func (r Refused) Unwrap() error { return r.complaints }

// Store keeps reservations.
type Store interface {
	// FreePath ends the reservation of a path, in any letter case, or returns ErrNone. If
	// by is not zero, the user with this id must be an active administrator at that
	// moment; else the error is a fault.Forbidden one and nothing changes.
	FreePath(ctx context.Context, path string, by int64) error
}

// Take creates something with a path. If the path is reserved and the actor has an
// administrator's rights, it frees the path and creates it then.
func Take[T any](ctx context.Context, s Store, trail *audit.Trail, by audit.Actor, path string, create func() (T, error)) (T, error) {
	made, err := create()
	var refused Refused
	if !errors.As(err, &refused) || by.Bound {
		return made, err
	}
	switch freed := s.FreePath(ctx, path, by.UserID); {
	case fault.Is(freed, fault.Forbidden):
		return made, err
	case freed == nil:
		trail.Record(ctx, by.Event(EventFreed, audit.Details{"path": path}))
	case !fault.Is(freed, fault.NotFound): // it may have ended meanwhile
		return made, freed
	}
	return create()
}
