package deprecation

import (
	"context"
	"slices"
	"time"

	"gatehouse/shared/page"
)

// Caller is who uses what is deprecated: an application, a personal access token,
// or, by the password alone, a user.
type Caller struct {
	Client        int64  // the number of the application; zero: none
	ApplicationID string // what the application sends
	TokenID       int64  // of a personal access token; zero: none
	UserID        int64  // for whom; of an application the last one
}

// Number is one for each application, token and user without either.
func (c Caller) Number() int64 {
	const kinds = 4
	switch {
	case c.Client != 0:
		return c.Client*kinds + 1
	case c.TokenID != 0:
		return c.TokenID*kinds + 2
	}
	return c.UserID*kinds + 3
}

// Use is how often a caller used an entry on a day.
type Use struct {
	Entry string // its ID
	Day   time.Time
	Caller
	Uses       int64
	LastUsedAt time.Time
}

// Retention is how many days uses are kept after their own.
const Retention = 90

// DayOf returns the day of a time, in UTC.
func DayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// OldestKept is the oldest day of which uses are kept.
func OldestKept(now time.Time) time.Time { return DayOf(now).AddDate(0, 0, -Retention) }

// ExpiresAt is when the use is kept no longer.
func (u Use) ExpiresAt() time.Time { return u.Day.AddDate(0, 0, Retention+1) }

// Filter selects uses.
type Filter struct {
	Entry    string    // its ID; empty: of all
	Client   int64     // the number of an application; zero: by everyone
	From, To time.Time // days, both included
}

// Store keeps uses.
type Store interface {
	// AddDeprecatedUse counts a use of the entry by the caller at a time, each
	// exactly once whatever others count, and keeps the caller's UserID.
	AddDeprecatedUse(ctx context.Context, entry string, by Caller, at time.Time) error

	// DeprecatedUses returns a page of the selected uses, those of the newest day
	// first. Those of entries that left the table may be missing. The list is not
	// counted.
	DeprecatedUses(ctx context.Context, f Filter, r page.Request) (page.Of[Use], error)
}

// IDs are those of all entries, in their order.
var IDs = func() (ids []string) {
	for _, e := range Table {
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	return ids
}()

// ranks is more than there will be entries.
const ranks = 1 << 10

const day = 24 * time.Hour

// Position is the place of the use in lists: by the day, then by the entry's ID, and
// then by the caller's number.
func (u Use) Position() page.Position {
	rank, _ := slices.BinarySearch(IDs, u.Entry)
	return page.Position{Value: u.Day.Unix()/int64(day.Seconds())*ranks + int64(rank), ID: u.Number()}
}

// Bound is what a position says.
type Bound struct {
	Day    time.Time
	Rank   int // of the entry in IDs
	Number int64
}

// BoundOf returns what the position of a use says.
func BoundOf(p page.Position) Bound {
	rank := ((p.Value % ranks) + ranks) % ranks
	at := time.Unix((p.Value-rank)/ranks*int64(day.Seconds()), 0).UTC()
	return Bound{at, min(int(rank), len(IDs)-1), p.ID}
}
