package consoleapi

import (
	"cmp"
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
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
	In          *preview
}

// The limits of the ignored places that are shown.
const (
	maxIgnored      = 50
	maxIgnoredBytes = 2 << 10 // of their names on the page
)

// ignore lists the first ignored places.
func (p *preview) ignore(all []mapping.Field) {
	left := maxIgnoredBytes
	for _, field := range all {
		if left -= escapedLen(field.Label); left < 0 || len(p.Ignored) == maxIgnored {
			break
		}
		p.Ignored = append(p.Ignored, field)
	}
	p.More = len(all) - len(p.Ignored)
}

func newPreview(p alert.Preview) *preview {
	shown := &preview{Mapped: p.Format == alert.Plain, Items: p.Items, Dropped: p.IgnoredItems, Skipped: p.Skipped.String(), Notes: p.Notes}
	if len(p.Occurrences) > 0 {
		shown.Occurrence = p.Occurrences[0][0]
	}
	if !shown.Mapped || shown.Title == "" {
		return shown
	}
	for _, target := range mapping.Targets {
		shown.Rows = append(shown.Rows, previewRow{target, fieldNames[string(target)], payload.Cut(valueOf(shown.Occurrence, target), maxValue), cmp.Or(p.Origins[target], p.Sources[target].String()), shown})
	}
	shown.ignore(p.Ignored)
	return shown
}

// row returns the row of the field, nil if there is none.
func (p *preview) row(name string) *previewRow {
	for n := range p.Rows {
		if string(p.Rows[n].Target) == name {
			return &p.Rows[n]
		}
	}
	return nil
}

// maxValue bounds a value of the alert, in characters.
const maxValue = 300

// maxShort bounds a value that is compared with another, in characters.
const maxShort = 60

func short(value string) string { return payload.Cut(value, maxShort) }

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
