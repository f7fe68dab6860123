package alert

import (
	"slices"
	"strings"
)

// Severity ranks an alert.
type Severity string

// The severities, the gravest first.
const (
	SeverityCritical Severity = "critical"
	SeverityHigh     Severity = "high"
	SeverityMedium   Severity = "medium"
	SeverityLow      Severity = "low"
	SeverityInfo     Severity = "info"
	SeverityUnknown  Severity = "unknown"
)

// Severities lists every severity, the gravest first.
var Severities = []Severity{SeverityCritical, SeverityHigh, SeverityMedium, SeverityLow, SeverityInfo, SeverityUnknown}

// severities maps the words of the metrics format.
var severities = map[string]Severity{
	"critical": SeverityCritical, "s1": SeverityCritical, "p1": SeverityCritical, "emergency": SeverityCritical, "fatal": SeverityCritical,
	"high": SeverityHigh, "s2": SeverityHigh, "p2": SeverityHigh, "major": SeverityHigh, "page": SeverityHigh,
	"medium": SeverityMedium, "s3": SeverityMedium, "p3": SeverityMedium, "error": SeverityMedium, "alert": SeverityMedium,
	"low": SeverityLow, "s4": SeverityLow, "p4": SeverityLow, "warn": SeverityLow, "warning": SeverityLow,
	"info": SeverityInfo, "s5": SeverityInfo, "p5": SeverityInfo, "debug": SeverityInfo, "information": SeverityInfo, "notice": SeverityInfo,
}

// ParseSeverity maps the words that monitoring tools use to a Severity. An
// unknown word is critical: people should look at an alert that cannot be ranked.
func ParseSeverity(word string) Severity {
	if severity, ok := severities[strings.ToLower(word)]; ok {
		return severity
	}
	return SeverityCritical
}

// Graver reports whether the severity is graver than the other.
func (s Severity) Graver(other Severity) bool { return s != "" && s.Rank() > other.Rank() }

// severityNamed returns the severity with this name in any letter case, or
// critical and false if there is none.
func severityNamed(name string) (Severity, bool) {
	if severity := Severity(strings.ToLower(name)); slices.Contains(Severities, severity) {
		return severity, true
	}
	return SeverityCritical, false
}
