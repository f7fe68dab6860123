package alert

import "strings"

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

// severities are the words that the metrics format takes for each severity.
var severities = map[string]Severity{
	"critical": SeverityCritical, "s1": SeverityCritical, "p1": SeverityCritical, "emergency": SeverityCritical, "fatal": SeverityCritical,
	"high": SeverityHigh, "s2": SeverityHigh, "p2": SeverityHigh, "major": SeverityHigh, "page": SeverityHigh,
	"medium": SeverityMedium, "s3": SeverityMedium, "p3": SeverityMedium, "error": SeverityMedium, "alert": SeverityMedium,
	"low": SeverityLow, "s4": SeverityLow, "p4": SeverityLow, "warn": SeverityLow, "warning": SeverityLow,
	"info": SeverityInfo, "s5": SeverityInfo, "p5": SeverityInfo, "debug": SeverityInfo, "information": SeverityInfo, "notice": SeverityInfo,
}

// ParseSeverity maps the words that monitoring tools use to a Severity. A word
// it does not know is critical: an alert that nobody can rank should wake
// somebody.
func ParseSeverity(word string) Severity {
	if severity, ok := severities[strings.ToLower(word)]; ok {
		return severity
	}
	return SeverityCritical
}

// severityNamed returns the severity of that name, without regard to case, and
// critical for any other word, and whether there is one of that name.
func severityNamed(name string) (Severity, bool) {
	switch severity := Severity(strings.ToLower(name)); severity {
	case SeverityCritical, SeverityHigh, SeverityMedium, SeverityLow, SeverityInfo, SeverityUnknown:
		return severity, true
	}
	return SeverityCritical, false
}
