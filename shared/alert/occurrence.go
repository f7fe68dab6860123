package alert

import "time"

// Occurrence is a notification that something fires or has recovered.
type Occurrence struct {
	Recovery bool
	// IgnoreStart makes a recovery resolve alerts that started after it, because
	// the start may be this server's time while the tool's clock is behind.
	IgnoreStart bool
	// Acknowledged makes an occurrence that is no recovery acknowledge the open alerts with
	// its fingerprint. It counts as no event of theirs. Without one it opens an acknowledged
	// alert.
	Acknowledged bool
	Fingerprint  Fingerprint // empty: never grouped
	// Ungrouped opens a new alert for every fire. A recovery always resolves all
	// open alerts with its fingerprint, grouped or not.
	Ungrouped bool

	Title          string
	Description    string
	Severity       Severity
	Service        string
	MonitoringTool string
	Hosts          []string
	Environment    string
	Runbook        string
	Labels         Labels
	GroupTitle     string
	ExternalURL    string // a web address
	StartedAt      time.Time
	EndedAt        time.Time // of a recovery
	IntegrationID  int64
	Payload        []byte // the JSON text from which it was parsed
	// Count is the number of equal occurrences of one request, at least 1. Each
	// counts as an event.
	Count int64
	// Tell means that somebody wants to be told of alerts that it opens, resolves or
	// makes graver.
	Tell bool
	// KeptDays is for how many days the alerts are kept that a recovery resolves; zero:
	// for ever.
	KeptDays int
}

// LatestPayload is the newest payload of a repeat that is kept.
type LatestPayload struct {
	Text []byte // JSON
	At   time.Time
}

// Whole is an alert with all that is kept of what was sent.
type Whole struct {
	Alert
	Payload []byte // of the occurrence that opened it
	Latest  LatestPayload
}

// LatestPayloadEvery is the time after which a repeat's payload takes the place of an
// earlier one. Those between are only counted.
const LatestPayloadEvery = time.Minute

// KeepsPayload reports whether the payload of a repeat is to take the place of the
// latest one, which was kept at a time; zero: there is none.
func KeepsPayload(latest, now time.Time) bool { return !now.Before(latest.Add(LatestPayloadEvery)) }

// Fingerprint identifies the problem that an occurrence is about. It is opaque,
// and empty if an occurrence has none.
type Fingerprint string

// Outcome is the effect of an occurrence.
type Outcome string

// The outcomes.
const (
	Opened    Outcome = "opened"       // opened an alert
	Repeated  Outcome = "repeated"     // counted on an open alert
	Recovered Outcome = "recovered"    // resolved an open alert
	Acked     Outcome = "acknowledged" // acknowledged an open alert, or found that somebody had
	Unmatched Outcome = "unmatched"    // a recovery without an open alert
)

// Recorded is an alert that an occurrence touched. IID and Title are zero if the
// outcome is Unmatched.
type Recorded struct {
	Outcome Outcome
	IID     int64
	Title   string
	Graver  bool // a repeat that was graver than all before it on the alert
}
