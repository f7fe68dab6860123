// Package payload reads what monitoring tools send: JSON objects of any shape,
// within limits that keep reading cheap, with values of any type.
package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gatehouse/shared/fault"
)

// The limits of a payload.
const (
	MaxBytes = 1 << 20
	MaxDepth = 100 // nested objects and arrays
)

// Document is a parsed payload.
type Document struct {
	Text   []byte // as it was sent, but always valid UTF-8
	Object Object
}

// Object is a JSON object. Its values are nil, bool, string, json.Number (the
// exact text), []any and map[string]any. The last of duplicate members counts.
type Object = map[string]any

// Read parses a payload. An empty text is the empty object, because even an empty
// notification means that something happened. A payload that is not an object,
// or exceeds a limit, is a fault.Invalid error. The Document may share the memory
// of text.
func Read(text []byte) (Document, error) {
	if err := Check(text); err != nil {
		return Document{}, err
	}
	text = clean(text)
	value, err := decode(text)
	if err != nil {
		return Document{}, err
	}
	object, ok := value.(Object)
	if !ok {
		return Document{}, fault.New(fault.Invalid, "the payload must be a JSON object")
	}
	return Document{text, object}, nil
}

// Check returns a fault.Invalid error for a payload that exceeds a limit, without
// parsing it.
func Check(text []byte) error {
	switch {
	case len(text) > MaxBytes:
		return fault.New(fault.Invalid, "the payload exceeds 1 MiB")
	case deeperThan(text, MaxDepth):
		return fault.New(fault.Invalid, "the payload is nested more than 100 levels deep")
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

func decode(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		offset := int64(len(text))
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			offset = syntax.Offset
		}
		return nil, malformedAt(offset)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, malformedAt(decoder.InputOffset())
	}
	return value, nil
}

func malformedAt(offset int64) error {
	return fault.New(fault.Invalid, fmt.Sprintf("the payload is not valid JSON near byte %d", offset))
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
