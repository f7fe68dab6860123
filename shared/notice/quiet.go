package notice

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/oncall"
)

// Quiet are the hours in which a person is not told of what can wait.
type Quiet struct {
	Active bool        `json:"active,omitempty"`
	Zone   oncall.Zone `json:"zone,omitzero"`
	From   Clock       `json:"from"`
	To     Clock       `json:"to"` // on the next day unless it is later than From
	// Days are those on which the hours begin; none: each.
	Days []time.Weekday `json:"days,omitempty"`
}

// Clock is a time of day in minutes after midnight.
type Clock int

// ParseClock reads a time of day such as 22:00.
func ParseClock(text string) (Clock, bool) {
	at, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, false
	}
	return Clock(at.Hour()*60 + at.Minute()), true
}

// String returns the time as ParseClock reads it.
func (c Clock) String() string { return fmt.Sprintf("%02d:%02d", int(c)/60, int(c)%60) }

func (c Clock) on(day time.Time) time.Time { return day.Add(time.Duration(c) * time.Minute) }

// usual are the hours that whoever has chosen none is offered.
var usual = Quiet{From: 22 * 60, To: 7 * 60}

// orUsual returns the hours that are shown.
func (q Quiet) orUsual() Quiet {
	if q.From == q.To && !q.Active {
		q.From, q.To = usual.From, usual.To
	}
	return q
}

// Week is every day, as people count them.
var Week = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}

// On returns the days on which the hours begin.
func (q Quiet) On() []time.Weekday {
	if len(q.Days) == 0 {
		return Week
	}
	return q.Days
}

// endless reports whether the hours would never end.
func (q Quiet) endless() bool { return q.From == q.To && len(q.On()) == len(Week) }

// Until returns the end of the quiet hours that it is at a time, and false if it is none.
// Hours that follow each other without a pause are one.
func (q Quiet) Until(now time.Time) (end time.Time, quiet bool) {
	end = now
	for range Week {
		next, ok := q.endOf(end)
		if !ok {
			return end.UTC(), !end.Equal(now)
		}
		end = next
	}
	return end.UTC(), true
}

// endOf returns the end of the quiet hours that began on the day of the time or before.
func (q Quiet) endOf(t time.Time) (time.Time, bool) {
	if !q.Active {
		return time.Time{}, false
	}
	year, month, date := q.Zone.WallAt(t).Date()
	today := time.Date(year, month, date, 0, 0, 0, 0, time.UTC)
	for _, day := range []time.Time{today, today.AddDate(0, 0, -1)} {
		from, to := q.on(day)
		if slices.Contains(q.On(), day.Weekday()) && !t.Before(from) && t.Before(to) {
			return to, true
		}
	}
	return time.Time{}, false
}

// on returns the hours that begin on a day.
func (q Quiet) on(day time.Time) (from, to time.Time) {
	from, to = q.Zone.First(q.From.on(day)), q.Zone.First(q.To.on(day))
	if q.To <= q.From {
		to = q.Zone.First(q.To.on(day.AddDate(0, 0, 1)))
	}
	return from, to
}

// parseDay reads the English name of a day of the week.
func parseDay(name string) (time.Weekday, bool) {
	for _, day := range Week {
		if strings.EqualFold(day.String(), name) {
			return day, true
		}
	}
	return 0, false
}

// inOrder returns days each once, Monday first.
func inOrder(days []time.Weekday) (all []time.Weekday) {
	for _, day := range Week {
		if slices.Contains(days, day) {
			all = append(all, day)
		}
	}
	return all
}
