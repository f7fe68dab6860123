package oncall

import (
	"fmt"
	"slices"
	"time"
)

// Unit is a unit of lengths.
type Unit string

// The units. An hour is an hour of elapsed time. Days and weeks are those of the calendar,
// so that a handover stays at its time of day when the clocks change.
const (
	Hours Unit = "hours"
	Days  Unit = "days"
	Weeks Unit = "weeks"
)

// Units lists them.
var Units = []Unit{Hours, Days, Weeks}

// Length is how long the turn of a participant is.
type Length struct {
	Value int  `json:"value"`
	Unit  Unit `json:"unit"`
}

// days is the length in days of the calendar, or zero if it is one in hours.
func (l Length) days() int {
	switch l.Unit {
	case Days:
		return l.Value
	case Weeks:
		return 7 * l.Value
	}
	return 0
}

// Clock is a time of day, in minutes after midnight.
type Clock int

// ParseClock reads a time of day such as "08:30".
func ParseClock(text string) (c Clock, ok bool) {
	t, err := time.Parse("15:04", text)
	return Clock(t.Hour()*60 + t.Minute()), err == nil && len(text) == len("15:04")
}

// String writes the time of day.
func (c Clock) String() string { return fmt.Sprintf("%02d:%02d", int(c)/60, int(c)%60) }

// MarshalText writes the time of day.
func (c Clock) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a time of day.
func (c *Clock) UnmarshalText(text []byte) error {
	read, ok := ParseClock(string(text))
	if !ok {
		return fmt.Errorf("%q is not a time of day", text)
	}
	*c = read
	return nil
}

// on returns the time of day on the day that the wall shows.
func (c Clock) on(day wall) wall { return midnight(day).Add(time.Duration(c) * time.Minute) }

func midnight(w wall) wall { return w.Truncate(24 * time.Hour) }

// ActivePeriod is the part of each day in which the participants of a rotation are on call.
// If it does not end after its start it ends on the next day.
type ActivePeriod struct {
	Start Clock `json:"start"`
	End   Clock `json:"end"`
}

// on returns the period that begins on the day.
func (a ActivePeriod) on(z Zone, day wall) span {
	end := a.End.on(day)
	if a.End <= a.Start {
		end = end.AddDate(0, 0, 1)
	}
	return span{z.First(a.Start.on(day)), z.First(end)}
}

// Rotation is a layer of a schedule: its participants take turns from StartsAt on, in
// their order.
type Rotation struct {
	ID           int64         `json:"id"` // in the schedule
	Name         string        `json:"name"`
	StartsAt     time.Time     `json:"starts_at"`
	EndsAt       time.Time     `json:"ends_at,omitzero"` // zero: never
	Length       Length        `json:"length"`
	ActivePeriod *ActivePeriod `json:"active_period,omitempty"` // nil: the whole day
	Participants []int64       `json:"participants"`            // user ids, each once
}

// span is the time from one instant until another.
type span struct{ from, until time.Time }

func (s span) empty() bool { return !s.from.Before(s.until) }

func (s span) overlaps(other span) bool { return !s.and(other).empty() }

// and returns what both have in common.
func (s span) and(other span) span {
	return span{latest(s.from, other.from), earliest(s.until, other.until)}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// life returns when the rotation is active.
func (r Rotation) life() span {
	if r.EndsAt.IsZero() {
		return span{r.StartsAt, forever}
	}
	return span{r.StartsAt, r.EndsAt}
}

// forever is after all times that are computed.
var forever = lastTime.AddDate(1000, 0, 0)

// handover returns when turn n begins. The first one, 0, begins with the rotation.
func (r Rotation) handover(z Zone, n int64) time.Time {
	if n == 0 {
		return r.StartsAt
	}
	if days := r.Length.days(); days > 0 {
		return z.First(z.WallAt(r.StartsAt).AddDate(0, 0, int(n)*days))
	}
	return time.Unix(r.StartsAt.Unix()+n*int64(r.Length.Value)*3600, 0)
}

// turnAt returns which turn it is at an instant that is not before the start. It computes
// the number rather than to count, so that the age of the rotation does not matter.
func (r Rotation) turnAt(z Zone, t time.Time) int64 {
	n := (t.Unix() - r.StartsAt.Unix()) / (int64(max(r.Length.Value, 1)) * 3600)
	if days := r.Length.days(); days > 0 {
		n = (z.WallAt(t).Unix() - z.WallAt(r.StartsAt).Unix()) / (int64(days) * 24 * 3600)
	}
	n = max(n, 0)
	for !r.handover(z, n+1).After(t) { // clocks that were set back show an earlier time
		n++
	}
	return n
}

// turns yields the turns that overlap the window, each with its number.
func (r Rotation) turns(z Zone, window span, yield func(n int64, turn span) bool) {
	wanted := r.life().and(window)
	if wanted.empty() {
		return
	}
	n := r.turnAt(z, wanted.from)
	for begin := r.handover(z, n); begin.Before(wanted.until); n++ {
		end := r.handover(z, n+1)
		turn := span{begin, end}.and(r.life())
		if !turn.empty() && !yield(n, turn) {
			return
		}
		begin = end
	}
}

// active returns the parts of the turn in which its participant is on call and that
// overlap the window.
func (r Rotation) active(z Zone, turn, window span) []span {
	if r.ActivePeriod == nil {
		return []span{turn}
	}
	wanted := turn.and(window)
	var parts []span
	for day := midnight(z.WallAt(wanted.from)).AddDate(0, 0, -2); ; day = day.AddDate(0, 0, 1) {
		period := r.ActivePeriod.on(z, day)
		if !period.from.Before(wanted.until) {
			return parts
		}
		if period.overlaps(wanted) {
			parts = append(parts, period.and(turn))
		}
	}
}

// participant returns whose turn it is, and who of the participants that are present takes
// it: this one or the next in order. It is 0 if nobody is present.
func (r Rotation) participant(n int64, present func(userID int64) bool) (asked, user int64) {
	if len(r.Participants) == 0 {
		return 0, 0
	}
	first := int(n % int64(len(r.Participants)))
	inOrder := slices.Concat(r.Participants[first:], r.Participants[:first])
	if i := slices.IndexFunc(inOrder, present); i >= 0 {
		user = inOrder[i]
	}
	return inOrder[0], user
}

// Turns returns the next turns of the rotation that end after an instant, each whole and with
// who takes it.
func (r Rotation) Turns(z Zone, after time.Time, most int, present Presence) (next []Shift) {
	r.turns(z, span{after, forever}, func(n int64, turn span) bool {
		asked, user := r.participant(n, present)
		next = append(next, piece{span: turn, rotation: r.ID, turnOf: asked, user: user}.shift())
		return len(next) < most
	})
	return next
}
