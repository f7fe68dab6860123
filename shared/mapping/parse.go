package mapping

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gatehouse/shared/fault"
	"gatehouse/shared/payload"
)

// The limits of a mapping.
const (
	maxLabel    = 255 // characters of a label or type
	maxName     = 1000
	maxSegments = payload.MaxDepth
)

// Parse reads a mapping in the form of the REST API: an object with a member for
// each mapped target, {"title": {"path": ["alert", "name"], "type": "STRING",
// "label": "Name"}}. No text and null map nothing, and a target that is null is
// not mapped. The error is fault.Fields with every complaint, under the given
// field.
func Parse(text []byte, field string) (Mapping, error) {
	if strings.TrimSpace(string(text)) == "null" {
		return Mapping{}, nil
	}
	document, err := payload.Read(text)
	if err != nil {
		return nil, fault.Field(field, "must be a JSON object")
	}
	mapping, complaints := Mapping{}, fault.Fields{}
	for _, name := range slices.Sorted(maps.Keys(document.Object)) {
		if value := document.Object[name]; value != nil {
			source, complaint := parseSource(Target(name), value)
			mapping[Target(name)] = source
			complaints.Add(field, complaint)
		}
	}
	if err := complaints.Err(); err != nil {
		return nil, err
	}
	return mapping, nil
}

// parseSource returns the source of a target or what is wrong with it.
func parseSource(target Target, value any) (Source, string) {
	object, ok := value.(payload.Object)
	switch {
	case !slices.Contains(Targets, target):
		return Source{}, fmt.Sprintf("has %q, which is no field of an alert", payload.Cut(string(target), maxLabel))
	case !ok:
		return Source{}, fmt.Sprintf("%s must be an object", target)
	}
	if unknown := unknownMember(object); unknown != "" {
		return Source{}, fmt.Sprintf("%s has the unknown member %q", target, payload.Cut(unknown, maxLabel))
	}
	path, complaint := parsePath(object["path"])
	kind, kindComplaint := parseWord(object["type"])
	label, labelComplaint := parseWord(object["label"])
	switch {
	case complaint != "":
		return Source{}, fmt.Sprintf("%s.path %s", target, complaint)
	case kind == "" || kindComplaint != "":
		return Source{}, fmt.Sprintf("%s.type %s", target, missing(object["type"], kindComplaint))
	case labelComplaint != "":
		return Source{}, fmt.Sprintf("%s.label %s", target, labelComplaint)
	}
	return Source{path, Type(kind), label}, ""
}

func unknownMember(object payload.Object) string {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if name != "path" && name != "type" && name != "label" {
			return name
		}
	}
	return ""
}

func missing(value any, complaint string) string {
	if payload.Blank(value) {
		return "is missing"
	}
	return complaint
}

// parseWord returns a string or what is wrong with it; null is empty.
func parseWord(value any) (string, string) {
	word, ok := value.(string)
	switch {
	case value != nil && !ok:
		return "", "must be a string"
	case utf8.RuneCountInString(word) > maxLabel:
		return "", fmt.Sprintf("is too long (maximum is %d characters)", maxLabel)
	}
	return strings.TrimSpace(word), ""
}

func parsePath(value any) (Path, string) {
	segments, ok := value.([]any)
	switch {
	case value == nil:
		return nil, "is missing"
	case !ok:
		return nil, "must be an array of strings and integers"
	case len(segments) == 0:
		return nil, "is empty"
	case len(segments) > maxSegments:
		return nil, fmt.Sprintf("is too long (maximum is %d segments)", maxSegments)
	}
	path := make(Path, len(segments))
	for i, segment := range segments {
		var complaint string
		if path[i], complaint = parseSegment(segment); complaint != "" {
			return nil, complaint
		}
	}
	return path, ""
}

func parseSegment(value any) (Segment, string) {
	switch v := value.(type) {
	case string:
		if utf8.RuneCountInString(v) > maxName {
			return Segment{}, fmt.Sprintf("has a segment that is too long (maximum is %d characters)", maxName)
		}
		return Name(v), ""
	case json.Number:
		if index, err := strconv.ParseInt(v.String(), 10, 32); err == nil {
			return Index(int(index)), ""
		}
	}
	return Segment{}, "must be an array of strings and integers"
}
