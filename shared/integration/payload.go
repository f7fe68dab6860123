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

// readMapping returns the mapping as stored, nil for an empty one.
func readMapping(text []byte) ([]byte, error) {
	if len(text) == 0 {
		return nil, nil
	}
	m, err := mapping.Parse(text, mappingField)
	if err != nil || m.Empty() {
		return nil, err
	}
	text, err = json.Marshal(m)
	if len(text) > mapping.MaxBytes { // what is escaped is longer than what was sent
		return nil, fault.Field(mappingField, "is too long (maximum is "+strconv.Itoa(mapping.MaxBytes)+" bytes)")
	}
	return text, err
}

// checkMapped checks whether an integration of the type can have the mapping.
func checkMapped(t Type, text []byte) error {
	m, err := mapping.Parse(text, mappingField)
	m.IgnoreWhen = nil // every type can have one
	switch {
	case err != nil:
		return err
	case t == OnCallLink:
		return fault.Field(mappingField, "is for integrations that take alerts")
	case t == Metrics && !m.Within(mapping.Title, mapping.Severity):
		return fault.Field(mappingField, "of a metrics integration has title, severity and ignore_when alone")
	}
	return nil
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
