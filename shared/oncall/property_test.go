package oncall_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gatehouse/shared/oncall"
)

var zones = []string{berlin, newYork, lordHowe, kolkata, "UTC", "Pacific/Apia", "America/Santiago", "Africa/Casablanca"}

// chance draws schedules and instants; the seed makes the draw the same each time.
type chance struct{ *rand.Rand }

func (c chance) instant(from time.Time, within time.Duration) time.Time {
	return from.Add(time.Duration(c.Int64N(int64(within)))).Truncate(time.Minute)
}

var era = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

const years = 365 * 24 * time.Hour

func (c chance) rotation(id int64) oncall.Rotation {
	r := oncall.Rotation{
		ID: id, StartsAt: c.instant(era, 30*years), Length: oncall.Length{Value: 1 + c.IntN(9), Unit: oncall.Units[c.IntN(3)]},
	}
	for n := range 1 + c.Int64N(5) {
		r.Participants = append(r.Participants, 10*id+n)
	}
	if c.IntN(4) == 0 {
		r.EndsAt = c.instant(r.StartsAt, 2*years).Add(time.Minute)
	}
	return r
}

// next returns the participant after this one.
func next(r oncall.Rotation, userID int64) int64 {
	i := slices.Index(r.Participants, userID)
	return r.Participants[(i+1)%len(r.Participants)]
}

// handedOver checks that a handover from a shift is at the promised time of day, or at the
// end of a gap that this is in; of hours, after them.
func handedOver(t *testing.T, z oncall.Zone, r oncall.Rotation, s oncall.Shift) {
	t.Helper()
	if r.Length.Unit == oncall.Hours {
		if got := s.EndsAt.Sub(s.StartsAt); got != time.Duration(r.Length.Value)*time.Hour {
			t.Errorf("%+v of %+v takes %s", s, r, got)
		}
		return
	}
	shown := func(at time.Time) int {
		hour, minute, _ := at.In(z.Location()).Clock()
		return 60*hour + minute
	}
	promised, got := shown(r.StartsAt), shown(s.EndsAt)
	before := shown(s.EndsAt.Add(-time.Minute))
	inGap := before < promised && promised < got || got != before+1 && got != 0
	if got != promised && !inGap {
		t.Errorf("in %s %+v of %+v ends at %02d:%02d", z, s, r, got/60, got%60)
	}
}

// At any instant of its life exactly one participant of a rotation is on call, and hands
// over to the next at the promised time.
func TestExactlyOneParticipantIsOnCall(t *testing.T) {
	c := chance{rand.New(rand.NewPCG(1, 2))}
	for range 2000 {
		z, r := zone(t, zones[c.IntN(len(zones))]), c.rotation(1)
		s := oncall.Schedule{Timezone: z, Rotations: []oncall.Rotation{r}}
		now := c.instant(r.StartsAt, 20*years)
		alive := r.EndsAt.IsZero() || now.Before(r.EndsAt)
		found := s.At(now, oncall.Everybody)
		if alive != (len(found) == 1) || len(found) > 1 {
			t.Fatalf("at %s there is %+v in %+v", now, found, r)
		}
		if !alive {
			continue
		}
		shift := found[0]
		if now.Before(shift.StartsAt) || !now.Before(shift.EndsAt) {
			t.Fatalf("at %s there is %+v in %+v", now, shift, r)
		}
		if shift.EndsAt.Equal(r.EndsAt) {
			continue
		}
		handedOver(t, z, r, shift)
		after := s.At(shift.EndsAt, oncall.Everybody)
		if len(after) != 1 || after[0].UserID != next(r, shift.UserID) || !after[0].StartsAt.Equal(shift.EndsAt) {
			t.Fatalf("after %+v there is %+v in %+v", shift, after, r)
		}
	}
}

// A long look shows what looks at single instants show.
func TestShiftsAreThoseOfTheirInstants(t *testing.T) {
	c := chance{rand.New(rand.NewPCG(3, 4))}
	for range 300 {
		s := c.schedule(t)
		from := c.instant(s.Rotations[0].StartsAt, years)
		shifts := s.ShiftsBetween(from, from.AddDate(0, 0, 20), oncall.Everybody)
		for range 20 {
			now := c.instant(from, 20*24*time.Hour)
			var want []oncall.Shift
			for _, shift := range shifts {
				if !now.Before(shift.StartsAt) && now.Before(shift.EndsAt) {
					want = append(want, shift)
				}
			}
			if got := s.At(now, oncall.Everybody); !slices.Equal(got, want) {
				t.Fatalf("at %s there is %+v, in the look %+v", now, got, want)
			}
		}
	}
}

// schedule draws one with active periods and overrides.
func (c chance) schedule(t *testing.T) oncall.Schedule {
	s := oncall.Schedule{Timezone: zone(t, zones[c.IntN(len(zones))])}
	for n := range 1 + c.Int64N(3) {
		r := c.rotation(n + 1)
		if n > 0 {
			r.StartsAt, r.EndsAt = s.Rotations[0].StartsAt, time.Time{}
		}
		if c.IntN(2) == 0 {
			r.ActivePeriod = &oncall.ActivePeriod{Start: oncall.Clock(c.IntN(24 * 60)), End: oncall.Clock(c.IntN(24 * 60))}
		}
		s.Rotations = append(s.Rotations, r)
	}
	for n := range c.Int64N(6) {
		o := oncall.Override{ID: n + 1, UserID: 1000 + n, ReplacesUserID: 10 * c.Int64N(2)}
		o.StartsAt = c.instant(s.Rotations[0].StartsAt, years)
		o.EndsAt = c.instant(o.StartsAt.Add(time.Minute), 60*24*time.Hour)
		s.Overrides = append(s.Overrides, o)
	}
	return s
}

// While the last override lasts its user is on call exactly where the replaced one was, and
// outside of it nothing changes.
func TestAnOverrideWinsWhileItLasts(t *testing.T) {
	c := chance{rand.New(rand.NewPCG(5, 6))}
	const cover = 5000
	for range 500 {
		before := c.schedule(t)
		after := before
		o := oncall.Override{ID: 99, UserID: cover, StartsAt: c.instant(before.Rotations[0].StartsAt, years)}
		o.EndsAt = c.instant(o.StartsAt.Add(time.Minute), 30*24*time.Hour)
		if was := before.At(o.StartsAt, oncall.Everybody); len(was) > 0 && c.IntN(3) > 0 {
			o.ReplacesUserID = was[0].UserID
		}
		after.Overrides = append(slices.Clone(before.Overrides), o)
		instants := []time.Time{o.StartsAt.Add(-time.Second), o.StartsAt, o.EndsAt.Add(-time.Second), o.EndsAt}
		for range 10 {
			instants = append(instants, c.instant(o.StartsAt, o.EndsAt.Sub(o.StartsAt)), c.instant(o.StartsAt.AddDate(0, -1, 0), years/4))
		}
		for _, now := range instants {
			want := users(before, now)
			switch lasts := !now.Before(o.StartsAt) && now.Before(o.EndsAt); {
			case lasts && o.ReplacesUserID == 0:
				want = []int64{cover}
			case lasts:
				for i, id := range want {
					if id == o.ReplacesUserID {
						want[i] = cover
					}
				}
				slices.Sort(want)
			}
			if got := users(after, now); !slices.Equal(got, want) {
				t.Fatalf("at %s %v are on call, want %v, with %+v", now, got, want, o)
			}
		}
	}
}

// users returns who is on call, in order.
func users(s oncall.Schedule, now time.Time) (ids []int64) {
	for _, shift := range s.At(now, oncall.Everybody) {
		ids = append(ids, shift.UserID)
	}
	slices.Sort(ids)
	return ids
}
