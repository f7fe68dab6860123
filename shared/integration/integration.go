// Package integration has the rules for the integrations through which
// monitoring tools reach a project: their addresses, keys, mappings and health.
package integration

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

// Integration is an address of a project for a monitoring tool.
type Integration struct {
	ID        int64 // unique in the instance
	ProjectID int64
	Name      string
	Type      Type
	Active    bool // an inactive one behaves as if it did not exist
	// Endpoint identifies it in its address: Legacy or LegacyMetrics for the
	// first of its type in a project, else 16 hexadecimal digits. It never
	// changes.
	Endpoint string

	KeyDigest secret.Digest // of the authorization key
	SealedKey []byte        // the key, encrypted, so that it can be shown
	// PathKeyDigest and SealedPathKey are the same of the key that is part of an address;
	// empty: there is none.
	PathKeyDigest, SealedPathKey []byte
	// APIURL is an unused placeholder for Metrics and the target of an
	// OnCallLink.
	APIURL string
	// Mapping is the JSON text of a mapping.Mapping, empty for none.
	Mapping []byte
	// RateLimit is the limit of requests a minute; zero: unlimited.
	RateLimit int
	// Preset is the id of the preset that it was made from, "" for none. It never
	// changes.
	Preset string
	// SNSTopic is the ARN of the topic whose subscription is confirmed; empty: none is.
	SNSTopic string

	Health    Health
	CreatedAt time.Time
	Version   int64 // counts the changes other than to Health
}

// SameVersion reports whether both are the same integration in the same state,
// apart from its health.
func (i Integration) SameVersion(other Integration) bool {
	return i.ID == other.ID && i.Version == other.Version
}

// CompareID orders integrations by their ids.
func (i Integration) CompareID(other Integration) int { return cmp.Compare(i.ID, other.ID) }

// PagerDuty is the preset of integrations that take events of PagerDuty's Events API v2:
// the authorization key is in the body, and the answer has the event's key.
const PagerDuty = "pagerduty_v2"

// Opsgenie is the preset of integrations that take calls of Opsgenie's Alert API below their
// address.
const Opsgenie = "opsgenie"

// CloudWatchSNS is the preset of integrations that a topic of SNS can send to.
const CloudWatchSNS = "cloudwatch_sns"

// MaxIntegrations bounds the integrations of a project.
const MaxIntegrations = 50

// Type is a kind of integration.
type Type string

// The types.
const (
	HTTP       Type = "http"        // takes any JSON object
	Metrics    Type = "metrics"     // takes only the metrics-alerting webhook format
	OnCallLink Type = "oncall_link" // takes nothing, but links to another tool
)

// The endpoint identifiers of addresses without one.
const (
	Legacy        = "legacy"            // <project>/alerts/notify.json
	LegacyMetrics = "legacy-prometheus" // <project>/prometheus/alerts/notify.json
)

// Health counts what an integration received. It is written with a request, at
// most once a minute, so it lacks what came since, and what a function had not
// written when it ended. A payload that was taken but could not be stored counts
// as both received and rejected.
type Health struct {
	LastReceivedAt  time.Time
	Received        int64 // requests that were taken
	Rejected        int64 // requests that were refused
	SkippedItems    int64 // items of a webhook that are not alerts
	TruncatedAlerts int64 // alerts that the sender left out
	LastError       string
	LastErrorAt     time.Time

	// Anybody can send with a wrong key. So these requests count apart, and change
	// nothing else.
	WrongKeys      int64 // requests with a wrong key or without one
	LastWrongKeyAt time.Time
}

// Fine reports whether there is no problem, apart from wrong keys.
func (h Health) Fine() bool {
	return h.Rejected == 0 && h.SkippedItems == 0 && h.TruncatedAlerts == 0 && h.LastError == ""
}

// Trouble returns the last error, or "" if a payload without one was received since.
func (h Health) Trouble() string {
	if h.LastReceivedAt.After(h.LastErrorAt) {
		return ""
	}
	return h.LastError
}

// WrongKeyLast reports whether nothing was received since a request with a wrong key or
// without one: it may be the tool itself that sends it.
func (h Health) WrongKeyLast() bool {
	return h.WrongKeys > 0 && !h.LastReceivedAt.After(h.LastWrongKeyAt)
}

// Plus returns the sum of both, with the later times and error.
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
	h.WrongKeys += other.WrongKeys
	if other.LastWrongKeyAt.After(h.LastWrongKeyAt) {
		h.LastWrongKeyAt = other.LastWrongKeyAt
	}
	return h
}

// Endpoint is an integration with the settings and environments of its project.
type Endpoint struct {
	Integration
	Settings     Settings
	Environments []string
}

// Features can be switched off for an instance. One that is off behaves as if it
// did not exist; what was stored while it was on is kept.
type Features struct {
	// SeveralEndpoints lets a project have more than one integration of a type.
	SeveralEndpoints bool
	// Mapping lets a mapping say where in a payload the fields of an alert are.
	Mapping bool
	// Grouping counts equal occurrences on one alert. Without it each opens a
	// new alert.
	Grouping bool
	// KeptDays is for how many days resolved alerts and closed incidents are kept at
	// most; zero: for ever.
	KeptDays int
}

// AllFeatures is the default.
var AllFeatures = Features{SeveralEndpoints: true, Mapping: true, Grouping: true, KeptDays: 400}

// Path returns the path of the integration's address, "" for an on-call link
// (Interface: "Alert intake"). It contains the name for people: only the endpoint
// identifier has a meaning.
func (i Integration) Path(p project.Project) string {
	switch {
	case i.Type == OnCallLink:
		return ""
	case i.Endpoint == LegacyMetrics:
		return "/" + p.FullPath + "/prometheus/alerts/notify.json"
	case i.Endpoint == Legacy:
		return "/" + p.FullPath + "/alerts/notify.json"
	}
	return "/" + p.FullPath + "/alerts/notify/" + slug(i.Name) + "/" + i.Endpoint + ".json"
}

var notInSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slug turns a name into a path segment of at most 63 characters.
func slug(name string) string {
	s := strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	s = strings.Trim(s[:min(len(s), 63)], "-")
	if s == "" {
		return "http-endpoint"
	}
	return s
}
