package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
	"gatehouse/shared/throttle"
)

// Deliver sends a message to a webhook of the project once, and notes the outcome. The
// error is a *Later if another attempt may succeed, one for which Permanent is true if
// none will, and otherwise one of Gatehouse's own.
func (r *Rules) Deliver(ctx context.Context, p project.Project, id int64, m Message) error {
	return r.deliverTo(ctx, ofProject(p), id, m)
}

func (r *Rules) deliverTo(ctx context.Context, o owner, id int64, m Message) error {
	s, err := o.find(ctx, r.store, id)
	switch {
	case err != nil:
		return err
	case !s.Thing.Active:
		return ErrInactive
	}
	_, err = r.deliver(ctx, o, s, m)
	return err
}

// Permanent reports whether an error of Deliver means that no attempt will succeed.
func Permanent(err error) bool {
	for _, one := range []error{ErrNotFound, ErrInactive, ErrGone, ErrRefused, ErrLost} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

// tests counts those of a project's webhooks.
var tests = record.Of[throttle.Counter]{Kind: "webhook_tests"}

// TestLimit is how many tests a project can send within which time.
var TestLimit = throttle.Limit{Failures: 10, Window: time.Minute}

// TooManyTests is the error of a test after too many.
type TooManyTests struct{ *throttle.Refused }

// Error returns the message.
func (TooManyTests) Error() string {
	return fmt.Sprintf("the project has sent %d tests of webhooks in a short time", TestLimit.Failures)
}

// countTest counts a test, or returns TooManyTests.
func (r *Rules) countTest(ctx context.Context, p project.Project) error {
	stored, err := tests.FindOr(ctx, r.store, p.Place(), 1, throttle.Counter{}, r.now())
	if err != nil {
		return err
	}
	_, err = tests.Change(ctx, r.store, stored, func(c *throttle.Counter) (err error) {
		*c, err = c.Next(TestLimit, r.now().UTC())
		return err
	})
	var refused *throttle.Refused
	if errors.As(err, &refused) {
		return TooManyTests{refused}
	}
	return err
}

// Test sends the webhook a message of the type "test", also if it is not active. It
// returns the webhook as it is then, and TooManyTests or the errors of Deliver.
func (r *Rules) Test(ctx context.Context, p project.Project, s Stored) (Stored, error) {
	if err := r.countTest(ctx, p); err != nil {
		return s, err
	}
	now := r.now()
	return r.deliver(ctx, ofProject(p), s, Message{
		ID: secret.New("test_", 16).Reveal(), Type: "test", At: now,
		Text: "This is a test of the webhook of " + p.FullPath + ".",
		Data: map[string]any{"project": map[string]any{"id": p.ID, "path_with_namespace": p.FullPath}},
	})
}

func (r *Rules) deliver(ctx context.Context, o owner, s Stored, m Message) (Stored, error) {
	status, err := r.post(ctx, o, s, m)
	if fault.KindOf(err) == "" && err != nil { // says nothing about the receiver
		return s, err
	}
	noted, noteErr := r.note(ctx, o, s, status, err)
	if noteErr == nil || errors.Is(noteErr, errNoNews) {
		return noted, err
	}
	if errors.Is(err, ErrGone) {
		return s, noteErr // so that the next attempt switches it off
	}
	slog.WarnContext(ctx, "outcome of a webhook's delivery not noted", "webhook_id", s.ID, "error", noteErr)
	return s, err
}

// post returns the status of the answer, zero if there is none, with the errors of
// Deliver.
func (r *Rules) post(ctx context.Context, o owner, s Stored, m Message) (int, error) {
	if checkURL(s.Thing.URL, r.private(o)) != "" { // what is allowed has changed since
		return 0, ErrRefused
	}
	now := r.now()
	keys, err := r.vault.signingKeys(s, now)
	if errors.Is(err, secret.ErrSealed) {
		return 0, ErrLost
	}
	if err != nil {
		return 0, err
	}
	request, err := m.request(s.Thing.URL, keys, now)
	if err != nil {
		return 0, err
	}
	request.Public = o.isPerson()
	answer, err := r.delivery.Sender.Post(ctx, request)
	var unanswered *Unanswered
	switch {
	case errors.As(err, &unanswered):
		return 0, &Later{Reason: unanswered.Reason}
	case err != nil:
		return 0, err
	}
	return answer.Status, answer.verdict(r.now())
}

// noteEvery is how long a noted outcome is good enough if the next one equals it. A
// webhook that gets many messages is not written for each.
const noteEvery = time.Minute

// errNoNews ends the noting of an outcome that is not worth a write.
var errNoNews = fault.New(fault.Conflict, "the outcome is noted already")

// note stores the outcome of a delivery unless it was noted before, and returns the
// webhook as it is then.
func (r *Rules) note(ctx context.Context, o owner, s Stored, status int, outcome error) (next Stored, err error) {
	at := r.now().UTC().Truncate(time.Microsecond)
	edit := func(w *Webhook) error {
		if w.URL != s.Thing.URL || !w.note(status, outcome, at) {
			return errNoNews
		}
		return nil
	}
	probe := s.Thing
	if err := edit(&probe); err != nil {
		return s, err
	}
	if !errors.Is(outcome, ErrGone) || !s.Thing.Active {
		next, err = kindOf(s).Change(ctx, r.store, s, edit)
	} else {
		next, err = r.edit(ctx, gone(o, s), s, edit)
	}
	if err != nil {
		return s, fault.IgnoreNotFound(err) // deleted meanwhile
	}
	return next, nil
}

// note takes over an outcome, and reports whether that is worth a write.
func (w *Webhook) note(status int, outcome error, at time.Time) bool {
	text := ""
	if outcome != nil {
		text = outcome.Error()
	}
	gone := errors.Is(outcome, ErrGone) && w.Active
	if !gone && w.LastStatus == status && w.LastError == text && at.Sub(w.AttemptedAt) < noteEvery {
		return false
	}
	w.LastStatus, w.LastError, w.AttemptedAt = status, text, at
	if outcome == nil {
		w.DeliveredAt = at
	}
	if gone {
		w.Active, w.Disabled = false, goneReason
	}
	return true
}

const goneReason = "the receiver answered 410 Gone"

// gone returns the event that Gatehouse switches a webhook off. It is in the trail of the
// user who made the webhook.
func gone(o owner, s Stored) audit.Event {
	e := o.event(audit.Actor{UserID: s.Thing.CreatorID}, o.names().disabled, s)
	e.Details["reason"] = goneReason
	return e
}
