package oncall

import (
	"time"

	"gatehouse/shared/text"
)

// Zone is a time zone with a name of the IANA database. The zero Zone is UTC.
type Zone struct{ location *time.Location }

// ParseZone returns the zone with this name.
func ParseZone(name string) (Zone, error) {
	location, err := text.Zone(name)
	return Zone{location}, err
}

// Location returns the zone for package time.
func (z Zone) Location() *time.Location {
	if z.location == nil {
		return time.UTC
	}
	return z.location
}

// String returns the name.
func (z Zone) String() string { return z.Location().String() }

// MarshalText writes the name.
func (z Zone) MarshalText() ([]byte, error) { return []byte(z.String()), nil }

// UnmarshalText reads a name. A zone that was stored and is not known here is an error,
// because times in another zone would be wrong.
func (z *Zone) UnmarshalText(name []byte) (err error) {
	*z, err = ParseZone(string(name))
	return err
}

// wall is what clocks on a wall show, without their zone: a time.Time in UTC that has the
// date and the time of day.
type wall = time.Time

// WallAt returns what the clocks of the zone show at an instant: a time in UTC with that date
// and time of day.
func (z Zone) WallAt(t time.Time) time.Time {
	local := t.In(z.Location())
	year, month, day := local.Date()
	hour, minute, second := local.Clock()
	return time.Date(year, month, day, hour, minute, second, 0, time.UTC)
}

// offsetRange is more than the clocks of any zone differ from UTC.
const offsetRange = 26 * time.Hour

// First returns the first instant at which the clocks of the zone show this time or a
// later one. A time in the gap of a daylight-saving change is thus the end of the gap, and
// of a time that comes twice it is the first. A later wall never gives an earlier instant.
func (z Zone) First(w time.Time) time.Time {
	t, _ := z.resolve(w)
	return t
}

// Last returns the last instant at which the clocks of the zone show this time; in the gap of
// a daylight-saving change it is the end of the gap.
func (z Zone) Last(w time.Time) time.Time {
	t, n := z.resolve(w)
	if n == twice {
		_, end := t.ZoneBounds()
		return z.withOffsetOf(end, w)
	}
	return t
}

// occurrences says how often the clocks of a zone show a time.
type occurrences int

const never, once, twice occurrences = 0, 1, 2

// resolve returns the instant of First, and how often the clocks show the time. It looks
// through the periods between changes of the clocks.
func (z Zone) resolve(w wall) (time.Time, occurrences) {
	in := w.Add(-offsetRange).In(z.Location())
	for {
		begin, end := in.ZoneBounds()
		t := z.withOffsetOf(in, w)
		switch {
		case t.Before(begin):
			return begin, never
		case end.IsZero():
			return t, once
		case t.Before(end):
			return t, z.occurrencesUntil(end, w)
		}
		in = end
	}
}

// occurrencesUntil tells how often the clocks show a time that they show before they
// change at the end of a period.
func (z Zone) occurrencesUntil(end time.Time, w wall) occurrences {
	if z.withOffsetOf(end, w).Before(end) {
		return once
	}
	return twice
}

// withOffsetOf returns when clocks with the offset from UTC of the instant show the time.
func (z Zone) withOffsetOf(t time.Time, w wall) time.Time {
	_, offset := t.Zone()
	return w.Add(-time.Duration(offset) * time.Second).In(z.Location())
}
