// Package alert turns what monitoring tools send into alerts. A payload is
// parsed into occurrences. Occurrences with the same fingerprint are counted on
// one alert while it is open, and a recovery resolves it.
package alert

import "time"

// Alert is a problem that people should look at.
type Alert struct {
	ProjectID   int64
	IID         int64 // counts a project's alerts from 1
	Fingerprint Fingerprint
	// Grouped alerts count further occurrences with their fingerprint while they
	// are open. A project has at most one open grouped alert for each
	// fingerprint.
	Grouped bool

	Title          string
	Description    string
	Severity       Severity
	PeakSeverity   Severity // the gravest since it was opened
	Status         Status
	Service        string
	MonitoringTool string
	Hosts          []string
	Environment    string // name of the environment; empty: none
	Runbook        string // as the tool sent it, usually a link
	Labels         Labels
	GroupTitle     string // of the group that the first notification was in; empty: it had none
	ExternalURL    string // the web address of the tool that grouped it; empty: not known
	StartedAt      time.Time
	EndedAt        time.Time // zero: not resolved
	Events         int64     // number of notifications, the first included
	LastEventAt    time.Time // when the latest notification was received
	IntegrationID  int64     // that received the first notification
	AssigneeID     int64     // zero: nobody
	IncidentIID    int64     // of the incident that it belongs to; zero: none
	SilencedUntil  time.Time // until when nobody is paged about it; zero: it was not silenced
	// ExpiresAt is when a resolved alert is gone; zero: never. Only what Expired
	// reports counts: an open alert does not expire.
	ExpiresAt time.Time

	Activity  []Activity // the oldest first, at most ActivityKept
	CreatedAt time.Time
	UpdatedAt time.Time // of the last change; neither events nor a graver one are changes
	Version   int64     // counts the changes
}

// Open reports whether the alert is not resolved.
func (a Alert) Open() bool { return a.Status != Resolved }

// Waits reports whether somebody still has to do something about the alert.
func (a Alert) Waits() bool { return a.Status == Triggered || a.Status == Acknowledged }

// Silenced reports whether nobody is to be paged about the alert for now.
func (a Alert) Silenced(now time.Time) bool { return now.Before(a.SilencedUntil) }

// ActivityKept is the number of an alert's latest changes that are kept.
const ActivityKept = 50

// Activity is a change of an alert in its history.
type Activity struct {
	At      time.Time
	ActorID int64 // zero: the monitoring tool
	Change  ActivityKind
	Status  Status // after a change of status
	UserID  int64  // the new assignee; zero: none

	IncidentIID   int64     `json:",omitzero"` // the new incident; zero: none
	SilencedUntil time.Time `json:",omitzero"` // zero: no longer
}

// ActivityKind says what changed.
type ActivityKind string

// The kinds of Activity.
const (
	StatusChanged   ActivityKind = "status"
	AssigneeChanged ActivityKind = "assignee"
	IncidentChanged ActivityKind = "incident"
	SilenceChanged  ActivityKind = "silence"
)

// Status is the progress of people with an alert. Any status may follow any
// other.
type Status string

// The statuses. All but Resolved are open: further occurrences are counted on
// the alert.
const (
	Triggered    Status = "triggered"
	Acknowledged Status = "acknowledged"
	Resolved     Status = "resolved"
	Ignored      Status = "ignored"
)

// Statuses lists every status, in the order of pages.
var Statuses = []Status{Triggered, Acknowledged, Resolved, Ignored}
