package integration

import (
	"context"

	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

// SettingsChange lists what to change of a project's rules for alerts; nil
// leaves it.
type SettingsChange struct {
	Fingerprinting *bool
	By             audit.Actor
}

// ChangeSettings changes the project's rules for alerts.
func (r *Rules) ChangeSettings(ctx context.Context, p project.Project, c SettingsChange) (Settings, error) {
	s, err := r.AlertSettings(ctx, p)
	if err != nil {
		return Settings{}, err
	}
	set(&s.Fingerprinting, c.Fingerprinting)
	err = r.trail.Do(ctx, s.changeEvent(p, c.By), func(ctx context.Context) (err error) {
		s, err = r.PutAlertSettings(ctx, p, s)
		return err
	})
	return s, err
}
