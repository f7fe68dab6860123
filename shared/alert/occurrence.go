package alert

import "time"

// Occurrence is one notification about one thing that went wrong, or that went
// well again.
type Occurrence struct {
	Recovery bool
	// IgnoreStart makes a recovery resolve what is open even where that
	// started after it: because the start may be this server's time, and the
	// end that of a clock which runs behind.
	IgnoreStart bool
	Fingerprint Fingerprint // empty: never grouped
	// Ungrouped opens an alert of its own for every occurrence that is no
	// recovery. A recovery resolves every open alert with its fingerprint,
	// grouped or not, in any case.
	Ungrouped bool

	Title          string
	Description    string
	Severity       Severity
	Service        string
	MonitoringTool string
	Hosts          []string
	Environment    string
	Runbook        string
	StartedAt      time.Time
	EndedAt        time.Time // of a recovery
	IntegrationID  int64
	Payload        []byte // the JSON text from which it was parsed
	// Count is how many equal occurrences of one request this stands for, at
	// least 1; each counts as an event.
	Count int64
}

// Fingerprint tells what an occurrence is about, whatever time it happened. It
// is opaque and empty where an occurrence has none.
type Fingerprint string

// Outcome is what an occurrence did.
type Outcome string

// The outcomes.
const (
	Opened    Outcome = "opened"    // an alert of its own
	Repeated  Outcome = "repeated"  // counted on an open alert
	Recovered Outcome = "recovered" // resolved an open alert
	Unmatched Outcome = "unmatched" // a recovery of something that is not open
)

// Recorded names an alert that an occurrence touched. IID and Title are zero
// where the outcome is Unmatched.
type Recorded struct {
	Outcome Outcome
	IID     int64
	Title   string
}
