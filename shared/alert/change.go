package alert

import (
	"slices"
	"time"
)

// Change is a change of an alert; nil leaves a field as it is. Rules.Change checks it.
type Change struct {
	Status        *Status
	AssigneeID    *int64     // zero: nobody
	IncidentIID   *int64     // zero: none
	SilencedUntil *time.Time // zero: no longer
	EndedAt       time.Time  // for a change to Resolved; zero: At
	KeptDays      int        // for how many days an alert is kept that becomes Resolved; zero: for ever
	ActorID       int64      // zero: the monitoring tool
	Seen          int64      // the Version on which the change was decided; zero: any
	At            time.Time
	Tell          bool // somebody wants to be told of the change
}

// Changed returns the alert after a change. A change without effect leaves the
// Version as it is.
func (a Alert) Changed(c Change) Alert {
	before := len(a.Activity)
	a.Activity = slices.Clone(a.Activity)
	if c.Status != nil && *c.Status != a.Status {
		a.Status, a.EndedAt, a.ExpiresAt = *c.Status, c.end(), c.expiry()
		a.note(c, Activity{Change: StatusChanged, Status: *c.Status})
	}
	if c.AssigneeID != nil && *c.AssigneeID != a.AssigneeID {
		a.AssigneeID = *c.AssigneeID
		a.note(c, Activity{Change: AssigneeChanged, UserID: *c.AssigneeID})
	}
	if c.IncidentIID != nil && *c.IncidentIID != a.IncidentIID {
		a.IncidentIID = *c.IncidentIID
		a.note(c, Activity{Change: IncidentChanged, IncidentIID: *c.IncidentIID})
	}
	if c.SilencedUntil != nil && !c.SilencedUntil.Equal(a.SilencedUntil) {
		a.SilencedUntil = *c.SilencedUntil
		a.note(c, Activity{Change: SilenceChanged, SilencedUntil: *c.SilencedUntil})
	}
	if len(a.Activity) == before {
		return a
	}
	if a.Open() {
		a.ExpiresAt = time.Time{} // which earlier releases leave on what they open again
	}
	a.Activity = a.Activity[max(0, len(a.Activity)-ActivityKept):]
	a.UpdatedAt = c.At
	a.Version++
	return a
}

// overtaken reports whether the alert was changed since Seen and the change
// would still have an effect.
func (c Change) overtaken(a Alert) bool {
	return c.Seen != 0 && c.Seen != a.Version && a.Changed(c).Version != a.Version
}

// end returns EndedAt for the new status, zero unless that is Resolved.
func (c Change) end() time.Time {
	switch {
	case *c.Status != Resolved:
		return time.Time{}
	case c.EndedAt.IsZero():
		return c.At
	default:
		return c.EndedAt
	}
}

// expiry returns ExpiresAt for the new status, zero unless that is Resolved. It counts
// from the change, because tools can send any EndedAt.
func (c Change) expiry() time.Time {
	if *c.Status != Resolved {
		return time.Time{}
	}
	return expiry(c.At, c.KeptDays)
}

func (a *Alert) note(c Change, activity Activity) {
	activity.At, activity.ActorID = c.At, c.ActorID
	a.Activity = append(a.Activity, activity)
}

// Alert returns the alert that the occurrence opens.
func (o Occurrence) Alert(projectID, iid int64, now time.Time) Alert {
	a := Alert{
		ProjectID: projectID, IID: iid, Fingerprint: o.Fingerprint, Grouped: o.groups(),
		Title: o.Title, Description: o.Description, Severity: o.Severity, PeakSeverity: o.Severity, Status: Triggered,
		Service: o.Service, MonitoringTool: o.MonitoringTool, Hosts: o.Hosts, Environment: o.Environment,
		Runbook: o.Runbook, Labels: o.Labels, GroupTitle: o.GroupTitle, ExternalURL: o.ExternalURL, StartedAt: o.StartedAt, Events: o.Count, LastEventAt: now,
		IntegrationID: o.IntegrationID, CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	if o.Acknowledged {
		a.Status = Acknowledged
		a.Activity = []Activity{{At: now, Change: StatusChanged, Status: Acknowledged}}
	}
	return a
}

func (o Occurrence) groups() bool { return o.Fingerprint != "" && !o.Ungrouped }

// Joins reports whether the occurrence is counted on an open alert with its
// fingerprint if there is one.
func (o Occurrence) Joins() bool { return !o.Recovery && o.groups() }

// Acknowledges reports whether the occurrence acknowledges the alerts that are open.
func (o Occurrence) Acknowledges() bool { return o.Acknowledged && !o.Recovery }

// Acknowledgement returns the change of an open alert that an occurrence makes which
// acknowledges it: none, unless the alert is triggered.
func (o Occurrence) Acknowledgement(a Alert, now time.Time) Change {
	c := Change{At: now, Tell: o.Tell}
	if acknowledged := Acknowledged; a.Status == Triggered {
		c.Status = &acknowledged
	}
	return c
}

// Resolves reports whether the occurrence is a recovery that resolves the alert:
// the alert must be open and, unless IgnoreStart, not have started later.
func (o Occurrence) Resolves(a Alert) bool {
	return o.Recovery && a.Open() && (o.IgnoreStart || o.EndedAt.IsZero() || !o.EndedAt.Before(a.StartedAt))
}

// Resolution returns the change that a recovery makes.
func (o Occurrence) Resolution(now time.Time) Change {
	resolved := Resolved
	return Change{Status: &resolved, EndedAt: o.EndedAt, KeptDays: o.KeptDays, At: now, Tell: o.Tell}
}
