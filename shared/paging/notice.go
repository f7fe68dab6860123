package paging

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/dispatch"
	"gatehouse/shared/fault"
	"gatehouse/shared/mail"
	"gatehouse/shared/outbox"
	"gatehouse/shared/record"
	"gatehouse/shared/user"
)

// notice is what a person is to be told.
type notice struct {
	UserID      int64  `json:"user_id"`
	ProjectID   int64  `json:"project_id"`
	IID         int64  `json:"iid,omitempty"`          // of an alert
	IncidentIID int64  `json:"incident_iid,omitempty"` // of an incident
	Event       event  `json:"event"`
	Why         reason `json:"why"`
	// UntilResolved means that an acknowledged alert waits for the person too.
	UntilResolved bool `json:"until_resolved,omitempty"`
}

// event says what happened.
type event string

const (
	paged    event = "paged" // the alert waits for the person
	opened   event = "opened"
	resolved event = "resolved"
	assigned event = "assigned"
)

// rank orders the events by what a person should know first.
func (e event) rank() int { return slices.Index([]event{paged, resolved, assigned, opened}, e) }

// reason says why a person is told.
type reason string

const (
	becauseOnCall     reason = "on_call"
	becausePolicy     reason = "policy"
	becauseMaintainer reason = "maintainer"
	becauseAssigned   reason = "assigned"
)

func noticeLane(userID int64) outbox.Lane { return outbox.Lane(fmt.Sprintf("notice/%d", userID)) }

// notice returns the message that tells a user. All that waits for a person is told
// together.
func (r *Rules) notice(from outbox.Message, n int, userID int64, told notice) outbox.Message {
	told.UserID = userID
	return message(from, n, noticeLane(userID), kindNotice, r.Now(), told)
}

// Between two mails to a person lies this time. What happens meanwhile is in the second.
const betweenMails = time.Minute

// mostNotices is how many notices are told together. With more, there is another mail.
const mostNotices = 20_000

// lastMail is when a person was told last.
type lastMail struct {
	At time.Time `json:"at"`
}

var lastMails = record.Of[lastMail]{Kind: "last_notice"}

// notify tells a person all that waits for them.
func (r *Rules) notify(ctx context.Context, first outbox.Message) (dispatch.Result, error) {
	var told notice
	if err := json.Unmarshal(first.Data, &told); err != nil {
		return dispatch.Result{}, dispatch.Permanent(fmt.Errorf("read a notice: %w", err))
	}
	last, err := lastMails.FindOr(ctx, r.store, record.Instance, told.UserID, lastMail{}, r.Now())
	if err != nil {
		return dispatch.Result{}, err
	}
	if until := last.Thing.At.Add(betweenMails); until.After(r.Now()) {
		return dispatch.Result{}, dispatch.NotBefore(until)
	}
	to, err := r.store.User(ctx, told.UserID)
	if err = fault.IgnoreNotFound(err); err != nil {
		return dispatch.Result{}, err
	}
	waiting, err := r.store.Waiting(ctx, first.Lane, mostNotices)
	if err != nil {
		return dispatch.Result{}, err
	}
	if len(waiting) == 0 || waiting[0].Seq != first.Seq {
		return dispatch.Result{}, outbox.ErrTaken // another dispatcher has finished it
	}
	result := dispatch.Result{Behind: waiting[1:]}
	if to.ID == 0 || to.Blocked() {
		return result, nil
	}
	return result, r.tell(ctx, to, last, waiting)
}

// tell sends a person one mail about these messages.
func (r *Rules) tell(ctx context.Context, to user.User, last record.Stored[lastMail], waiting []outbox.Message) error {
	all := make([]notice, 0, len(waiting))
	for _, m := range waiting {
		var n notice
		if err := json.Unmarshal(m.Data, &n); err == nil { // what cannot be read holds up nobody
			all = append(all, n)
		}
	}
	composed, any, err := r.compose(ctx, to, waiting[0].ID(), distinct(all))
	if err != nil || !any {
		return err
	}
	if err := r.send(ctx, composed); err != nil {
		return err
	}
	_, err = lastMails.Change(ctx, r.store, last, func(l *lastMail) error {
		l.At = r.Now()
		return nil
	})
	return err
}

// send sends a mail. Its error tells the dispatcher whether to try again.
func (r *Rules) send(ctx context.Context, m mail.Message) error {
	err := r.Mails.Send(ctx, m)
	if mail.Permanent(err) {
		err = dispatch.Permanent(err)
	}
	return err
}

// distinct returns the notices, each once: several rules may name a person.
func distinct(all []notice) (some []notice) {
	seen := map[notice]bool{}
	for _, n := range all {
		if !seen[n] {
			some, seen[n] = append(some, n), true
		}
	}
	return some
}

// stands reports whether a notice is still worth telling: the alert may have been looked at
// since.
func (n notice) stands(a alert.Alert, now time.Time) bool {
	switch n.Event {
	case paged:
		waits := a.Status == alert.Triggered || a.Status == alert.Acknowledged && n.UntilResolved
		return waits && !a.Silenced(now)
	case opened:
		return a.Open()
	case resolved:
		return !a.Open()
	}
	return true
}
