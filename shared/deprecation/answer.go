package deprecation

import (
	"bytes"
	"errors"
	"slices"
)

var errNoJSON = errors.New("the answer is not JSON")

// Omit returns the answer without the members that the places name. All other bytes
// stay as they are.
func Omit(answer []byte, places []Named) ([]byte, error) {
	objects, err := objectsOf(answer)
	if err != nil {
		return nil, err
	}
	var kept []byte
	end := 0
	for _, o := range objects {
		for _, cut := range o.cuts(places) {
			kept = append(kept, answer[end:cut.start]...)
			end = cut.end
		}
	}
	return append(kept, answer[end:]...), nil
}

// Told returns the places whose names alone tell a fact in the answer.
func Told(answer []byte, places []Named) (told []Named, err error) {
	if !slices.ContainsFunc(places, func(p Named) bool { return p.Sole && p.mayBeIn(answer) }) {
		return nil, nil
	}
	objects, err := objectsOf(answer)
	if err != nil {
		return nil, err
	}
	for _, p := range places {
		if p.Sole && slices.ContainsFunc(objects, func(o object) bool { return o.tells(p.Place) }) {
			told = append(told, p)
		}
	}
	return told, nil
}

// mayBeIn reports whether an answer has the words of a place, which is quickly found
// out.
func (p Place) mayBeIn(answer []byte) bool {
	return bytes.Contains(answer, []byte(p.Name)) && bytes.Contains(answer, []byte(p.Beside.Value))
}

// span is a part of an answer.
type span struct{ start, end int }

// member is a member of an object: its name, its value and where both are.
type member struct {
	span
	name, value string
}

// object is an object of an answer, with its members in their order.
type object []member

// cuts returns what to cut out of the object, with the commas.
func (o object) cuts(places []Named) (cuts []span) {
	named := func(m member) bool {
		return slices.ContainsFunc(places, func(p Named) bool { return p.In == Answer && o.has(m, p.Place) })
	}
	first := true // so far none was kept
	for n, m := range o {
		switch {
		case !named(m):
			first = false
		case first && n+1 < len(o):
			cuts = append(cuts, span{m.start, o[n+1].start})
		case first:
			cuts = append(cuts, m.span)
		default:
			cuts = append(cuts, span{o[n-1].end, m.end})
		}
	}
	return cuts
}

// has reports whether the member is one that the place names.
func (o object) has(m member, p Place) bool {
	return m.name == p.Name && (p.Beside == Member{} || slices.ContainsFunc(o, func(m member) bool {
		return m.name == p.Beside.Name && m.value == `"`+p.Beside.Value+`"`
	}))
}

// tells reports whether the member that the place names has a value.
func (o object) tells(p Place) bool {
	return slices.ContainsFunc(o, func(m member) bool {
		empty := slices.Contains([]string{"null", `""`, "[]", "{}"}, m.value)
		return o.has(m, p) && !empty
	})
}

// objectsOf returns the object that the answer is, or the objects in the list that
// it is.
func objectsOf(answer []byte) (objects []object, err error) {
	r := &reader{text: answer}
	defer func() {
		switch p := recover(); p {
		case nil:
		case errNoJSON: // from the reader
			err = errNoJSON
		default:
			panic(p)
		}
	}()
	switch r.peek() {
	case '{':
		objects = append(objects, r.object())
	case '[':
		r.each(']', func() {
			if r.peek() == '{' {
				objects = append(objects, r.object())
			} else {
				r.skip()
			}
		})
	}
	return objects, nil
}

// reader reads JSON from a text. It panics with errNoJSON if that ends too early.
type reader struct {
	text []byte
	at   int
}

// peek passes over white space and returns what follows.
func (r *reader) peek() byte {
	for ; r.at < len(r.text); r.at++ {
		if !blank(r.text[r.at]) {
			return r.text[r.at]
		}
	}
	panic(errNoJSON)
}

// each calls one for each item up to the closing bracket, and passes that.
func (r *reader) each(closing byte, one func()) {
	for r.at++; r.peek() != closing; {
		one()
		if r.peek() == ',' {
			r.at++
		}
	}
	r.at++
}

func (r *reader) object() (o object) {
	r.each('}', func() {
		r.peek()
		start := r.at
		name := r.skip()
		r.peek()
		r.at++ // the colon
		r.peek()
		value := r.skip()
		o = append(o, member{span{start, r.at}, string(bytes.Trim(name, `"`)), short(value)})
	})
	return o
}

// short returns a value that places may ask for, and "…" for a longer one.
func short(value []byte) string {
	if len(value) > 64 {
		return "…"
	}
	return string(value)
}

// skip passes over a value and returns it.
func (r *reader) skip() []byte {
	start, depth := r.at, 0
	for {
		switch r.peek() {
		case '"':
			r.skipString()
		case '{', '[':
			depth++
			r.at++
		case '}', ']':
			depth--
			r.at++
		case ',', ':':
			r.at++
		default:
			r.skipWord()
		}
		if depth == 0 {
			return r.text[start:r.at]
		}
	}
}

func (r *reader) skipString() {
	for r.at++; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case '\\':
			r.at++
		case '"':
			r.at++
			return
		}
	}
	panic(errNoJSON)
}

// skipWord passes over a number, true, false or null.
func (r *reader) skipWord() {
	for ; r.at < len(r.text); r.at++ {
		if c := r.text[r.at]; c == ',' || c == ']' || c == '}' || blank(c) {
			return
		}
	}
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
