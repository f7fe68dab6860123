package integration

import (
	"context"

	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

// ChangeSettings changes the project's rules for alerts.
func (r *Rules) ChangeSettings(ctx context.Context, by audit.Actor, p project.Project, fingerprinting bool) (Settings, error) {
	s, err := r.AlertSettings(ctx, p)
	if err != nil {
		return Settings{}, err
	}
	s.Fingerprinting = fingerprinting
	err = r.trail.Do(ctx, s.changeEvent(p, by), func(ctx context.Context) (err error) {
		s, err = r.store.PutAlertSettings(ctx, p, s)
		return err
	})
	return s, err
}
