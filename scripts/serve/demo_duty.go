package main

import (
	"context"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/app"
	"gatehouse/shared/audit"
	"gatehouse/shared/incident"
	"gatehouse/shared/oncall"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// demoDuty puts people on call for the project, week by week, and gives one of them an
// incident.
func demoDuty(ctx context.Context, a *app.App, p project.Project, by audit.Actor, people ...user.User) error {
	name, zone, begin := "Primary", "UTC", a.Now().UTC().Add(-demoDay).Format(time.RFC3339)
	who := oncall.Who{Actor: by, Role: project.Maintainer}
	schedule, err := a.OnCall.Create(ctx, who, p, oncall.Change{Name: &name, Timezone: &zone})
	if err != nil {
		return err
	}
	week := oncall.RotationChange{Name: &name, StartsAt: &begin, Length: &oncall.Length{Value: 1, Unit: oncall.Weeks}}
	for _, u := range people {
		week.Participants = append(week.Participants, u.ID)
	}
	if _, err := a.OnCall.AddRotation(ctx, who, p, schedule, week); err != nil {
		return err
	}
	_, err = a.Incidents.Create(ctx, by, p, incident.Draft{
		Title: "Customers cannot check out", Severity: alert.SeverityCritical, AssigneeID: people[0].ID,
		Description: "Every eighth order fails since the last deployment.\n\n- rolled back web-2\n- web-1 is next",
	})
	return err
}
