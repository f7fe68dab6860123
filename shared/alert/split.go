package alert

import (
	"strconv"

	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

// maxElements bounds the alerts into which a mapping splits a payload.
const maxElements = 5000

// split reads a payload that the mapping splits. It returns false if the mapping does not, or
// there is no list that holds any object: then the payload is one notification, so that
// nothing is lost.
func (r *reader) split(document payload.Document, reading *mapping.Reading) (Parsed, bool) {
	if !reading.Splits() {
		return Parsed{}, false
	}
	elements, ok := reading.Elements()
	if !ok {
		if reading.Item(document.Object).State() != mapping.Ignored {
			r.notes.add("there is no list where the payload is to be split, so it is one alert")
		}
		return Parsed{}, false
	}
	s := splitting{reader: r, reading: reading, elements: elements}
	s.read(document)
	if len(elements) > 0 && s.skipped.NotObject == len(elements) {
		r.notes.add("no element of the list by which the payload is split is an object, so it is one alert")
		return Parsed{}, false
	}
	parsed := r.group(s.occurrences, s.places)
	parsed.Items, parsed.Skipped, parsed.IgnoredItems, parsed.Split = len(elements), s.skipped, s.ignored, true
	return parsed, true
}

// splitting is what became of the elements so far.
type splitting struct {
	*reader
	reading     *mapping.Reading
	elements    []any
	occurrences []Occurrence
	places      []int
	skipped     Skipped
	ignored     int
}

func (s *splitting) read(document payload.Document) {
	texts := document.Elements(s.reading.Member())
	for n, element := range s.elements {
		object, ok := element.(payload.Object)
		switch {
		case !ok:
			s.skipped.NotObject++
			continue
		case n >= maxElements:
			s.skipped.TooMany++
			s.notes.add("the payload is split into more than " + strconv.Itoa(maxElements) + " alerts, and the others are left out")
			continue
		}
		o, ok := plain{s.reader, s.reading.Element(object, n), object}.occurrence()
		if !ok {
			s.ignored++
			continue
		}
		if n < len(texts) {
			o.Payload = texts[n]
		} else { // the list is deeper in the payload
			o.Payload = []byte(payload.Text(element))
		}
		s.occurrences, s.places = append(s.occurrences, o), append(s.places, n)
	}
}
