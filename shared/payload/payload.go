// Package payload reads what monitoring tools send: JSON objects of any shape,
// within limits that keep reading cheap, with values of any type.
package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"gatehouse/shared/fault"
)

// The limits of a payload.
const (
	MaxBytes = 1 << 20
	// MaxGroupBytes is for a group of notifications in one payload. The event in which a
	// function gets it has 6 MiB, and what groups it makes longer by a tenth.
	MaxGroupBytes = 5 << 20
	MaxDepth      = 100 // nested objects and arrays
)

// Document is a parsed payload.
type Document struct {
	Text   []byte // as it was sent, but always valid UTF-8
	Object Object
}

// Object is a JSON object. Its values are nil, bool, string, json.Number (the
// exact text), []any and map[string]any. The last of duplicate members counts.
type Object = map[string]any

// Read parses a payload of at most MaxBytes. An empty text is the empty object, because even an empty
// notification means that something happened. A payload that is not an object,
// or exceeds a limit, is a fault.Invalid error. The Document may share the memory
// of text.
func Read(text []byte) (Document, error) { return ReadUpTo(text, MaxBytes) }

// ReadUpTo is Read with another limit, in bytes.
func ReadUpTo(text []byte, most int) (Document, error) {
	if err := Check(text, most); err != nil {
		return Document{}, err
	}
	sent := text
	text = clean(sent)
	value, wrong := decode(text)
	if wrong > 0 {
		return Document{}, malformedAt(sent, wrong+max(0, bytes.Index(sent, text[:1])))
	}
	object, ok := value.(Object)
	if !ok {
		return Document{}, fault.New(fault.Invalid, "the payload must be a JSON object")
	}
	return Document{text, object}, nil
}

// Check returns a fault.Invalid error for a payload that has more bytes or is nested more
// deeply than it may be, without parsing it.
func Check(text []byte, most int) error {
	err := CheckSize(text, most)
	if err == nil && deeperThan(text, MaxDepth) {
		return fault.New(fault.Invalid, "the payload is nested more than 100 levels deep")
	}
	return err
}

// CheckSize returns a fault.Invalid error for a payload that has more bytes.
func CheckSize(text []byte, most int) error {
	if len(text) > most {
		return fault.New(fault.Invalid, fmt.Sprintf("the payload exceeds %d MiB", most>>20))
	}
	return nil
}

// Elements returns the text of each element of a member that is an array.
func (d Document) Elements(member string) []json.RawMessage {
	var members map[string]json.RawMessage
	var elements []json.RawMessage
	if json.Unmarshal(d.Text, &members) != nil || json.Unmarshal(members[member], &elements) != nil {
		return nil
	}
	return elements
}

// clean drops the byte order mark that some tools send, and replaces invalid
// UTF-8 by a text that is not longer.
func clean(text []byte) []byte {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(text) == 0 {
		return []byte("{}")
	}
	return bytes.ToValidUTF8(text, []byte("?"))
}

// decode returns the value or, if the text is not valid JSON, the number of the first byte
// that is wrong, counted from 1.
func decode(text []byte) (value any, wrong int) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, int(syntax.Offset)
		}
		return nil, len(text)
	}
	if rest := bytes.TrimLeft(text[decoder.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, len(text) - len(rest) + 1
	}
	return value, 0
}

// malformedAt says where the byte with the number is, as editors count.
func malformedAt(text []byte, number int) error {
	before := text[:min(number, len(text))-1]
	line, start := bytes.Count(before, []byte("\n"))+1, bytes.LastIndexByte(before, '\n')+1
	column := utf8.RuneCount(before[start:]) + 1
	return fault.New(fault.Invalid, fmt.Sprintf("the payload is not valid JSON at line %d, column %d", line, column))
}

// deeperThan reports whether more than limit objects and arrays are nested. It
// only counts brackets outside of strings, which is correct for valid JSON.
func deeperThan(text []byte, limit int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
