// Package incident keeps incidents: what people work on together, and the alerts that
// belong to it (Interface: "Incidents").
package incident

import (
	"fmt"
	"strconv"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// Incident is an incident of a project.
type Incident struct {
	Title       string         `json:"title,omitempty"` // empty: TitleOf makes one
	Description string         `json:"description,omitempty"`
	Severity    alert.Severity `json:"severity"`
	Status      Status         `json:"status"`
	State       State          `json:"state"`
	AssigneeID  int64          `json:"assignee_id,omitempty"` // zero: nobody
	AuthorID    int64          `json:"author_id,omitempty"`   // zero: Gatehouse, for an alert
	Alerts      []int64        `json:"alerts,omitempty"`      // their iids
	Environment string         `json:"environment,omitempty"`
	StartedAt   time.Time      `json:"started_at"`
	EndedAt     time.Time      `json:"ended_at,omitzero"`  // zero: it is not resolved
	ClosedAt    time.Time      `json:"closed_at,omitzero"` // zero: it is open
	OpenedAt    time.Time      `json:"opened_at"`          // for the last time
	UpdatedAt   time.Time      `json:"updated_at"`
	ExpiresAt   time.Time      `json:"expires_at,omitzero"` // zero: it is kept
	Changes     []Entry        `json:"changes"`             // the oldest first, at most changesKept
}

// Status is the progress of people with an incident.
type Status string

// The statuses. One may follow any other while the incident is open.
const (
	Triggered    Status = "triggered"
	Acknowledged Status = "acknowledged"
	Resolved     Status = "resolved"
)

// Statuses lists every status.
var Statuses = []Status{Triggered, Acknowledged, Resolved}

// State says whether an incident is still to be looked at.
type State string

// The states. A closed incident is resolved.
const (
	Opened State = "opened"
	Closed State = "closed"
)

// States lists every state.
var States = []State{Opened, Closed}

// Stored is an incident with its number in the project, by which it is known.
type Stored = record.Stored[Incident]

// TitleOf returns the title. An incident without one has its number.
func TitleOf(s Stored) string {
	if s.Thing.Title == "" {
		return fmt.Sprintf("New: Incident %d", s.Number)
	}
	return s.Thing.Title
}

// MaxAlerts is how many alerts can belong to an incident: its closing is one transaction
// with what claims each of them, and DynamoDB takes 100 items.
const MaxAlerts = 80

// incidents are in one list of their project each, by state and status, and in that of whom
// they wait for.
var incidents = record.Of[Incident]{
	Kind: "incident", PerPlace: true, Words: wordsOf, Lists: listsOf, Hint: hintOf, Tell: messagesOf,
	Expires: func(i Incident) time.Time { return i.ExpiresAt },
}

// claim is the word that the incident of an alert has alone.
func claim(alertIID int64) (field, word string) {
	word = strconv.FormatInt(alertIID, 10)
	return "alert " + word, word
}

func wordsOf(i Incident) record.Words {
	words := record.Words{}
	for _, iid := range i.Alerts {
		field, word := claim(iid)
		words[field] = word
	}
	return words
}

// listName is the list of incidents with a state and status.
func listName(state State, status Status) string {
	if state == Closed {
		return "incidents-closed"
	}
	return "incidents-" + string(status)
}

// waits reports whether somebody still has to do something about the incident.
func (i *Incident) waits() bool { return i != nil && i.State == Opened && i.Status != Resolved }

// assignedTo is the list of the incidents in all projects that wait for a user.
func assignedTo(userID int64) record.List {
	return record.List{Place: record.Instance, Name: "incidents-user-" + strconv.FormatInt(userID, 10)}
}

func listsOf(at project.Place, i Incident) []record.List {
	lists := []record.List{{Place: at, Name: listName(i.State, i.Status)}}
	if i.AssigneeID != 0 && i.waits() {
		lists = append(lists, assignedTo(i.AssigneeID))
	}
	return lists
}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{incidents, notesOf(0)} }
