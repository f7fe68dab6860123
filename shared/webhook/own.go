package webhook

import (
	"context"

	"gatehouse/shared/audit"
	"gatehouse/shared/page"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
)

// Own keeps the webhooks that persons have of their own, and delivers messages to them. The
// rules and errors are those of projects.
type Own struct{ rules *Rules }

// Own returns the rules for the webhooks of persons.
func (r *Rules) Own() Own { return Own{r} }

// List returns the user's webhooks, the newest first.
func (o Own) List(ctx context.Context, userID int64, req page.Request) (page.Of[Stored], error) {
	return ofUser(userID).list(ctx, o.rules.store, req)
}

// All returns all of the user's webhooks.
func (o Own) All(ctx context.Context, userID int64) ([]Stored, error) {
	found, err := o.List(ctx, userID, page.Request{Number: 1, Size: page.MaxSize})
	return found.Items, err
}

// Find returns the user's webhook with this id, or ErrNotFound.
func (o Own) Find(ctx context.Context, userID, id int64) (Stored, error) {
	return ofUser(userID).find(ctx, o.rules.store, id)
}

// Create adds a webhook of the actor's and returns its secret, which nothing shows again.
// The error is a fault.Conflict if they have MaxOwn.
func (o Own) Create(ctx context.Context, by audit.Actor, url string, active bool) (Stored, secret.Text, error) {
	return o.rules.create(ctx, by, ofUser(by.UserID), url, active)
}

// Change changes the webhook of the actor's.
func (o Own) Change(ctx context.Context, by audit.Actor, s Stored, c Change) (Stored, error) {
	return o.rules.change(ctx, by, ofUser(by.UserID), s, c)
}

// RotateSecret gives the webhook of the actor's a new secret, as for a project's.
func (o Own) RotateSecret(ctx context.Context, by audit.Actor, s Stored) (Stored, secret.Text, error) {
	return o.rules.rotateSecret(ctx, by, ofUser(by.UserID), s)
}

// Delete deletes the webhook of the actor's.
func (o Own) Delete(ctx context.Context, by audit.Actor, s Stored) error {
	return o.rules.remove(ctx, by, ofUser(by.UserID), s)
}

// Deliver sends a message to a webhook of the user's once, as for a project's.
func (o Own) Deliver(ctx context.Context, userID, id int64, m Message) error {
	return o.rules.deliverTo(ctx, ofUser(userID), id, m)
}

// Everybodys returns the webhooks of all persons, the newest first.
func (o Own) Everybodys(ctx context.Context, req page.Request) (page.Of[Stored], error) {
	return ownWebhooks.List(ctx, o.rules.store, record.Instance, req)
}

// Works reports whether the webhook has shown that messages reach it: it is active, and the
// last one was delivered.
func (w Webhook) Works() bool { return w.Active && w.LastError == "" && !w.DeliveredAt.IsZero() }
