package mapping

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Template is a text with placeholders, such as {host.name}/{service}.
type Template struct {
	text  string
	parts []part
}

// part is plain text, or a placeholder.
type part struct {
	text  string
	path  Path // of a placeholder
	whole bool // the path begins at the whole payload
}

// The limits of a template.
const (
	maxTemplate     = 1000 // characters
	maxPlaceholders = 50
)

// fromWhole begins a placeholder that is looked for in the whole payload.
const fromWhole = "whole:"

// parseTemplate reads a template. Its braces are written twice where they are text.
func parseTemplate(text string) (Template, string) {
	if utf8.RuneCountInString(text) > maxTemplate {
		return Template{}, fmt.Sprintf("is too long (maximum is %d characters)", maxTemplate)
	}
	t, plain, placeholders := Template{text: text}, strings.Builder{}, 0
	for rest := text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			plain.WriteByte(rest[0])
			rest = rest[2:]
		case rest[0] == '}':
			return Template{}, "has a } without a {: write }} for a brace"
		case rest[0] == '{':
			p, after, complaint := parsePlaceholder(rest[1:])
			if placeholders++; placeholders > maxPlaceholders {
				complaint = fmt.Sprintf("has more than %d placeholders", maxPlaceholders)
			}
			if complaint != "" {
				return Template{}, complaint
			}
			t.addText(&plain)
			t.parts, rest = append(t.parts, p), after
		default:
			plain.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
	t.addText(&plain)
	if placeholders == 0 {
		return Template{}, "has no placeholder such as {host.name}: use a constant"
	}
	return t, ""
}

func (t *Template) addText(plain *strings.Builder) {
	if plain.Len() > 0 {
		t.parts = append(t.parts, part{text: plain.String()})
		plain.Reset()
	}
}

// parsePlaceholder reads what stands behind a brace up to the one that closes it, and
// returns what is behind that.
func parsePlaceholder(text string) (part, string, string) {
	path, whole := strings.CutPrefix(text, fromWhole)
	r := pathReader{rest: path}
	p := part{whole: whole, path: r.read()}
	switch {
	case r.wrong != "":
		return part{}, "", "has a placeholder " + r.wrong
	case r.rest == "":
		return part{}, "", "has a { without a }: write {{ for a brace"
	}
	return p, r.rest[1:], ""
}

// pathReader reads a path that is written as text: items[0].tags[name=host].value, or
// Message|json["odd name"], or hosts[*].
type pathReader struct {
	rest  string
	wrong string // what is, from there on
}

// read reads up to a closing brace or the end.
func (r *pathReader) read() (path Path) {
	for first := true; r.wrong == "" && r.rest != "" && r.rest[0] != '}'; first = false {
		if len(path) == maxSegments {
			r.wrong = fmt.Sprintf("of more than %d steps", maxSegments)
			return nil
		}
		path = append(path, r.step(first))
	}
	if len(path) == 0 && r.wrong == "" {
		r.wrong = "without a path"
	}
	return path
}

// inText is how a path goes on inside a text.
const inText = "|json"

func (r *pathReader) step(first bool) Segment {
	switch {
	case !first && strings.HasPrefix(r.rest, inText):
		r.rest = r.rest[len(inText):]
		return Segment{kind: insideText}
	case r.rest[0] == '[':
		r.rest = r.rest[1:]
		return r.bracket()
	case !first && r.rest[0] == '.':
		r.rest = r.rest[1:]
	case !first:
		r.wrong = fmt.Sprintf("with %q where a step should begin", r.rest[:1])
		return Segment{}
	}
	return Name(r.name())
}

// special are the characters that a name has only between quotes.
const special = `.[]{}|="`

func (r *pathReader) name() string {
	end := strings.IndexAny(r.rest, special)
	if end < 0 {
		end = len(r.rest)
	}
	name := r.rest[:end]
	if name == "" {
		r.wrong = `with an empty name: write [""]`
	}
	r.rest = r.rest[end:]
	return name
}

// bracket reads what stands behind an opening bracket: a star, an index, a quoted name, or a
// lookup.
func (r *pathReader) bracket() Segment {
	if after, ok := strings.CutPrefix(r.rest, "*]"); ok {
		r.rest = after
		return Segment{kind: everyElement}
	}
	s, bare := Segment{}, false
	switch end := strings.IndexAny(r.rest, special); {
	case strings.HasPrefix(r.rest, `"`):
		s.key.name = r.quoted()
	case end > 0:
		s.key, bare = keyIn(r.rest[:end])
		r.rest = r.rest[end:]
	default:
		r.wrong = "with brackets that hold nothing"
	}
	if after, ok := strings.CutPrefix(r.rest, "="); ok && r.wrong == "" {
		r.rest, bare = after, false
		s.kind, s.is = byLookup, r.wanted()
	}
	after, closed := strings.CutPrefix(r.rest, "]")
	switch {
	case r.wrong != "":
	case !closed:
		r.wrong = "with a bracket that is not closed"
	case bare:
		r.wrong = fmt.Sprintf("with a name in brackets: write [%q]", s.key.name)
	}
	r.rest = after
	return s
}

// keyIn reads an index, or else a name.
func keyIn(text string) (k key, isName bool) {
	if index, err := strconv.ParseInt(text, 10, 32); err == nil {
		return key{index: int(index), inArray: true}, false
	}
	return key{name: text}, true
}

// wanted reads what a lookup looks for.
func (r *pathReader) wanted() string {
	if strings.HasPrefix(r.rest, `"`) {
		return r.quoted()
	}
	end := max(0, strings.IndexByte(r.rest, ']'))
	text := r.rest[:end]
	r.rest = r.rest[end:]
	return text
}

func (r *pathReader) quoted() string {
	quoted, err := strconv.QuotedPrefix(r.rest)
	text, unquoteErr := strconv.Unquote(quoted)
	if err != nil || unquoteErr != nil || !utf8.ValidString(text) {
		r.wrong = "with quotes that are not closed"
		return ""
	}
	r.rest = r.rest[len(quoted):]
	return text
}
