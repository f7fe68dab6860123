package paging

import (
	"context"
	"fmt"

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
	follow, err := r.begin(ctx, m, s, e)
	if err != nil {
		return nil, err
	}
	if settings.SendEmail && (m.Kind == alert.EventOpened || m.Kind == alert.EventResolved) {
		follow = append(follow, r.toMembers(m, s))
	}
	if m.Kind == alert.EventAssigned && e.AssigneeID != 0 && e.AssigneeID != e.ActorID {
		follow = append(follow, r.notice(m, 0, e.AssigneeID, notice{ProjectID: e.ProjectID, IID: e.IID, Event: assigned, Why: becauseAssigned}))
	}
	return append(follow, r.aside(m, e)), nil
}

// besides is what follows from a change of an alert besides people being told: people do not
// wait for it, nor go without if it fails.
type besides struct {
	Kind  outbox.Kind `json:"kind"`
	Event alert.Event `json:"event"`
}

// aside returns the message about that. Those about an alert keep their order.
func (r *Rules) aside(m outbox.Message, e alert.Event) outbox.Message {
	one := message(m, 0, outbox.Lane(fmt.Sprintf("besides/%d/%d", e.ProjectID, e.IID)), kindBesides, r.Now(), besides{m.Kind, e})
	one.Seq = m.Seq
	return one
}

// followBesides opens or closes the alert's incident and tells webhooks.
func (r *Rules) followBesides(ctx context.Context, m outbox.Message, b besides) ([]outbox.Message, error) {
	s, err := r.subject(ctx, b.Event.ProjectID, b.Event.IID)
	if err != nil {
		return nil, err
	}
	settings, err := r.Settings.AlertSettings(ctx, s.project)
	if err == nil {
		err = r.followWithIncident(ctx, b.Kind, s, settings)
	}
	if err != nil {
		return nil, err
	}
	return r.deliveries(ctx, m, s.project, r.aboutAlert(b.Kind, s, b.Event))
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
