package alert

import (
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/shared/outbox"
)

// The kinds of messages about alerts. That of a change of status has the status as its
// last part.
const (
	EventOpened       outbox.Kind = "alert.opened"
	EventTriggered    outbox.Kind = "alert.triggered" // again, by a person
	EventAcknowledged outbox.Kind = "alert.acknowledged"
	EventResolved     outbox.Kind = "alert.resolved"
	EventIgnored      outbox.Kind = "alert.ignored"
	EventAssigned     outbox.Kind = "alert.assigned"
	EventGraver       outbox.Kind = "alert.graver" // a repeat was graver than all before
)

// KindCounts is the kind of the message that a project has another number of open alerts or
// incidents. Alerts and incidents tell it whether or not somebody wants to be told of them.
const KindCounts outbox.Kind = "project.counts"

// Recount returns that message. What names the change in the project: each change has a
// message of its own, so that those who store changes at the same time do not collide, and
// whoever handles the first handles all that wait behind it.
func Recount(projectID int64, what string, at time.Time) outbox.Message {
	return outbox.Message{
		Lane: outbox.Lane(fmt.Sprintf("counts/%d", projectID)), Seq: outbox.SeqOf(at, 0) + "-" + what, Kind: KindCounts,
		ProjectID: projectID, Data: json.RawMessage("{}"), CreatedAt: at, DueAt: at,
	}
}

func (a Alert) recount(at time.Time) outbox.Message {
	return Recount(a.ProjectID, fmt.Sprintf("alert-%d-%d", a.IID, a.Version), at)
}

// Events lists the kinds.
var Events = []outbox.Kind{
	EventOpened, EventTriggered, EventAcknowledged, EventResolved, EventIgnored, EventAssigned, EventGraver,
}

// Event is what a message tells about a change of an alert: what is the case after it.
type Event struct {
	ProjectID  int64     `json:"project_id"`
	IID        int64     `json:"iid"`
	Version    int64     `json:"version"`
	Status     Status    `json:"status"`
	Severity   Severity  `json:"severity"` // the gravest so far
	AssigneeID int64     `json:"assignee_id,omitempty"`
	ActorID    int64     `json:"actor_id,omitempty"` // zero: the monitoring tool
	At         time.Time `json:"at"`
}

// Lane returns the lane of the messages about an alert.
func Lane(projectID, iid int64) outbox.Lane {
	return outbox.Lane(fmt.Sprintf("alert/%d/%d", projectID, iid))
}

// ToldOpened returns the messages about a new alert: that about itself if the occurrence
// that opened it asks for that.
func (a Alert) ToldOpened(o Occurrence) []outbox.Message {
	told := []outbox.Message{a.recount(a.CreatedAt)}
	if o.Tell {
		told = append(told, a.message(EventOpened, 0, 0, a.CreatedAt))
	}
	return told
}

// ToldChanged returns the messages about a change of the alert, which was as before: those
// about itself if the change asks for them or the alert has an incident.
func (a Alert) ToldChanged(was Alert, c Change) (told []outbox.Message) {
	if a.Status != was.Status {
		told = append(told, a.recount(c.At))
	}
	if !c.Tell && was.IncidentIID == 0 {
		return told
	}
	if a.Status != was.Status {
		told = append(told, a.message(outbox.Kind("alert."+string(a.Status)), 0, c.ActorID, c.At))
	}
	if a.AssigneeID != was.AssigneeID {
		told = append(told, a.message(EventAssigned, 1, c.ActorID, c.At))
	}
	return told
}

// firstGraver begins the numbers of the messages about graver repeats among those of a
// version: behind those of its change, by severity.
const firstGraver = 10

// ToldGraver returns the messages about a repeat that made the severity graver, if that asks
// for them.
func (a Alert) ToldGraver(o Occurrence, at time.Time) []outbox.Message {
	if !o.Tell {
		return nil
	}
	return []outbox.Message{a.message(EventGraver, firstGraver+int(a.PeakSeverity.Rank()), 0, at)}
}

func (a Alert) message(k outbox.Kind, n int, actorID int64, at time.Time) outbox.Message {
	data, err := json.Marshal(Event{
		ProjectID: a.ProjectID, IID: a.IID, Version: a.Version, Status: a.Status, Severity: a.PeakSeverity,
		AssigneeID: a.AssigneeID, ActorID: actorID, At: at,
	})
	if err != nil {
		panic(err) // numbers, strings and times always have a form
	}
	return outbox.Message{
		Lane: Lane(a.ProjectID, a.IID), Seq: outbox.SeqOfVersion(a.Version, n), Kind: k, ProjectID: a.ProjectID,
		Data: data, CreatedAt: at, DueAt: at,
	}
}
