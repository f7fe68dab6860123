package paging

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
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
	At    time.Time `json:"at"`
	First string    `json:"first,omitempty"` // the first message that the mail is about
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
	if last.Thing.First == first.ID() {
		return r.finish(ctx, first, last.Thing.At)
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
		return dispatch.Result{}, dispatch.NotBefore(r.Now()) // an earlier one has come, or it is finished
	}
	result := dispatch.Result{Behind: waiting[1:]}
	if to.ID == 0 || to.Blocked() {
		return result, nil
	}
	result.Follow, err = r.tell(ctx, to, last, waiting)
	return result, err
}

// finish ends the notices of a mail that went out before its dispatcher died.
func (r *Rules) finish(ctx context.Context, first outbox.Message, sent time.Time) (result dispatch.Result, err error) {
	waiting, err := r.store.Waiting(ctx, first.Lane, mostNotices)
	for _, m := range waiting {
		if m.Seq != first.Seq && !m.CreatedAt.After(sent) {
			result.Behind = append(result.Behind, m)
		}
	}
	return result, err
}

// tell sends a person one mail about these messages, and returns what follows: notices of
// alerts that are silenced come again, and one that says that the mail was refused.
func (r *Rules) tell(ctx context.Context, to user.User, last record.Stored[lastMail], waiting []outbox.Message) (follow []outbox.Message, err error) {
	asOf := r.Now()
	all := make([]notice, 0, len(waiting))
	for _, m := range waiting {
		var n notice
		if err := json.Unmarshal(m.Data, &n); err == nil { // what cannot be read holds up nobody
			all = append(all, n)
		}
	}
	composed, held, err := r.compose(ctx, to, waiting[0].ID(), distinct(all))
	if err != nil {
		return nil, err
	}
	for n, one := range held[:min(len(held), outbox.MostFollowing-1)] {
		follow = append(follow, message(waiting[0], n, waiting[0].Lane, kindNotice, one.until, one.notice))
	}
	if composed == nil {
		return follow, nil
	}
	switch err := r.Mails.Send(ctx, *composed); {
	case mail.Permanent(err):
		lane := outbox.Lane(fmt.Sprintf("refused/%d", to.ID))
		return append(follow, message(waiting[0], len(follow), lane, kindRefused, r.Now(), refusal{all[0], err.Error()})), nil
	case err != nil:
		return nil, err
	}
	r.noteMail(ctx, last, lastMail{asOf, waiting[0].ID()})
	return follow, nil
}

// noteMail notes when a person was mailed. The mail is out, so that a failure here must not
// send it again.
func (r *Rules) noteMail(ctx context.Context, last record.Stored[lastMail], sent lastMail) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, err := lastMails.Change(ctx, r.store, last, func(l *lastMail) error {
		*l = sent
		return nil
	})
	if err != nil {
		slog.ErrorContext(ctx, "mail to a person not noted", "error", err)
	}
}

// refusal is a notice, and perhaps others, that a mail server refused for good.
type refusal struct {
	notice
	Reason string `json:"reason"`
}

// refused gives the refusal up, so that people see it. When they have it tried again, the
// person is told anew.
func (r *Rules) refused(_ context.Context, m outbox.Message, told refusal) ([]outbox.Message, error) {
	if m.DueAt.After(m.CreatedAt) {
		return []outbox.Message{r.notice(m, 0, told.UserID, told.notice)}, nil
	}
	return nil, dispatch.Permanent(errors.New(told.Reason))
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

// waits reports whether the alert waits for the person who was paged.
func (n notice) waits(a alert.Alert) bool {
	return a.Status == alert.Triggered || a.Status == alert.Acknowledged && n.UntilResolved
}

// stands reports whether a notice is still worth telling: the alert may have been looked at
// since.
func (n notice) stands(a alert.Alert, now time.Time) bool {
	switch n.Event {
	case paged:
		return n.waits(a) && !a.Silenced(now)
	case opened:
		return a.Open()
	case resolved:
		return !a.Open()
	}
	return true
}
