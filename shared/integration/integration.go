// Package integration holds the rules for how monitoring tools reach a
// project: the addresses and keys they are given, what is done with what they
// send, and how well that goes.
package integration

import (
	"cmp"
	"time"

	"gatehouse/shared/secret"
)

// Integration is one way into a project.
type Integration struct {
	ID        int64 // unique in the instance
	ProjectID int64
	Name      string
	Type      Type
	Active    bool // one that is not behaves as if it were absent
	// Endpoint names it in its address. The first of a type in a project is
	// Legacy or LegacyMetrics, any other 16 hexadecimal digits. It never
	// changes.
	Endpoint string

	KeyDigest secret.Digest // of the authorization key
	SealedKey []byte        // the same, to be shown again
	// APIURL is of a metrics webhook a placeholder that nothing reads, and of
	// an on-call link where it leads.
	APIURL string
	// Mapping tells where the payload has the fields of an alert: the JSON
	// text of a mapping.Mapping, empty for none.
	Mapping []byte
	// RateLimit is how many requests a minute are taken; zero: any number.
	RateLimit int

	Health    Health
	CreatedAt time.Time
	Version   int64 // counts the changes other than to Health
}

// SameVersion reports whether both are one integration in the same state, its
// health aside.
func (i Integration) SameVersion(other Integration) bool {
	return i.ID == other.ID && i.Version == other.Version
}

// CompareID orders integrations by their ids.
func (i Integration) CompareID(other Integration) int { return cmp.Compare(i.ID, other.ID) }

// MaxIntegrations is how many a project can have.
const MaxIntegrations = 50

// Type is a kind of integration.
type Type string

// The types.
const (
	HTTP       Type = "http"        // takes any JSON object
	Metrics    Type = "metrics"     // takes the metrics-alerting webhook format alone
	OnCallLink Type = "oncall_link" // takes nothing: people are sent elsewhere
)

// The endpoint identifiers of addresses that name none.
const (
	Legacy        = "legacy"            // <project>/alerts/notify.json
	LegacyMetrics = "legacy-prometheus" // <project>/prometheus/alerts/notify.json
)

// Health tells how an integration does. It is written with a request, once a
// minute at the most, so that it lags behind by what came since, and may miss
// what a function counted just before it was ended.
type Health struct {
	LastReceivedAt  time.Time
	Received        int64 // requests that were taken
	Rejected        int64 // requests that were refused
	SkippedItems    int64 // items of a webhook that are no alerts
	TruncatedAlerts int64 // alerts that the sender left out
	LastError       string
	LastErrorAt     time.Time
}

// Fine reports whether nothing went wrong.
func (h Health) Fine() bool {
	return h.Rejected == 0 && h.SkippedItems == 0 && h.TruncatedAlerts == 0 && h.LastError == ""
}

// Plus returns the counters of both together, with the later times and error.
func (h Health) Plus(other Health) Health {
	h.Received += other.Received
	h.Rejected += other.Rejected
	h.SkippedItems += other.SkippedItems
	h.TruncatedAlerts += other.TruncatedAlerts
	if other.LastReceivedAt.After(h.LastReceivedAt) {
		h.LastReceivedAt = other.LastReceivedAt
	}
	if other.LastErrorAt.After(h.LastErrorAt) {
		h.LastError, h.LastErrorAt = other.LastError, other.LastErrorAt
	}
	return h
}

// Settings are a project's rules for alerts.
type Settings struct {
	ProjectID int64
	// Fingerprinting makes a fingerprint of the whole payload for a payload
	// that brings none (generic_alert_fingerprinting).
	Fingerprinting bool
	Version        int64 // counts the changes; zero: never changed
}

// DefaultSettings are those of a project that never changed them.
func DefaultSettings(projectID int64) Settings {
	return Settings{ProjectID: projectID, Fingerprinting: true}
}

// Endpoint is what an alert needs to know on its way in.
type Endpoint struct {
	Integration
	Settings     Settings
	Environments []string
}
