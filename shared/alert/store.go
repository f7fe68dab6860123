package alert

import (
	"context"
	"slices"
	"time"
)

// Store keeps alerts. Reads see every write that was acknowledged before. What
// belongs to a project that was deleted goes after it, many alerts not at once;
// it cannot be reached any more, because the ids of projects are never given
// twice.
type Store interface {
	// RecordOccurrences records the occurrences of one request. Each inner
	// list holds all those with one fingerprint, in the order in which they
	// take effect, and its results stand at the same place in the answer, in
	// the same order; an occurrence without a fingerprint is alone in its
	// list. A recovery touches more than one alert where several open ones
	// have its fingerprint, and then has as many results, by their iids.
	//
	// Of any number of callers with equal occurrences at once, one opens the
	// alert and the others are counted on it; iids count up by one for each
	// alert of the project (a number may stay unused after a crash or a race).
	// Title, severity, payload and every other field stay those of the first
	// occurrence. A recovery sets Status, EndedAt and Activity of the alert; a
	// recovery that ended before the open alert started is Unmatched, unless
	// it has IgnoreStart. Of recoveries at once, one resolves the alert and
	// the others are Unmatched. An occurrence at the same time as a recovery is
	// counted on the alert before that ends or opens a newer one.
	//
	// After an error some of the occurrences may be recorded and others not.
	// The caller may send all of them again: no alert is lost, and none that
	// groups is opened twice, though some occurrences may be counted twice and
	// one that does not group may have an alert twice. An error of kind
	// fault.Unavailable says that the store cannot tell.
	RecordOccurrences(ctx context.Context, projectID int64, occurrences [][]Occurrence, now time.Time) ([][]Recorded, error)

	// Alert returns the alert, or a fault.NotFound error.
	Alert(ctx context.Context, projectID, iid int64) (Alert, error)

	// AlertPayload returns the payload of the occurrence that opened the
	// alert, or a fault.NotFound error.
	AlertPayload(ctx context.Context, projectID, iid int64) ([]byte, error)

	// RecentAlerts returns the newest alerts of the project that pass the
	// filter, by descending iid, at most limit of them. More tells that there
	// are others.
	RecentAlerts(ctx context.Context, projectID int64, f Filter, limit int) (alerts []Alert, more bool, err error)

	// ChangeAlert makes the change to a, which is an alert as it was read, and
	// returns it after that; events of since then may be missing. Entering
	// Resolved sets EndedAt, and leaving it clears it. A change that changes
	// nothing returns the alert as it is. It returns a fault.Conflict error
	// whose message the caller may read when the Version is not the stored one
	// any more because somebody changed the alert in between (a further event
	// does not), and also when a grouped alert would be opened again beside
	// another open grouped one with its fingerprint; nothing is changed then.
	// An alert that is gone is fault.NotFound.
	ChangeAlert(ctx context.Context, a Alert, c Change) (Alert, error)
}

// Filter narrows a list of alerts; what is empty lets all pass.
type Filter struct {
	Statuses   []Status
	Severities []Severity
	Since      time.Time // CreatedAt at or after this
}

// Passes reports whether the filter lets the alert pass.
func (f Filter) Passes(a Alert) bool {
	return (len(f.Statuses) == 0 || slices.Contains(f.Statuses, a.Status)) &&
		(len(f.Severities) == 0 || slices.Contains(f.Severities, a.Severity)) &&
		!a.CreatedAt.Before(f.Since)
}
