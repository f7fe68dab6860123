package notice

import (
	"slices"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
)

// Change is a change of settings; nil leaves them as they are.
type Change struct {
	Mail     map[Subject]*bool // whether the person is mailed
	Severity *string
	Quiet    *bool
	From, To *string
	Timezone *string
	Days     *[]string
}

// FieldOf returns the name of the setting whether a person is mailed of a subject.
func FieldOf(s Subject) string { return "email_" + string(s) }

// apply changes the settings. Works tells whether a webhook of the person's does.
func (c Change) apply(s *Settings, works bool) error {
	wrong := fault.Fields{}
	c.applyMail(s, works, wrong)
	if c.Severity != nil {
		severity := alert.Severity(*c.Severity)
		if !slices.Contains(alert.Severities, severity) {
			wrong.Add("alerts_severity", "must be critical, high, medium, low, info or unknown")
		}
		if s.Severity = severity; severity == alert.SeverityUnknown { // the lowest of all
			s.Severity = ""
		}
	}
	c.applyQuiet(&s.Quiet, wrong)
	return wrong.Err()
}

func (c Change) applyMail(s *Settings, works bool, wrong fault.Fields) {
	var without []Subject
	for _, subject := range Subjects {
		wanted := s.Mails(subject)
		if next := c.Mail[subject]; next != nil {
			if wanted && !*next && subject == Pages && !works {
				wrong.Add(FieldOf(Pages), "can only be switched off while a webhook of your own works: add one and send a test")
			}
			wanted = *next
		}
		if !wanted {
			without = append(without, subject)
		}
	}
	s.WithoutMail = without
}

func (c Change) applyQuiet(q *Quiet, wrong fault.Fields) {
	next := q.orUsual()
	if c.Quiet != nil {
		next.Active = *c.Quiet
	}
	for name, field := range map[string]struct {
		text *string
		to   *Clock
	}{"quiet_from": {c.From, &next.From}, "quiet_to": {c.To, &next.To}} {
		if field.text == nil {
			continue
		}
		at, ok := ParseClock(*field.text)
		if !ok {
			wrong.Add(name, "must be a time of day such as 22:00")
		}
		*field.to = at
	}
	if c.Timezone != nil {
		zone, err := oncall.ParseZone(*c.Timezone)
		if err != nil {
			wrong.Add("quiet_timezone", err.Error())
		}
		next.Zone = zone
	}
	if c.Days != nil {
		next.Days = parseDays(*c.Days, wrong)
	}
	if next.Active && next.endless() {
		wrong.Add("quiet_to", "must differ from quiet_from, unless some days are not quiet")
	}
	if !c.leavesQuiet() {
		*q = next
	}
}

// leavesQuiet reports whether the quiet hours stay as they are.
func (c Change) leavesQuiet() bool {
	return c.Quiet == nil && c.From == nil && c.To == nil && c.Timezone == nil && c.Days == nil
}

// parseDays returns the days of the week; nil: each.
func parseDays(names []string, wrong fault.Fields) (days []time.Weekday) {
	for _, name := range names {
		day, ok := parseDay(name)
		if !ok {
			wrong.Add("quiet_days", "must be days of the week, such as monday")
			return nil
		}
		days = append(days, day)
	}
	if len(days) == 0 {
		wrong.Add("quiet_days", "can't be blank")
	}
	if days = inOrder(days); len(days) == len(Week) {
		return nil
	}
	return days
}
