package monitorapi

import (
	"maps"

	"gatehouse/shared/alert"
	"gatehouse/shared/mapping"
	"gatehouse/shared/web"
)

// previewBody is what would become of a payload.
type previewBody struct {
	Format          alert.Format                    `json:"format"`
	Items           int                             `json:"items"`
	Alerts          []previewedAlert                `json:"alerts"`
	SkippedItems    int                             `json:"skipped_items"`
	TruncatedAlerts int64                           `json:"truncated_alerts"`
	Notes           []string                        `json:"notes"`
	IgnoredItems    int                             `json:"ignored_items"`
	Sources         map[mapping.Target]mapping.Path `json:"sources"`
	Origins         map[mapping.Target]string       `json:"origins"`
	Ignored         []mapping.Field                 `json:"ignored"`
}

// previewedAlert is an alert that the payload would open, repeat or resolve.
type previewedAlert struct {
	Title          string         `json:"title"`
	Description    *string        `json:"description"`
	Severity       alert.Severity `json:"severity"`
	Service        *string        `json:"service"`
	MonitoringTool *string        `json:"monitoring_tool"`
	Hosts          []string       `json:"hosts"`
	Environment    *string        `json:"environment"`
	Runbook        *string        `json:"runbook"`
	Labels         alert.Labels   `json:"labels"`
	Fingerprint    *string        `json:"fingerprint"`
	Recovery       bool           `json:"recovery"`
	Acknowledged   bool           `json:"acknowledged"`
	StartedAt      web.Time       `json:"started_at"`
	EndedAt        web.Time       `json:"ended_at"`
}

// maxPreviewed bounds the alerts of a webhook in a preview.
const maxPreviewed = 100

func newPreviewBody(p alert.Preview) previewBody {
	body := previewBody{
		Format: p.Format, Items: p.Items, Alerts: []previewedAlert{},
		SkippedItems: p.Skipped.Total(), TruncatedAlerts: p.TruncatedAlerts,
		Notes: append([]string{}, p.Notes...), IgnoredItems: p.IgnoredItems, Ignored: append([]mapping.Field{}, p.Ignored...),
		Sources: map[mapping.Target]mapping.Path{}, Origins: map[mapping.Target]string{},
	}
	maps.Copy(body.Sources, p.Sources)
	maps.Copy(body.Origins, p.Origins)
	for _, occurrences := range p.Occurrences {
		for _, o := range occurrences {
			if len(body.Alerts) < maxPreviewed {
				body.Alerts = append(body.Alerts, newPreviewedAlert(o))
			}
		}
	}
	return body
}

func newPreviewedAlert(o alert.Occurrence) previewedAlert {
	return previewedAlert{
		Title: o.Title, Description: web.OrNull(o.Description), Severity: o.Severity, Service: web.OrNull(o.Service),
		MonitoringTool: web.OrNull(o.MonitoringTool), Hosts: append([]string{}, o.Hosts...), Environment: web.OrNull(o.Environment),
		Runbook: web.OrNull(o.Runbook), Labels: labelsBody(o.Labels), Fingerprint: web.OrNull(string(o.Fingerprint)), Recovery: o.Recovery,
		Acknowledged: o.Acknowledges(),
		StartedAt:    web.Time(o.StartedAt), EndedAt: web.Time(o.EndedAt),
	}
}
