// Package oncall knows who is on call: the schedules of a project with their rotations
// and overrides, the escalation policy that notifies them, and calendar feeds.
package oncall

import (
	"slices"
	"time"
)

// Schedule tells who is on call at any time. Everybody whom one of its rotations has on
// call is, unless an override says otherwise.
type Schedule struct {
	Name      string     `json:"name"`
	Timezone  Zone       `json:"timezone"`
	Rotations []Rotation `json:"rotations,omitempty"`
	Overrides []Override `json:"overrides,omitempty"` // in the order in which they were made
	LastID    int64      `json:"last_id,omitempty"`   // of a rotation or an override
	Feed      string     `json:"feed,omitempty"`      // the digest of the calendar's secret
	Slot      int        `json:"slot,omitempty"`      // of those of the project
}

// Override makes a user be on call in place of another while it lasts. Later overrides
// count over earlier ones.
type Override struct {
	ID     int64 `json:"id"` // in the schedule
	UserID int64 `json:"user_id"`
	// ReplacesUserID is who is replaced in whatever rotation they are on call. Zero: the
	// user alone is on call in the schedule, also when no rotation is active.
	ReplacesUserID int64     `json:"replaces_user_id,omitempty"`
	StartsAt       time.Time `json:"starts_at"`
	EndsAt         time.Time `json:"ends_at"`
	// SwapID is the ID of the first override of a swap, whose two take effect at the same
	// time: otherwise the second one would undo part of the first.
	SwapID int64 `json:"swap_id,omitempty"`
}

func (o Override) span() span { return span{o.StartsAt, o.EndsAt} }

// Shift is a time in which a user is on call.
type Shift struct {
	RotationID int64 // zero: an override for the whole schedule
	UserID     int64
	// InsteadOf is the participant whose turn it is, if the user is another. Zero: nobody.
	InsteadOf  int64
	OverrideID int64 // that made the user be on call; zero: none
	StartsAt   time.Time
	EndsAt     time.Time
}

// Presence reports whether a user can be on call: a user who has left the project cannot.
type Presence func(userID int64) bool

// Everybody is the Presence for a project that nobody has left.
func Everybody(int64) bool { return true }

// At returns who is on call at an instant, by rotation.
func (s Schedule) At(t time.Time, present Presence) []Shift {
	return s.ShiftsBetween(t, t.Add(time.Nanosecond), present)
}

// ShiftsBetween returns the shifts that overlap the time, whole and ordered by their
// start. The cost depends on the length of the time and not on the age of the schedule.
func (s Schedule) ShiftsBetween(from, to time.Time, present Presence) []Shift {
	window := span{from, to}
	if window.empty() {
		return nil
	}
	overrides := slices.DeleteFunc(slices.Clone(s.Overrides), func(o Override) bool { return !present(o.UserID) })
	var all []Shift
	add := func(p piece, overrides []Override) {
		for _, part := range p.overridden(overrides) {
			if part.user != 0 && part.overlaps(window) {
				all = append(all, part.shift())
			}
		}
	}
	for _, r := range s.Rotations {
		r.pieces(s.Timezone, window, present, func(p piece) { add(p, overrides) })
	}
	for i, o := range overrides {
		if o.ReplacesUserID == 0 && o.span().overlaps(window) {
			add(piece{span: o.span(), user: o.UserID, asked: o.UserID, override: o.ID}, overrides[i+1:])
		}
	}
	slices.SortStableFunc(all, inOrder)
	return all
}

func inOrder(a, b Shift) int {
	if c := a.StartsAt.Compare(b.StartsAt); c != 0 {
		return c
	}
	return int(a.RotationID - b.RotationID)
}

// piece is a shift while the overrides are applied to it.
type piece struct {
	span
	rotation int64
	turnOf   int64 // the participant whose turn it is
	asked    int64 // whom an override has to replace; the user may take the turn for them
	user     int64 // zero: nobody is present
	override int64
	swap     int64 // of the override
}

func (p piece) shift() Shift {
	s := Shift{RotationID: p.rotation, UserID: p.user, OverrideID: p.override, StartsAt: p.from.UTC(), EndsAt: p.until.UTC()}
	if p.turnOf != p.user {
		s.InsteadOf = p.turnOf
	}
	return s
}

// pieces yields the shifts of the rotation that overlap the window, without overrides.
func (r Rotation) pieces(z Zone, window span, present Presence, yield func(piece)) {
	r.turns(z, window, func(n int64, turn span) bool {
		asked, user := r.participant(n, present)
		for _, part := range r.active(z, turn, window) {
			yield(piece{span: part, rotation: r.ID, turnOf: asked, asked: asked, user: user})
		}
		return true
	})
}

// overridden returns the parts of the piece after the overrides.
func (p piece) overridden(overrides []Override) []piece {
	parts := []piece{p}
	for _, o := range overrides {
		if o.span().overlaps(p.span) {
			parts = o.apply(parts)
		}
	}
	return parts
}

func (o Override) apply(parts []piece) (changed []piece) {
	for _, p := range parts {
		if !o.span().overlaps(p.span) || !o.replaces(p) {
			changed = append(changed, p)
			continue
		}
		changed = append(changed, p.within(span{p.from, o.StartsAt})...)
		if o.ReplacesUserID != 0 {
			taken := p
			taken.asked, taken.user, taken.override, taken.swap = o.UserID, o.UserID, o.ID, o.SwapID
			changed = append(changed, taken.within(o.span())...)
		}
		changed = append(changed, p.within(span{o.EndsAt, p.until})...)
	}
	return changed
}

// replaces reports whether the override is about the user of the piece. The other half of
// its swap is not undone.
func (o Override) replaces(p piece) bool {
	if o.SwapID != 0 && o.SwapID == p.swap {
		return false
	}
	return o.ReplacesUserID == 0 || o.ReplacesUserID == p.user || o.ReplacesUserID == p.asked
}

// within returns the piece with what its span has in common with another, if there is
// anything.
func (p piece) within(s span) []piece {
	p.span = p.span.and(s)
	if p.empty() {
		return nil
	}
	return []piece{p}
}

// Notice says what is wrong with a schedule because people have left the project.
type Notice struct {
	SkippedUsers []int64 // in rotations and overrides
	Gap          bool    // a rotation has nobody left
}

// Notice returns what is wrong with the schedule.
func (s Schedule) Notice(now time.Time, present Presence) (n Notice) {
	missing := map[int64]bool{}
	for _, r := range s.Rotations {
		if !now.Before(r.life().until) {
			continue
		}
		n.Gap = n.Gap || !slices.ContainsFunc(r.Participants, present)
		for _, id := range r.Participants {
			missing[id] = !present(id)
		}
	}
	for _, o := range s.Overrides {
		if now.Before(o.EndsAt) {
			missing[o.UserID] = !present(o.UserID)
		}
	}
	for id, left := range missing {
		if left {
			n.SkippedUsers = append(n.SkippedUsers, id)
		}
	}
	slices.Sort(n.SkippedUsers)
	return n
}
