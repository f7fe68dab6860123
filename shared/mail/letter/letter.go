// Package letter composes the mails that Gatehouse sends, each in text and in HTML. What
// is said of alerts comes from outside, and is shown as text whatever it holds.
package letter

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gatehouse/shared/mail"
)

// Envelope says to whom a mail goes and why.
type Envelope struct {
	From, To mail.Address
	At       time.Time
	ID       string         // see mail.NewID
	Zone     *time.Location // of the times in it; nil: UTC
	Reason   string         // why the person gets it: "You are on call in Web team."
	Settings string         // the address where the person can change that; may be empty
}

// Alert is what a mail says about an alert.
type Alert struct {
	IID                           int64
	Title, Severity, Project      string
	Service, Description, Runbook string
	StartedAt                     time.Time
	URL                           string
}

// Event is what happened to an alert or incident, as mails say it.
type Event string

// The events.
const (
	Opened       Event = "opened"
	Triggered    Event = "triggered again"
	Acknowledged Event = "acknowledged"
	Resolved     Event = "resolved"
	Ignored      Event = "ignored"
	Assigned     Event = "assigned to you"
	Graver       Event = "graver now"
	Closed       Event = "closed"
	Reopened     Event = "opened again"
	Noted        Event = "noted on"
)

// AlertNotice is a mail about one alert.
type AlertNotice struct {
	Alert
	Event       Event
	By          string // who did it; empty: nobody, such as a monitoring tool
	Peak        string // the gravest severity since, if it is another
	Acknowledge string // the address that acknowledges it; empty: none
	Thread      string // the same for all mails about the alert
}

// ForAlert composes a mail about one alert. All mails about it have one thread, and one
// subject unless it becomes graver, so that programs show them together.
func ForAlert(e Envelope, n AlertNotice) mail.Message {
	s := sheet{
		Heading: "Alert " + string(n.Event) + by(n.By), Title: numbered(n.Title, n.IID), Text: n.Description,
		Facts: facts("Project", n.Project, "Severity", n.severity(), "Service", n.Service, "Started", e.time(n.StartedAt)),
		Links: links("Acknowledge", n.Acknowledge, "Show the alert", n.URL, "Runbook", n.Runbook),
	}
	return e.message(s, n.Event.subject(about(n.Project, n.gravest(), n.Title, n.IID)), n.Thread)
}

func (n AlertNotice) gravest() string {
	if n.Peak == "" {
		return n.Severity
	}
	return n.Peak
}

func (n AlertNotice) severity() string {
	if n.Peak == "" || n.Peak == n.Severity {
		return n.Severity
	}
	return n.Severity + ", now " + n.Peak
}

// MaxListed is how many alerts and shifts a summary shows.
const MaxListed = 20

// Summary is a mail about many alerts, and about the person's shifts.
type Summary struct {
	Shifts []ShiftNotice
	Alerts []Alert // of which the first are shown: MaxListed with the shifts
	Total  int     // of the alerts
	URL    string  // where all of them are listed; may be empty
}

func (s Summary) total() int { return max(s.Total, len(s.Alerts)) }

// Title says in short what the summary is about.
func (s Summary) Title() string {
	alerts := strconv.Itoa(s.total()) + " alerts"
	switch {
	case s.total() == 0 && len(s.Shifts) > 0:
		return "Your shifts on call"
	case s.total() == 1:
		alerts = "1 alert"
	}
	if len(s.Shifts) > 0 {
		return alerts + " and your shifts"
	}
	return alerts
}

// Heading is the title as a sentence.
func (s Summary) Heading() string {
	if len(s.Shifts) > 0 {
		return s.Title()
	}
	return s.Title() + " for you"
}

// ForSummary composes a mail about many alerts, and about the person's shifts.
func ForSummary(e Envelope, n Summary) mail.Message {
	s := sheet{Heading: n.Heading()}
	for _, shift := range n.Shifts {
		s.Items = append(s.Items, item{
			Title: mail.OneLine(string(shift.Shift)+": "+shift.Schedule, maxTitle), URL: webAddress(shift.URL),
			Text: mail.OneLine(join(", ", shift.Project, shift.in(e).time(shift.at())), maxFact),
		})
	}
	for _, a := range n.Alerts {
		s.Items = append(s.Items, item{
			Title: numbered(a.Title, a.IID), URL: webAddress(a.URL), Text: mail.OneLine(join(", ", a.Project, a.Severity, e.time(a.StartedAt)), maxFact),
		})
	}
	s.Items = s.Items[:min(len(s.Items), MaxListed)]
	if more := n.total() + len(n.Shifts) - len(s.Items); more > 0 {
		s.More = "and " + strconv.Itoa(more) + " more"
	}
	if n.total() > 0 {
		s.Links = links("Show the alerts", n.URL)
	}
	return e.message(s, n.Title(), "")
}

// IncidentNotice is a mail about an incident.
type IncidentNotice struct {
	IID                      int64
	Title, Severity, Project string
	Event                    Event
	By                       string
	Note                     string // what somebody wrote, or the description
	StartedAt                time.Time
	URL, Acknowledge         string
	Thread                   string
}

// ForIncident composes a mail about an incident.
func ForIncident(e Envelope, n IncidentNotice) mail.Message {
	s := sheet{
		Heading: "Incident " + string(n.Event) + by(n.By), Title: numbered(n.Title, n.IID), Text: n.Note,
		Facts: facts("Project", n.Project, "Severity", n.Severity, "Started", e.time(n.StartedAt)),
		Links: links("Acknowledge", n.Acknowledge, "Show the incident", n.URL),
	}
	return e.message(s, n.Event.subject("Incident: "+about(n.Project, n.Severity, n.Title, n.IID)), n.Thread)
}

// Shift is what happens to a shift of the person.
type Shift string

// What happens to shifts.
const (
	ShiftBegins  Shift = "You are on call now"
	ShiftEnds    Shift = "You are no longer on call"
	ShiftChanged Shift = "Your shifts on call have changed"
)

// ShiftNotice is a mail about a person's shifts.
type ShiftNotice struct {
	Shift             Shift
	Schedule, Project string
	From, Until       time.Time // of the shift; zero: unknown
	By                string    // who changed the shifts
	Next              string    // who comes or came before; may be empty
	URL               string    // of the schedule
	Zone              *time.Location
}

// in returns the envelope of a mail with times in the zone of the schedule.
func (n ShiftNotice) in(e Envelope) Envelope {
	if n.Zone != nil {
		e.Zone = n.Zone
	}
	return e
}

// at is when the shift begins or ends.
func (n ShiftNotice) at() time.Time {
	if n.From.IsZero() {
		return n.Until
	}
	return n.From
}

// ForShift composes a mail about a person's shifts.
func ForShift(e Envelope, n ShiftNotice) mail.Message {
	e = n.in(e)
	neighbour := map[Shift]string{ShiftBegins: "Before you", ShiftEnds: "After you"}[n.Shift]
	s := sheet{
		Heading: string(n.Shift), Title: n.Schedule,
		Facts: facts("Project", n.Project, "From", e.time(n.From), "Until", e.time(n.Until), "Changed by", n.By, neighbour, n.Next),
		Links: links("Show the schedule", n.URL),
	}
	return e.message(s, "["+mail.OneLine(n.Project, maxProject)+"] "+string(n.Shift)+": "+n.Schedule, "")
}

// ForTest composes a mail with which a person tests the way that mails take.
func ForTest(e Envelope) mail.Message {
	return e.message(sheet{Heading: "Mails from Gatehouse reach you", Text: "This is the test that you asked for. There is nothing to do."}, "Test of your notifications", "")
}

// ForPassword composes a mail with a link by which the user sets a new password.
func ForPassword(e Envelope, username, link string) mail.Message {
	return e.message(sheet{
		Heading: "Choose a new password", Text: "The link works once, for an hour.",
		Facts: facts("User name", username), Links: links("Choose a new password", link),
	}, "Your password", "")
}

// ForInvitation composes a mail with a link by which a user whom an administrator invites
// chooses a password.
func ForInvitation(e Envelope, username, link string) mail.Message {
	return e.message(sheet{
		Heading: "Your account", Text: "Choose a password, and sign in with it. The link works once, for three days.",
		Facts: facts("User name", username), Links: links("Choose a password", link),
	}, "Your account", "")
}

// ForConfirmation composes a mail with a link by which the user confirms the address.
func ForConfirmation(e Envelope, username, link string) mail.Message {
	return e.message(sheet{
		Heading: "Is this your address?", Text: "Applications that you sign in to are then told that the address is yours. The link works for three days.",
		Facts: facts("User name", username), Links: links("Confirm the address", link),
	}, "Confirm your e-mail address", "")
}

// The longest parts, in characters.
const (
	maxTitle   = 150
	maxProject = 80
	maxFact    = 300
	maxText    = 4000
	maxURL     = 2048
)

// numbered returns a title with a number.
func numbered(title string, iid int64) string {
	if title = mail.OneLine(title, maxTitle); title == "" {
		title = "Untitled"
	}
	return title + " (#" + strconv.FormatInt(iid, 10) + ")"
}

// about returns the subject of mails about one thing: "[acme/web] Critical: Disk full
// (#17)".
func about(project, severity, title string, iid int64) string {
	if severity != "" {
		severity = strings.ToUpper(severity[:1]) + severity[1:] + ": "
	}
	return "[" + mail.OneLine(project, maxProject) + "] " + mail.OneLine(severity, maxProject) + " " + numbered(title, iid)
}

// subject returns the subject with a mark for all but the first mail of a thread.
func (e Event) subject(about string) string {
	if e == Opened {
		return about
	}
	return "Re: " + about
}

func by(name string) string {
	if name == "" {
		return ""
	}
	return " by " + name
}

func join(between string, texts ...string) string {
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, between)
}

// time returns a time as people read it; "" for the zero time.
func (e Envelope) time(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	zone := e.Zone
	if zone == nil {
		zone = time.UTC
	}
	return at.In(zone).Format("Mon 2 Jan 2006 15:04 MST")
}

// webAddress returns the address if a mail may link to it, and otherwise "".
func webAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(address) > maxURL || strings.ContainsFunc(address, unicode.IsSpace) {
		return ""
	}
	return u.String()
}

// paragraphs returns a longer text without what breaks the form of a mail.
func paragraphs(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "    ").Replace(strings.ToValidUTF8(text, "\ufffd"))
	text = strings.Map(func(c rune) rune {
		if c != '\n' && unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return c
	}, text)
	text = strings.TrimSpace(text)
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText-1]) + "…"
	}
	return text
}
