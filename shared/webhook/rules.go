package webhook

import (
	"context"
	"strconv"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
)

// The events about webhooks.
var (
	EventCreated  = audit.Declare("webhook.created", "Webhook added")
	EventChanged  = audit.Declare("webhook.changed", "Webhook changed")
	EventEnabled  = audit.Declare("webhook.enabled", "Webhook switched on")
	EventDisabled = audit.Declare("webhook.disabled", "Webhook switched off")
	EventDeleted  = audit.Declare("webhook.deleted", "Webhook deleted")
	EventRotated  = audit.Declare("webhook.secret_rotated", "Webhook’s secret rotated")
)

// Delivery says how messages are delivered.
type Delivery struct {
	Sender  Sender
	Private bool // plain http and private addresses are allowed
}

// Watcher has the alerts of a project tell what happens to them.
type Watcher interface {
	Watch(ctx context.Context, p project.Project) error
}

// Rules keep webhooks and deliver messages to them.
type Rules struct {
	store    record.Store
	watcher  Watcher
	trail    *audit.Trail
	vault    vault
	delivery Delivery
	now      func() time.Time
}

// NewRules returns the rules over a store. The keys seal secrets.
func NewRules(store record.Store, watcher Watcher, trail *audit.Trail, keys secret.Keys, d Delivery, now func() time.Time) *Rules {
	return &Rules{store, watcher, trail, vault{keys.Box("webhook")}, d, now}
}

// List returns the project's webhooks, the newest first.
func (r *Rules) List(ctx context.Context, p project.Project, req page.Request) (page.Of[Stored], error) {
	return webhooks.List(ctx, r.store, p.Place(), req)
}

// Active returns the project's active webhooks.
func (r *Rules) Active(ctx context.Context, p project.Project) ([]Stored, error) {
	active := func(s Stored) bool { return s.Thing.Active }
	found, err := webhooks.Search(ctx, r.store, p.Place(), active, page.Request{Number: 1, Size: page.MaxSize})
	return found.Items, err
}

// Find returns the project's webhook with this id, or ErrNotFound.
func (r *Rules) Find(ctx context.Context, p project.Project, id int64) (Stored, error) {
	s, err := webhooks.Find(ctx, r.store, p.Place(), id)
	if fault.Is(err, fault.NotFound) {
		err = ErrNotFound
	}
	return s, err
}

// Create adds a webhook and returns its secret, which nothing shows again. The error is a
// fault.Conflict if the project has MaxWebhooks.
func (r *Rules) Create(ctx context.Context, by audit.Actor, p project.Project, url string, active bool) (s Stored, own secret.Text, err error) {
	own = newSecret()
	made := Webhook{CreatorID: by.UserID, Secret: r.vault.seal(own, p.Place())}
	if complaint := checkURL(url, r.delivery.Private); complaint != "" {
		return Stored{}, secret.Text{}, fault.Field("url", complaint)
	}
	made.URL, made.Active = url, active
	if err := r.checkRoom(ctx, p); err != nil {
		return Stored{}, secret.Text{}, err
	}
	if err := r.watcher.Watch(ctx, p); err != nil {
		return Stored{}, secret.Text{}, err
	}
	err = r.trail.Do(ctx, event(by, EventCreated, p, Stored{Thing: made}), func(ctx context.Context) error {
		s, err = webhooks.Create(ctx, r.store, p.Place(), made, r.now())
		return err
	})
	return s, own, err
}

func (r *Rules) checkRoom(ctx context.Context, p project.Project) error {
	has, err := r.List(ctx, p, page.Request{Number: 1, Size: MaxWebhooks})
	if err == nil && len(has.Items) >= MaxWebhooks {
		return fault.New(fault.Conflict, "the project has the most webhooks it can have: "+strconv.Itoa(MaxWebhooks))
	}
	return err
}

// Change changes the webhook. Switching on one that Gatehouse switched off forgets why.
func (r *Rules) Change(ctx context.Context, by audit.Actor, p project.Project, s Stored, c Change) (Stored, error) {
	next := s.Thing
	apply := func(w *Webhook) error { return c.apply(w, r.delivery.Private) }
	if err := apply(&next); err != nil {
		return Stored{}, err
	}
	return r.edit(ctx, changeEvent(by, p, s, next), s, apply)
}

// edit stores a change of the webhook, with its event.
func (r *Rules) edit(ctx context.Context, e audit.Event, s Stored, edit func(*Webhook) error) (next Stored, err error) {
	err = r.trail.Do(ctx, e, func(ctx context.Context) error {
		next, err = webhooks.Change(ctx, r.store, s, edit)
		return err
	})
	return next, err
}

// RotateSecret gives the webhook a new secret and returns it, which nothing shows again.
// For a day the former one signs too. One that was rotated before that ends at once, so
// that rotating twice ends a secret that got out.
func (r *Rules) RotateSecret(ctx context.Context, by audit.Actor, p project.Project, s Stored) (Stored, secret.Text, error) {
	own := newSecret()
	next, err := r.edit(ctx, event(by, EventRotated, p, s), s, func(w *Webhook) error {
		w.Secret, w.Former, w.FormerUntil = r.vault.seal(own, s.Place), w.Secret, r.now().UTC().Add(rotationTime)
		if _, err := r.vault.open(w.Former, s.Place); err != nil { // is lost
			w.Former, w.FormerUntil = "", time.Time{}
		}
		return nil
	})
	return next, own, err
}

// Delete deletes the webhook.
func (r *Rules) Delete(ctx context.Context, by audit.Actor, p project.Project, s Stored) error {
	return r.trail.Do(ctx, event(by, EventDeleted, p, s), func(ctx context.Context) error {
		return webhooks.Remove(ctx, r.store, s)
	})
}

// Reseal seals the webhook's secrets under the instance's present key, unless they are
// already, and reports whether it did. The error is secret.ErrSealed if the instance has
// lost the key that sealed the present one.
func (r *Rules) Reseal(ctx context.Context, s Stored) (bool, error) {
	probe := s.Thing
	changed, err := r.vault.reseal(&probe, s.Place, r.now())
	if err != nil || !changed {
		return false, err
	}
	_, err = webhooks.Change(ctx, r.store, s, func(w *Webhook) error {
		_, err := r.vault.reseal(w, s.Place, r.now())
		return err
	})
	return err == nil, err
}

// event returns an event about a webhook, without its id if it is new.
func event(by audit.Actor, name audit.Name, p project.Project, s Stored) audit.Event {
	d := audit.Details{"in": p.Where(), "host": hostOf(s.Thing)}
	if s.ID != 0 {
		d["webhook_id"] = strconv.FormatInt(s.ID, 10)
	}
	return by.Event(name, d).In(p.ID)
}

// changeEvent returns the event about a change of a webhook to what it is next.
func changeEvent(by audit.Actor, p project.Project, s Stored, next Webhook) audit.Event {
	name := EventChanged
	switch {
	case next.Active && !s.Thing.Active:
		name = EventEnabled
	case !next.Active && s.Thing.Active:
		name = EventDisabled
	}
	e := event(by, name, p, s)
	if next.URL != s.Thing.URL {
		e.Details["changed"], e.Details["formerly"], e.Details["host"] = "address", hostOf(s.Thing), hostOf(next)
	}
	return e
}
