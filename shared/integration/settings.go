package integration

import (
	"context"

	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/text"
)

// SettingsChange lists what to change of a project's rules for alerts; nil
// leaves it.
type SettingsChange struct{ Fingerprinting *bool }

// ChangeSettings changes the project's rules for alerts.
func (r *Rules) ChangeSettings(ctx context.Context, p project.Project, c SettingsChange) (Settings, error) {
	s, err := r.AlertSettings(ctx, p)
	if err != nil {
		return Settings{}, err
	}
	set(&s.Fingerprinting, c.Fingerprinting)
	return r.PutAlertSettings(ctx, p, s)
}

// AddEnvironment adds an environment to the project.
func (r *Rules) AddEnvironment(ctx context.Context, p project.Project, name string) (Environment, error) {
	if complaint := text.CheckName(name); complaint != "" {
		return Environment{}, fault.Field("name", complaint)
	}
	return r.CreateEnvironment(ctx, p, Environment{ProjectID: p.ID, Name: name})
}
