package mapping

import (
	"strings"
	"time"

	"gatehouse/shared/payload"
	"gatehouse/shared/text"
)

// maxSteps bounds the work of applying a mapping to a payload, of whatever size both are. A
// step takes some ten nanoseconds.
const maxSteps = 300_000

// The steps of what is more than one.
const (
	stepsOfZone   = 2000 // to find a zone by its name
	stepsOfByte   = 1    // to read a byte of JSON in a text
	bytesOfAStep  = 2    // of a value that is written as JSON
	filledOfAStep = 32   // bytes of a template that is filled
)

// Reading is a mapping that is applied to one payload, or nil for an empty mapping. Its work
// is bounded: when that is used up, it finds nothing any more.
type Reading struct {
	mapping   Mapping
	whole     payload.Object
	left      int            // steps
	exhausted bool           // something was not found for want of steps
	list      Path           // to the list of elements, from the front
	texts     map[string]any // JSON in texts that was read; nil: a text that is none
	zones     map[string]*time.Location
}

// Read begins to apply the mapping.
func (m Mapping) Read(whole payload.Object) *Reading {
	if m.Empty() {
		return nil
	}
	return &Reading{mapping: m, whole: whole, left: maxSteps}
}

// Exhausted reports whether the work came to its bound, so that something may have been found
// in its usual place instead.
func (r *Reading) Exhausted() bool { return r != nil && r.exhausted }

// spend takes steps, and reports whether there were enough.
func (r *Reading) spend(steps int) bool {
	if r.left < steps {
		r.left, r.exhausted = 0, true
		return false
	}
	r.left -= steps
	return true
}

// several are the values that a path through every element of a list leads to.
type several []any

// walk returns the value at the end of the path, or nil.
func (r *Reading) walk(value any, path Path) any {
	for i, segment := range path {
		if value == nil || !r.spend(1) {
			return nil
		}
		switch segment.kind {
		case everyElement:
			return r.walkAll(value, path[i+1:])
		case insideText:
			value = r.inside(value)
		case byLookup:
			_, value = segment.lookUp(value, func() bool { return r.spend(1) })
			if segment.part {
				value = segment.take.of(value)
			}
		default:
			value = segment.key.of(value)
		}
	}
	return value
}

// walkAll walks on from every element of a list.
func (r *Reading) walkAll(value any, path Path) any {
	list, _ := value.([]any)
	var found several
	for _, element := range list {
		if !r.spend(1) {
			return nil
		}
		switch end := r.walk(element, path).(type) {
		case nil:
		case several:
			if !r.spend(len(end)) {
				return nil
			}
			found = append(found, end...)
		default:
			found = append(found, end)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// inside returns what the JSON in a text says. A value that is no text is JSON already.
func (r *Reading) inside(value any) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	read, known := r.texts[text]
	if !known && r.spend(stepsOfByte*len(text)) {
		read, _ = payload.Inside(text)
		keep(&r.texts, text, read)
	}
	return read
}

// text returns a value as text; a list is joined.
func (r *Reading) text(value any) string {
	if word, ok := wordOf(value); ok {
		return word
	}
	list, ok := value.(several)
	if !ok {
		list = several{value}
	}
	var texts []string
	for _, element := range list {
		word, ok := wordOf(element)
		if !ok && r.spend(1) {
			word = payload.Text(element)
			r.spend(len(word) / bytesOfAStep)
		}
		if !payload.Blank(word) {
			texts = append(texts, word)
		}
	}
	return strings.Join(texts, ", ")
}

// maxFilled bounds a template with its values, in bytes.
const maxFilled = 64 << 10

// fill returns the template with its values, or "" if it has none of them.
func (i Item) fill(t Template, whole bool) string {
	var filled strings.Builder
	some := false
	for _, p := range t.parts {
		if i.exhausted {
			return ""
		}
		word := p.text
		if p.path != nil {
			word = i.filling(p, whole)
			some = some || word != ""
		}
		filled.WriteString(word[:min(len(word), maxFilled-filled.Len())])
	}
	if !some {
		return ""
	}
	return strings.ToValidUTF8(filled.String(), "")
}

// filling returns the text for a placeholder, or "" if it has no value.
func (i Item) filling(p part, whole bool) string {
	value := i.walk(i.root(whole || p.whole), p.path)
	if payload.Blank(value) {
		return ""
	}
	word := i.text(value)
	if payload.Blank(word) || !i.spend(1+min(len(word), maxFilled)/filledOfAStep) {
		return ""
	}
	return word
}

// zone finds a zone by its name, for a bounded number of names.
func (r *Reading) zone(name string) *time.Location {
	zone, known := r.zones[name]
	if !known && r.spend(stepsOfZone) {
		zone, _ = text.Zone(name)
		keep(&r.zones, name, zone)
	}
	return zone
}

// keep sets a key of a map that may not be there yet.
func keep[T any](in *map[string]T, key string, value T) {
	if *in == nil {
		*in = map[string]T{}
	}
	(*in)[key] = value
}
