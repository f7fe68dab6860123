// Package alert turns what monitoring tools send into alerts. A payload is
// parsed into occurrences; occurrences with one fingerprint are counted on one
// alert for as long as that is open, and a recovery resolves it.
package alert

import "time"

// Alert is something that somebody should look at.
type Alert struct {
	ProjectID   int64
	IID         int64 // counts a project's alerts from 1
	Fingerprint Fingerprint
	// Grouped tells that further occurrences with the fingerprint are counted
	// on this alert while it is open. A project has at most one open grouped
	// alert for each fingerprint.
	Grouped bool

	Title          string
	Description    string
	Severity       Severity
	Status         Status
	Service        string
	MonitoringTool string
	Hosts          []string
	Environment    string // its name; empty: none
	Runbook        string // a link, as the tool sent it
	StartedAt      time.Time
	EndedAt        time.Time // zero: not resolved
	Events         int64     // how many notifications reported it, the first included
	LastEventAt    time.Time // when the latest of them was received
	IntegrationID  int64     // through which it came first
	AssigneeID     int64     // zero: nobody

	Activity  []Activity // the newest at the end, at most ActivityKept
	CreatedAt time.Time
	UpdatedAt time.Time // of the last change other than a further event
	Version   int64     // counts those changes
}

// Open reports whether the alert is not resolved.
func (a Alert) Open() bool { return a.Status != Resolved }

// ActivityKept is how many of an alert's latest changes are kept.
const ActivityKept = 50

// Activity is a change of an alert that people are told about.
type Activity struct {
	At      time.Time
	ActorID int64 // zero: the monitoring tool
	Change  ActivityKind
	Status  Status // after a change of status
	UserID  int64  // whom it was assigned to; zero: nobody any more
}

// ActivityKind says what changed.
type ActivityKind string

// The kinds of Activity.
const (
	StatusChanged   ActivityKind = "status"
	AssigneeChanged ActivityKind = "assignee"
)
