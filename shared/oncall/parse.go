package oncall

import (
	"fmt"
	"time"
)

// The times that are taken. Others are mistakes, and a calendar could not show them.
var (
	firstTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	lastTime  = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// maxTimeText is the longest text of a time, in bytes.
const maxTimeText = 64

const notATime = "is not a time, such as 2026-03-29T09:00:00Z"

// localLayouts are those of a time without an offset from UTC.
var localLayouts = []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05"}

// ParseTime reads an instant: a time with its offset from UTC (RFC 3339, or without
// seconds), or a local time of the zone, which the clocks there have to show exactly once.
// It returns a complaint about any other text. Fractions of a second do not count.
func (z Zone) ParseTime(text string) (t time.Time, complaint string) {
	if len(text) > maxTimeText {
		return time.Time{}, notATime
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return bounded(t)
		}
	}
	for _, layout := range localLayouts {
		if w, err := time.Parse(layout, text); err == nil {
			return z.parseLocal(w)
		}
	}
	return time.Time{}, notATime
}

// ParseLast reads an instant as ParseTime does. A local time that the clocks show twice is
// the later one, and one that they skip the first instant after the gap.
func (z Zone) ParseLast(text string) (t time.Time, complaint string) {
	for _, layout := range localLayouts {
		if w, err := time.Parse(layout, text); err == nil {
			return bounded(z.Last(w))
		}
	}
	return z.ParseTime(text)
}

func (z Zone) parseLocal(w wall) (t time.Time, complaint string) {
	t, n := z.resolve(w)
	shown := w.Format("2006-01-02 15:04:05")
	switch n {
	case never:
		return time.Time{}, fmt.Sprintf("does not exist in %s: the clocks skip %s, so add the offset from UTC", z, shown)
	case twice:
		return time.Time{}, fmt.Sprintf("is ambiguous in %s: the clocks show %s twice, so add the offset from UTC", z, shown)
	}
	return bounded(t)
}

func bounded(t time.Time) (_ time.Time, complaint string) {
	if t.Before(firstTime) || !t.Before(lastTime) {
		return time.Time{}, "must be between the years 2000 and 2199"
	}
	return t.Truncate(time.Second).UTC(), ""
}

// FormatTime writes an instant as ParseTime reads it: as a local time of the zone if that
// says which instant is meant, and otherwise with the offset from UTC.
func (z Zone) FormatTime(t time.Time) string {
	local := t.In(z.Location())
	for _, layout := range localLayouts[:2] {
		text := local.Format(layout)
		if read, complaint := z.ParseTime(text); complaint == "" && read.Equal(t) {
			return text
		}
	}
	return local.Format(time.RFC3339)
}
