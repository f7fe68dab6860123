package integration

import (
	"encoding/json"
	"strconv"

	"gatehouse/shared/fault"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

// mappingField is the field that complaints about a mapping are for.
const mappingField = "payload_attribute_mapping"

// maxMapping bounds a mapping, in bytes of JSON: it is stored with the
// integration and read for every alert.
const maxMapping = 32 << 10

// readMapping returns the mapping as stored, nil for one without targets.
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

// readSample returns the sample payload as stored, nil for an empty one.
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
