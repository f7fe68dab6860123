package alert

import (
	"context"
	"time"
)

// Store keeps alerts. Reads see every write that was acknowledged before.
type Store interface {
	// RecordOccurrences records the occurrences of one request. Each inner
	// list holds those with one fingerprint, in the order in which they take
	// effect, and its results stand at the same place in the answer; an
	// occurrence without a fingerprint is alone in its list. A recovery
	// touches more than one alert where several open ones have its
	// fingerprint, and then has as many results.
	//
	// Of any number of callers with equal occurrences at once, one opens the
	// alert and the others are counted on it; iids count up by one for each
	// alert of the project (a number may stay unused after a crash). Title,
	// severity, payload and every other field stay those of the first
	// occurrence. A recovery sets Status, EndedAt and Activity of the alert; a
	// recovery that ended before the open alert started is Unmatched.
	//
	// After an error some of the occurrences may be recorded and others not.
	// The caller may send all of them again: no alert is lost or opened
	// twice, though some may be counted twice.
	RecordOccurrences(ctx context.Context, projectID int64, occurrences [][]Occurrence, now time.Time) ([][]Recorded, error)

	// Alert returns the alert, or a fault.NotFound error.
	Alert(ctx context.Context, projectID, iid int64) (Alert, error)

	// AlertPayload returns the payload of the alert's first occurrence, or a
	// fault.NotFound error.
	AlertPayload(ctx context.Context, projectID, iid int64) ([]byte, error)

	// RecentAlerts returns the newest alerts of the project that pass the
	// filter, by descending iid, at most limit of them. More tells that there
	// are others.
	RecentAlerts(ctx context.Context, projectID int64, f Filter, limit int) (alerts []Alert, more bool, err error)

	// ChangeAlert makes the change to the alert whose Version is still the
	// stored one, and returns the alert after it. Entering Resolved sets
	// EndedAt, and leaving it clears it. It returns a fault.Conflict error
	// whose message the caller may read when somebody changed the alert in
	// between, and also when a grouped alert would be opened again beside
	// another open one with its fingerprint; nothing is changed then. An alert
	// that is gone is fault.NotFound.
	ChangeAlert(ctx context.Context, a Alert, c Change) (Alert, error)
}

// Change is what somebody does to an alert; what is nil stays.
type Change struct {
	Status     *Status
	AssigneeID *int64    // zero: nobody
	EndedAt    time.Time // of a change to Resolved; zero: At
	ActorID    int64
	At         time.Time
}

// Filter narrows a list of alerts; what is empty lets all pass.
type Filter struct {
	Statuses   []Status
	Severities []Severity
	Since      time.Time // CreatedAt at or after this
}
