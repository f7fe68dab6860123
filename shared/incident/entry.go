package incident

import (
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/outbox"
)

// Entry is what happened to an incident, in its timeline.
type Entry struct {
	// ID grows in the timeline: microseconds since 1970 times two, which is even for
	// changes, and one more for notes. So no note has the ID of a change.
	ID       int64     `json:"id"`
	At       time.Time `json:"at"`
	ActorID  int64     `json:"actor_id,omitempty"` // zero: Gatehouse
	Kind     EntryKind `json:"kind"`
	Text     string    `json:"text,omitempty"`
	UserID   int64     `json:"user_id,omitempty"`   // the new assignee; zero: nobody
	AlertIID int64     `json:"alert_iid,omitempty"` // that it is about; zero: none
}

// EntryKind says what happened.
type EntryKind string

// The kinds of entries. That of a change of status is the status.
const (
	WasOpened   EntryKind = "opened"
	WasClosed   EntryKind = "closed"
	WasReopened EntryKind = "reopened"
	WasAssigned EntryKind = "assigned"
	WasChanged  EntryKind = "changed"
	WasLinked   EntryKind = "linked"
	WasUnlinked EntryKind = "unlinked"
	Noted       EntryKind = "noted"
)

// EntryKinds lists every kind.
var EntryKinds = []EntryKind{
	WasOpened, EntryKind(Triggered), EntryKind(Acknowledged), EntryKind(Resolved),
	WasClosed, WasReopened, WasAssigned, WasChanged, WasLinked, WasUnlinked, Noted,
}

// changesKept is how many of an incident's latest changes are kept, notes aside.
const changesKept = 50

// add adds an entry about a change.
func (i *Incident) add(by int64, at time.Time, e Entry) {
	e.ID, e.At, e.ActorID = max(2*at.UnixMicro(), i.lastChange()+2), at, by
	// A new slice, because others may have the former one.
	kept := i.Changes[max(0, len(i.Changes)+1-changesKept):]
	i.Changes = append(append(make([]Entry, 0, len(kept)+1), kept...), e)
	i.UpdatedAt = at
}

// lastChange returns the ID of the last change, or 0.
func (i *Incident) lastChange() int64 {
	if i == nil || len(i.Changes) == 0 {
		return 0
	}
	return i.Changes[len(i.Changes)-1].ID
}

// Told is the Data of a message about an incident. Its kind is "incident." and the
// EntryKind: all but WasChanged are told.
type Told struct {
	IncidentIID int64     `json:"incident_iid"`
	EntryID     int64     `json:"entry_id"`
	Kind        EntryKind `json:"kind"`
	At          time.Time `json:"at"`
	ActorID     int64     `json:"actor_id,omitempty"`
	UserID      int64     `json:"user_id,omitempty"` // the new assignee
	AlertIID    int64     `json:"alert_iid,omitempty"`
}

// messagesOf returns the messages about what is new of an incident, and that the project's
// numbers change if they do.
func messagesOf(was *Incident, is Stored) (messages []outbox.Message) {
	if was.waits() != is.Thing.waits() || was != nil && was.Severity != is.Thing.Severity {
		what := fmt.Sprintf("incident-%d-%d", is.Number, is.Version)
		messages = append(messages, alert.Recount(is.Place.ID, what, is.Thing.UpdatedAt))
	}
	for _, e := range is.Thing.Changes {
		if e.ID > was.lastChange() && e.Kind != WasChanged {
			messages = append(messages, message(is.Place.ID, is.Number, e))
		}
	}
	return messages
}

// message returns the message about an entry. Those about an incident are in one lane, in
// the order of the timeline.
func message(projectID, iid int64, e Entry) outbox.Message {
	data, _ := json.Marshal(Told{iid, e.ID, e.Kind, e.At, e.ActorID, e.UserID, e.AlertIID}) // numbers, a time and a word cannot fail
	return outbox.Message{
		Lane: outbox.Lane(fmt.Sprintf("incident/%d/%d", projectID, iid)), Seq: outbox.SeqOfVersion(e.ID, 0),
		Kind: outbox.Kind("incident." + string(e.Kind)), ProjectID: projectID, Data: data, CreatedAt: e.At, DueAt: e.At,
	}
}
