package incident

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
)

// OpenFor makes the incident of an alert that belongs to none, and reports whether it made
// one. An alert that is resolved gets none: the number of the Stored is zero. Of any number
// of callers at once one makes the incident, and all get the same. The template is markdown
// for the end of the description.
func (r *Rules) OpenFor(ctx context.Context, p project.Project, a alert.Current, template string) (s Stored, made bool, err error) {
	s, err = r.OfAlert(ctx, p, a.IID)
	if err == nil {
		r.attachAll(ctx, Gatehouse, p, s.Number, []alert.Current{a})
		return s, false, nil
	}
	if !fault.Is(err, fault.NotFound) || !a.Open() {
		return Stored{}, false, fault.IgnoreNotFound(err)
	}
	i, err := r.fromAlert(ctx, p, a.Alert, template)
	if err != nil {
		return Stored{}, false, err
	}
	s, err = r.create(ctx, Gatehouse, p, i, []alert.Current{a})
	if claimed(err) {
		s, err = r.OfAlert(ctx, p, a.IID)
		return s, false, err
	}
	return s, err == nil, err
}

// untitled is the title of an alert that has none.
const untitled = "New: Alert"

// fromAlert returns the incident for an alert.
func (r *Rules) fromAlert(ctx context.Context, p project.Project, a alert.Alert, template string) (Incident, error) {
	payload, err := r.alerts.AlertPayload(ctx, p.ID, a.IID)
	if err = fault.IgnoreNotFound(err); err != nil {
		return Incident{}, err
	}
	i := newIncident(0, a.Severity, r.time())
	i.Changes[0].AlertIID = a.IID
	if a.Title != untitled {
		i.Title = oneLine(a.Title)
	}
	i.Alerts, i.Environment, i.StartedAt = []int64{a.IID}, a.Environment, a.StartedAt
	link := fmt.Sprintf("%s/console/%s/alerts/%d", r.BaseURL, p.FullPath, a.IID)
	i.Description = describe(a, payload, link, template)
	return i, nil
}

// RecoverFor closes the incident of an alert that has recovered if all its alerts are
// resolved, and reports whether it did. It leaves alone an incident that was opened again
// since the alert was resolved.
func (r *Rules) RecoverFor(ctx context.Context, p project.Project, a alert.Alert) (s Stored, closed bool, err error) {
	s, err = r.OfAlert(ctx, p, a.IID)
	if err != nil || s.Thing.State == Closed {
		return s, false, fault.IgnoreNotFound(err)
	}
	state := Closed
	c := Change{State: &state}
	d, err := r.deed(ctx, Gatehouse, p, c)
	if err != nil {
		return s, false, err
	}
	d.why, d.alertIID = fmt.Sprintf("alert %d recovered", a.IID), a.IID
	changed, err := incidents.Change(ctx, r.records, s, func(i *Incident) error {
		if err := r.checkRecovered(ctx, p, a, *i); err != nil {
			return err
		}
		return c.apply(i, d)
	})
	if errors.Is(err, errStaysOpen) {
		return s, false, nil
	}
	return changed, err == nil, err
}

// errStaysOpen ends a closing that must not be.
var errStaysOpen = errors.New("the incident stays open")

// checkRecovered returns errStaysOpen unless the recovery of the alert closes the incident.
func (r *Rules) checkRecovered(ctx context.Context, p project.Project, a alert.Alert, i Incident) error {
	if i.State == Closed || a.Open() || !slices.Contains(i.Alerts, a.IID) || i.OpenedAt.After(resolvedAt(a)) {
		return errStaysOpen
	}
	open, err := r.anyOpen(ctx, p, i.Alerts)
	if err == nil && open {
		err = errStaysOpen
	}
	return err
}

// anyOpen reports whether one of the alerts is open. One that is gone is not.
func (r *Rules) anyOpen(ctx context.Context, p project.Project, iids []int64) (bool, error) {
	var open atomic.Bool
	err := each(ctx, iids, func(ctx context.Context, n int) error {
		found, err := r.alerts.Alert(ctx, p.ID, iids[n])
		if err == nil && found.Open() {
			open.Store(true)
		}
		return fault.IgnoreNotFound(err)
	})
	return open.Load(), err
}

// resolvedAt returns when an alert was resolved, as Gatehouse's clock was.
func resolvedAt(a alert.Alert) time.Time {
	for _, change := range slices.Backward(a.Activity) {
		if change.Change == alert.StatusChanged && change.Status == alert.Resolved {
			return change.At
		}
	}
	return a.UpdatedAt
}
