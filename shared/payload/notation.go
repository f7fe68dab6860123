package payload

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/text"
)

// Epoch is a unit in which the time since 1970 is counted.
type Epoch string

// The units. Without one it is guessed from the size of the number.
const (
	EpochGuessed Epoch = ""
	EpochSeconds Epoch = "epoch_s"
	EpochMillis  Epoch = "epoch_ms"
	EpochMicros  Epoch = "epoch_us"
	EpochNanos   Epoch = "epoch_ns"
)

// Epochs lists the units that have a name.
var Epochs = []Epoch{EpochSeconds, EpochMillis, EpochMicros, EpochNanos}

// perSecond is how many of the unit a second has.
var perSecond = map[Epoch]float64{EpochSeconds: 1, EpochMillis: 1e3, EpochMicros: 1e6, EpochNanos: 1e9}

// Notation is how a tool writes times, as far as somebody said so. The zero Notation guesses.
type Notation struct {
	Epoch Epoch          // of numbers
	Zone  *time.Location // of a time that names none; nil: UTC
	US    bool           // 11/22/2026 has the month first; otherwise it is no time
	// ZoneOf returns the zone that a text names; nil if there is none. Nil: text.Zone.
	ZoneOf func(name string) *time.Location
}

// Read reads a value as a time, and reports whether it is one. It takes what Time takes, and
// numbers since 1970, also as text; dates with dots (2026.11.22, 22.11.2026), a clock of
// twelve hours (10:00:00 AM), and a zone by its name behind the time (Europe/Berlin or
// [Europe/Berlin]).
func (n Notation) Read(value any) (time.Time, bool) {
	switch v := value.(type) {
	case json.Number:
		return n.since1970(v.String())
	case string:
		if len(v) > maxTimeLength {
			return time.Time{}, false
		}
		v = strings.TrimSpace(v)
		if t, ok := n.since1970(v); ok {
			return t, true
		}
		return n.read(v)
	}
	return time.Time{}, false
}

// maxNumber is longer than any number that is a time.
const maxNumber = 40

// since1970 reads a number.
func (n Notation) since1970(digits string) (time.Time, bool) {
	if len(digits) > maxNumber || digits == "" || strings.Trim(digits, "0123456789.eE+-") != "" {
		return time.Time{}, false
	}
	number, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return time.Time{}, false
	}
	unit := n.Epoch
	if unit == EpochGuessed {
		if unit = guessed(number); unit == EpochGuessed {
			return time.Time{}, false
		}
	}
	seconds := number / perSecond[unit]
	if !(seconds > 0) || seconds > maxSeconds {
		return time.Time{}, false
	}
	return plausible(exactly(digits, unit, seconds))
}

// maxSeconds is beyond lastYear.
const maxSeconds = 1e10

// guessed returns the unit in which the number is a time between 1973 and 5138.
func guessed(number float64) Epoch {
	switch {
	case number < 1e8:
		return EpochGuessed // 20261122 is a date
	case number < 1e11:
		return EpochSeconds
	case number < 1e14:
		return EpochMillis
	case number < 1e17:
		return EpochMicros
	}
	return EpochNanos
}

// exactly returns the time without the rounding of a float64 if the digits are a whole number.
func exactly(digits string, unit Epoch, seconds float64) time.Time {
	whole, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		second, fraction := math.Modf(seconds)
		return time.Unix(int64(second), int64(math.Round(fraction*1e6))*1000)
	}
	per := int64(perSecond[unit])
	return time.Unix(whole/per, whole%per*(1e9/per))
}

var (
	zoneBehind = regexp.MustCompile(`^(.*\d\S*) ?(?:\[([A-Za-z0-9_+/-]+)\]| ([A-Za-z_+-]+/[A-Za-z0-9_+/-]+))$`)
	yearDots   = regexp.MustCompile(`^(\d{4})\.(\d{1,2})\.(\d{1,2})\b`)
	dayDots    = regexp.MustCompile(`^(\d{1,2})\.(\d{1,2})\.(\d{4})\b`)
	monthFirst = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})/(\d{4})\b`)
	halfDay    = regexp.MustCompile(`\b(\d{1,2})(:\d{2}(?::\d{2}(?:[.,]\d+)?)?) ?([AaPp])\.?[Mm]\.?( |$)`)
)

// read reads a text that is no number.
func (n Notation) read(written string) (time.Time, bool) {
	written = strings.Join(strings.Fields(strings.Replace(written, ",", " ", oneComma(written))), " ")
	zone := n.Zone
	if zone == nil {
		zone = time.UTC
	}
	if parts := zoneBehind.FindStringSubmatch(written); parts != nil {
		if zone = n.zone(parts[2] + parts[3]); zone == nil {
			return time.Time{}, false
		}
		written = parts[1]
	}
	written = yearDots.ReplaceAllString(written, "$1-$2-$3")
	written = dayDots.ReplaceAllString(written, "$3-$2-$1")
	if n.US {
		written = monthFirst.ReplaceAllString(written, "$3-$1-$2")
	}
	written, ok := fullDay(written)
	if !ok {
		return time.Time{}, false
	}
	return parse(written, zone)
}

// oneComma is how many commas of the text stand between a date and a time: 11/22/2026,
// 10:00:00. Others are parts of other notations.
func oneComma(written string) int {
	if comma := strings.Index(written, ", "); comma > 0 && strings.ContainsAny(written[:comma], "/.") {
		return 1
	}
	return 0
}

func (n Notation) zone(name string) *time.Location {
	switch {
	case isUTC(name):
		return time.UTC
	case n.ZoneOf != nil:
		return n.ZoneOf(name)
	}
	zone, err := text.Zone(name)
	if err != nil {
		return nil
	}
	return zone
}

// isUTC reports whether the name is one of UTC.
func isUTC(name string) bool {
	hours, ok := zones[strings.ToUpper(name)]
	return ok && hours == 0
}

// fullDay writes a clock of twelve hours as one of twenty-four. It returns false for an hour
// that no such clock shows.
func fullDay(written string) (string, bool) {
	at := halfDay.FindStringSubmatchIndex(written)
	if at == nil {
		return written, true
	}
	hour, err := strconv.Atoi(written[at[2]:at[3]])
	if err != nil || hour < 1 || hour > 12 {
		return "", false
	}
	hour %= 12
	if strings.ContainsAny(written[at[6]:at[7]], "Pp") {
		hour += 12
	}
	return written[:at[2]] + strconv.Itoa(hour) + written[at[4]:at[5]] + written[at[8]:], true
}
