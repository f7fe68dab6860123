package oncall_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/oncall"
)

var monday = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

func hours(n int) time.Time { return monday.Add(time.Duration(n) * time.Hour) }

// override is one from an hour until another after monday.
func override(id, user, replaces int64, from, until int) oncall.Override {
	return oncall.Override{ID: id, UserID: user, ReplacesUserID: replaces, StartsAt: hours(from), EndsAt: hours(until)}
}

func swap(of int64, o oncall.Override) oncall.Override {
	o.SwapID = of
	return o
}

// picture shows the first day of a schedule as text: "1: 1@0-24" is user 1 in rotation 1 from
// 0 until 24.
func picture(s oncall.Schedule, present oncall.Presence) string {
	var shown []string
	for _, shift := range s.ShiftsBetween(hours(0), hours(24), present) {
		from, until := shift.StartsAt.Sub(monday).Hours(), shift.EndsAt.Sub(monday).Hours()
		shown = append(shown, fmt.Sprintf("%d:%d@%g-%g", shift.RotationID, shift.UserID, from, until))
	}
	return strings.Join(shown, " ")
}

func TestOverrides(t *testing.T) {
	// In the first rotation 1 is on call, then 2; in the second one 3, then 4.
	rotation := func(id, first, second int64) oncall.Rotation {
		return oncall.Rotation{ID: id, StartsAt: monday, Length: oncall.Length{Value: 12, Unit: oncall.Hours}, Participants: []int64{first, second}}
	}
	one := []oncall.Rotation{rotation(1, 1, 2)}
	both := []oncall.Rotation{rotation(1, 1, 2), rotation(2, 3, 4)}
	short := []oncall.Rotation{rotation(1, 1, 2)}
	short[0].EndsAt = hours(12)
	tests := map[string]struct {
		rotations []oncall.Rotation
		overrides []oncall.Override
		left      int64
		want      string
	}{
		"none":                           {both, nil, 0, "1:1@0-12 2:3@0-12 1:2@12-24 2:4@12-24"},
		"within a shift":                 {one, []oncall.Override{override(9, 5, 1, 3, 6)}, 0, "1:1@0-3 1:5@3-6 1:1@6-12 1:2@12-24"},
		"a whole shift":                  {one, []oncall.Override{override(9, 5, 1, 0, 12)}, 0, "1:5@0-12 1:2@12-24"},
		"only where the replaced one is": {one, []oncall.Override{override(9, 5, 1, 6, 18)}, 0, "1:1@0-6 1:5@6-12 1:2@12-24"},
		"over the end of the window":     {one, []oncall.Override{override(9, 5, 2, 20, 40)}, 0, "1:1@0-12 1:2@12-20 1:5@20-24"},
		"of somebody who is not on call": {one, []oncall.Override{override(9, 5, 7, 0, 24)}, 0, "1:1@0-12 1:2@12-24"},
		"in both rotations":              {append(one, rotation(2, 1, 2)), []oncall.Override{override(9, 5, 1, 6, 9)}, 0, "1:1@0-6 2:1@0-6 1:5@6-9 2:5@6-9 1:1@9-12 2:1@9-12 1:2@12-24 2:2@12-24"},
		"of the whole schedule":          {both, []oncall.Override{override(9, 5, 0, 6, 18)}, 0, "1:1@0-6 2:3@0-6 0:5@6-18 1:2@18-24 2:4@18-24"},
		"where nobody is on call":        {short, []oncall.Override{override(9, 5, 0, 10, 20)}, 0, "1:1@0-10 0:5@10-20"},
		"of an override":                 {one, []oncall.Override{override(8, 5, 1, 0, 12), override(9, 6, 5, 3, 6)}, 0, "1:5@0-3 1:6@3-6 1:5@6-12 1:2@12-24"},
		"the later one counts":           {one, []oncall.Override{override(8, 5, 0, 0, 12), override(9, 6, 0, 3, 6)}, 0, "0:5@0-3 0:6@3-6 0:5@6-12 1:2@12-24"},
		"of the user of an override":     {one, []oncall.Override{override(8, 5, 0, 0, 12), override(9, 1, 5, 3, 6)}, 0, "0:5@0-3 0:1@3-6 0:5@6-12 1:2@12-24"},
		"given back":                     {one, []oncall.Override{override(8, 5, 1, 0, 12), override(9, 1, 5, 0, 12)}, 0, "1:1@0-12 1:2@12-24"},
		"a swap":                         {one, []oncall.Override{swap(8, override(8, 2, 1, 0, 12)), swap(8, override(9, 1, 2, 12, 24))}, 0, "1:2@0-12 1:1@12-24"},
		"a swap at the same time":        {both, []oncall.Override{swap(8, override(8, 3, 1, 0, 12)), swap(8, override(9, 1, 3, 0, 12))}, 0, "1:3@0-12 2:1@0-12 1:2@12-24 2:4@12-24"},
		"a swap, and one is ill":         {one, []oncall.Override{swap(8, override(8, 2, 1, 0, 12)), swap(8, override(9, 1, 2, 12, 24)), override(10, 5, 2, 0, 24)}, 0, "1:5@0-12 1:1@12-24"},
		"by somebody who has left":       {one, []oncall.Override{override(9, 5, 1, 0, 12)}, 5, "1:1@0-12 1:2@12-24"},
		"of somebody who has left":       {one, []oncall.Override{override(9, 5, 1, 3, 6)}, 1, "1:2@0-3 1:5@3-6 1:2@6-12 1:2@12-24"},
		"of who took the turn":           {one, []oncall.Override{override(9, 5, 2, 3, 6)}, 1, "1:2@0-3 1:5@3-6 1:2@6-12 1:2@12-24"},
		"of who left, alone":             {[]oncall.Rotation{{ID: 1, StartsAt: monday, Length: oncall.Length{Value: 1, Unit: oncall.Days}, Participants: []int64{1}}}, []oncall.Override{override(9, 5, 1, 3, 6)}, 1, "1:5@3-6"},
	}
	for name, test := range tests {
		s := oncall.Schedule{Rotations: test.rotations, Overrides: test.overrides}
		got := picture(s, func(id int64) bool { return id != test.left })
		if got != test.want {
			t.Errorf("an override %s: %s, want %s", name, got, test.want)
		}
	}
}

func TestAShiftTellsWhereItIsFrom(t *testing.T) {
	s := oncall.Schedule{Overrides: []oncall.Override{override(8, 5, 1, 3, 6), override(9, 6, 0, 6, 9)}, Rotations: []oncall.Rotation{
		{ID: 1, StartsAt: monday, EndsAt: hours(9), Length: oncall.Length{Value: 1, Unit: oncall.Days}, Participants: []int64{1, 2}},
	}}
	wantShifts(t, s, "2026-06-01T00:00+00:00", "2026-06-02T00:00+00:00", oncall.Everybody,
		oncall.Shift{RotationID: 1, UserID: 1, StartsAt: hours(0), EndsAt: hours(3)},
		oncall.Shift{RotationID: 1, UserID: 5, InsteadOf: 1, OverrideID: 8, StartsAt: hours(3), EndsAt: hours(6)},
		oncall.Shift{UserID: 6, OverrideID: 9, StartsAt: hours(6), EndsAt: hours(9)},
	)
	left := func(id int64) bool { return id != 5 }
	want := oncall.Notice{SkippedUsers: []int64{5}}
	if diff := cmp.Diff(want, s.Notice(hours(0), left)); diff != "" {
		t.Errorf("the notice (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(oncall.Notice{}, s.Notice(hours(6), left)); diff != "" {
		t.Errorf("the notice after the override (-want +got):\n%s", diff)
	}
}
