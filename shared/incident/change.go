package incident

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/text"
)

// Change is a change of an incident; nil leaves a field as it is.
type Change struct {
	State       *State // Opened opens a closed incident again
	Status      *Status
	Severity    *alert.Severity
	Title       *string
	Description *string
	AssigneeID  *int64 // zero: nobody
	Seen        int64  // the Version on which the change was decided; zero: any
}

// MaxDescription is the longest description, in characters: with the longest escapes of
// JSON it fits into an item of DynamoDB with the rest of the incident.
const MaxDescription = 50_000

// deed is who changes an incident, when, and until when it is kept if that closes it.
type deed struct {
	by        int64
	at        time.Time
	keptUntil time.Time // zero: for ever
	why       string    // of a closing
	alertIID  int64     // because of which it is closed
}

// apply changes the incident, or returns the complaints about the change. A change without
// effect adds no entry.
func (c Change) apply(i *Incident, d deed) error {
	if c.State != nil && *c.State != i.State {
		i.move(*c.State, d)
	}
	if c.Status != nil && *c.Status != i.Status {
		if i.State == Closed {
			return fault.Field("status", "must be resolved while the incident is closed")
		}
		i.setStatus(*c.Status, d.at)
		i.add(d.by, d.at, Entry{Kind: EntryKind(*c.Status)})
	}
	if c.AssigneeID != nil && *c.AssigneeID != i.AssigneeID {
		i.AssigneeID = *c.AssigneeID
		i.add(d.by, d.at, Entry{Kind: WasAssigned, UserID: i.AssigneeID})
	}
	if what := c.applyTexts(i); what != "" {
		i.add(d.by, d.at, Entry{Kind: WasChanged, Text: what})
	}
	return i.check(c)
}

// move closes or reopens the incident.
func (i *Incident) move(to State, d deed) {
	i.State = to
	if to == Closed {
		i.setStatus(Resolved, d.at)
		i.ClosedAt, i.ExpiresAt = d.at, d.keptUntil
		i.add(d.by, d.at, Entry{Kind: WasClosed, Text: d.why, AlertIID: d.alertIID})
		return
	}
	i.setStatus(Triggered, d.at)
	i.OpenedAt, i.ClosedAt, i.ExpiresAt = d.at, time.Time{}, time.Time{}
	i.add(d.by, d.at, Entry{Kind: WasReopened})
}

func (i *Incident) setStatus(to Status, at time.Time) {
	if to == i.Status {
		return
	}
	i.Status, i.EndedAt = to, time.Time{}
	if to == Resolved {
		i.EndedAt = at
	}
}

// applyTexts changes severity, title and description, and says what it changed.
func (c Change) applyTexts(i *Incident) string {
	var what []string
	if c.Severity != nil && *c.Severity != i.Severity {
		what = append(what, "severity from "+string(i.Severity)+" to "+string(*c.Severity))
		i.Severity = *c.Severity
	}
	if c.Title != nil && *c.Title != i.Title {
		i.Title, what = *c.Title, append(what, "title")
	}
	if c.Description != nil && *c.Description != i.Description {
		i.Description, what = *c.Description, append(what, "description")
	}
	return strings.Join(what, ", ")
}

// check returns the complaints about what the change sets.
func (i *Incident) check(c Change) error {
	complaints := fault.Fields{}
	if c.Title != nil {
		complaints.Add("title", text.CheckName(*c.Title))
	}
	if c.Description != nil {
		complaints.Add("description", checkLength(*c.Description, MaxDescription))
	}
	const unknown = "does not have a valid value"
	if !slices.Contains(alert.Severities, i.Severity) {
		complaints.Add("severity", unknown)
	}
	if !slices.Contains(Statuses, i.Status) {
		complaints.Add("status", unknown)
	}
	if !slices.Contains(States, i.State) {
		complaints.Add("state", unknown)
	}
	return complaints.Err()
}

func checkLength(text string, most int) string {
	if utf8.RuneCountInString(text) > most {
		return "is too long (maximum is " + strconv.Itoa(most) + " characters)"
	}
	return ""
}
