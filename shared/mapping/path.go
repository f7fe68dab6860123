package mapping

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gatehouse/shared/payload"
)

// Path leads from a payload's object to a value in it.
type Path []Segment

// Segment is one step of a path: into an object by name, into an array by index or to the
// element that has something, to every element of an array, or into a text that holds JSON.
type Segment struct {
	kind kind
	key  key    // of a member or element; of a lookup: what it compares
	is   string // of a lookup: what that equals
	take key    // of a lookup: what is taken of the element that it finds
	part bool   // of a lookup: take is set; otherwise the element itself is taken
}

type kind int

const (
	byKey kind = iota
	byLookup
	everyElement
	insideText
)

// key names a member of an object, or an element of an array.
type key struct {
	name    string
	index   int
	inArray bool
}

// Name returns the step to an object's member.
func Name(name string) Segment { return Segment{key: key{name: name}} }

// Index returns the step to an array's element; a negative one counts from the
// end.
func Index(index int) Segment { return Segment{key: key{index: index, inArray: true}} }

// MarshalJSON writes the step as a string or an integer, or as an object.
func (s Segment) MarshalJSON() ([]byte, error) {
	switch s.kind {
	case everyElement:
		return []byte(`{"all":true}`), nil
	case insideText:
		return []byte(`{"json":true}`), nil
	case byLookup:
		written := struct {
			Where key    `json:"where"`
			Is    string `json:"is"`
			Take  *key   `json:"take,omitempty"`
		}{Where: s.key, Is: s.is}
		if s.part {
			written.Take = &s.take
		}
		return json.Marshal(written)
	}
	return json.Marshal(s.key)
}

// MarshalJSON writes the key as a string or an integer.
func (k key) MarshalJSON() ([]byte, error) {
	if k.inArray {
		return json.Marshal(k.index)
	}
	return json.Marshal(k.name)
}

// of returns what the key names in an object or array, or nil.
func (k key) of(container any) any {
	k = k.fromFront(container)
	switch c := container.(type) {
	case map[string]any:
		if !k.inArray {
			return c[k.name]
		}
	case []any:
		if k.inArray && k.index >= 0 && k.index < len(c) {
			return c[k.index]
		}
	}
	return nil
}

func (k key) fromFront(container any) key {
	if list, ok := container.([]any); ok && k.inArray && k.index < 0 {
		k.index += len(list)
	}
	return k
}

// Find returns the value at the end of the path, or nil if there is none.
func (p Path) Find(object payload.Object) any {
	found := (&Reading{left: maxSteps}).walk(object, p)
	if list, ok := found.(several); ok {
		return []any(list)
	}
	return found
}

// FromFront returns the path to the same value by names and indexes from the front. What
// these cannot lead to is left out: it ends before a text that holds JSON, and before every
// element of an array.
func (p Path) FromFront(object payload.Object) Path {
	var value any = object
	path := Path{}
	for _, segment := range p {
		switch segment.kind {
		case everyElement, insideText:
			return path
		case byLookup:
			index, element := segment.lookUp(value, func() bool { return true })
			path = append(path, Index(index))
			if value = element; segment.part {
				path, value = append(path, Segment{key: segment.take.fromFront(value)}), segment.take.of(value)
			}
		default:
			path, value = append(path, Segment{key: segment.key.fromFront(value)}), segment.key.of(value)
		}
	}
	return path
}

// lookUp returns the first element of the array that has what the segment looks for, as long
// as it may go on; else nil.
func (s Segment) lookUp(container any, goOn func() bool) (int, any) {
	list, _ := container.([]any)
	for i, element := range list {
		if !goOn() {
			break
		}
		if found, ok := wordOf(s.key.of(element)); ok && found == s.is {
			return i, element
		}
	}
	return 0, nil
}

// wordOf returns the text of a string, number or truth value, and whether it is one.
func wordOf(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// String writes the path for people: alert.hosts[0].
func (p Path) String() string {
	var text strings.Builder
	for i, segment := range p {
		switch {
		case segment.kind == everyElement:
			text.WriteString("[*]")
		case segment.kind == insideText:
			text.WriteString("|json")
		case segment.kind == byLookup:
			fmt.Fprintf(&text, "[%s=%s]", Path{Segment{key: segment.key}}.bare(), segment.is)
			if segment.part {
				segment.take.write(&text, false)
			}
		default:
			segment.key.write(&text, i == 0)
		}
	}
	return text.String()
}

// bare writes a path of one key without brackets.
func (p Path) bare() string { return strings.Trim(p.String(), "[]") }

func (k key) write(text *strings.Builder, first bool) {
	switch {
	case k.inArray:
		fmt.Fprintf(text, "[%d]", k.index)
	case first:
		text.WriteString(k.name)
	default:
		text.WriteString("." + k.name)
	}
}

// Within reports whether the path is outer or begins with it.
func (p Path) Within(outer Path) bool {
	return len(p) >= len(outer) && slices.Equal(p[:len(outer)], outer)
}

// direct reports whether the path has names and indexes alone.
func (p Path) direct() bool {
	return !slices.ContainsFunc(p, func(s Segment) bool { return s.kind != byKey })
}
