// Package mapping lets a project say where in its monitoring tool's payload the
// fields of an alert are (Interface: "Plain"), and which payloads resolve, acknowledge or
// mean nothing. A mapping is data: it has no expressions, and the work of applying it to a
// payload is bounded. A mapping that cannot be parsed is a fault.Fields error. A path that is
// not in a payload is no error, because no alert must be lost for that.
package mapping

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/payload"
)

// Target is a field of an alert that a payload fills. By default the member of
// the same name fills it.
type Target string

// The targets.
const (
	Title          Target = "title"
	Description    Target = "description"
	StartTime      Target = "start_time"
	EndTime        Target = "end_time"
	Service        Target = "service"
	MonitoringTool Target = "monitoring_tool"
	Hosts          Target = "hosts"
	Severity       Target = "severity"
	Fingerprint    Target = "fingerprint"
	Environment    Target = "platform_environment_name"
)

// Targets lists every target, in the order of pages.
var Targets = []Target{
	Title, Description, StartTime, EndTime, Service, MonitoringTool, Hosts, Severity, Fingerprint, Environment,
}

// holdsList reports whether the target takes a list as it is. Others take one text.
func (t Target) holdsList() bool { return t == Hosts || t == Fingerprint }

// isTime reports whether the target is a time.
func (t Target) isTime() bool { return t == StartTime || t == EndTime }

// Mapping says how a payload becomes alerts. The zero Mapping says nothing: a target without
// a rule is found under its own name.
type Mapping struct {
	Rules            map[Target]Rule
	ResolvedWhen     *Condition // a payload is a recovery; nil: if it has an end
	AcknowledgedWhen *Condition // somebody has acknowledged the alert in the tool
	IgnoreWhen       *Condition // a payload is about no alert
	Split            Path       // to a list whose elements each are an alert; nil: the payload is one
}

// The names of the members that are no targets.
const (
	resolvedWhen     = "resolved_when"
	acknowledgedWhen = "acknowledged_when"
	ignoreWhen       = "ignore_when"
	split            = "split"
)

// Empty reports whether the mapping says nothing.
func (m Mapping) Empty() bool {
	return len(m.Rules) == 0 && m.rulesAlone()
}

// Within reports whether the mapping has rules for these targets alone.
func (m Mapping) Within(targets ...Target) bool {
	for target := range m.Rules {
		if !slices.Contains(targets, target) {
			return false
		}
	}
	return m.rulesAlone()
}

// rulesAlone reports whether the mapping has nothing but rules.
func (m Mapping) rulesAlone() bool {
	return m.ResolvedWhen == nil && m.AcknowledgedWhen == nil && m.IgnoreWhen == nil && m.Split == nil
}

// Rule says what fills a target.
type Rule struct {
	// Path is the only place, in a rule of the first edition; a rule of the second has
	// Sources.
	Path Path
	// Sources are looked through in order, and then the target's own name.
	Sources []Source
	Values  Table
	Default *string // for a value that is not in the table, and for none; nil: none
	Time    *Times  // of a time
	Scope   Scope   // of a fingerprint
	Type    Type    // for people only: values are taken as they come
	Label   string  // likewise
}

// Source is where a value comes from: a path, a template or a constant.
type Source struct {
	Path     Path
	Template Template
	Constant string
	Whole    bool // the path begins at the whole payload, also where that is split
}

// Table translates values, in any letter case.
type Table struct {
	written map[string]string
	folded  map[string]string
}

// Condition holds for a payload in which a source has one of the words, in any letter case.
// Where the source is a list, one of its elements is enough.
type Condition struct {
	Source Source
	Equals []string
	folded map[string]bool
}

// Times says how a tool writes times.
type Times struct {
	Format payload.Epoch
	Zone   string // a name of the IANA database; empty: UTC
	Order  Order
	zone   *time.Location
}

// Order says what comes first in a date with slashes.
type Order string

// US is month, day, year.
const US Order = "us"

// Scope is where equal fingerprints are of one alert.
type Scope string

// The scopes. Empty: ProjectScope.
const (
	ProjectScope     Scope = "project"
	IntegrationScope Scope = "integration"
)

// Type is what a value looks like.
type Type string

// The types.
const (
	Array    Type = "ARRAY"
	DateTime Type = "DATETIME"
	String   Type = "STRING"
)

// MarshalJSON writes the mapping in the form of the REST API.
func (m Mapping) MarshalJSON() ([]byte, error) {
	members := map[string]any{}
	for target, rule := range m.Rules {
		members[string(target)] = rule
	}
	for name, condition := range map[string]*Condition{
		resolvedWhen: m.ResolvedWhen, acknowledgedWhen: m.AcknowledgedWhen, ignoreWhen: m.IgnoreWhen,
	} {
		if condition != nil {
			members[name] = condition
		}
	}
	if m.Split != nil {
		members[split] = map[string]Path{"path": m.Split}
	}
	return json.Marshal(members)
}

// MarshalJSON writes a rule in the form of its edition.
func (r Rule) MarshalJSON() ([]byte, error) {
	if r.Path != nil {
		return json.Marshal(struct {
			Path  Path   `json:"path"`
			Type  Type   `json:"type"`
			Label string `json:"label,omitempty"`
		}{r.Path, r.Type, r.Label})
	}
	return json.Marshal(struct {
		Sources []Source          `json:"sources,omitempty"`
		Values  map[string]string `json:"values,omitempty"`
		Default *string           `json:"default,omitempty"`
		Time    *Times            `json:"time,omitempty"`
		Scope   Scope             `json:"scope,omitempty"`
		Type    Type              `json:"type,omitempty"`
		Label   string            `json:"label,omitempty"`
	}{r.Sources, r.Values.written, r.Default, r.Time, r.Scope, r.Type, r.Label})
}

// String writes the rule for people.
func (r Rule) String() string {
	if r.Path != nil {
		return r.Path.String()
	}
	var places []string
	for _, source := range r.Sources {
		places = append(places, source.String())
	}
	text := cmp.Or(strings.Join(places, ", else "), "the usual place")
	if len(r.Values.written) > 0 {
		text += ", by a table"
	}
	if r.Default != nil {
		text += `, else "` + *r.Default + `"`
	}
	return text
}

// MarshalJSON writes the kind of source that it is.
func (s Source) MarshalJSON() ([]byte, error) {
	written := struct {
		Path     Path   `json:"path,omitempty"`
		Template string `json:"template,omitempty"`
		Constant string `json:"constant,omitempty"`
		Of       string `json:"of,omitempty"`
	}{Path: s.Path, Template: s.Template.text, Constant: s.Constant}
	if s.Whole {
		written.Of = ofWhole
	}
	return json.Marshal(written)
}

// String writes the source for people.
func (s Source) String() string {
	switch {
	case s.Path != nil && s.Whole:
		return fromWhole + s.Path.String()
	case s.Path != nil:
		return s.Path.String()
	case s.Constant != "":
		return `"` + s.Constant + `"`
	}
	return s.Template.text
}

// MarshalJSON writes the condition in the form of the REST API.
func (c Condition) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Source Source   `json:"source"`
		Equals []string `json:"equals"`
	}{c.Source, c.Equals})
}

// String writes the condition for people.
func (c Condition) String() string {
	return c.Source.String() + " is " + strings.Join(c.Equals, " or ")
}

// MarshalJSON writes what was said about times.
func (t Times) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Format payload.Epoch `json:"format,omitempty"`
		Zone   string        `json:"zone,omitempty"`
		Order  Order         `json:"order,omitempty"`
	}{t.Format, t.Zone, t.Order})
}

// fold returns a word as it is compared.
func fold(word string) string { return strings.ToLower(strings.TrimSpace(word)) }
