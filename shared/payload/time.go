package payload

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// lastYear is the last year in which times of alerts are accepted; the first is
// 1970. Times outside mean "unset" to tools (year 1, or the start of 1970) or are
// wrong.
const lastYear = 2199

// maxTimeLength exceeds the length of all ways to write a time.
const maxTimeLength = 80

// Time reads a value as a time, and reports whether it is one. It takes the
// usual notations with and without a zone: RFC 3339, RFC 2822, "2006-01-02
// 15:04:05 -0700", a date alone (midnight), the output of date(1). A time without
// a zone is in UTC, and so is the result. A named zone must be UTC, GMT or one of
// RFC 2822; other names are ambiguous.
func Time(value any) (time.Time, bool) {
	text, ok := value.(string)
	if !ok || len(text) > maxTimeLength {
		return time.Time{}, false
	}
	return parse(text, time.UTC)
}

// parse reads a text as a time, which is in the zone if it names none.
func parse(text string, zone *time.Location) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return plausible(t)
	}
	return parseLenient(text, zone)
}

// EpochTime is like Time but also reads numbers: as milliseconds since 1970, or
// as seconds where milliseconds would mean the first years after 1970. Zero is
// not a time, because it means "unset" to tools.
func EpochTime(value any) (time.Time, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return Time(value)
	}
	const earliest, latest = 1e11, 1e14 // in milliseconds: 1973 and 5138
	milliseconds, err := number.Float64()
	if milliseconds > 0 && milliseconds < earliest {
		milliseconds *= 1000
	}
	if err != nil || milliseconds < earliest || milliseconds > latest {
		return time.Time{}, false
	}
	return plausible(time.UnixMilli(int64(milliseconds)))
}

func plausible(t time.Time) (time.Time, bool) {
	t = t.UTC()
	if t.UnixMicro() <= 0 || t.Year() > lastYear {
		return time.Time{}, false
	}
	return t, true
}

// layouts are the notations of a time after arrange and cutZone.
var layouts = []string{
	"2006-1-2 15:04:05",
	"2006-1-2 15:04",
	"2006-1-2",
	"20060102 150405",
	"20060102",
	"2 Jan 2006 15:04:05",
	"2 Jan 2006 15:04",
	"2 Jan 2006",
	"2 Jan 06 15:04:05",
	"2 January 2006 15:04:05",
	"Jan 2 15:04:05 2006",
}

func parseLenient(text string, zone *time.Location) (time.Time, bool) {
	arranged := arrange(text)
	text, offset, ok := cutZone(arranged)
	if !ok {
		return time.Time{}, false
	}
	if text != arranged { // it has a zone of its own
		zone = time.UTC
	}
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return plausible(t.Add(-offset))
		}
	}
	return time.Time{}, false
}

var (
	weekday   = regexp.MustCompile(`^(MON|TUE|WED|THU|FRI|SAT|SUN)[A-Z]*,? `)
	comment   = regexp.MustCompile(` \([^()]*\)$`)
	separator = regexp.MustCompile(`(\d)T(\d)`)
	// The output of date(1) has the zone before the year.
	zoneBeforeYear = regexp.MustCompile(`^([A-Z]{3} \d{1,2} [\d:]+) ([A-Z]+|[+-]\d{4}) (\d{4})$`)
	// Some languages write the zone's name after its offset.
	zoneNamedTwice = regexp.MustCompile(`( [+-]\d{4}) [A-Z]+$`)
)

// arrange removes words that do not matter and brings the rest into the order of
// the layouts.
func arrange(text string) string {
	text = strings.ToUpper(strings.Join(strings.Fields(text), " "))
	text = weekday.ReplaceAllString(text, "")
	text = comment.ReplaceAllString(text, "")
	text = separator.ReplaceAllString(text, "$1 $2")
	text = zoneBeforeYear.ReplaceAllString(text, "$1 $3 $2")
	text = zoneNamedTwice.ReplaceAllString(text, "$1")
	return strings.ReplaceAll(text, "/", "-")
}

// zoneSuffix matches a time with a zone; a date alone has none.
var zoneSuffix = regexp.MustCompile(`^(.*(?:\d:|\d{8} )\S*\d(?: \d{4})?) ?([A-Z]+|[+-]\d{2}(?::?\d{2})?)$`)

// cutZone removes the zone from the end of a time and returns its offset from
// UTC. It returns false for a zone that it does not know.
func cutZone(text string) (string, time.Duration, bool) {
	parts := zoneSuffix.FindStringSubmatch(text)
	if parts == nil {
		return text, 0, true
	}
	hours, minutes, ok := zoneOffset(parts[2])
	return parts[1], time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute, ok
}

// zones are the hours of the named zones (RFC 2822 section 4.3).
var zones = map[string]int{
	"Z": 0, "UT": 0, "UTC": 0, "GMT": 0,
	"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}

func zoneOffset(zone string) (hours, minutes int, ok bool) {
	if hours, ok := zones[zone]; ok {
		return hours, 0, true
	}
	sign := slices.Index([]string{"+", "", "-"}, zone[:1])
	digits := strings.ReplaceAll(zone[1:], ":", "") + "00"
	if sign < 0 || len(digits) < 4 {
		return 0, 0, false
	}
	hours, hoursErr := strconv.Atoi(digits[:2])
	minutes, minutesErr := strconv.Atoi(digits[2:4])
	ok = hoursErr == nil && minutesErr == nil && hours < 24 && minutes < 60
	return hours * (1 - sign), minutes * (1 - sign), ok
}
