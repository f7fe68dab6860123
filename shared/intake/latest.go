package intake

import (
	"context"

	"gatehouse/shared/alert"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
)

// latestAlerts is among how many alerts of a project LatestPayload looks.
const latestAlerts = 200

// LatestPayload returns the payload of the newest alert that came through the
// integration; nil: none of the project's latest alerts did. The payloads of
// repeats and recoveries are not kept.
func (r *Rules) LatestPayload(ctx context.Context, p project.Project, i integration.Integration) ([]byte, error) {
	alerts, _, err := r.alerts.RecentAlerts(ctx, p.ID, alert.Filter{}, latestAlerts)
	if err != nil {
		return nil, err
	}
	for _, a := range alerts {
		if a.IntegrationID == i.ID {
			return r.alerts.AlertPayload(ctx, p.ID, a.IID)
		}
	}
	return nil, nil
}
