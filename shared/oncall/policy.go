package oncall

import (
	"cmp"
	"fmt"
	"slices"

	"gatehouse/shared/fault"
	"gatehouse/shared/record"
)

// Policy is the escalation policy of a project: whom a new alert notifies, and when.
type Policy struct {
	Rules  []Rule `json:"rules,omitempty"` // by the minutes that have elapsed
	Repeat int    `json:"repeat,omitempty"`
}

// Rule notifies a user, or who is on call of a schedule, unless the alert has the status by
// then.
type Rule struct {
	ElapsedMinutes int    `json:"elapsed_minutes"`
	Until          Status `json:"until_status"`
	ScheduleID     int64  `json:"schedule_id,omitempty"` // zero: the user
	UserID         int64  `json:"user_id,omitempty"`
}

// Status is the status of an alert that ends its escalation.
type Status string

// The statuses. A resolved alert is also acknowledged.
const (
	Acknowledged Status = "acknowledged"
	Resolved     Status = "resolved"
)

// Statuses lists them.
var Statuses = []Status{Acknowledged, Resolved}

// MaxRules is how many rules a policy may have.
const MaxRules = 10

// The bounds of a policy.
const (
	maxElapsed = 24 * 60 // minutes
	maxRepeat  = 9
)

// policies are stored in the project, under the number 0.
var policies = record.Of[Policy]{Kind: "escalation_policy"}

// check returns the complaints about a policy as far as it alone shows them.
func (p Policy) check() error {
	complaints := fault.Fields{}
	if len(p.Rules) > MaxRules {
		complaints.Add("rules", fmt.Sprintf("has too many (maximum is %d)", MaxRules))
	}
	if p.Repeat < 0 || p.Repeat > maxRepeat {
		complaints.Add("repeat", fmt.Sprintf("must be from 0 to %d", maxRepeat))
	}
	for i, r := range p.Rules {
		complaints.Add("rules", r.check())
		if slices.Contains(p.Rules[:i], r) {
			complaints.Add("rules", "has a rule more than once")
		}
	}
	return complaints.Err()
}

func (r Rule) check() (complaint string) {
	switch {
	case r.ElapsedMinutes < 0 || r.ElapsedMinutes > maxElapsed:
		return fmt.Sprintf("must have elapsed_minutes from 0 to %d", maxElapsed)
	case !slices.Contains(Statuses, r.Until):
		return "must have the until_status acknowledged or resolved"
	case (r.ScheduleID == 0) == (r.UserID == 0):
		return "must each have either schedule_id or user_id"
	}
	return ""
}

// sorted returns the policy with its rules in the order in which they apply.
func (p Policy) sorted() Policy {
	p.Rules = slices.SortedStableFunc(slices.Values(p.Rules), func(a, b Rule) int { return cmp.Compare(a.ElapsedMinutes, b.ElapsedMinutes) })
	return p
}

func (p Policy) equal(other Policy) bool {
	return p.Repeat == other.Repeat && slices.Equal(p.Rules, other.Rules)
}

// scheduleIDs returns the ids of the schedules that the rules name, each once.
func (p Policy) scheduleIDs() (ids []int64) {
	for _, r := range p.Rules {
		if r.ScheduleID != 0 && !slices.Contains(ids, r.ScheduleID) {
			ids = append(ids, r.ScheduleID)
		}
	}
	return ids
}

// UserIDs returns the ids of the users that the rules name.
func (p Policy) UserIDs() (ids []int64) {
	for _, r := range p.Rules {
		if r.UserID != 0 {
			ids = append(ids, r.UserID)
		}
	}
	return ids
}
