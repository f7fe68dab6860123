package mapping

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/shared/fault"
	"gatehouse/shared/payload"
)

// Text writes the path as people write one, and as a template has it. ReadPath reads a path
// that leads to the same place.
func (p Path) Text() string {
	var text strings.Builder
	for i, segment := range p {
		switch segment.kind {
		case everyElement:
			text.WriteString("[*]")
		case insideText:
			text.WriteString(inText)
		case byLookup:
			text.WriteString("[" + segment.key.bracketed() + "=" + wordInBrackets(segment.is) + "]")
			if segment.part {
				segment.take.writeStep(&text, false)
			}
		default:
			segment.key.writeStep(&text, i == 0)
		}
	}
	return text.String()
}

// writeStep writes the key as a step of a path.
func (k key) writeStep(text *strings.Builder, first bool) {
	switch {
	case k.inArray || !plainName(k.name) || first && strings.HasPrefix(k.name, fromWhole):
		text.WriteString("[" + k.quotedUnlessIndex() + "]")
	case first:
		text.WriteString(k.name)
	default:
		text.WriteString("." + k.name)
	}
}

func (k key) quotedUnlessIndex() string {
	if k.inArray {
		return strconv.Itoa(k.index)
	}
	return strconv.Quote(k.name)
}

// bracketed writes what a lookup compares: a name that is no index needs no quotes.
func (k key) bracketed() string {
	if _, isName := keyIn(k.name); !k.inArray && isName && plainName(k.name) {
		return k.name
	}
	return k.quotedUnlessIndex()
}

// plainName reports whether the name can stand in a path without quotes.
func plainName(name string) bool {
	return name != "" && !strings.ContainsAny(name, special) && name == strings.TrimSpace(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

func wordInBrackets(word string) string {
	if plainName(word) {
		return word
	}
	return strconv.Quote(word)
}

var errNotUTF8 = fault.New(fault.Invalid, "is no text in UTF-8")

// ReadPath reads a path as people write one: items[0].tags[name=host].value, or as a mapping
// has it: ["items", 0]. The error is fault.Invalid.
func ReadPath(text string) (Path, error) {
	if !utf8.ValidString(text) {
		return nil, errNotUTF8
	}
	r := pathReader{rest: strings.TrimSpace(text)}
	path := r.read()
	if r.wrong == "" && r.rest != "" {
		r.wrong = `with a } where a step should begin`
	}
	if r.wrong == "" {
		return path, nil
	}
	if path, ok := readSteps(text); ok {
		return path, nil
	}
	return nil, fault.New(fault.Invalid, "is a path "+r.wrong)
}

// readSteps reads a path that is written as a mapping has it.
func readSteps(text string) (Path, bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return nil, false
	}
	document, err := payload.Read([]byte(`{"path":` + text + `}`))
	if err != nil {
		return nil, false
	}
	path, complaint := parsePath(document.Object["path"])
	return path, complaint == ""
}

// Text writes the source as people write it. ReadSource reads the same source, but for a
// template that looks like a path.
func (s Source) Text() string {
	whole := ""
	if s.Whole {
		whole = fromWhole
	}
	switch {
	case s.Path != nil:
		return whole + s.Path.Text()
	case s.Constant != "":
		return strconv.Quote(s.Constant)
	}
	return whole + s.Template.text
}

// ReadSource reads a source as people write it: a path, a text with paths in braces, or a
// constant between quotes. The error is fault.Invalid.
func ReadSource(text string) (Source, error) {
	if !utf8.ValidString(text) {
		return Source{}, errNotUTF8
	}
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, `"`) {
		return readConstant(text)
	}
	rest, whole := strings.CutPrefix(text, fromWhole)
	path, err := ReadPath(rest)
	if err == nil {
		return Source{Path: path, Whole: whole}, nil
	}
	if !strings.Contains(rest, "{") {
		return Source{}, err
	}
	t, complaint := parseTemplate(rest)
	if complaint != "" {
		return Source{}, fault.New(fault.Invalid, complaint)
	}
	return Source{Template: t, Whole: whole}, nil
}

func readConstant(text string) (Source, error) {
	constant, err := strconv.Unquote(text)
	if err != nil || !utf8.ValidString(constant) {
		return Source{}, fault.New(fault.Invalid, "has a quote that is not closed")
	}
	if constant, complaint := parseFilled(constant, maxText); complaint == "" {
		return Source{Constant: constant}, nil
	}
	return Source{}, fault.New(fault.Invalid, "has nothing between its quotes, or too much")
}

// With puts a source in the place of the rule's first one, and leaves all else in the rule as
// it is. No source takes the first one away; the rule may then say nothing. What fits into a
// rule of the first edition becomes one, with what the sample has there.
func (r Rule) With(target Target, s *Source, sample payload.Object) Rule {
	if s != nil && s.direct() && r.Further() == "" && len(r.Sources) < 2 {
		value := s.Path.Find(sample)
		if !target.isTime() || value == nil || usualTime(target, value) {
			return Rule{Path: s.Path, Type: typeOfPlace(value), Label: payload.Cut(s.Path.String(), maxLabel)}
		}
	}
	if r.Path != nil {
		r = Rule{Type: r.Type}
	} else if len(r.Sources) > 0 {
		r.Sources = r.Sources[1:]
	}
	if s != nil {
		r.Sources = append([]Source{*s}, r.Sources...)
	}
	return r
}

// direct reports whether the source is a path that a rule of the first edition can have.
func (s Source) direct() bool { return s.Path != nil && s.Path.direct() && !s.Whole }

// usualTime reports whether a rule of the first edition reads the time.
func usualTime(target Target, value any) (ok bool) {
	if target == EndTime {
		_, ok = payload.EpochTime(value)
	} else {
		_, ok = payload.Time(value)
	}
	return ok
}

func typeOfPlace(value any) Type {
	if _, isList := value.([]any); isList {
		return Array
	}
	return typeOf(value)
}

// First returns the rule's first source, and false if it has none.
func (r Rule) First() (Source, bool) {
	switch {
	case r.Path != nil:
		return Source{Path: r.Path}, true
	case len(r.Sources) > 0:
		return r.Sources[0], true
	}
	return Source{}, false
}

// Further says for people what the rule has besides its first source, or "".
func (r Rule) Further() string {
	var parts []string
	for n, source := range r.Sources {
		if n > 0 {
			parts = append(parts, "else "+source.Text())
		}
	}
	if len(r.Values.written) > 0 {
		parts = append(parts, r.Values.String())
	}
	if r.Default != nil {
		parts = append(parts, "else "+strconv.Quote(*r.Default))
	}
	if r.Time != nil {
		parts = append(parts, r.Time.String())
	}
	if r.Scope == IntegrationScope {
		parts = append(parts, "of this integration alone")
	}
	return strings.Join(parts, "; ")
}

// Says reports whether the rule says anything that matters to a payload.
func (r Rule) Says() bool { _, ok := r.First(); return ok || r.Further() != "" }

// String writes the table for people.
func (t Table) String() string {
	var lines []string
	for _, from := range slices.Sorted(maps.Keys(t.written)) {
		lines = append(lines, from+" → "+t.written[from])
	}
	return strings.Join(lines, ", ")
}

// String writes for people how times are written.
func (t Times) String() string {
	parts := []string{"times"}
	for _, part := range []struct{ name, value string }{{"as", string(t.Format)}, {"in", t.Zone}, {"in the order of", strings.ToUpper(string(t.Order))}} {
		if part.value != "" {
			parts = append(parts, part.name, part.value)
		}
	}
	return strings.Join(parts, " ")
}

// InElement returns the rest of a path that leads into an element of the list, and whether it
// leads there.
func (p Path) InElement(list Path) (Path, bool) {
	if len(p) < len(list)+2 || !p.Within(list) || !p[len(list)].key.inArray {
		return nil, false
	}
	return p[len(list)+1:], true
}

// NewCondition returns the condition that the source has one of the words. The error is
// fault.Invalid.
func NewCondition(s Source, words []string) (*Condition, error) {
	written, err := json.Marshal(Condition{Source: s, Equals: words})
	if err != nil {
		return nil, err
	}
	document, err := payload.Read(written)
	if err != nil {
		return nil, err
	}
	c, complaint := parseCondition("", document.Object)
	if complaint != "" {
		return nil, fault.New(fault.Invalid, "is a condition whose "+strings.TrimPrefix(complaint, "."))
	}
	return c, nil
}

// Around returns a payload that has the element at the end of the path to a list, as an
// element of it, and false if the path is not by names, positions and every element.
func (p Path) Around(element []byte) ([]byte, bool) {
	text := bytes.Join([][]byte{[]byte("["), element, []byte("]")}, nil)
	for n := len(p) - 1; n >= 0; n-- {
		switch s := p[n]; {
		case s.kind == byKey && !s.key.inArray:
			name, err := json.Marshal(s.key.name)
			if err != nil {
				return nil, false
			}
			text = bytes.Join([][]byte{[]byte("{"), name, []byte(":"), text, []byte("}")}, nil)
		case s.kind == everyElement, s.kind == byKey && (s.key.index == 0 || s.key.index == -1):
			text = bytes.Join([][]byte{[]byte("["), text, []byte("]")}, nil)
		default:
			return nil, false
		}
	}
	return text, len(p) > 0 && text[0] == '{'
}
