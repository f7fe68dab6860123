package geo

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"gatehouse/shared/fault"
)

// Status is what a site reported last: any members, and its failures apart from them.
type Status struct {
	Members  map[string]json.RawMessage   `json:"members,omitempty"`
	Failures []map[string]json.RawMessage `json:"failures,omitempty"`
	Health   string                       `json:"health,omitempty"`
	Healthy  bool                         `json:"healthy,omitempty"`
}

// What a site reports of its health, and what is said of one that did not.
const (
	healthy   = "Healthy"
	unhealthy = "Unhealthy"
	unknown   = "Unknown"
)

// maxStatus is the largest status, in bytes of JSON.
const maxStatus = 32 << 10

// ParseStatus reads what a site reports.
func ParseStatus(report map[string]json.RawMessage) (Status, error) {
	complaints := fault.Fields{}
	s := Status{Members: maps.Clone(report)}
	size := 0
	for name, value := range report {
		size += len(name) + len(value)
	}
	if size > maxStatus {
		return Status{}, fault.New(fault.Invalid, "the status exceeds "+strconv.Itoa(maxStatus>>10)+" KiB")
	}
	var health *string
	var isHealthy *bool
	for name, into := range map[string]any{"health": &health, "healthy": &isHealthy, "failures": &s.Failures} {
		if value, sent := report[name]; sent && json.Unmarshal(value, into) != nil {
			complaints.Add(name, "is invalid")
		}
		delete(s.Members, name)
	}
	if slices.ContainsFunc(s.Failures, func(f map[string]json.RawMessage) bool { return f == nil }) {
		complaints["failures"] = []string{"is invalid"}
	}
	s.Health, s.Healthy = healthOf(health, isHealthy)
	return s, complaints.Err()
}

// healthOf completes what a site says of its health.
func healthOf(health *string, isHealthy *bool) (string, bool) {
	switch {
	case health != nil && isHealthy != nil:
		return *health, *isHealthy
	case health != nil:
		return *health, *health == healthy
	case isHealthy == nil:
		return unknown, false
	case *isHealthy:
		return healthy, true
	default:
		return unhealthy, false
	}
}

// HealthText returns the health in words.
func (s Status) HealthText() string {
	if s.Health == "" {
		return unknown
	}
	return s.Health
}

// FailureType is a kind of failures.
type FailureType string

// The kinds of failures.
const (
	SyncFailure         FailureType = "sync"
	VerificationFailure FailureType = "verification"
	ChecksumMismatch    FailureType = "checksum_mismatch"
)

// FailedType is what failed.
type FailedType string

// What can fail.
const (
	FailedRepository FailedType = "repository"
	FailedWiki       FailedType = "wiki"
)

// member is the one that tells of a failure.
func (t FailureType) member(of FailedType) string {
	if t == ChecksumMismatch {
		return string(of) + "_checksum_mismatch"
	}
	return "last_" + string(of) + "_" + string(t) + "_failure"
}

// Failed returns the reported failures of these kinds; empty kinds are all.
func (s Status) Failed(of FailedType, t FailureType) (found []map[string]json.RawMessage) {
	for _, failure := range s.Failures {
		if failed(failure, of, t) {
			found = append(found, failure)
		}
	}
	return found
}

func failed(failure map[string]json.RawMessage, of FailedType, t FailureType) bool {
	if of == "" && t == "" {
		return true
	}
	for _, what := range []FailedType{FailedRepository, FailedWiki} {
		for _, how := range []FailureType{SyncFailure, VerificationFailure, ChecksumMismatch} {
			if (of == "" || of == what) && (t == "" || t == how) && said(failure[how.member(what)]) {
				return true
			}
		}
	}
	return false
}

// said reports whether the member says something.
func said(value json.RawMessage) bool {
	switch string(value) {
	case "", "null", "false", `""`:
		return false
	}
	return true
}
