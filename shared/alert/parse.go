package alert

import (
	"slices"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

// Format is the shape of a payload.
type Format string

// The formats.
const (
	// Plain is an object that is one notification.
	Plain Format = "plain"
	// Metrics is the metrics-alerting webhook, whose object holds a list of
	// notifications.
	Metrics Format = "metrics"
)

// Reading says how a payload is read.
type Reading struct {
	// Format is what the address takes. A Plain address takes both: a payload
	// with all attributes of the metrics format is in that format.
	Format Format
	// Mapping says how plain payloads are read, and at a Metrics address what the titles and
	// severities of the metrics format are.
	Mapping mapping.Mapping
	// AutoFingerprint derives the fingerprint of a plain payload that has none
	// from everything in it except its times and hosts.
	AutoFingerprint bool
	// Grouping counts equal occurrences on one alert.
	Grouping      bool
	Environments  []string // the names of the project's environments
	IntegrationID int64
	Tell          bool // of Occurrence, like KeptDays
	KeptDays      int
	Now           time.Time
}

// Parsed is the content of a payload.
type Parsed struct {
	Format Format // of the payload itself
	// Occurrences are what Store.RecordOccurrences takes. A plain payload has exactly
	// one, unless a mapping splits or ignores it; others may have none.
	Occurrences  [][]Occurrence
	Items        int     // the notifications in the payload, those skipped and ignored included
	Skipped      Skipped // those that lack something necessary
	IgnoredItems int     // those that the mapping ignores
	Split        bool    // the mapping splits the payload
	// TruncatedAlerts is the number of notifications that the sender left out,
	// as it says.
	TruncatedAlerts int64
	// Notes say which values could not be used as they are, for the people who
	// set up the tool: at most MaxNotes short sentences.
	Notes []string

	places [][]int // for each occurrence, the position of its notification in the payload
}

// Lone returns the occurrence of a plain payload that is one notification, and false for any
// other.
func (p Parsed) Lone() (Occurrence, bool) {
	if p.Format != Plain || p.Split || len(p.Occurrences) == 0 {
		return Occurrence{}, false
	}
	return p.Occurrences[0][0], true
}

// Parse reads the body of a request to an integration's address. It returns a
// fault.Invalid error for a body that no alert can be made of, and a
// fault.Unprocessable one for a body that is not in the Metrics format where
// only that is taken. The Occurrences may share the memory of body.
func Parse(body []byte, r Reading) (Parsed, error) {
	return newReader(r).read(body)
}

// reader reads one payload.
type reader struct {
	Reading
	notes   notes
	used    []use    // the places in the present item of a plain payload that were used
	preview *Preview // where these are kept; nil: nowhere
}

func newReader(r Reading) *reader { return &reader{Reading: r} }

func (r *reader) read(body []byte) (Parsed, error) {
	document, err := payload.ReadUpTo(body, payload.MaxGroupBytes)
	if err != nil {
		return Parsed{}, err
	}
	missing := missingAttributes(document.Object)
	alerts, isList := listOf(document.Object["alerts"])
	switch {
	case len(missing) == 0 && isList:
		return r.metrics(document, alerts), nil
	case r.Format == Plain:
		if err := payload.CheckSize(body, payload.MaxBytes); err != nil {
			return Parsed{}, err
		}
		return r.plain(document), nil
	case len(missing) > 0:
		return Parsed{}, fault.New(fault.Unprocessable, "not in the metrics-alerting format: "+strings.Join(missing, ", ")+" missing")
	}
	return Parsed{}, fault.New(fault.Unprocessable, "not in the metrics-alerting format: alerts must be an array")
}

// listOf returns the elements of an array; null has none.
func listOf(value any) ([]any, bool) {
	list, ok := value.([]any)
	return list, ok || value == nil
}

// environment returns the name if the project has such an environment, else ""
// and takes a note.
func (r *reader) environment(value any) string {
	if payload.Blank(value) {
		return ""
	}
	name := payload.Text(value)
	if !slices.Contains(r.Environments, name) {
		r.notes.add("the project has no environment " + quoted(name))
		return ""
	}
	return name
}
