package webhook

import (
	"context"
	"strconv"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// owner is what webhooks belong to: a project or a person.
type owner struct {
	project project.Project
	userID  int64 // zero: a project
}

func ofProject(p project.Project) owner { return owner{project: p} }
func ofUser(id int64) owner             { return owner{userID: id} }

func (o owner) isPerson() bool { return o.userID != 0 }

// ownWebhooks are those of persons. They are kept below the instance, in a list for each
// person.
var ownWebhooks = record.Of[Webhook]{
	Kind:  record.OwnWebhook,
	Words: func(w Webhook) record.Words { return w.words(record.SlotsOfUser(w.CreatorID)) },
	Lists: func(_ project.Place, w Webhook) []record.List { return []record.List{record.ListOfUser(w.CreatorID)} },
}

func (o owner) kind() record.Of[Webhook] {
	if o.isPerson() {
		return ownWebhooks
	}
	return webhooks
}

// kindOf returns the kind of a stored webhook.
func kindOf(s Stored) record.Of[Webhook] {
	if s.Record.Kind == ownWebhooks.Kind {
		return ownWebhooks
	}
	return webhooks
}

func (o owner) place() project.Place {
	if o.isPerson() {
		return record.Instance
	}
	return o.project.Place()
}

// label names the owner in sealed secrets.
func (o owner) label() string {
	if o.isPerson() {
		return "webhook of user " + strconv.FormatInt(o.userID, 10)
	}
	return "webhook of project " + strconv.FormatInt(o.project.ID, 10)
}

// labelOf returns the label of the webhook's owner.
func labelOf(s Stored) string {
	if kindOf(s).Kind == ownWebhooks.Kind {
		return ofUser(s.Thing.CreatorID).label()
	}
	return owner{project: project.Project{ID: s.Place.ID}}.label()
}

// slots are those that the webhooks of the owner hold.
func (o owner) slots() record.Slots[Webhook] {
	most, complaint := MaxWebhooks, "the project has the most webhooks it can have: "
	if o.isPerson() {
		most, complaint = MaxOwn, "you have the most webhooks you can have: "
	}
	full := fault.New(fault.Conflict, complaint+strconv.Itoa(most))
	return record.Slots[Webhook]{Most: most, Full: full, Of: func(w *Webhook) *int { return &w.Slot }}
}

func (o owner) list(ctx context.Context, store record.Store, req page.Request) (page.Of[Stored], error) {
	if o.isPerson() {
		return ownWebhooks.Listed(ctx, store, []record.List{record.ListOfUser(o.userID)}, record.Find[Webhook]{}, req)
	}
	return webhooks.List(ctx, store, o.place(), req)
}

// find returns the owner's webhook with this id, or ErrNotFound.
func (o owner) find(ctx context.Context, store record.Store, id int64) (Stored, error) {
	s, err := o.kind().Find(ctx, store, o.place(), id)
	if fault.Is(err, fault.NotFound) || err == nil && o.isPerson() && s.Thing.CreatorID != o.userID {
		return Stored{}, ErrNotFound
	}
	return s, err
}

// names are those of the events about an owner's webhooks.
type names struct{ created, changed, enabled, disabled, deleted, rotated audit.Name }

func (o owner) names() names {
	if o.isPerson() {
		return names{EventOwnCreated, EventOwnChanged, EventOwnEnabled, EventOwnDisabled, EventOwnDeleted, EventOwnRotated}
	}
	return names{EventCreated, EventChanged, EventEnabled, EventDisabled, EventDeleted, EventRotated}
}

// event returns an event about a webhook, without its id if it is new.
func (o owner) event(by audit.Actor, name audit.Name, s Stored) audit.Event {
	d := audit.Details{"host": hostOf(s.Thing)}
	if s.ID != 0 {
		d["webhook_id"] = strconv.FormatInt(s.ID, 10)
	}
	if o.isPerson() {
		return by.Event(name, d)
	}
	d["in"] = o.project.Where()
	return by.Event(name, d).In(o.project.ID)
}

// changeEvent returns the event about a change of a webhook to what it is next.
func (o owner) changeEvent(by audit.Actor, s Stored, next Webhook) audit.Event {
	name := o.names().changed
	switch {
	case next.Active && !s.Thing.Active:
		name = o.names().enabled
	case !next.Active && s.Thing.Active:
		name = o.names().disabled
	}
	e := o.event(by, name, s)
	if next.URL != s.Thing.URL {
		e.Details["changed"], e.Details["formerly"], e.Details["host"] = "address", hostOf(s.Thing), hostOf(next)
	}
	return e
}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{webhooks, ownWebhooks, tests} }
