package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"gatehouse/shared/integration"
	"gatehouse/shared/project"
)

func scanAlertSettings(r row) (s integration.Settings, err error) {
	return s, r.Scan(&s.ProjectID, &s.Fingerprinting, &s.Version)
}

// AlertSettings returns a project's rules for alerts.
func (s *Store) AlertSettings(ctx context.Context, p project.Project) (integration.Settings, error) {
	return alertSettings(ctx, s.readers, p.ID)
}

func alertSettings(ctx context.Context, on statements, projectID int64) (integration.Settings, error) {
	stored, err := one(ctx, on, scanAlertSettings,
		"SELECT project_id, fingerprinting, version FROM alert_settings WHERE project_id = ?", projectID)
	if errors.Is(err, sql.ErrNoRows) {
		return integration.DefaultSettings(projectID), nil
	}
	return stored, err
}

// PutAlertSettings stores a project's rules for alerts.
func (s *Store) PutAlertSettings(ctx context.Context, p project.Project, settings integration.Settings) (integration.Settings, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.require(project.ErrNotFound, "SELECT 1 FROM projects WHERE id = ?", p.ID); err != nil {
			return err
		}
		stored, err := alertSettings(context.Background(), tx, p.ID)
		if err != nil {
			return err
		}
		if stored.Version != settings.Version {
			return integration.ErrSettingsChanged
		}
		settings.Version++
		return tx.exec("INSERT OR REPLACE INTO alert_settings (project_id, fingerprinting, version) VALUES (?, ?, ?)",
			p.ID, settings.Fingerprinting, settings.Version)
	})
	return settings, err
}
