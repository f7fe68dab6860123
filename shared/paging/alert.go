package paging

import (
	"context"

	"gatehouse/shared/alert"
	"gatehouse/shared/integration"
	"gatehouse/shared/outbox"
)

// followAlert does what follows from a change of an alert.
func (r *Rules) followAlert(ctx context.Context, m outbox.Message, e alert.Event) ([]outbox.Message, error) {
	s, err := r.subject(ctx, e.ProjectID, e.IID)
	if err != nil {
		return nil, err
	}
	settings, err := r.Settings.AlertSettings(ctx, s.project)
	if err != nil {
		return nil, err
	}
	if err := r.followWithIncident(ctx, m.Kind, s, settings); err != nil {
		return nil, err
	}
	follow, err := r.deliveries(ctx, m, s.project, r.aboutAlert(m.Kind, s, e))
	if err != nil {
		return nil, err
	}
	steps, err := r.begin(ctx, m, s, e)
	if err != nil {
		return nil, err
	}
	follow = append(follow, steps...)
	if settings.SendEmail && (m.Kind == alert.EventOpened || m.Kind == alert.EventResolved) {
		follow = append(follow, r.toMembers(m, s))
	}
	if m.Kind == alert.EventAssigned && e.AssigneeID != 0 && e.AssigneeID != e.ActorID {
		follow = append(follow, r.notice(m, 0, e.AssigneeID, notice{ProjectID: e.ProjectID, IID: e.IID, Event: assigned, Why: becauseAssigned}))
	}
	return follow, nil
}

// followWithIncident opens or closes the incident of an alert.
func (r *Rules) followWithIncident(ctx context.Context, k outbox.Kind, s subject, settings integration.Settings) (err error) {
	switch {
	case settings.CreateIncident && s.Open() && s.IncidentIID == 0 && (k == alert.EventOpened || k == alert.EventTriggered || k == alert.EventGraver):
		_, _, err = r.Incidents.OpenFor(ctx, s.project, s.Current, settings.IncidentTemplate)
	case settings.AutoCloseIncident && k == alert.EventResolved:
		_, _, err = r.Incidents.RecoverFor(ctx, s.project, s.Alert)
	}
	return err
}
