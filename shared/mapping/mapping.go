// Package mapping lets a project say where in its monitoring tool's payload the
// fields of an alert are (Interface: "Plain"). A mapping that cannot be parsed
// is a fault.Fields error. A path that is not in a payload is no error, because
// no alert must be lost for that.
package mapping

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

// Mapping says where targets are found. A target without a source is found
// under its own name.
type Mapping map[Target]Source

// Source is a place in a payload, with a description for people.
type Source struct {
	Path  Path   `json:"path"`
	Type  Type   `json:"type"` // for people only: values are taken as they come
	Label string `json:"label,omitempty"`
}

// Type is what a value looks like.
type Type string

// The types.
const (
	Array    Type = "ARRAY"
	DateTime Type = "DATETIME"
	String   Type = "STRING"
)

// Find returns the value for the target and its path. If the value at the mapped
// place is null, false or missing, it looks under the target's own name. Without
// a value the path is nil.
func (m Mapping) Find(object payload.Object, target Target) (any, Path) {
	if source, ok := m[target]; ok {
		if value := source.Path.Find(object); present(value) {
			return value, source.Path
		}
	}
	if value := object[string(target)]; present(value) {
		return value, ownPaths[target]
	}
	return nil, nil
}

func present(value any) bool { return value != nil && value != false }

// ownPaths are the paths of the targets' own names.
var ownPaths = func() map[Target]Path {
	paths := map[Target]Path{}
	for _, target := range Targets {
		paths[target] = Path{Name(string(target))}
	}
	return paths
}()

// Path leads from a payload's object to a value in it.
type Path []Segment

// Segment is one step of a path: into an object by name, or into an array by
// index.
type Segment struct {
	name    string
	index   int
	inArray bool
}

// Name returns the step to an object's member.
func Name(name string) Segment { return Segment{name: name} }

// Index returns the step to an array's element; a negative one counts from the
// end.
func Index(index int) Segment { return Segment{index: index, inArray: true} }

// MarshalJSON writes the step as a string or an integer.
func (s Segment) MarshalJSON() ([]byte, error) {
	if s.inArray {
		return json.Marshal(s.index)
	}
	return json.Marshal(s.name)
}

// Find returns the value at the end of the path, or nil if there is none.
func (p Path) Find(object payload.Object) any {
	var value any = object
	for _, segment := range p {
		value = segment.of(value)
	}
	return value
}

func (s Segment) of(container any) any {
	s = s.fromFront(container)
	switch c := container.(type) {
	case map[string]any:
		if !s.inArray {
			return c[s.name]
		}
	case []any:
		if s.inArray && s.index >= 0 && s.index < len(c) {
			return c[s.index]
		}
	}
	return nil
}

// FromFront returns the path to the same value without negative indexes.
func (p Path) FromFront(object payload.Object) Path {
	var value any = object
	path := make(Path, len(p))
	for i, segment := range p {
		path[i] = segment.fromFront(value)
		value = segment.of(value)
	}
	return path
}

func (s Segment) fromFront(container any) Segment {
	if list, ok := container.([]any); ok && s.inArray && s.index < 0 {
		s.index += len(list)
	}
	return s
}

// String writes the path for people: alert.hosts[0].
func (p Path) String() string {
	var text strings.Builder
	for i, segment := range p {
		switch {
		case segment.inArray:
			fmt.Fprintf(&text, "[%d]", segment.index)
		case i > 0:
			text.WriteString("." + segment.name)
		default:
			text.WriteString(segment.name)
		}
	}
	return text.String()
}

// Within reports whether the path is outer or begins with it.
func (p Path) Within(outer Path) bool {
	return len(p) >= len(outer) && slices.Equal(p[:len(outer)], outer)
}
