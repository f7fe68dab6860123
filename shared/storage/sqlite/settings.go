package sqlite

import (
	"fmt"

	"gatehouse/shared/project"
)

// settingsOf are settings, stored as JSON.
type settingsOf[S project.Settings] struct{ of *S }

func (s settingsOf[S]) Scan(stored any) (err error) {
	from, ok := stored.(string)
	if !ok {
		return fmt.Errorf("stored settings are a %T", stored)
	}
	*s.of, err = project.DecodeSettings[S](from)
	return err
}

func (s settingsOf[S]) value() any { return project.EncodeSettings(*s.of) }

// changeSettings stores the next settings of what has the id in the table, unless they
// are the stored ones: the column may also have those of a later release, which stay.
func changeSettings[S project.Settings](tx *transaction, table string, id int64, stored, next S) error {
	encoded := project.EncodeSettings(next)
	if encoded == project.EncodeSettings(stored) {
		return nil
	}
	return tx.exec("UPDATE "+table+" SET settings = ? WHERE id = ?", encoded, id)
}
