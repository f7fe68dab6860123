// Package instance keeps the settings of the whole instance (Interface: "Application
// settings").
package instance

import (
	"cmp"
	"context"
	"strings"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// EventChanged is the event that the settings changed.
var EventChanged = audit.Declare("application_settings.changed", "Settings of the instance changed")

// ErrChanged means that the settings were changed since Change.Seen.
var ErrChanged = fault.New(fault.Conflict, "someone else changed the settings meanwhile")

// Settings are those of the instance.
type Settings struct {
	project.Policy
	SignInText string `json:"sign_in_text,omitempty"` // on the sign-in page
	SupportURL string `json:"support_url,omitempty"`  // where people find help
}

// Defaults returns the settings of an instance of which the environment says who may make
// top-level groups.
func Defaults(topLevel project.TopLevel) Settings {
	return Settings{Policy: project.Policy{
		TopLevel:        cmp.Or(topLevel, project.TopLevelByEverybody),
		GroupVisibility: project.Private, ProjectVisibility: project.Private,
	}}
}

// over returns the settings that are in force where s are chosen.
func (s Settings) over(defaults Settings) Settings {
	s.TopLevel = cmp.Or(s.TopLevel, defaults.TopLevel)
	s.GroupVisibility = cmp.Or(s.GroupVisibility, defaults.GroupVisibility)
	s.ProjectVisibility = cmp.Or(s.ProjectVisibility, defaults.ProjectVisibility)
	return s
}

// Current are the settings that are in force.
type Current struct {
	Settings
	Chosen  Settings // by administrators; an empty one is the default
	Version int64    // zero: nobody chose any
}

// settings are one record.
var settings = record.Of[Settings]{Kind: "application_settings"}

// number is that of the record.
const number = 1

// Rules keep the settings. What administrators choose counts from the next request on,
// because nothing keeps the settings between requests.
type Rules struct {
	store    record.Store
	trail    *audit.Trail
	defaults Settings
	now      func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store record.Store, trail *audit.Trail, defaults Settings, now func() time.Time) *Rules {
	return &Rules{store, trail, defaults, now}
}

// Defaults returns the settings that are in force where administrators chose none.
func (r *Rules) Defaults() Settings { return r.defaults }

// Settings returns the settings.
func (r *Rules) Settings(ctx context.Context) (Current, error) {
	stored, err := r.stored(ctx)
	return r.current(stored), err
}

// Policy returns what the settings say of new groups and projects.
func (r *Rules) Policy(ctx context.Context) (project.Policy, error) {
	current, err := r.Settings(ctx)
	return current.Policy, err
}

func (r *Rules) stored(ctx context.Context) (record.Stored[Settings], error) {
	return settings.FindOr(ctx, r.store, record.Instance, number, Settings{}, r.now())
}

func (r *Rules) current(s record.Stored[Settings]) Current {
	return Current{Settings: s.Thing.over(r.defaults), Chosen: s.Thing, Version: s.Version}
}

// Change makes the change. ErrChanged means that the settings were changed since its Seen.
func (r *Rules) Change(ctx context.Context, by audit.Actor, c Change) (Current, error) {
	was, err := r.stored(ctx)
	if err != nil {
		return Current{}, err
	}
	if c.Seen != nil && *c.Seen != was.Version {
		return Current{}, ErrChanged
	}
	next := was
	if err := c.apply(&next.Thing); err != nil {
		return Current{}, err
	}
	changed := differences(was.Thing, next.Thing)
	if changed == nil {
		return r.current(was), nil
	}
	event := by.Event(EventChanged, audit.Details{"changed": strings.Join(changed, ", ")})
	err = r.trail.Do(ctx, event, func(ctx context.Context) (err error) {
		next, err = settings.Change(ctx, r.store, was, c.once())
		return err
	})
	return r.current(next), err
}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{settings} }
