package sqlite

import (
	"context"

	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
)

// A project without a row has the default settings.
var settings = newKind("alert_settings", settingsColumns, fault.NotFound, nil)

func settingsColumns(s *integration.Settings) columns {
	return columns{
		{"project_id", &s.ProjectID}, {"fingerprinting", &s.Fingerprinting},
		{"create_incident", &s.CreateIncident}, {"incident_template", &s.IncidentTemplate},
		{"auto_close_incident", &s.AutoCloseIncident}, {"send_email", &s.SendEmail},
		{"retention_days", &s.RetentionDays}, {"watched", &s.Watched}, {"version", &s.Version},
	}
}

// AlertSettings returns a project's rules for alerts.
func (s *Store) AlertSettings(ctx context.Context, p project.Project) (integration.Settings, error) {
	return alertSettings(ctx, s.readers, p.ID)
}

func alertSettings(ctx context.Context, on statements, projectID int64) (integration.Settings, error) {
	stored, err := settings.find(ctx, on, "WHERE project_id = ?", projectID)
	if fault.Is(err, fault.NotFound) {
		return integration.DefaultSettings(projectID), nil
	}
	return stored, err
}

// PutAlertSettings stores a project's rules for alerts.
func (s *Store) PutAlertSettings(ctx context.Context, p project.Project, next integration.Settings) (integration.Settings, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireProject(p.ID); err != nil {
			return err
		}
		stored, err := alertSettings(context.Background(), tx, p.ID)
		if err != nil {
			return err
		}
		if stored.Version != next.Version {
			return integration.ErrSettingsChanged
		}
		next.Version++
		return settings.put(tx, &next)
	})
	return next, err
}
