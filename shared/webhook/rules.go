package webhook

import (
	"context"
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

	EventOwnCreated  = audit.Declare("own_webhook.created", "Webhook of one’s own added")
	EventOwnChanged  = audit.Declare("own_webhook.changed", "Webhook of one’s own changed")
	EventOwnEnabled  = audit.Declare("own_webhook.enabled", "Webhook of one’s own switched on")
	EventOwnDisabled = audit.Declare("own_webhook.disabled", "Webhook of one’s own switched off")
	EventOwnDeleted  = audit.Declare("own_webhook.deleted", "Webhook of one’s own deleted")
	EventOwnRotated  = audit.Declare("own_webhook.secret_rotated", "Secret of one’s own webhook rotated")
)

// Delivery says how messages are delivered.
type Delivery struct {
	Sender  Sender
	Private bool // plain http and private addresses are allowed, but not to webhooks of persons
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
	return ofProject(p).list(ctx, r.store, req)
}

// Active returns the project's active webhooks.
func (r *Rules) Active(ctx context.Context, p project.Project) ([]Stored, error) {
	active := func(s Stored) bool { return s.Thing.Active }
	found, err := webhooks.Search(ctx, r.store, p.Place(), active, page.Request{Number: 1, Size: page.MaxSize})
	return found.Items, err
}

// Find returns the project's webhook with this id, or ErrNotFound.
func (r *Rules) Find(ctx context.Context, p project.Project, id int64) (Stored, error) {
	return ofProject(p).find(ctx, r.store, id)
}

// Create adds a webhook and returns its secret, which nothing shows again. The error is a
// fault.Conflict if the project has MaxWebhooks.
func (r *Rules) Create(ctx context.Context, by audit.Actor, p project.Project, url string, active bool) (s Stored, own secret.Text, err error) {
	return r.create(ctx, by, ofProject(p), url, active)
}

func (r *Rules) create(ctx context.Context, by audit.Actor, o owner, url string, active bool) (s Stored, own secret.Text, err error) {
	own = newSecret()
	made := Webhook{URL: url, Active: active, CreatorID: by.UserID, Secret: r.vault.seal(own, o.label())}
	if complaint := checkURL(url, r.private(o)); complaint != "" {
		return Stored{}, secret.Text{}, fault.Field("url", complaint)
	}
	free, err := r.freeSlots(ctx, o)
	if err != nil {
		return Stored{}, secret.Text{}, err
	}
	if !o.isPerson() {
		if err := r.watcher.Watch(ctx, o.project); err != nil {
			return Stored{}, secret.Text{}, err
		}
	}
	err = r.trail.Do(ctx, o.event(by, o.names().created, Stored{Thing: made}), func(ctx context.Context) error {
		s, err = o.kind().CreateIn(ctx, r.store, o.place(), made, r.now(), o.slots(), free)
		return err
	})
	return s, own, err
}

// private reports whether the owner's webhooks may go to private addresses. Those of persons
// never may: everybody can add them, and would see which hosts of the network answer.
func (r *Rules) private(o owner) bool { return r.delivery.Private && !o.isPerson() }

// freeSlots returns the slots for another webhook of the owner, at least one.
func (r *Rules) freeSlots(ctx context.Context, o owner) ([]int, error) {
	slots := o.slots()
	has, err := o.list(ctx, r.store, page.Request{Number: 1, Size: slots.Most})
	free := slots.Free(has.Items)
	if err == nil && len(free) == 0 {
		return nil, slots.Full
	}
	return free, err
}

// Change changes the webhook. Switching on one that Gatehouse switched off forgets why.
func (r *Rules) Change(ctx context.Context, by audit.Actor, p project.Project, s Stored, c Change) (Stored, error) {
	return r.change(ctx, by, ofProject(p), s, c)
}

func (r *Rules) change(ctx context.Context, by audit.Actor, o owner, s Stored, c Change) (Stored, error) {
	next := s.Thing
	apply := func(w *Webhook) error { return c.apply(w, r.private(o)) }
	if err := apply(&next); err != nil {
		return Stored{}, err
	}
	return r.edit(ctx, o.changeEvent(by, s, next), s, apply)
}

// edit stores a change of the webhook, with its event.
func (r *Rules) edit(ctx context.Context, e audit.Event, s Stored, edit func(*Webhook) error) (next Stored, err error) {
	err = r.trail.Do(ctx, e, func(ctx context.Context) error {
		next, err = kindOf(s).Change(ctx, r.store, s, edit)
		return err
	})
	return next, err
}

// RotateSecret gives the webhook a new secret and returns it, which nothing shows again.
// For a day the former one signs too. One that was rotated before that ends at once, so
// that rotating twice ends a secret that got out.
func (r *Rules) RotateSecret(ctx context.Context, by audit.Actor, p project.Project, s Stored) (Stored, secret.Text, error) {
	return r.rotateSecret(ctx, by, ofProject(p), s)
}

func (r *Rules) rotateSecret(ctx context.Context, by audit.Actor, o owner, s Stored) (Stored, secret.Text, error) {
	own := newSecret()
	next, err := r.edit(ctx, o.event(by, o.names().rotated, s), s, func(w *Webhook) error {
		w.Secret, w.Former, w.FormerUntil = r.vault.seal(own, labelOf(s)), w.Secret, r.now().UTC().Add(rotationTime)
		if _, err := r.vault.open(w.Former, labelOf(s)); err != nil { // is lost
			w.Former, w.FormerUntil = "", time.Time{}
		}
		return nil
	})
	return next, own, err
}

// Delete deletes the webhook.
func (r *Rules) Delete(ctx context.Context, by audit.Actor, p project.Project, s Stored) error {
	return r.remove(ctx, by, ofProject(p), s)
}

func (r *Rules) remove(ctx context.Context, by audit.Actor, o owner, s Stored) error {
	return r.trail.Do(ctx, o.event(by, o.names().deleted, s), func(ctx context.Context) error {
		return kindOf(s).Remove(ctx, r.store, s)
	})
}

// Reseal seals the webhook's secrets under the instance's present key, unless they are
// already, and reports whether it did. The error is secret.ErrSealed if the instance has
// lost the key that sealed the present one.
func (r *Rules) Reseal(ctx context.Context, s Stored) (bool, error) {
	probe := s.Thing
	changed, err := r.vault.reseal(&probe, labelOf(s), r.now())
	if err != nil || !changed {
		return false, err
	}
	_, err = kindOf(s).Change(ctx, r.store, s, func(w *Webhook) error {
		_, err := r.vault.reseal(w, labelOf(s), r.now())
		return err
	})
	return err == nil, err
}
