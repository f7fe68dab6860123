package paging

import (
	"context"

	"gatehouse/shared/incident"
	"gatehouse/shared/outbox"
)

// followIncident does what follows from a change of an incident.
func (r *Rules) followIncident(ctx context.Context, m outbox.Message, told incident.Told) ([]outbox.Message, error) {
	p, err := r.store.Project(ctx, m.ProjectID)
	if err != nil {
		return nil, goneIfNotFound(err)
	}
	if err := r.Incidents.Settle(ctx, p, told); err != nil {
		return nil, err
	}
	s, err := r.Incidents.Find(ctx, p, told.IncidentIID)
	if err != nil {
		return nil, goneIfNotFound(err)
	}
	follow, err := r.deliveries(ctx, m, p, r.aboutIncident(m.Kind, p, s, told))
	if err != nil {
		return nil, err
	}
	if told.Kind == incident.WasAssigned && told.UserID != 0 && told.UserID != told.ActorID {
		follow = append(follow, r.notice(m, 0, told.UserID, notice{ProjectID: p.ID, IncidentIID: s.Number, Event: assigned, Why: becauseAssigned}))
	}
	return follow, nil
}
