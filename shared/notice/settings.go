// Package notice has the rules for how a person is told of what concerns them: by which
// channels, of which alerts, and when not (Interface: "Notifications").
package notice

import (
	"slices"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/record"
	"gatehouse/shared/webhook"
)

// Subject is a group of notices that a person can choose channels for.
type Subject string

// The subjects.
const (
	Pages       Subject = "pages"       // the alert waits for the person
	Alerts      Subject = "alerts"      // of projects that the person looks after
	Assignments Subject = "assignments" // of alerts and incidents to the person
	Shifts      Subject = "shifts"      // of the person on call
)

// Subjects lists them in the order in which people see them.
var Subjects = []Subject{Pages, Alerts, Assignments, Shifts}

// Settings say how a person is told. The zero Settings are those of whoever has changed
// none: of everything by mail, at any time.
type Settings struct {
	WithoutMail []Subject `json:"without_mail,omitempty"`
	// Severity is the lowest one of alerts that nobody pages the person for; empty: any.
	Severity alert.Severity `json:"severity,omitempty"`
	Quiet    Quiet          `json:"quiet,omitzero"`
	Tests    []time.Time    `json:"tests,omitempty"` // the last ones
}

// Stored are settings with their record.
type Stored = record.Stored[Settings]

// Person is how a person is told: their settings, and their active webhooks.
type Person struct {
	Settings
	Webhooks []webhook.Stored
}

// ByMail reports whether the person is mailed of a subject. A page goes by mail while no
// webhook works.
func (p Person) ByMail(s Subject) bool {
	works := func(w webhook.Stored) bool { return w.Thing.Works() }
	return p.Mails(s) || s == Pages && !slices.ContainsFunc(p.Webhooks, works)
}

// Mails reports whether the settings want mails of a subject.
func (s Settings) Mails(subject Subject) bool { return !slices.Contains(s.WithoutMail, subject) }

// LowestSeverity returns that of alerts of which the person is told without being paged.
func (s Settings) LowestSeverity() alert.Severity {
	if s.Severity == "" {
		return alert.SeverityUnknown
	}
	return s.Severity
}

// Grave reports whether the person is told of an alert of this severity that nobody pages
// them for.
func (s Settings) Grave(severity alert.Severity) bool { return !s.Severity.Graver(severity) }

// Held returns until when a notice about the subject has to wait, and false if it does not.
// Pages never wait.
func (s Settings) Held(subject Subject, now time.Time) (until time.Time, held bool) {
	if subject == Pages {
		return time.Time{}, false
	}
	return s.Quiet.Until(now)
}
