package web

import (
	"bytes"
	"encoding/json"
	"io"

	"gatehouse/shared/fault"
)

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
