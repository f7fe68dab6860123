package alert

import (
	"context"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
)

// The reasons why a store refuses an operation.
var (
	ErrNotFound      = fault.New(fault.NotFound, "alert not found")
	ErrChanged       = fault.New(fault.Conflict, "the alert was changed in between")
	ErrDuplicateOpen = fault.New(fault.Conflict, "another alert with the same fingerprint is open")
	// ErrUncertain means that the occurrence may have been counted or not.
	ErrUncertain = fault.New(fault.Unavailable, "it is not certain that the alert was recorded: send it again")
)

// Store keeps alerts. Reads see every write that was acknowledged before. The messages
// about what opens or changes an alert (ToldOpened, ToldChanged) are stored in the same
// transaction. An alert that has expired is not there for any operation, with its
// payloads, from that moment on, whenever it is removed. A deleted project's alerts are removed in batches; project ids are never
// reused, so the alerts are unreachable meanwhile.
type Store interface {
	Reader
	Recorder

	// ChangeAlert applies the change to a, an alert as it was read, and returns
	// the result, which may lack events since then. Entering Resolved sets
	// EndedAt and ExpiresAt, and leaving it clears both. A change without effect returns
	// the alert as it is. ErrChanged means that the stored Version is another
	// one (events do not count), ErrDuplicateOpen that a grouped alert would be
	// reopened while another open one has its fingerprint; both are
	// fault.Conflict, and nothing is changed then. An alert that is gone is
	// fault.NotFound.
	ChangeAlert(ctx context.Context, a Alert, c Change) (Alert, error)
}

// Beside reads something else for which the alert has to be known.
type Beside func(ctx context.Context, of Alert) error

// BesideList reads something else for which the alerts of a page have to be known, and maybe
// some that are not on it any more.
type BesideList func(ctx context.Context, of []Alert) error

// Reader is what a Store answers.
type Reader interface {
	// Alert returns the alert, or a fault.NotFound error.
	Alert(ctx context.Context, projectID, iid int64, now time.Time) (Alert, error)

	// AlertsByIID returns those of the alerts that are there, by their numbers, which
	// differ. They come without their Activity, and their Events and LastEventAt may be
	// those of their last change.
	AlertsByIID(ctx context.Context, projectID int64, iids []int64, now time.Time) (map[int64]Alert, error)

	// WholeAlert returns the alert with its payloads, or a fault.NotFound error. It calls
	// the others with the alert that it returns, while it reads the payloads (batch.Together).
	WholeAlert(ctx context.Context, projectID, iid int64, now time.Time, others ...Beside) (Whole, error)

	// WholeAlertsFrom returns, of the project's newest alerts, those that the integration
	// opened, the newest first and at most n, with their payloads and without their Activity.
	// Their Events may be those of their last change. It looks at no more alerts than a page
	// of a list does.
	WholeAlertsFrom(ctx context.Context, projectID, integrationID int64, n int, now time.Time) ([]Whole, error)

	// AlertPayload returns the payload of the occurrence that opened the
	// alert, or a fault.NotFound error.
	AlertPayload(ctx context.Context, projectID, iid int64, now time.Time) ([]byte, error)

	// LatestPayload returns the newest payload of a repeat that is kept. It is
	// zero where nothing repeated, and where there is no such alert.
	LatestPayload(ctx context.Context, projectID, iid int64, now time.Time) (LatestPayload, error)

	// OpenAlert returns the open grouped alert with the fingerprint, or a
	// fault.NotFound error.
	OpenAlert(ctx context.Context, projectID int64, f Fingerprint) (Alert, error)

	// Alerts returns a page of the alerts that match the query, in its order.
	// They come without their Activity, and their Events may lack the latest.
	// Total is -1. A page costs what it shows. What no key leads to is looked
	// for among so many alerts for each page that this stays true: a page may
	// then be short, and SearchedUntil is set. An order that no key has is that
	// of a limited number of the newest alerts: then SearchedUntil is set too,
	// and the pages behind those show the next ones in the same way.
	Alerts(ctx context.Context, projectID int64, q Query, r page.Request, now time.Time) (page.Of[Alert], error)

	// CountedAlerts returns what Alerts returns and, unless the query searches, what
	// AlertCounts returns. It calls the others while it reads the events of the alerts
	// (batch.Together).
	CountedAlerts(ctx context.Context, projectID int64, q Query, r page.Request, now time.Time, others ...BesideList) (page.Of[Alert], Counts, error)

	// AlertCounts returns the numbers of the project's alerts; nil means that
	// they are not known yet. What it found expired it may never count again.
	AlertCounts(ctx context.Context, projectID int64, now time.Time) (Counts, error)

	// AssignedAlerts returns the newest n alerts, in any project, that wait for the
	// user: those assigned to the user that are triggered or acknowledged. They come as
	// in a list. Those of a deleted project may be among them.
	AssignedAlerts(ctx context.Context, userID int64, n int, now time.Time) ([]Alert, error)

	// AlertDays returns the days since the first, a midnight in UTC, on which
	// alerts were opened. They count those that have expired since, too.
	AlertDays(ctx context.Context, projectID int64, first time.Time) ([]Day, error)
}

// Recorder is the part of a Store that turns occurrences into alerts.
type Recorder interface {
	// RecordOccurrences records the occurrences of one request. Each inner
	// list holds all occurrences with one fingerprint, in the order in which
	// they take effect; an occurrence without a fingerprint is alone in its
	// list. The results have the same order. A recovery has one result for
	// each open alert with its fingerprint, by iid.
	//
	// When callers send equal occurrences at once, one opens the alert and the
	// others are counted on it. Iids count up by one for each alert of the
	// project (a number may stay unused after a crash or a race). Title,
	// severity, payload and all other fields stay those of the first
	// occurrence, but PeakSeverity follows a graver one in the same operation
	// and never falls, and the payload of the first repeat is the latest one,
	// until one comes LatestPayloadEvery later. That leaves Version and UpdatedAt
	// as they are, like events. Of occurrences that come at once, those are Graver that raised
	// PeakSeverity. A recovery sets Status, EndedAt and Activity of the alert. A
	// recovery that ended before the open alert started is Unmatched, unless
	// it has IgnoreStart. When callers send recoveries at once, one resolves
	// the alert and the others are Unmatched. An occurrence that competes with
	// a recovery is either counted before the alert ends or opens a new one.
	//
	// An occurrence that is Acknowledged sets Status and Activity of the triggered
	// alerts with its fingerprint, and leaves other open ones as they are; it has
	// one result for each open alert, by iid, and counts as no event. Where none is
	// open, it opens one that is acknowledged.
	//
	// After an error some of the occurrences may be recorded and others not.
	// The caller may send all of them again: no alert is lost, and no grouped
	// one is opened twice, but some occurrences may be counted twice and an
	// ungrouped one may open two alerts. A fault.Unavailable error means that
	// the store does not know what was recorded.
	RecordOccurrences(ctx context.Context, projectID int64, occurrences [][]Occurrence, now time.Time) ([][]Recorded, error)
}
