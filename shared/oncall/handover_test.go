package oncall_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/oncall"
)

func daily(id int64, participants ...int64) oncall.Rotation {
	return oncall.Rotation{ID: id, StartsAt: monday, Length: oncall.Length{Value: 1, Unit: oncall.Days}, Participants: participants}
}

func TestHandovers(t *testing.T) {
	s := oncall.Schedule{Rotations: []oncall.Rotation{daily(1, 1, 2), daily(2, 3, 1)}, Overrides: []oncall.Override{override(9, 4, 3, 6, 12)}}
	all := []oncall.Handover{
		{At: hours(0), Comes: []int64{1, 3}},
		{At: hours(6), Comes: []int64{4}, Goes: []int64{3}},
		{At: hours(12), Comes: []int64{3}, Goes: []int64{4}},
		{At: hours(24), Comes: []int64{2}, Goes: []int64{3}}, // 1 goes into the other rotation
		{At: hours(48), Comes: []int64{3}, Goes: []int64{2}},
	}
	tests := []struct{ from, to, first, last int }{
		{-1, 48, 0, 5}, {0, 48, 1, 5}, {0, 6, 1, 2}, {6, 12, 2, 3}, {6, 11, 2, 2}, {13, 23, 3, 3}, {23, 25, 3, 4}, {24, 24, 4, 4}, {25, 24, 4, 4},
	}
	for _, test := range tests {
		got := s.Handovers(hours(test.from), hours(test.to), oncall.Everybody)
		want := all[test.first:test.last]
		if len(want) == 0 {
			want = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Handovers(%d, %d) (-want +got):\n%s", test.from, test.to, diff)
		}
	}
}

// Whoever sweeps in steps sees each handover once.
func TestHandoversOfStepsAreThoseOfTheWhole(t *testing.T) {
	s := oncall.Schedule{Rotations: []oncall.Rotation{daily(1, 1, 2, 3)}, Overrides: []oncall.Override{override(9, 4, 0, 30, 50)}}
	var steps []oncall.Handover
	for n := range 200 {
		steps = append(steps, s.Handovers(hours(n-1), hours(n), oncall.Everybody)...)
	}
	if diff := cmp.Diff(s.Handovers(hours(-1), hours(199), oncall.Everybody), steps); diff != "" {
		t.Errorf("in steps (-whole +steps):\n%s", diff)
	}
}

func TestAffected(t *testing.T) {
	before := oncall.Schedule{Rotations: []oncall.Rotation{daily(1, 1, 2)}}
	with := func(edit func(*oncall.Schedule)) oncall.Schedule {
		s := oncall.Schedule{Rotations: []oncall.Rotation{daily(1, 1, 2)}}
		edit(&s)
		return s
	}
	tests := map[string]struct {
		after oncall.Schedule
		want  []int64
	}{
		"nothing":        {with(func(s *oncall.Schedule) { s.Name = "Other" }), nil},
		"an override":    {with(func(s *oncall.Schedule) { s.Overrides = []oncall.Override{override(9, 3, 1, 2, 4)} }), []int64{1, 3}},
		"a later one":    {with(func(s *oncall.Schedule) { s.Overrides = []oncall.Override{override(9, 3, 1, 24*14, 24*16)} }), nil},
		"one that ended": {with(func(s *oncall.Schedule) { s.Overrides = []oncall.Override{override(9, 3, 2, -24, -1)} }), nil},
		"the order":      {with(func(s *oncall.Schedule) { s.Rotations[0].Participants = []int64{2, 1} }), []int64{1, 2}},
		"a rotation":     {with(func(s *oncall.Schedule) { s.Rotations = append(s.Rotations, daily(2, 3)) }), []int64{3}},
		"no rotation":    {with(func(s *oncall.Schedule) { s.Rotations = nil }), []int64{1, 2}},
		"another layer":  {with(func(s *oncall.Schedule) { s.Rotations[0].ID = 2 }), []int64{1, 2}},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, oncall.Affected(before, test.after, monday, oncall.Everybody)); diff != "" {
			t.Errorf("Affected by %s (-want +got):\n%s", name, diff)
		}
	}
	alone := oncall.Schedule{Rotations: []oncall.Rotation{daily(1, 1)}}
	longer := oncall.Schedule{Rotations: []oncall.Rotation{daily(1, 1)}}
	longer.Rotations[0].Length.Value = 3
	if got := oncall.Affected(alone, longer, monday.Add(time.Hour), oncall.Everybody); got != nil {
		t.Errorf("who is on call all the time is affected by other lengths: %v", got)
	}
}

func TestGaps(t *testing.T) {
	business := daily(1, 1, 2)
	business.ActivePeriod = period(t, "09:00", "17:00")
	late := daily(2, 3)
	late.ActivePeriod = period(t, "16:00", "22:00")
	tests := map[string]struct {
		s    oncall.Schedule
		want []oncall.Gap
	}{
		"no rotation":       {oncall.Schedule{}, []oncall.Gap{{hours(0), hours(48)}}},
		"always somebody":   {oncall.Schedule{Rotations: []oncall.Rotation{daily(1, 1)}}, nil},
		"by day":            {oncall.Schedule{Rotations: []oncall.Rotation{business}}, []oncall.Gap{{hours(0), hours(9)}, {hours(17), hours(33)}, {hours(41), hours(48)}}},
		"a second layer":    {oncall.Schedule{Rotations: []oncall.Rotation{business, late}}, []oncall.Gap{{hours(0), hours(9)}, {hours(22), hours(33)}, {hours(46), hours(48)}}},
		"covered by a user": {oncall.Schedule{Overrides: []oncall.Override{override(9, 4, 0, 10, 60)}}, []oncall.Gap{{hours(0), hours(10)}}},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, test.s.Gaps(hours(0), hours(48), oncall.Everybody)); diff != "" {
			t.Errorf("Gaps with %s (-want +got):\n%s", name, diff)
		}
	}
	nobody := func(int64) bool { return false }
	if got := tests["always somebody"].s.Gaps(hours(0), hours(1), nobody); len(got) != 1 {
		t.Errorf("Gaps of a schedule that everybody left = %v", got)
	}
}

// Turns are the handovers of the rotation, also those that an active period does not show.
func TestTurns(t *testing.T) {
	r := daily(1, 1, 2, 3)
	r.ActivePeriod = period(t, "09:00", "17:00")
	present := func(id int64) bool { return id != 2 }
	want := []oncall.Shift{
		{RotationID: 1, UserID: 1, StartsAt: hours(0), EndsAt: hours(24)},
		{RotationID: 1, UserID: 3, InsteadOf: 2, StartsAt: hours(24), EndsAt: hours(48)},
		{RotationID: 1, UserID: 3, StartsAt: hours(48), EndsAt: hours(72)},
	}
	if diff := cmp.Diff(want, r.Turns(oncall.Zone{}, hours(10), 3, present)); diff != "" {
		t.Errorf("Turns (-want +got):\n%s", diff)
	}
	if got := r.Turns(oncall.Zone{}, hours(-100), 1, present); len(got) != 1 || !got[0].StartsAt.Equal(hours(0)) {
		t.Errorf("Turns before the start = %v", got)
	}
	r.EndsAt = hours(30)
	if got := r.Turns(oncall.Zone{}, hours(0), 5, present); len(got) != 2 || !got[1].EndsAt.Equal(hours(30)) {
		t.Errorf("Turns of a rotation that ends = %v", got)
	}
}
