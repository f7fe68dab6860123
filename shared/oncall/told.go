package oncall

import (
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/shared/outbox"
)

// The kinds of messages about schedules.
const (
	KindChanged  outbox.Kind = "schedule.changed"
	KindHandover outbox.Kind = "schedule.handover" // follows from the first and from each other
)

// Told is the Data of a message about a schedule.
type Told struct {
	ProjectID  int64 `json:"project_id"`
	ScheduleID int64 `json:"schedule_id"`
	Version    int64 `json:"version"` // of the schedule; with another one, a later message has taken over
	// Before is the schedule before a change; nil: it is new.
	Before *Schedule `json:"before,omitempty"`
	// From is the time up to which people were told of handovers.
	From time.Time `json:"from,omitzero"`
}

// messagesOf returns the message about a change of a schedule. Deleting one tells nobody.
func messagesOf(was *Schedule, is Stored) []outbox.Message {
	t := Told{ProjectID: is.Place.ID, ScheduleID: is.ID, Version: is.Version}
	if was != nil {
		before := *was
		before.Feed = ""
		t.Before = &before
	}
	return []outbox.Message{t.message(KindChanged, time.Time{})}
}

// NextHandover returns the message that is due at the schedule's next handover after now, or
// when it is time to look again.
func (s Schedule) NextHandover(told Told, now time.Time, present Presence) outbox.Message {
	told.Before, told.From = nil, now
	due := now.Add(affectedWithin)
	if next := s.Handovers(now, due, present); len(next) > 0 {
		due = next[0].At
	}
	return told.message(KindHandover, due)
}

func (t Told) message(k outbox.Kind, due time.Time) outbox.Message {
	data, err := json.Marshal(t)
	if err != nil {
		panic(err) // a stored schedule always has a form
	}
	lane, seq := "schedule", outbox.SeqOfVersion(t.Version, 0)
	if k == KindHandover {
		lane, seq = "handover", outbox.SeqOf(due, int(t.Version%10_000))
	}
	return outbox.Message{
		Lane: outbox.Lane(fmt.Sprintf("%s/%d/%d", lane, t.ProjectID, t.ScheduleID)), Seq: seq, Kind: k, ProjectID: t.ProjectID,
		Data: data, CreatedAt: due, DueAt: due,
	}
}
