package geo

import (
	"context"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/page"
	"gatehouse/shared/record"
)

// The events about geo sites.
var (
	EventCreated  = audit.Declare("geo_site.created", "Geo site added")
	EventChanged  = audit.Declare("geo_site.changed", "Geo site changed")
	EventDeleted  = audit.Declare("geo_site.deleted", "Geo site deleted")
	EventRepaired = audit.Declare("geo_site.repaired", "Repair of a geo site asked for")
)

// Rules keep geo sites.
type Rules struct {
	store record.Store
	trail *audit.Trail
	now   func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store record.Store, trail *audit.Trail, now func() time.Time) *Rules {
	return &Rules{store, trail, now}
}

// Sites returns a page of the sites, the newest first.
func (r *Rules) Sites(ctx context.Context, req page.Request) (page.Of[StoredSite], error) {
	return sites.List(ctx, r.store, record.Instance, req)
}

// Site returns the site with this id, or a fault.NotFound error.
func (r *Rules) Site(ctx context.Context, id int64) (StoredSite, error) {
	return sites.Find(ctx, r.store, record.Instance, id)
}

// Create adds a site, which is enabled unless the change says otherwise. Whether a
// site is primary never changes.
func (r *Rules) Create(ctx context.Context, by audit.Actor, primary bool, c Change) (made StoredSite, err error) {
	s := Site{Primary: primary, Enabled: true, Limits: defaultLimits}
	if err := c.apply(&s); err != nil {
		return StoredSite{}, err
	}
	err = r.trail.Do(ctx, event(by, EventCreated, s), func(ctx context.Context) (err error) {
		made, err = sites.Create(ctx, r.store, record.Instance, s, r.now())
		return err
	})
	return made, err
}

// Change changes a site.
func (r *Rules) Change(ctx context.Context, by audit.Actor, was StoredSite, c Change) (next StoredSite, err error) {
	s := was.Thing
	if err := c.apply(&s); err != nil {
		return StoredSite{}, err
	}
	err = r.trail.Do(ctx, event(by, EventChanged, s), func(ctx context.Context) (err error) {
		next, err = sites.Change(ctx, r.store, was, c.apply)
		return err
	})
	return next, err
}

// Delete deletes a site.
func (r *Rules) Delete(ctx context.Context, by audit.Actor, was StoredSite) error {
	return r.trail.Do(ctx, event(by, EventDeleted, was.Thing), func(ctx context.Context) error {
		return sites.Remove(ctx, r.store, was)
	})
}

// Repair notes in the trail that somebody wants the site repaired, for those who run
// the platform.
func (r *Rules) Repair(ctx context.Context, by audit.Actor, s StoredSite) {
	r.trail.Record(ctx, event(by, EventRepaired, s.Thing))
}

// Report replaces the status of a site. Sites report all the time, so the trail does
// not have it.
func (r *Rules) Report(ctx context.Context, was StoredSite, reported Status) (StoredSite, error) {
	return sites.Change(ctx, r.store, was, func(s *Site) error {
		s.Status = reported
		return nil
	})
}

func event(by audit.Actor, name audit.Name, s Site) audit.Event {
	return by.Event(name, audit.Details{"geo_site": s.Name, "url": s.URL})
}
