package oncall

import (
	"maps"
	"slices"
	"time"
)

// Handover is an instant at which the people on call change.
type Handover struct {
	At    time.Time
	Comes []int64 // ids of the users who were not on call and are now
	Goes  []int64 // ids of those who were and are not any more
}

// Handovers returns those after from and until to, in order. A user who goes from one
// rotation into another at the same time neither comes nor goes.
func (s Schedule) Handovers(from, to time.Time, present Presence) []Handover {
	if !from.Before(to) {
		return nil
	}
	shifts := s.ShiftsBetween(from, to.Add(time.Nanosecond), present)
	changes := map[time.Time]map[int64]int{} // by how much the number of a user's shifts changes
	change := func(at time.Time, userID int64, by int) {
		if changes[at] == nil {
			changes[at] = map[int64]int{}
		}
		changes[at][userID] += by
	}
	for _, shift := range shifts {
		change(shift.StartsAt, shift.UserID, 1)
		change(shift.EndsAt, shift.UserID, -1)
	}
	var all []Handover
	held := map[int64]int{}
	for _, at := range slices.SortedFunc(maps.Keys(changes), time.Time.Compare) {
		h := handover(at, held, changes[at])
		if at.After(from) && !at.After(to) && len(h.Comes)+len(h.Goes) > 0 {
			all = append(all, h)
		}
	}
	return all
}

// handover applies the changes to the numbers of shifts that users have.
func handover(at time.Time, held, changes map[int64]int) Handover {
	h := Handover{At: at}
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		was := held[id]
		held[id] += changes[id]
		switch {
		case was == 0 && held[id] > 0:
			h.Comes = append(h.Comes, id)
		case was > 0 && held[id] == 0:
			h.Goes = append(h.Goes, id)
		}
	}
	return h
}

// Gap is a time in which nobody is on call.
type Gap struct{ From, Until time.Time }

// Gaps returns the gaps of the schedule between two instants, in order.
func (s Schedule) Gaps(from, to time.Time, present Presence) (gaps []Gap) {
	covered := from
	for _, shift := range s.ShiftsBetween(from, to, present) {
		if shift.StartsAt.After(covered) {
			gaps = append(gaps, Gap{covered, shift.StartsAt})
		}
		covered = latest(covered, shift.EndsAt)
	}
	if covered.Before(to) {
		gaps = append(gaps, Gap{covered, to})
	}
	return gaps
}

// affectedWithin is how far ahead people are told of changes of their shifts.
const affectedWithin = 14 * 24 * time.Hour

// Affected returns the ids of the users whose shifts in the next two weeks are others
// after a change of the schedule, in order.
func Affected(before, after Schedule, now time.Time, present Presence) (userIDs []int64) {
	was, is := before.byUser(now, present), after.byUser(now, present)
	for id := range was {
		if !slices.Equal(was[id], is[id]) {
			userIDs = append(userIDs, id)
		}
	}
	for id := range is {
		if was[id] == nil {
			userIDs = append(userIDs, id)
		}
	}
	slices.Sort(userIDs)
	return userIDs
}

// work is a time that a user is on call in a rotation.
type work struct {
	rotation int64
	span
}

// byUser returns when each user is on call in the two weeks from now on, in order. Shifts of a
// rotation without a break between them are one.
func (s Schedule) byUser(now time.Time, present Presence) map[int64][]work {
	window := span{now.UTC(), now.UTC().Add(affectedWithin)}
	shifts := s.ShiftsBetween(window.from, window.until, present)
	slices.SortStableFunc(shifts, func(a, b Shift) int { return int(a.RotationID - b.RotationID) })
	all := map[int64][]work{}
	for _, shift := range shifts {
		next := work{shift.RotationID, span{shift.StartsAt, shift.EndsAt}.and(window)}
		own := all[shift.UserID]
		if last := len(own) - 1; last >= 0 && own[last].rotation == next.rotation && own[last].until.Equal(next.from) {
			own[last].until = next.until
			continue
		}
		all[shift.UserID] = append(own, next)
	}
	return all
}
