package integration

import (
	"encoding/json"
	"strconv"

	"gatehouse/shared/fault"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

// mappingField names the mapping to whom it is wrong for.
const mappingField = "payload_attribute_mapping"

// maxMapping is the longest mapping, in bytes of JSON: a store keeps it with
// the integration, and every alert reads it.
const maxMapping = 32 << 10

// readMapping returns the JSON text of the mapping; one that maps nothing is
// no text.
func readMapping(text []byte) ([]byte, error) {
	if len(text) == 0 {
		return nil, nil
	}
	m, err := mapping.Parse(text, mappingField)
	if err != nil || len(m) == 0 {
		return nil, err
	}
	text, err = json.Marshal(m)
	if len(text) > maxMapping {
		return nil, fault.Field(mappingField, "is too long (maximum is "+strconv.Itoa(maxMapping)+" bytes)")
	}
	return text, err
}

// readSample returns the text of a sample payload; one that says nothing is no
// text.
func readSample(text []byte) ([]byte, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	document, err := payload.Read(text)
	if err != nil || len(document.Object) == 0 {
		return nil, err
	}
	return document.Text, nil
}
