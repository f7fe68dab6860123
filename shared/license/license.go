// Package license keeps which software licenses a project allows and which it denies.
// Gatehouse looks into no code: the list is for the tools that do (Interface: "License
// approval policies").
package license

import (
	"context"
	"strconv"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/text"
)

// Policy says whether a project allows a license.
type Policy struct {
	Name   string `json:"name"` // of the license; a project has one policy for it
	Status Status `json:"approval_status"`
}

// Status is what a policy says.
type Status string

// The statuses.
const (
	Allowed Status = "allowed"
	Denied  Status = "denied"
)

// Statuses lists them.
var Statuses = []Status{Allowed, Denied}

var policies = record.Of[Policy]{
	Kind:  "license_policy",
	Words: func(p Policy) record.Words { return record.Words{"name": p.Name} },
}

// StoredPolicy is a policy with its id.
type StoredPolicy = record.Stored[Policy]

// The events about policies.
var (
	EventCreated = audit.Declare("license_policy.created", "License policy added")
	EventChanged = audit.Declare("license_policy.changed", "License policy changed")
	EventDeleted = audit.Declare("license_policy.deleted", "License policy deleted")
)

// Rules keep policies.
type Rules struct {
	store record.Store
	trail *audit.Trail
	now   func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store record.Store, trail *audit.Trail, now func() time.Time) *Rules {
	return &Rules{store, trail, now}
}

// Policies returns a page of the project's policies, the newest first.
func (r *Rules) Policies(ctx context.Context, p project.Project, req page.Request) (page.Of[StoredPolicy], error) {
	return policies.List(ctx, r.store, p.Place(), req)
}

// Policy returns the project's policy with this id or, if none has it, for the
// license with this name. It returns a fault.NotFound error when there is neither.
func (r *Rules) Policy(ctx context.Context, p project.Project, idOrName string) (StoredPolicy, error) {
	if id, err := strconv.ParseInt(idOrName, 10, 64); err == nil {
		found, err := policies.Find(ctx, r.store, p.Place(), id)
		if !fault.Is(err, fault.NotFound) {
			return found, err
		}
	}
	return policies.FindByWord(ctx, r.store, p.Place(), "name", idOrName)
}

// Create adds a policy.
func (r *Rules) Create(ctx context.Context, by audit.Actor, p project.Project, policy Policy) (made StoredPolicy, err error) {
	if complaint := text.CheckName(policy.Name); complaint != "" {
		return StoredPolicy{}, fault.Field("name", complaint)
	}
	err = r.trail.Do(ctx, event(by, EventCreated, p, policy), func(ctx context.Context) (err error) {
		made, err = policies.Create(ctx, r.store, p.Place(), policy, r.now())
		return err
	})
	return made, err
}

// Change makes a policy say something else.
func (r *Rules) Change(ctx context.Context, by audit.Actor, p project.Project, was StoredPolicy, status Status) (next StoredPolicy, err error) {
	policy := Policy{was.Thing.Name, status}
	err = r.trail.Do(ctx, event(by, EventChanged, p, policy), func(ctx context.Context) (err error) {
		next, err = policies.Change(ctx, r.store, was, func(p *Policy) error {
			p.Status = status
			return nil
		})
		return err
	})
	return next, err
}

// Delete deletes a policy.
func (r *Rules) Delete(ctx context.Context, by audit.Actor, p project.Project, was StoredPolicy) error {
	return r.trail.Do(ctx, event(by, EventDeleted, p, was.Thing), func(ctx context.Context) error {
		return policies.Remove(ctx, r.store, was)
	})
}

func event(by audit.Actor, name audit.Name, p project.Project, policy Policy) audit.Event {
	return by.Event(name, audit.Details{"in": p.Where(), "license": policy.Name, "approval_status": string(policy.Status)}).In(p.ID)
}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{policies} }
