package incident

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
)

// distinct returns the numbers in their order, none twice.
func distinct(iids []int64) (kept []int64) {
	for _, iid := range iids {
		if !slices.Contains(kept, iid) {
			kept = append(kept, iid)
		}
	}
	return kept
}

// Link lets an alert belong to the incident. An alert that belongs to it already is no
// error. The errors are ErrHasIncident, ErrTooManyAlerts, and alert.ErrNotFound.
func (r *Rules) Link(ctx context.Context, by audit.Actor, p project.Project, was Stored, alertIID int64) (Stored, error) {
	found, err := r.alerts.Current(ctx, p, alertIID)
	if err != nil {
		return Stored{}, err
	}
	linked, now := was, r.time()
	if !slices.Contains(was.Thing.Alerts, alertIID) {
		linked, err = r.change(ctx, aboutAlert(event(by, EventLinked, p, was), alertIID), was, func(i *Incident) error {
			return i.link(by.UserID, now, alertIID)
		})
	}
	if claimed(err) {
		err = ErrHasIncident
	}
	if err == nil {
		r.attachAll(ctx, by, p, linked.Number, []alert.Current{found})
	}
	return linked, err
}

// Unlink takes an alert out of the incident. One that does not belong to it is
// alert.ErrNotFound.
func (r *Rules) Unlink(ctx context.Context, by audit.Actor, p project.Project, was Stored, alertIID int64) (Stored, error) {
	now := r.time()
	if !slices.Contains(was.Thing.Alerts, alertIID) {
		return Stored{}, alert.ErrNotFound
	}
	left, err := r.change(ctx, aboutAlert(event(by, EventUnlinked, p, was), alertIID), was, func(i *Incident) error {
		return i.unlink(by.UserID, now, alertIID)
	})
	if err == nil {
		r.log(ctx, "incident not taken from an alert", r.detach(ctx, by, p, was.Number, alertIID))
	}
	return left, err
}

func (i *Incident) link(by int64, at time.Time, alertIID int64) error {
	switch {
	case slices.Contains(i.Alerts, alertIID):
		return nil
	case len(i.Alerts) >= MaxAlerts:
		return ErrTooManyAlerts
	}
	i.Alerts = append(slices.Clone(i.Alerts), alertIID)
	i.add(by, at, Entry{Kind: WasLinked, AlertIID: alertIID})
	return nil
}

func (i *Incident) unlink(by int64, at time.Time, alertIID int64) error {
	if !slices.Contains(i.Alerts, alertIID) {
		return alert.ErrNotFound
	}
	i.Alerts = slices.DeleteFunc(slices.Clone(i.Alerts), func(iid int64) bool { return iid == alertIID })
	i.add(by, at, Entry{Kind: WasUnlinked, AlertIID: alertIID})
	return nil
}

// aboutAlert returns the event with the alert that it is about.
func aboutAlert(e audit.Event, alertIID int64) audit.Event {
	e.Details["alert_iid"] = strconv.FormatInt(alertIID, 10)
	return e
}

// attachAll notes on alerts that they belong to the incident. What fails is done by Settle.
func (r *Rules) attachAll(ctx context.Context, by audit.Actor, p project.Project, iid int64, linked []alert.Current) {
	err := each(ctx, linked, func(ctx context.Context, n int) error {
		if linked[n].IncidentIID == iid {
			return nil
		}
		_, err := r.alerts.Change(ctx, by, p, linked[n], alert.Change{IncidentIID: &iid})
		return fault.IgnoreNotFound(err)
	})
	r.log(ctx, "incident not noted on its alerts", err)
}

// detach notes on an alert that it does not belong to the incident any more.
func (r *Rules) detach(ctx context.Context, by audit.Actor, p project.Project, iid, alertIID int64) error {
	found, err := r.alerts.Current(ctx, p, alertIID)
	if err != nil || found.IncidentIID != iid {
		return fault.IgnoreNotFound(err)
	}
	_, err = r.alerts.Change(ctx, by, p, found, alert.Change{IncidentIID: new(int64)})
	return err
}

// resolveAlerts resolves those alerts of a closed incident that keep is true for.
func (r *Rules) resolveAlerts(ctx context.Context, by audit.Actor, p project.Project, s Stored, keep func(alert.Current) bool) error {
	return each(ctx, s.Thing.Alerts, func(ctx context.Context, n int) error {
		found, err := r.alerts.Current(ctx, p, s.Thing.Alerts[n])
		if err != nil || !found.Open() || !keep(found) {
			return fault.IgnoreNotFound(err)
		}
		resolved := alert.Resolved
		_, err = r.alerts.Change(ctx, by, p, found, alert.Change{Status: &resolved})
		return err
	})
}

// Settle finishes what a change of an incident leads to, if whoever made it died midway:
// alerts know their incident, those of a closed one are resolved, and its notes expire with
// it. It is for each message about an incident, as often as that comes. An incident that is
// gone needs nothing.
func (r *Rules) Settle(ctx context.Context, p project.Project, told Told) error {
	s, err := r.Find(ctx, p, told.IncidentIID)
	if err != nil {
		return fault.IgnoreNotFound(err)
	}
	by := audit.Actor{ID: told.ActorID, UserID: told.ActorID}
	switch told.Kind {
	case WasOpened, WasLinked:
		return r.settleLinks(ctx, by, p, s)
	case WasUnlinked:
		if !slices.Contains(s.Thing.Alerts, told.AlertIID) {
			return r.detach(ctx, by, p, s.Number, told.AlertIID)
		}
	case WasClosed:
		if s.Thing.State == Closed {
			asClosed := func(a alert.Current) bool { return !openedSince(a.Alert, s.Thing.ClosedAt) }
			return errors.Join(r.resolveAlerts(ctx, by, p, s, asClosed), r.settleNotes(ctx, p, s))
		}
	case WasReopened, Noted:
		return r.settleNotes(ctx, p, s)
	}
	return nil
}

// openedSince reports whether people have given an alert another status since the incident
// was closed.
func openedSince(a alert.Alert, closed time.Time) bool {
	return slices.ContainsFunc(a.Activity, func(change alert.Activity) bool {
		return change.Change == alert.StatusChanged && change.At.After(closed)
	})
}

// settleLinks notes the incident on those of its alerts that do not know it.
func (r *Rules) settleLinks(ctx context.Context, by audit.Actor, p project.Project, s Stored) error {
	return each(ctx, s.Thing.Alerts, func(ctx context.Context, n int) error {
		found, err := r.alerts.Current(ctx, p, s.Thing.Alerts[n])
		if err != nil || found.IncidentIID == s.Number {
			return fault.IgnoreNotFound(err)
		}
		_, err = r.alerts.Change(ctx, by, p, found, alert.Change{IncidentIID: &s.Number})
		return err
	})
}
