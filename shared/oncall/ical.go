package oncall

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ICalendar writes the calendar as iCalendar (RFC 5545). The host makes the ids of events
// unique. Times are in UTC, so that no reader needs the rules of a time zone.
func (c Calendar) ICalendar(host string) []byte {
	w := &lines{}
	w.add("BEGIN", "VCALENDAR")
	w.add("VERSION", "2.0")
	w.add("PRODID", "-//Gatehouse//On call//EN")
	w.add("CALSCALE", "GREGORIAN")
	w.add("X-WR-CALNAME", escaped(c.Name))
	w.add("REFRESH-INTERVAL;VALUE=DURATION", "PT1H")
	w.add("X-PUBLISHED-TTL", "PT1H")
	for _, s := range c.Shifts {
		w.event(s, host)
	}
	w.add("END", "VCALENDAR")
	return w.Bytes()
}

const utcFormat = "20060102T150405Z"

// event writes a shift. Its id stays when another user gets it. The time stamp is the start
// of the shift, since nothing notes when the shift changed, and the feed is the same bytes
// until something changes.
func (w *lines) event(s NamedShift, host string) {
	from, until := s.StartsAt.UTC().Format(utcFormat), s.EndsAt.UTC().Format(utcFormat)
	w.add("BEGIN", "VEVENT")
	w.add("UID", fmt.Sprintf("shift-%d-%d-%d@%s", s.ScheduleID, s.RotationID, s.StartsAt.Unix(), host))
	w.add("DTSTAMP", from)
	w.add("DTSTART", from)
	w.add("DTEND", until)
	w.add("SUMMARY", escaped(s.summary()))
	w.add("DESCRIPTION", escaped(s.description()))
	w.add("TRANSP", "TRANSPARENT")
	w.add("END", "VEVENT")
}

func (s NamedShift) summary() string { return s.User + " on call: " + s.Schedule }

func (s NamedShift) description() string {
	text := "Project: " + s.Project
	if s.Rotation != "" {
		text += "\nRotation: " + s.Rotation
	}
	return text
}

// lines are those of a calendar.
type lines struct{ bytes.Buffer }

// maxLine is the length of a line, in bytes without its end (RFC 5545 section 3.1).
const maxLine = 75

// add writes a line, folded between characters.
func (w *lines) add(name, value string) {
	line, room := name+":"+value, maxLine
	for len(line) > room {
		cut := room
		for !utf8.RuneStart(line[cut]) {
			cut--
		}
		w.WriteString(line[:cut] + "\r\n ")
		line, room = line[cut:], maxLine-1
	}
	w.WriteString(line + "\r\n")
}

var escapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\n", `\n`)

// escaped returns a text as a value (RFC 5545 section 3.3.11).
func escaped(text string) string {
	return escapes.Replace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "?")))
}
