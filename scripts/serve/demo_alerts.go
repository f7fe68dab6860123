package main

import (
	"context"
	"encoding/json"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/app"
	"gatehouse/shared/audit"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// demoPayload is what the demonstration's monitoring tool sends, with field names that
// the integration maps.
type demoPayload struct {
	Check       demoCheck         `json:"check"`
	Level       string            `json:"severity"`
	Details     string            `json:"description"`
	Hosts       []string          `json:"hosts,omitempty"`
	Environment string            `json:"platform_environment_name"`
	Started     time.Time         `json:"start_time"`
	Ended       *time.Time        `json:"end_time,omitempty"`
	Runbook     string            `json:"runbook,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type demoCheck struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Service string `json:"service"`
}

// demoMapping maps the fields of the tool's payloads to those of an alert.
const demoMapping = `{
	"title": {"path": ["check", "name"], "type": "STRING"},
	"service": {"path": ["check", "service"], "type": "STRING"},
	"fingerprint": {"path": ["check", "id"], "type": "STRING"}
}`

// demoAlerts adds an integration to the project, sends it what a tool would have sent
// in the last days, and acknowledges one of the alerts.
func demoAlerts(ctx context.Context, a *app.App, p project.Project, by audit.Actor, who user.User) error {
	for _, name := range []string{"production", "staging"} {
		if _, err := a.Projects.AddEnvironment(ctx, by, p, name); err != nil {
			return err
		}
	}
	i, err := a.Integrations.Create(ctx, by, p, integration.Draft{
		Name: "Uptime checks", Type: integration.HTTP, Active: true, Mapping: []byte(demoMapping),
	})
	if err != nil {
		return err
	}
	var last []alert.Recorded
	for _, d := range demoDeliveries {
		if last, err = d.send(ctx, a, p, i); err != nil {
			return err
		}
	}
	newest, err := a.Alerts.Current(ctx, p, last[0].IID)
	if err != nil {
		return err
	}
	status := alert.Acknowledged
	_, err = a.Alerts.Change(ctx, audit.Actor{ID: who.ID, UserID: who.ID}, p, newest, alert.Change{Status: &status, AssigneeID: &who.ID})
	return err
}

// demoDelivery is a payload that arrived some time ago.
type demoDelivery struct {
	ago     time.Duration
	over    bool // the problem is over
	payload demoPayload
}

// send records the payload as of the time it arrived.
func (d demoDelivery) send(ctx context.Context, a *app.App, p project.Project, i integration.Integration) ([]alert.Recorded, error) {
	at := a.Now().Add(-d.ago)
	d.payload.Started = at
	if d.over {
		d.payload.Ended = &at
	}
	body, err := json.Marshal(d.payload)
	if err != nil {
		return nil, err
	}
	return a.At(at).Intake.Test(ctx, p, i, body)
}

// The problems in the demonstration.
var (
	demoCheckout = demoPayload{
		Check: demoCheck{"http-checkout", "Checkout answers 5xx", "checkout"}, Level: "critical", Hosts: []string{"web-1", "web-2"},
		Details: "12% of the requests of the last five minutes were answered with a server error.", Environment: "production",
		Runbook:     "https://runbooks.example.com/checkout-errors",
		Annotations: map[string]string{"dashboard": "https://dashboards.example.com/checkout", "threshold": "5% of requests"},
	}
	demoDisk = demoPayload{
		Check: demoCheck{"disk-web-1", "Disk almost full on web-1", "web"}, Level: "high", Hosts: []string{"web-1"}, Environment: "production",
		Details: "93% of /var is used. At this rate it is full in four hours.", Runbook: "https://runbooks.example.com/disk-full",
	}
	demoCertificate = demoPayload{
		Check: demoCheck{"tls-shop", "The certificate of shop.example.com ends in 10 days", "edge"}, Level: "medium",
		Details: "Its renewal failed twice.", Environment: "production",
	}
	demoQueue = demoPayload{
		Check: demoCheck{"queue-mail", "Mail queue is long", "mail"}, Level: "low", Hosts: []string{"mail-1"},
		Details: "1,240 messages wait.", Environment: "production",
	}
	demoDeployment = demoPayload{
		Check: demoCheck{"deploy-staging", "Deployment took 14 minutes", "deploy"}, Level: "info", Environment: "staging",
	}
)

const demoDay = 24 * time.Hour

// demoDeliveries are in the order in which they arrived. One alert was over and came
// back, one is over, and the last one is still open.
var demoDeliveries = []demoDelivery{
	{ago: 9 * demoDay, payload: demoQueue},
	{ago: 9*demoDay - time.Hour, over: true, payload: demoQueue},
	{ago: 6 * demoDay, payload: demoCheckout},
	{ago: 6*demoDay - 40*time.Minute, over: true, payload: demoCheckout},
	{ago: 6*demoDay - 50*time.Minute, payload: demoDeployment},
	{ago: 2 * demoDay, payload: demoCertificate},
	{ago: 50 * time.Minute, payload: demoQueue},
	{ago: 45 * time.Minute, payload: demoDisk},
	{ago: 25 * time.Minute, payload: demoCheckout},
	{ago: 20 * time.Minute, payload: demoDisk},
	{ago: 10 * time.Minute, over: true, payload: demoQueue},
	{ago: 5 * time.Minute, payload: demoDisk},
}
