package consoleapi

import (
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/mapping"
)

// preview shows what would become of a sample.
type preview struct {
	alert.Occurrence
	Rows    []previewRow
	Mapped  bool // false for the metrics format, which is never mapped
	Items   int
	Skipped string
	Ignored []mapping.Field
	More    int // number of further ignored places
	Notes   []string
}

// previewRow is a field of the alert and its source.
type previewRow struct {
	Name, Value string
	From        string // a path in the sample, or empty
	Own         bool   // From is the member with the field's own name
}

// maxIgnored bounds the ignored places that are shown.
const maxIgnored = 50

func newPreview(p alert.Preview) *preview {
	shown := &preview{Mapped: p.Format == alert.Plain, Items: p.Items, Skipped: p.Skipped.String(), Notes: p.Notes}
	if len(p.Occurrences) > 0 {
		shown.Occurrence = p.Occurrences[0][0]
	}
	if !shown.Mapped {
		return shown
	}
	for _, target := range mapping.Targets {
		path := p.Sources[target]
		row := previewRow{Name: targetNames[target], Value: valueOf(shown.Occurrence, target), From: path.String()}
		row.Own = len(path) == 1 && row.From == string(target)
		shown.Rows = append(shown.Rows, row)
	}
	shown.Ignored = p.Ignored[:min(len(p.Ignored), maxIgnored)]
	shown.More = len(p.Ignored) - len(shown.Ignored)
	return shown
}

// valueOf returns the alert's value for the target if it is a text.
func valueOf(o alert.Occurrence, target mapping.Target) string {
	switch target {
	case mapping.Title:
		return o.Title
	case mapping.Description:
		return o.Description
	case mapping.Service:
		return o.Service
	case mapping.MonitoringTool:
		return o.MonitoringTool
	case mapping.Hosts:
		return strings.Join(o.Hosts, ", ")
	case mapping.Environment:
		return o.Environment
	case mapping.Fingerprint:
		return string(o.Fingerprint)
	}
	return ""
}

// IsSeverity reports whether the row is the severity.
func (r previewRow) IsSeverity() bool { return r.Name == targetNames[mapping.Severity] }

// IsStart reports whether the row is the start.
func (r previewRow) IsStart() bool { return r.Name == targetNames[mapping.StartTime] }

// IsEnd reports whether the row is the end.
func (r previewRow) IsEnd() bool { return r.Name == targetNames[mapping.EndTime] }

// IsFingerprint reports whether the row is the fingerprint.
func (r previewRow) IsFingerprint() bool { return r.Name == targetNames[mapping.Fingerprint] }
