package mapping

import (
	"maps"
	"slices"
	"unicode/utf8"

	"gatehouse/shared/payload"
)

// Field is a place in a sample payload from which an alert's field can be
// taken.
type Field struct {
	Path  Path   `json:"path"`
	Label string `json:"label"`
	Type  Type   `json:"type"`
}

// The limits of what Fields lists.
const (
	maxFields   = 500
	maxLabels   = 32 << 10 // bytes of all labels, which could otherwise be megabytes
	maxElements = 10       // of each array
	maxDepth    = 20
)

// Fields lists the places in the sample that hold a value, by name: everything
// except objects, and arrays both as a whole and by their first elements. A long
// or deep sample is listed in part.
func Fields(sample payload.Object) []Field {
	l := lister{fields: []Field{}, left: maxLabels}
	l.list(nil, sample)
	return l.fields
}

// lister lists fields within the limits.
type lister struct {
	fields []Field
	left   int // bytes of labels
	looked int // values that were listed or left out for their labels
}

func (l *lister) list(path Path, value any) {
	if l.looked >= maxFields || len(path) > maxDepth {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if utf8.RuneCountInString(name) <= maxName {
				l.list(step(path, Name(name)), v[name])
			}
		}
	case []any:
		l.add(path, Array)
		for i, element := range v[:min(len(v), maxElements)] {
			l.list(step(path, Index(i)), element)
		}
	default:
		l.add(path, typeOf(value))
	}
}

// add lists a field, unless its label has no room.
func (l *lister) add(path Path, t Type) {
	label := path.String()
	l.looked++
	if len(label) <= l.left {
		l.fields, l.left = append(l.fields, Field{path, label, t}), l.left-len(label)
	}
}

// step returns a new path, which shares no memory with its siblings.
func step(path Path, segment Segment) Path {
	return append(slices.Clip(path), segment)
}

func typeOf(value any) Type {
	if _, ok := payload.Time(value); ok {
		return DateTime
	}
	return String
}
