package oncall_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/oncall"
)

const (
	berlin   = "Europe/Berlin"
	newYork  = "America/New_York"
	lordHowe = "Australia/Lord_Howe" // its clocks change by half an hour
	kolkata  = "Asia/Kolkata"
)

// handovers are when turns begin, in the time of their zone. A local time in a gap is the
// end of the gap, and one that comes twice is the first.
var handovers = []struct {
	zone, start string
	value       int
	unit        oncall.Unit
	n           int64
	want        string
}{
	{berlin, "2026-03-27T09:00+01:00", 1, oncall.Days, 0, "2026-03-27T09:00+01:00"},
	{berlin, "2026-03-27T09:00+01:00", 1, oncall.Days, 1, "2026-03-28T09:00+01:00"},
	{berlin, "2026-03-27T09:00+01:00", 1, oncall.Days, 2, "2026-03-29T09:00+02:00"},
	{berlin, "2026-03-27T09:00+01:00", 1, oncall.Days, 3, "2026-03-30T09:00+02:00"},
	{berlin, "2026-03-27T02:30+01:00", 1, oncall.Days, 1, "2026-03-28T02:30+01:00"},
	{berlin, "2026-03-27T02:30+01:00", 1, oncall.Days, 2, "2026-03-29T03:00+02:00"},
	{berlin, "2026-03-27T02:30+01:00", 1, oncall.Days, 3, "2026-03-30T02:30+02:00"},
	{berlin, "2026-03-27T02:00+01:00", 1, oncall.Days, 2, "2026-03-29T03:00+02:00"},
	{berlin, "2026-03-27T03:00+01:00", 1, oncall.Days, 2, "2026-03-29T03:00+02:00"},
	{berlin, "2026-03-28T00:00+01:00", 12, oncall.Hours, 1, "2026-03-28T12:00+01:00"},
	{berlin, "2026-03-28T00:00+01:00", 12, oncall.Hours, 2, "2026-03-29T00:00+01:00"},
	{berlin, "2026-03-28T00:00+01:00", 12, oncall.Hours, 3, "2026-03-29T13:00+02:00"},
	{berlin, "2026-03-29T01:30+01:00", 1, oncall.Hours, 0, "2026-03-29T01:30+01:00"},
	{berlin, "2026-03-29T01:30+01:00", 1, oncall.Hours, 1, "2026-03-29T03:30+02:00"},
	{berlin, "2026-03-29T01:30+01:00", 1, oncall.Hours, 2, "2026-03-29T04:30+02:00"},
	{berlin, "2026-10-23T09:00+02:00", 1, oncall.Days, 1, "2026-10-24T09:00+02:00"},
	{berlin, "2026-10-23T09:00+02:00", 1, oncall.Days, 2, "2026-10-25T09:00+01:00"},
	{berlin, "2026-10-23T09:00+02:00", 1, oncall.Days, 3, "2026-10-26T09:00+01:00"},
	{berlin, "2026-10-23T02:30+02:00", 1, oncall.Days, 1, "2026-10-24T02:30+02:00"},
	{berlin, "2026-10-23T02:30+02:00", 1, oncall.Days, 2, "2026-10-25T02:30+02:00"},
	{berlin, "2026-10-23T02:30+02:00", 1, oncall.Days, 3, "2026-10-26T02:30+01:00"},
	{berlin, "2026-10-25T02:30+02:00", 1, oncall.Days, 0, "2026-10-25T02:30+02:00"},
	{berlin, "2026-10-25T02:30+02:00", 1, oncall.Days, 1, "2026-10-26T02:30+01:00"},
	{berlin, "2026-10-25T02:30+01:00", 1, oncall.Days, 0, "2026-10-25T02:30+01:00"},
	{berlin, "2026-10-25T02:30+01:00", 1, oncall.Days, 1, "2026-10-26T02:30+01:00"},
	{berlin, "2026-10-25T01:30+02:00", 1, oncall.Hours, 0, "2026-10-25T01:30+02:00"},
	{berlin, "2026-10-25T01:30+02:00", 1, oncall.Hours, 1, "2026-10-25T02:30+02:00"},
	{berlin, "2026-10-25T01:30+02:00", 1, oncall.Hours, 2, "2026-10-25T02:30+01:00"},
	{berlin, "2026-10-25T01:30+02:00", 1, oncall.Hours, 3, "2026-10-25T03:30+01:00"},
	{berlin, "2026-01-05T08:00+01:00", 2, oncall.Weeks, 0, "2026-01-05T08:00+01:00"},
	{berlin, "2026-01-05T08:00+01:00", 2, oncall.Weeks, 5, "2026-03-16T08:00+01:00"},
	{berlin, "2026-01-05T08:00+01:00", 2, oncall.Weeks, 6, "2026-03-30T08:00+02:00"},
	{berlin, "2026-01-05T08:00+01:00", 2, oncall.Weeks, 21, "2026-10-26T08:00+01:00"},
	{berlin, "2016-10-30T02:15+02:00", 52, oncall.Weeks, 10, "2026-10-18T02:15+02:00"},
	{newYork, "2026-03-06T09:00-05:00", 1, oncall.Days, 1, "2026-03-07T09:00-05:00"},
	{newYork, "2026-03-06T09:00-05:00", 1, oncall.Days, 2, "2026-03-08T09:00-04:00"},
	{newYork, "2026-03-06T09:00-05:00", 1, oncall.Days, 3, "2026-03-09T09:00-04:00"},
	{newYork, "2026-03-06T02:30-05:00", 1, oncall.Days, 1, "2026-03-07T02:30-05:00"},
	{newYork, "2026-03-06T02:30-05:00", 1, oncall.Days, 2, "2026-03-08T03:00-04:00"},
	{newYork, "2026-03-06T02:30-05:00", 1, oncall.Days, 3, "2026-03-09T02:30-04:00"},
	{newYork, "2026-03-07T22:00-05:00", 8, oncall.Hours, 0, "2026-03-07T22:00-05:00"},
	{newYork, "2026-03-07T22:00-05:00", 8, oncall.Hours, 1, "2026-03-08T07:00-04:00"},
	{newYork, "2026-03-07T22:00-05:00", 8, oncall.Hours, 2, "2026-03-08T15:00-04:00"},
	{newYork, "2026-10-30T09:00-04:00", 1, oncall.Days, 1, "2026-10-31T09:00-04:00"},
	{newYork, "2026-10-30T09:00-04:00", 1, oncall.Days, 2, "2026-11-01T09:00-05:00"},
	{newYork, "2026-10-30T09:00-04:00", 1, oncall.Days, 3, "2026-11-02T09:00-05:00"},
	{newYork, "2026-10-30T01:30-04:00", 1, oncall.Days, 1, "2026-10-31T01:30-04:00"},
	{newYork, "2026-10-30T01:30-04:00", 1, oncall.Days, 2, "2026-11-01T01:30-04:00"},
	{newYork, "2026-10-30T01:30-04:00", 1, oncall.Days, 3, "2026-11-02T01:30-05:00"},
	{newYork, "2026-10-30T01:00-04:00", 1, oncall.Days, 2, "2026-11-01T01:00-04:00"},
	{newYork, "2026-10-30T02:00-04:00", 1, oncall.Days, 2, "2026-11-01T02:00-05:00"},
	{newYork, "2026-11-01T01:30-05:00", 1, oncall.Weeks, 0, "2026-11-01T01:30-05:00"},
	{newYork, "2026-11-01T01:30-05:00", 1, oncall.Weeks, 1, "2026-11-08T01:30-05:00"},
	{newYork, "2026-11-01T00:30-04:00", 1, oncall.Hours, 1, "2026-11-01T01:30-04:00"},
	{newYork, "2026-11-01T00:30-04:00", 1, oncall.Hours, 2, "2026-11-01T01:30-05:00"},
	{newYork, "2026-11-01T00:30-04:00", 1, oncall.Hours, 3, "2026-11-01T02:30-05:00"},
	{newYork, "2025-12-29T17:00-05:00", 1, oncall.Weeks, 9, "2026-03-02T17:00-05:00"},
	{newYork, "2025-12-29T17:00-05:00", 1, oncall.Weeks, 10, "2026-03-09T17:00-04:00"},
	{newYork, "2025-12-29T17:00-05:00", 1, oncall.Weeks, 43, "2026-10-26T17:00-04:00"},
	{newYork, "2025-12-29T17:00-05:00", 1, oncall.Weeks, 44, "2026-11-02T17:00-05:00"},
	{lordHowe, "2026-04-03T09:00+11:00", 1, oncall.Days, 1, "2026-04-04T09:00+11:00"},
	{lordHowe, "2026-04-03T09:00+11:00", 1, oncall.Days, 2, "2026-04-05T09:00+10:30"},
	{lordHowe, "2026-04-03T09:00+11:00", 1, oncall.Days, 3, "2026-04-06T09:00+10:30"},
	{lordHowe, "2026-04-03T01:45+11:00", 1, oncall.Days, 1, "2026-04-04T01:45+11:00"},
	{lordHowe, "2026-04-03T01:45+11:00", 1, oncall.Days, 2, "2026-04-05T01:45+11:00"},
	{lordHowe, "2026-04-03T01:45+11:00", 1, oncall.Days, 3, "2026-04-06T01:45+10:30"},
	{lordHowe, "2026-04-03T01:30+11:00", 1, oncall.Days, 2, "2026-04-05T01:30+11:00"},
	{lordHowe, "2026-04-04T21:00+11:00", 6, oncall.Hours, 1, "2026-04-05T02:30+10:30"},
	{lordHowe, "2026-04-04T21:00+11:00", 6, oncall.Hours, 2, "2026-04-05T08:30+10:30"},
	{lordHowe, "2026-10-02T09:00+10:30", 1, oncall.Days, 1, "2026-10-03T09:00+10:30"},
	{lordHowe, "2026-10-02T09:00+10:30", 1, oncall.Days, 2, "2026-10-04T09:00+11:00"},
	{lordHowe, "2026-10-02T09:00+10:30", 1, oncall.Days, 3, "2026-10-05T09:00+11:00"},
	{lordHowe, "2026-10-02T02:15+10:30", 1, oncall.Days, 1, "2026-10-03T02:15+10:30"},
	{lordHowe, "2026-10-02T02:15+10:30", 1, oncall.Days, 2, "2026-10-04T02:30+11:00"},
	{lordHowe, "2026-10-02T02:15+10:30", 1, oncall.Days, 3, "2026-10-05T02:15+11:00"},
	{lordHowe, "2026-10-03T20:00+10:30", 6, oncall.Hours, 1, "2026-10-04T02:30+11:00"},
	{lordHowe, "2026-10-03T20:00+10:30", 6, oncall.Hours, 2, "2026-10-04T08:30+11:00"},
	{lordHowe, "2026-03-30T00:00+11:00", 1, oncall.Weeks, 0, "2026-03-30T00:00+11:00"},
	{lordHowe, "2026-03-30T00:00+11:00", 1, oncall.Weeks, 1, "2026-04-06T00:00+10:30"},
	{lordHowe, "2026-03-30T00:00+11:00", 1, oncall.Weeks, 27, "2026-10-05T00:00+11:00"},
	{kolkata, "2026-03-28T09:00+05:30", 1, oncall.Days, 0, "2026-03-28T09:00+05:30"},
	{kolkata, "2026-03-28T09:00+05:30", 1, oncall.Days, 1, "2026-03-29T09:00+05:30"},
	{kolkata, "2026-03-28T09:00+05:30", 1, oncall.Days, 200, "2026-10-14T09:00+05:30"},
	{kolkata, "2026-03-28T00:00+05:30", 12, oncall.Hours, 1, "2026-03-28T12:00+05:30"},
	{kolkata, "2026-03-28T00:00+05:30", 12, oncall.Hours, 3, "2026-03-29T12:00+05:30"},
	{kolkata, "2026-03-28T00:00+05:30", 4, oncall.Weeks, 13, "2027-03-27T00:00+05:30"},
}

func zone(t testing.TB, name string) oncall.Zone {
	t.Helper()
	z, err := oncall.ParseZone(name)
	if err != nil {
		t.Fatalf("ParseZone(%s) = %v", name, err)
	}
	return z
}

// at reads a time with its offset, to the minute.
func at(t testing.TB, text string) time.Time {
	t.Helper()
	read, err := time.Parse("2006-01-02T15:04Z07:00", text)
	if err != nil {
		t.Fatal(err)
	}
	return read.UTC()
}

// user is the id of the participant with this number, from 0, of the rotation layer.
func user(rotation, n int64) int64 { return 100*rotation + n%3 }

// layer is a rotation of three.
func layer(id int64, start time.Time, value int, unit oncall.Unit) oncall.Rotation {
	return oncall.Rotation{
		ID: id, Name: fmt.Sprint("layer ", id), StartsAt: start, Length: oncall.Length{Value: value, Unit: unit},
		Participants: []int64{user(id, 0), user(id, 1), user(id, 2)},
	}
}

func TestHandoverIsAtThePromisedTime(t *testing.T) {
	for _, test := range handovers {
		z := zone(t, test.zone)
		s := oncall.Schedule{Timezone: z, Rotations: []oncall.Rotation{layer(1, at(t, test.start), test.value, test.unit)}}
		want := at(t, test.want)
		what := fmt.Sprintf("%s: turn %d of %d %s from %s", test.zone, test.n, test.value, test.unit, test.start)
		comes := s.At(want, oncall.Everybody)
		if len(comes) != 1 || comes[0].UserID != user(1, test.n) || !comes[0].StartsAt.Equal(want) {
			t.Errorf("%s: at %s there is %+v, want it to begin with user %d", what, test.want, comes, user(1, test.n))
		}
		goes := s.At(want.Add(-time.Second), oncall.Everybody)
		switch {
		case test.n == 0 && len(goes) != 0:
			t.Errorf("%s: before there is %+v, want nobody", what, goes)
		case test.n > 0 && (len(goes) != 1 || goes[0].UserID != user(1, test.n-1) || !goes[0].EndsAt.Equal(want)):
			t.Errorf("%s: before there is %+v, want user %d until then", what, goes, user(1, test.n-1))
		}
	}
	if len(handovers) < 60 {
		t.Errorf("%d handovers are checked, want 60", len(handovers))
	}
}

func period(t testing.TB, start, end string) *oncall.ActivePeriod {
	t.Helper()
	from, ok := oncall.ParseClock(start)
	until, too := oncall.ParseClock(end)
	if !ok || !too {
		t.Fatalf("%s and %s are no times of day", start, end)
	}
	return &oncall.ActivePeriod{Start: from, End: until}
}

func TestActivePeriods(t *testing.T) {
	tests := []struct {
		zone, start, end, from, until string
		want                          []string // times with their offset, from and until
	}{
		{berlin, "08:00", "20:00", "2026-03-28T00:00+01:00", "2026-03-30T00:00+02:00", []string{
			"2026-03-28T08:00+01:00", "2026-03-28T20:00+01:00", "2026-03-29T08:00+02:00", "2026-03-29T20:00+02:00"}},
		{berlin, "22:00", "06:00", "2026-03-28T12:00+01:00", "2026-03-29T12:00+02:00", []string{"2026-03-28T22:00+01:00", "2026-03-29T06:00+02:00"}},
		{berlin, "22:00", "06:00", "2026-10-24T12:00+02:00", "2026-10-25T12:00+01:00", []string{"2026-10-24T22:00+02:00", "2026-10-25T06:00+01:00"}},
		{berlin, "02:00", "03:00", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00", nil}, // in the gap
		{berlin, "02:30", "03:30", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00", []string{"2026-03-29T03:00+02:00", "2026-03-29T03:30+02:00"}},
		{berlin, "01:30", "02:30", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00", []string{"2026-03-29T01:30+01:00", "2026-03-29T03:00+02:00"}},
		{berlin, "02:30", "03:30", "2026-10-25T00:00+02:00", "2026-10-26T00:00+01:00", []string{"2026-10-25T02:30+02:00", "2026-10-25T03:30+01:00"}},
		{berlin, "22:00", "00:00", "2026-03-28T12:00+01:00", "2026-03-29T12:00+02:00", []string{"2026-03-28T22:00+01:00", "2026-03-29T00:00+01:00"}},
		{newYork, "00:00", "02:30", "2026-03-08T00:00-05:00", "2026-03-08T12:00-04:00", []string{"2026-03-08T00:00-05:00", "2026-03-08T03:00-04:00"}},
		{newYork, "01:30", "01:45", "2026-11-01T00:00-04:00", "2026-11-01T12:00-05:00", []string{"2026-11-01T01:30-04:00", "2026-11-01T01:45-04:00"}},
		{newYork, "20:00", "08:00", "2026-11-01T04:00-05:00", "2026-11-01T05:00-05:00", []string{"2026-10-31T20:00-04:00", "2026-11-01T08:00-05:00"}},
		{lordHowe, "01:45", "09:00", "2026-04-05T00:00+11:00", "2026-04-05T12:00+10:30", []string{"2026-04-05T01:45+11:00", "2026-04-05T09:00+10:30"}},
		{lordHowe, "02:15", "09:00", "2026-10-04T00:00+10:30", "2026-10-04T12:00+11:00", []string{"2026-10-04T02:30+11:00", "2026-10-04T09:00+11:00"}},
		{lordHowe, "02:00", "02:30", "2026-10-04T00:00+10:30", "2026-10-04T12:00+11:00", nil},
		{kolkata, "18:30", "05:30", "2026-03-29T12:00+05:30", "2026-03-30T12:00+05:30", []string{"2026-03-29T18:30+05:30", "2026-03-30T05:30+05:30"}},
	}
	for _, test := range tests {
		r := layer(1, at(t, "2025-01-06T00:00+00:00"), 1000, oncall.Weeks)
		r.ActivePeriod = period(t, test.start, test.end)
		s := oncall.Schedule{Timezone: zone(t, test.zone), Rotations: []oncall.Rotation{r}}
		var got []string
		for _, shift := range s.ShiftsBetween(at(t, test.from), at(t, test.until), oncall.Everybody) {
			for _, instant := range []time.Time{shift.StartsAt, shift.EndsAt} {
				got = append(got, instant.In(s.Timezone.Location()).Format("2006-01-02T15:04-07:00"))
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s %s-%s (-want +got):\n%s", test.zone, test.start, test.end, diff)
		}
	}
}

// A handover within the active period divides it.
func TestAHandoverDividesThePeriod(t *testing.T) {
	r := layer(1, at(t, "2026-03-28T00:00+01:00"), 1, oncall.Days)
	r.ActivePeriod = period(t, "22:00", "06:00")
	s := oncall.Schedule{Timezone: zone(t, berlin), Rotations: []oncall.Rotation{r}}
	want := []oncall.Shift{
		{RotationID: 1, UserID: user(1, 0), StartsAt: at(t, "2026-03-28T22:00+01:00"), EndsAt: at(t, "2026-03-29T00:00+01:00")},
		{RotationID: 1, UserID: user(1, 1), StartsAt: at(t, "2026-03-29T00:00+01:00"), EndsAt: at(t, "2026-03-29T06:00+02:00")},
	}
	wantShifts(t, s, "2026-03-28T12:00+01:00", "2026-03-29T12:00+02:00", oncall.Everybody, want...)
}

func wantShifts(t *testing.T, s oncall.Schedule, from, until string, present oncall.Presence, want ...oncall.Shift) {
	t.Helper()
	got := s.ShiftsBetween(at(t, from), at(t, until), present)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ShiftsBetween(%s, %s) (-want +got):\n%s", from, until, diff)
	}
}

func TestARotationEnds(t *testing.T) {
	r := layer(1, at(t, "2026-06-01T08:00+02:00"), 1, oncall.Days)
	r.EndsAt = at(t, "2026-06-02T12:00+02:00")
	s := oncall.Schedule{Timezone: zone(t, berlin), Rotations: []oncall.Rotation{r}}
	want := []oncall.Shift{
		{RotationID: 1, UserID: user(1, 0), StartsAt: r.StartsAt, EndsAt: at(t, "2026-06-02T08:00+02:00")},
		{RotationID: 1, UserID: user(1, 1), StartsAt: at(t, "2026-06-02T08:00+02:00"), EndsAt: r.EndsAt},
	}
	wantShifts(t, s, "2026-05-01T00:00+02:00", "2026-07-01T00:00+02:00", oncall.Everybody, want...)
	wantShifts(t, s, "2026-06-02T12:00+02:00", "2026-07-01T00:00+02:00", oncall.Everybody)
	wantShifts(t, s, "2026-06-02T12:00+02:00", "2026-06-02T12:00+02:00", oncall.Everybody)
}

// Whoever has left is replaced by the next in order.
func TestNobodyWhoLeftIsOnCall(t *testing.T) {
	start := at(t, "2026-06-01T08:00+02:00")
	s := oncall.Schedule{Timezone: zone(t, berlin), Rotations: []oncall.Rotation{layer(1, start, 1, oncall.Days)}}
	first, second, third := user(1, 0), user(1, 1), user(1, 2)
	for _, test := range []struct {
		left   []int64
		want   []int64 // users on the three days
		notice oncall.Notice
	}{
		{nil, []int64{first, second, third}, oncall.Notice{}},
		{[]int64{first}, []int64{second, second, third}, oncall.Notice{SkippedUsers: []int64{first}}},
		{[]int64{third}, []int64{first, second, first}, oncall.Notice{SkippedUsers: []int64{third}}},
		{[]int64{second, third}, []int64{first, first, first}, oncall.Notice{SkippedUsers: []int64{second, third}}},
		{[]int64{first, second, third}, nil, oncall.Notice{SkippedUsers: []int64{first, second, third}, Gap: true}},
	} {
		present := func(id int64) bool { return !slices.Contains(test.left, id) }
		var got []int64
		for n, shift := range s.ShiftsBetween(start, start.AddDate(0, 0, 3), present) {
			got = append(got, shift.UserID)
			if skipped := shift.UserID != user(1, int64(n)); skipped != (shift.InsteadOf == user(1, int64(n))) {
				t.Errorf("without %v: %+v", test.left, shift)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("without %v (-want +got):\n%s", test.left, diff)
		}
		if diff := cmp.Diff(test.notice, s.Notice(start, present)); diff != "" {
			t.Errorf("without %v the notice (-want +got):\n%s", test.left, diff)
		}
	}
	s.Rotations[0].EndsAt = start.AddDate(0, 0, 1)
	nobody := func(int64) bool { return false }
	if diff := cmp.Diff(oncall.Notice{}, s.Notice(s.Rotations[0].EndsAt, nobody)); diff != "" {
		t.Errorf("the notice about a rotation that has ended (-want +got):\n%s", diff)
	}
}
