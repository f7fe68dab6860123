package dynamodb

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/project"
)

// settingsOf are settings, an attribute of the group or project, a text of JSON; defaults are none.
type settingsOf[S project.Settings] struct{ of *S }

func settingsField[S project.Settings](s *S) field { return field{"settings", settingsOf[S]{s}} }

func (s settingsOf[S]) value() types.AttributeValue {
	encoded := project.EncodeSettings(*s.of)
	return unless(encoded == "", text(encoded))
}

func (s settingsOf[S]) set(value types.AttributeValue) error {
	encoded, err := parseText(value)
	if err == nil {
		*s.of, err = project.DecodeSettings[S](encoded)
	}
	return err
}

// changedSettings returns the field that stores the next settings, unless they are the
// stored ones: the attribute may also have those of a later release, which stay.
func changedSettings[S project.Settings](stored S, next *S) fields {
	if project.EncodeSettings(stored) == project.EncodeSettings(*next) {
		return nil
	}
	return fields{settingsField(next)}
}
