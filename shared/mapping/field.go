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
	maxElements = 10 // of each array
	maxDepth    = 20
)

// Fields lists the places in the sample that hold a value, by name: whatever is
// no object, an array as a whole and its first elements. A long or deep sample
// is not listed to its end.
func Fields(sample payload.Object) []Field {
	return appendFields([]Field{}, nil, sample)
}

func appendFields(fields []Field, path Path, value any) []Field {
	if len(fields) >= maxFields || len(path) > maxDepth {
		return fields
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if utf8.RuneCountInString(name) <= maxName {
				fields = appendFields(fields, step(path, Name(name)), v[name])
			}
		}
		return fields
	case []any:
		fields = append(fields, Field{path, path.String(), Array})
		for i, element := range v[:min(len(v), maxElements)] {
			fields = appendFields(fields, step(path, Index(i)), element)
		}
		return fields
	}
	return append(fields, Field{path, path.String(), typeOf(value)})
}

// step returns a path of its own: its neighbours share nothing with it.
func step(path Path, segment Segment) Path {
	return append(slices.Clip(path), segment)
}

func typeOf(value any) Type {
	if _, ok := payload.Time(value); ok {
		return DateTime
	}
	return String
}
