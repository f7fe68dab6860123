package consoleapi

import (
	"cmp"
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/mapping"
)

// preview shows what would become of a sample.
type preview struct {
	alert.Occurrence
	Rows    []previewRow
	Mapped  bool // false for the metrics format
	Items   int
	Dropped int // items that the mapping ignores
	Skipped string
	Ignored []mapping.Field
	More    int // number of further ignored places
	Notes   []string
}

// previewRow is a field of the alert and its source.
type previewRow struct {
	Target      mapping.Target
	Name, Value string
	From        string // a path in the sample, or what the mapping says; or empty
}

// maxIgnored bounds the ignored places that are shown.
const maxIgnored = 50

func newPreview(p alert.Preview) *preview {
	shown := &preview{Mapped: p.Format == alert.Plain, Items: p.Items, Dropped: p.IgnoredItems, Skipped: p.Skipped.String(), Notes: p.Notes}
	if len(p.Occurrences) > 0 {
		shown.Occurrence = p.Occurrences[0][0]
	}
	if !shown.Mapped || shown.Title == "" {
		return shown
	}
	for _, target := range mapping.Targets {
		shown.Rows = append(shown.Rows, previewRow{target, targetNames[target], valueOf(shown.Occurrence, target), cmp.Or(p.Origins[target], p.Sources[target].String())})
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
