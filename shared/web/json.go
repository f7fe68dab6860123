package web

import (
	"bytes"
	"encoding/json"
	"io"

	"gatehouse/shared/fault"
)

// Encode returns the JSON of an answer. It leaves '<', '>' and '&' as they are: an
// answer is no HTML, and escaped each of them takes six bytes.
func Encode(body any) ([]byte, error) {
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(encoded.Bytes(), []byte("\n")), nil
}

// maxAnswer is how much of the 6 MB that a function's answer may have is for the
// body, in bytes.
const maxAnswer = 6<<20 - 64<<10

// Fits reports whether a function can answer with this body as JSON. In its answer
// to the gateway that JSON is a string, in which quotes and some others take twice
// as much.
func Fits(body any) bool {
	encoded, err := Encode(body)
	return err == nil && fits(encoded)
}

// fits is Fits for a body that is encoded already. A character of JSON takes at most
// twice as much in a string.
func fits(encoded []byte) bool {
	if 2*len(encoded) <= maxAnswer {
		return true
	}
	quoted, err := Encode(string(encoded))
	return err == nil && len(quoted) <= maxAnswer
}

// Object reads a body that is one JSON object. A name that comes more than once has
// all its values.
func Object(body []byte) (map[string][]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if !opens(decoder) {
		return nil, errNoObject
	}
	object := map[string][]any{}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, errNoObject
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, errNoObject
		}
		object[name] = append(object[name], value)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, errNoObject
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fault.New(fault.Invalid, "the body holds more than one JSON value")
	}
	return object, nil
}

var errNoObject = fault.New(fault.Invalid, "the body is not a JSON object")

func opens(decoder *json.Decoder) bool {
	token, err := decoder.Token()
	return err == nil && token == json.Delim('{')
}
