package consoleapi

import (
	"slices"
	"time"

	"gatehouse/shared/alert"
)

// activity is something that happened to an alert, in words: Who did What,
// to Whom.
type activity struct {
	At              time.Time
	Who, What, Whom string
	Status          alert.Status
}

// tool is who does what nobody did.
const tool = "The monitoring tool"

// newActivity tells what happened to an alert, the latest first.
func newActivity(of alert.Alert, known people) []activity {
	all := []activity{{At: of.CreatedAt, Who: tool, What: "opened the alert"}}
	if len(of.Activity) == alert.ActivityKept {
		all = nil // what was before the kept ones is not known
	}
	for _, changed := range of.Activity {
		told := activity{At: changed.At, Who: tool}
		if changed.ActorID != 0 {
			told.Who = known.name(changed.ActorID)
		}
		told.describe(changed, known)
		all = append(all, told)
	}
	slices.Reverse(all)
	return all
}

func (told *activity) describe(changed alert.Activity, known people) {
	switch {
	case changed.Change == alert.StatusChanged:
		told.What, told.Status = "set the status to", changed.Status
	case changed.UserID == 0:
		told.What = "took away the assignment"
	case changed.UserID == changed.ActorID:
		told.What = "took on the alert"
	default:
		told.What, told.Whom = "assigned the alert to", known.name(changed.UserID)
	}
}
