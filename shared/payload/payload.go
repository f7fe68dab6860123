// Package payload reads what monitoring tools send: a JSON object of any shape,
// within limits that keep reading it cheap, and values that may be of another
// type than expected.
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
	MaxDepth = 100 // objects and arrays inside each other
)

// Document is a payload that was read.
type Document struct {
	Text   []byte // as it was sent, but always valid UTF-8
	Object Object
}

// Object is a JSON object. Its values are nil, bool, string, json.Number (the
// exact text), []any and map[string]any. Of a member that comes twice the last
// one counts.
type Object = map[string]any

// Read reads a payload. Nothing at all is the empty object, because a sender
// that has nothing to say still says that something happened. Whatever is not
// an object, or beyond a limit, is a fault.Invalid error. The Document may
// share the memory of text.
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

// Check returns a fault.Invalid error for a payload beyond the limits, without
// reading it.
func Check(text []byte) error {
	switch {
	case len(text) > MaxBytes:
		return fault.New(fault.Invalid, "the payload exceeds 1 MiB")
	case deeperThan(text, MaxDepth):
		return fault.New(fault.Invalid, "the payload is nested more than 100 levels deep")
	}
	return nil
}

// Elements returns the text of each element of the member that is an array.
func (d Document) Elements(member string) []json.RawMessage {
	var members map[string]json.RawMessage
	var elements []json.RawMessage
	if json.Unmarshal(d.Text, &members) != nil || json.Unmarshal(members[member], &elements) != nil {
		return nil
	}
	return elements
}

// clean drops the byte order mark with which some tools begin and replaces
// bytes that are no UTF-8 by something that is no longer than they are.
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
		return nil, malformed(err, len(text))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, malformedAt(decoder.InputOffset())
	}
	return value, nil
}

func malformed(err error, length int) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return malformedAt(syntax.Offset)
	}
	return malformedAt(int64(length))
}

func malformedAt(offset int64) error {
	return fault.New(fault.Invalid, fmt.Sprintf("the payload is not valid JSON near byte %d", offset))
}

// deeperThan reports whether more than limit objects and arrays are open at
// once anywhere. It looks at brackets outside of strings only, so it is right
// for JSON and bounded for everything else.
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
