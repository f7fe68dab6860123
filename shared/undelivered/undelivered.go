// Package undelivered lets people look at what could not be handled or delivered, and have
// it tried again (Interface: "Undelivered messages").
package undelivered

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// EventRetried is the event that somebody had a message tried again.
var EventRetried = audit.Declare("message.retried", "Undelivered message tried again")

// Message is what could not be handled.
type Message struct {
	outbox.Dead
	About
}

// About is what a message is about; zero: it says nothing about such a thing.
type About struct {
	IID         int64 `json:"iid"` // of an alert
	IncidentIID int64 `json:"incident_iid"`
	ScheduleID  int64 `json:"schedule_id"`
	WebhookID   int64 `json:"webhook_id"`
	UserID      int64 `json:"user_id"`
	// What a webhook was to be told.
	Data struct {
		AlertIID    int64 `json:"alert_iid"`
		IncidentIID int64 `json:"incident_iid"`
	} `json:"data"`
}

// Rules list messages and have them tried again.
type Rules struct {
	store outbox.Store
	trail *audit.Trail
	now   func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store outbox.Store, trail *audit.Trail, now func() time.Time) *Rules {
	return &Rules{store, trail, now}
}

// List returns a page of the project's messages, those given up last first.
func (r *Rules) List(ctx context.Context, p project.Project, req page.Request) (page.Of[Message], error) {
	found, err := r.store.DeadMessages(ctx, p.ID, r.now(), req)
	all := make([]Message, len(found.Items))
	for i, dead := range found.Items {
		all[i].Dead = dead
		if err := json.Unmarshal(dead.Data, &all[i].About); err == nil { // one that cannot be read is listed all the same
			all[i].IID, all[i].IncidentIID = max(all[i].IID, all[i].Data.AlertIID), max(all[i].IncidentIID, all[i].Data.IncidentIID)
		}
	}
	return page.With(found, all), err
}

// Retry has a message of the project tried again at once, as often as a new one. The error
// is outbox.ErrNotFound if there is none with the number.
func (r *Rules) Retry(ctx context.Context, by audit.Actor, p project.Project, number int64) error {
	details := audit.Details{"in": p.Where(), "message": strconv.FormatInt(number, 10)}
	err := r.store.ReviveMessage(ctx, p.ID, number, r.now())
	return r.trail.RecordUnless(ctx, err, by.Event(EventRetried, details).In(p.ID))
}
