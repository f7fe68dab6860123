package consoleapi

import (
	"slices"
	"strconv"
	"time"

	"gatehouse/shared/alert"
)

// activity is an entry in an alert's history: Who did What, to Whom.
type activity struct {
	At              time.Time
	Who, What, Whom string
	Status          alert.Status
	Until           time.Time // of a silence
}

// tool is the actor shown for changes no user made.
const tool = "The monitoring tool"

// newActivity returns the history of an alert, the latest entry first.
func newActivity(of alert.Alert, known people) []activity {
	all := []activity{{At: of.CreatedAt, Who: tool, What: "opened the alert"}}
	if len(of.Activity) == alert.ActivityKept {
		all = nil // older entries are not kept
	}
	for _, changed := range of.Activity {
		entry := activity{At: changed.At, Who: tool}
		if changed.ActorID != 0 {
			entry.Who = known.name(changed.ActorID)
		}
		entry.describe(changed, known)
		all = append(all, entry)
	}
	slices.Reverse(all)
	return all
}

func (entry *activity) describe(changed alert.Activity, known people) {
	switch {
	case changed.Change == alert.StatusChanged:
		entry.What, entry.Status = "set the status to", changed.Status
	case changed.Change == alert.IncidentChanged && changed.IncidentIID == 0:
		entry.What = "took the alert out of its incident"
	case changed.Change == alert.IncidentChanged:
		entry.What, entry.Whom = "linked the alert to incident", "#"+strconv.FormatInt(changed.IncidentIID, 10)
	case changed.Change == alert.SilenceChanged && changed.SilencedUntil.IsZero():
		entry.What = "ended the silence"
	case changed.Change == alert.SilenceChanged:
		entry.What, entry.Until = "silenced the alert until", changed.SilencedUntil
	case changed.UserID == 0:
		entry.What = "unassigned the alert"
	case changed.UserID == changed.ActorID:
		entry.What = "took on the alert"
	default:
		entry.What, entry.Whom = "assigned the alert to", known.name(changed.UserID)
	}
}
