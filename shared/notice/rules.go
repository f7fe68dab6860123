package notice

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/outbox"
	"gatehouse/shared/record"
	"gatehouse/shared/webhook"
)

// EventChanged is the event that a person changed how they are told.
var EventChanged = audit.Declare("notifications.changed", "Notification settings changed")

// settings are kept below the instance, under the id of the user.
var settings = record.Of[Settings]{Kind: record.Notifications, Tell: tested}

// Rules keep settings.
type Rules struct {
	store    record.Store
	webhooks webhook.Own
	trail    *audit.Trail
	now      func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store record.Store, webhooks webhook.Own, trail *audit.Trail, now func() time.Time) *Rules {
	return &Rules{store, webhooks, trail, now}
}

// Settings returns the user's settings as people see them.
func (r *Rules) Settings(ctx context.Context, userID int64) (Stored, error) {
	s, err := r.find(ctx, userID)
	s.Thing.Quiet = s.Thing.Quiet.orUsual()
	return s, err
}

func (r *Rules) find(ctx context.Context, userID int64) (Stored, error) {
	return settings.FindOr(ctx, r.store, record.Instance, userID, Settings{}, r.now())
}

// Person returns how the user is told.
func (r *Rules) Person(ctx context.Context, userID int64) (Person, error) {
	s, err := r.find(ctx, userID)
	if err != nil {
		return Person{}, err
	}
	return r.person(ctx, s)
}

// person returns how the user of these settings is told.
func (r *Rules) person(ctx context.Context, s Stored) (Person, error) {
	all, err := r.webhooks.All(ctx, s.Number)
	inactive := func(w webhook.Stored) bool { return !w.Thing.Active }
	return Person{s.Thing, slices.DeleteFunc(all, inactive)}, err
}

// Change changes the actor's settings. One that changes nothing is not stored.
func (r *Rules) Change(ctx context.Context, by audit.Actor, c Change) (Stored, error) {
	was, err := r.find(ctx, by.UserID)
	if err != nil {
		return Stored{}, err
	}
	works, err := r.hasWorking(ctx, by.UserID, c)
	if err != nil {
		return Stored{}, err
	}
	next := was
	if err := c.apply(&next.Thing, works); err != nil {
		return Stored{}, err
	}
	if !equal(was.Thing, next.Thing) {
		err = r.trail.Do(ctx, by.Event(EventChanged, audit.Details{}), func(ctx context.Context) error {
			next, err = settings.Change(ctx, r.store, was, func(s *Settings) error { return c.apply(s, works) })
			return err
		})
	}
	next.Thing.Quiet = next.Thing.Quiet.orUsual()
	return next, err
}

// hasWorking reports whether a webhook of the user's works, if the change depends on that.
func (r *Rules) hasWorking(ctx context.Context, userID int64, c Change) (bool, error) {
	if c.Mail[Pages] == nil || *c.Mail[Pages] {
		return false, nil
	}
	all, err := r.webhooks.All(ctx, userID)
	for _, one := range all {
		if one.Thing.Works() {
			return true, err
		}
	}
	return false, err
}

func equal(a, b Settings) bool {
	one, err := record.Encode(a)
	other, otherErr := record.Encode(b)
	return err == nil && otherErr == nil && bytes.Equal(one, other)
}

// KindTest is that of the message that a person tests their channels.
const KindTest outbox.Kind = "notice.test"

// Tested is the data of such a message.
type Tested struct {
	UserID int64 `json:"user_id"`
}

// The most tests that a person can send in a time.
const (
	MostTests   = 5
	testsWithin = time.Hour
)

// TooMany means that the person has sent enough tests for a while.
type TooMany struct{ wait time.Duration }

// Error returns the message.
func (*TooMany) Error() string {
	return fmt.Sprintf("you have sent %d tests within an hour", MostTests)
}

// Is reports whether target is fault.TooMany.
func (*TooMany) Is(target error) bool { return target == fault.TooMany }

// RetryAfter is how long to wait before the next test.
func (t *TooMany) RetryAfter() time.Duration { return t.wait }

// Test sends a test by each of the actor's channels, and returns these.
func (r *Rules) Test(ctx context.Context, by audit.Actor) (Person, error) {
	was, err := r.find(ctx, by.UserID)
	if err != nil {
		return Person{}, err
	}
	p, err := r.person(ctx, was)
	if err != nil {
		return Person{}, err
	}
	_, err = settings.Change(ctx, r.store, was, func(s *Settings) error { return s.addTest(r.now().UTC()) })
	return p, err
}

// addTest notes a test. The error is a *TooMany if there were enough.
func (s *Settings) addTest(now time.Time) error {
	var recent []time.Time
	for _, at := range s.Tests {
		if now.Sub(at) < testsWithin {
			recent = append(recent, at)
		}
	}
	if len(recent) >= MostTests {
		return &TooMany{recent[0].Add(testsWithin).Sub(now)}
	}
	s.Tests = append(recent, now)
	return nil
}

// tested returns the message that follows from a test.
func tested(was *Settings, is Stored) []outbox.Message {
	if len(is.Thing.Tests) == 0 || was != nil && slices.EqualFunc(was.Tests, is.Thing.Tests, time.Time.Equal) {
		return nil
	}
	at := is.Thing.Tests[len(is.Thing.Tests)-1]
	data, err := json.Marshal(Tested{is.Number})
	if err != nil {
		panic(err) // a number always has a form
	}
	return []outbox.Message{{
		Lane: outbox.Lane(fmt.Sprintf("notice-test/%d", is.Number)), Seq: outbox.SeqOfVersion(is.Version, 0), Kind: KindTest,
		Data: data, CreatedAt: at, DueAt: at,
	}}
}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{settings} }
