package paging

import (
	"context"
	"fmt"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/dispatch"
	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
	"gatehouse/shared/outbox"
)

// step is a rule of the escalation policy that is due for an alert.
type step struct {
	ProjectID int64          `json:"project_id"`
	IID       int64          `json:"iid"`
	From      time.Time      `json:"from"`     // when the escalation began
	Severity  alert.Severity `json:"severity"` // by then; a graver repeat begins another escalation
	Rule      int            `json:"rule"`
	Round     int            `json:"round"` // counts the repetitions
	// Late is how much later than the policy says it goes on, such as after a silence.
	Late time.Duration `json:"late,omitempty"`
	// Graver means that a graver repeat began it: who acknowledged the alert before did not
	// know that.
	Graver bool `json:"graver,omitempty"`
}

// begin returns the first step of the escalation that a change of an alert begins.
func (r *Rules) begin(ctx context.Context, m outbox.Message, s subject, e alert.Event) ([]outbox.Message, error) {
	switch m.Kind {
	case alert.EventOpened, alert.EventTriggered, alert.EventGraver:
	default:
		return nil, nil
	}
	policy, err := r.OnCall.Policy(ctx, s.project)
	if err != nil || len(policy.Rules) == 0 {
		return nil, err
	}
	first := step{ProjectID: e.ProjectID, IID: e.IID, From: e.At, Severity: e.Severity, Graver: m.Kind == alert.EventGraver}
	return []outbox.Message{first.message(m, policy)}, nil
}

// message returns the message about a step.
func (s step) message(from outbox.Message, policy oncall.Policy) outbox.Message {
	lane := outbox.Lane(fmt.Sprintf("escalation/%d/%d", s.ProjectID, s.IID))
	return message(from, 0, lane, kindStep, s.due(policy), s)
}

// due returns when a step is due.
func (s step) due(policy oncall.Policy) time.Time {
	elapsed := minutes(policy.Rules[s.Rule].ElapsedMinutes) + time.Duration(s.Round)*roundOf(policy)
	return s.From.Add(elapsed + s.Late)
}

// shortestRound is the least time from one round of an escalation to the next.
const shortestRound = 5 * time.Minute

// roundOf returns the time from one round to the next: as long as the last rule waits for
// the one before it, after the last rule.
func roundOf(policy oncall.Policy) time.Duration {
	last := len(policy.Rules) - 1
	wait := policy.Rules[last].ElapsedMinutes
	if last > 0 {
		wait -= policy.Rules[last-1].ElapsedMinutes
	}
	return minutes(policy.Rules[last].ElapsedMinutes) + max(minutes(wait), shortestRound)
}

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

// next returns the step after this one, and false if it is the last.
func (s step) next(policy oncall.Policy) (step, bool) {
	s.Rule++
	if s.Rule >= len(policy.Rules) {
		s.Rule, s.Round = 0, s.Round+1
	}
	return s, s.Round <= policy.Repeat
}

// longestWait is the most time after which a step looks again whether the alert is still
// silenced: people can lift a silence.
const longestWait = 5 * time.Minute

// punctual is how late a step may be without those behind it being as late. Otherwise they
// would all follow at once.
const punctual = 2 * time.Minute

// step notifies those whom a rule names, and returns the next step.
func (r *Rules) step(ctx context.Context, m outbox.Message, at step) ([]outbox.Message, error) {
	s, err := r.subject(ctx, at.ProjectID, at.IID)
	if err != nil || at.over(s.Alert) {
		return nil, err
	}
	if s.Silenced(r.Now()) {
		return nil, dispatch.NotBefore(earlier(s.SilencedUntil, r.Now().Add(longestWait)))
	}
	policy, err := r.OnCall.Policy(ctx, s.project)
	if err != nil || len(policy.Rules) == 0 {
		return nil, err
	}
	if at.Rule >= len(policy.Rules) { // it has become shorter
		at.Rule = len(policy.Rules) - 1
		if next, more := at.next(policy); more {
			return []outbox.Message{next.message(m, policy)}, nil
		}
		return nil, nil
	}
	if late := r.Now().Sub(at.due(policy)); late > punctual {
		at.Late += late
	}
	follow, err := r.page(ctx, m, s, at, policy.Rules[at.Rule])
	if err != nil {
		return nil, err
	}
	if next, more := at.next(policy); more {
		follow = append(follow, next.message(m, policy))
	}
	return follow, nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// over reports whether the escalation has ended: nobody has to look at the alert any more,
// or a later one has begun.
func (s step) over(a alert.Alert) bool {
	if !a.Open() || a.Status == alert.Ignored || a.PeakSeverity != s.Severity {
		return true
	}
	for _, change := range a.Activity {
		if change.Change == alert.StatusChanged && change.Status == alert.Triggered && change.At.After(s.From) {
			return true
		}
	}
	return false
}

// acknowledged reports whether somebody has acknowledged the alert since the escalation
// began, or before if it is as grave as then.
func (s step) acknowledged(a alert.Alert) bool {
	if a.Status != alert.Acknowledged || !s.Graver {
		return a.Status == alert.Acknowledged
	}
	for _, change := range a.Activity {
		if change.Change == alert.StatusChanged && change.Status == alert.Acknowledged && change.At.After(s.From) {
			return true
		}
	}
	return false
}

// page returns the notices to those whom a rule names, unless the alert has the rule's
// status.
func (r *Rules) page(ctx context.Context, m outbox.Message, s subject, at step, rule oncall.Rule) (notices []outbox.Message, err error) {
	if rule.Until == oncall.Acknowledged && at.acknowledged(s.Alert) {
		return nil, nil
	}
	why, userIDs := becausePolicy, []int64{rule.UserID}
	if rule.ScheduleID != 0 {
		shifts, err := r.OnCall.OnCall(ctx, s.project, rule.ScheduleID, r.Now())
		if err = fault.IgnoreNotFound(err); err != nil {
			return nil, err
		}
		why, userIDs = becauseOnCall, usersOf(shifts)
	}
	for n, id := range userIDs {
		notices = append(notices, r.notice(m, n, id, notice{
			ProjectID: s.ProjectID, IID: s.IID, Event: paged, Why: why, UntilResolved: rule.Until == oncall.Resolved || at.Graver,
		}))
	}
	return notices, nil
}

// usersOf returns the users on call, each once.
func usersOf(shifts []oncall.Shift) (ids []int64) {
	seen := map[int64]bool{}
	for _, shift := range shifts {
		if !seen[shift.UserID] {
			ids, seen[shift.UserID] = append(ids, shift.UserID), true
		}
	}
	return ids
}
