package consoleapi

import (
	"time"

	"gatehouse/shared/incident"
)

// entry is an entry in an incident's timeline: Who did What, to Whom or to which Alert.
type entry struct {
	At              time.Time
	Who, What, Whom string
	Status          incident.Status
	Alert           alertLink
	Text            string // more, in the same sentence
	Note            string // a person's
}

// gatehouse is the actor shown for what follows from alerts.
const gatehouse = "Gatehouse"

func newEntry(of incident.Entry, v visit, known people) entry {
	e := entry{At: of.At, Who: gatehouse}
	if of.ActorID != 0 {
		e.Who = known.name(of.ActorID)
	}
	if of.AlertIID != 0 {
		e.Alert = alertLink{of.AlertIID, v.alertAddress(of.AlertIID)}
	}
	e.describe(of, known)
	return e
}

func (e *entry) describe(of incident.Entry, known people) {
	switch of.Kind {
	case incident.WasOpened:
		e.What = "opened the incident"
		if of.AlertIID != 0 {
			e.What += " for"
		}
	case incident.WasClosed:
		e.What, e.Alert, e.Text = "closed the incident", alertLink{}, of.Text
	case incident.WasReopened:
		e.What = "reopened the incident"
	case incident.WasAssigned:
		e.What, e.Whom = assignment(of, known)
	case incident.WasChanged:
		e.What, e.Text = "changed the incident", of.Text
	case incident.WasLinked:
		e.What = "linked"
	case incident.WasUnlinked:
		e.What = "took out"
	case incident.Noted:
		e.What, e.Note = "noted", of.Text
	default:
		e.What, e.Status = "set the status to", incident.Status(of.Kind)
	}
}

// assignment says who was assigned to the incident.
func assignment(of incident.Entry, known people) (what, whom string) {
	switch of.UserID {
	case 0:
		return "unassigned the incident", ""
	case of.ActorID:
		return "took on the incident", ""
	}
	return "assigned the incident to", known.name(of.UserID)
}
