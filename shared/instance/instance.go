// Package instance keeps the settings of the whole instance (Interface: "Application
// settings").
package instance

import (
	"context"
	"strings"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// EventChanged is the event that the settings changed.
var EventChanged = audit.Declare("application_settings.changed", "Settings of the instance changed")

// Settings are those of the instance. The zero Settings are the defaults.
type Settings struct {
	NewGroups project.GroupSettings `json:"new_groups"` // what new groups begin with
}

// OfNewGroup returns the edit that gives a group the settings of a new one.
func (s Settings) OfNewGroup() project.Edit[project.GroupSettings] {
	return func(g *project.GroupSettings) error {
		*g = s.NewGroups
		return nil
	}
}

// settings are one record.
var settings = record.Of[Settings]{Kind: "application_settings"}

// number is that of the record.
const number = 1

// Rules keep the settings.
type Rules struct {
	store record.Store
	trail *audit.Trail
	now   func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store record.Store, trail *audit.Trail, now func() time.Time) *Rules {
	return &Rules{store, trail, now}
}

// Settings returns the settings.
func (r *Rules) Settings(ctx context.Context) (Settings, error) {
	stored, err := r.stored(ctx)
	return stored.Thing, err
}

func (r *Rules) stored(ctx context.Context) (record.Stored[Settings], error) {
	return settings.FindOr(ctx, r.store, record.Instance, number, Settings{}, r.now())
}

// Change makes the edits of what new groups begin with.
func (r *Rules) Change(ctx context.Context, by audit.Actor, edits ...project.Edit[project.GroupSettings]) (Settings, error) {
	was, err := r.stored(ctx)
	if err != nil {
		return Settings{}, err
	}
	next := was
	changed, err := project.EditSettings(&next.Thing.NewGroups, edits...)
	if err != nil || changed == nil {
		return was.Thing, err
	}
	event := by.Event(EventChanged, audit.Details{"changed": strings.Join(changed, ", ")})
	err = r.trail.Do(ctx, event, func(ctx context.Context) (err error) {
		next, err = settings.Change(ctx, r.store, was, func(s *Settings) error {
			_, err := project.EditSettings(&s.NewGroups, edits...)
			return err
		})
		return err
	})
	return next.Thing, err
}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{settings} }
