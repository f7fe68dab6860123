package fault

import (
	"maps"
	"slices"
	"strings"
)

// Fields are complaints about the fields of one thing, by field name. It is
// an error of kind Invalid; the edge renders it as
// {"message":{"field":["complaint", …]}}.
type Fields map[string][]string

// Field returns a single complaint about a single field.
func Field(name, complaint string) error { return Fields{name: {complaint}} }

// Taken is the complaint about a name that something else has.
const Taken = "has already been taken"

// Add notes a complaint about a field; an empty complaint is none.
func (f Fields) Add(name, complaint string) {
	if complaint != "" {
		f[name] = append(f[name], complaint)
	}
}

// Err returns the complaints as an error, or nil when there are none.
func (f Fields) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// Error lists the complaints in the order of the field names.
func (f Fields) Error() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		parts = append(parts, name+" "+strings.Join(f[name], ", "))
	}
	return strings.Join(parts, "; ")
}

// Is reports whether target is Invalid.
func (f Fields) Is(target error) bool { return target == Invalid }
