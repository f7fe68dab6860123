package paging

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/dispatch"
	"gatehouse/shared/incident"
	"gatehouse/shared/mail"
	"gatehouse/shared/outbox"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
	"gatehouse/shared/webhook"
)

// delivery is a message for a webhook.
type delivery struct {
	ProjectID int64     `json:"project_id"`
	WebhookID int64     `json:"webhook_id"`
	Type      string    `json:"type"`
	At        time.Time `json:"at"`
	Text      string    `json:"text"`
	Data      any       `json:"data"`

	about string // names the alert or incident in the lane
}

// Facts are what a webhook is told about an alert or incident.
type Facts struct {
	ProjectID   int64      `json:"project_id"`
	Project     string     `json:"project"` // its path
	AlertIID    int64      `json:"alert_iid,omitempty"`
	IncidentIID int64      `json:"incident_iid,omitempty"`
	Title       string     `json:"title"`
	Description string     `json:"description,omitempty"`
	Severity    string     `json:"severity"`
	Status      string     `json:"status"`
	State       string     `json:"state,omitempty"` // of an incident
	Service     string     `json:"service,omitempty"`
	Hosts       []string   `json:"hosts,omitempty"`
	Environment string     `json:"environment,omitempty"`
	StartedAt   *time.Time `json:"started_at"`
	EndedAt     *time.Time `json:"ended_at"`
	ActorID     int64      `json:"actor_id,omitempty"` // absent: a monitoring tool, or Gatehouse
	AssigneeID  int64      `json:"assignee_id,omitempty"`
	URL         string     `json:"url"`
}

// The longest texts of a message for a webhook, in characters.
const (
	maxTitle       = 200
	maxDescription = 1000
)

// aboutAlert is what webhooks are told about a change of an alert.
func (r *Rules) aboutAlert(k outbox.Kind, s subject, e alert.Event) delivery {
	facts := r.factsOf(s.project, s.Alert)
	facts.Severity, facts.Status, facts.ActorID, facts.AssigneeID = string(e.Severity), string(e.Status), e.ActorID, e.AssigneeID
	return delivery{
		ProjectID: s.ProjectID, Type: string(k), At: e.At, Data: facts, about: fmt.Sprintf("alert/%d", s.IID),
		Text: sentence("Alert", s.IID, string(k), facts),
	}
}

// factsOf are those about an alert as it is.
func (r *Rules) factsOf(p project.Project, a alert.Alert) Facts {
	return Facts{
		ProjectID: p.ID, Project: p.FullPath, AlertIID: a.IID, IncidentIID: a.IncidentIID,
		Title: a.Title, Description: a.Description, Severity: string(gravest(a)), Status: string(a.Status),
		Service: a.Service, Hosts: a.Hosts, Environment: a.Environment, StartedAt: known(a.StartedAt), EndedAt: known(a.EndedAt),
		URL: r.alertURL(p, a.IID),
	}
}

// factsOfIncident are those about an incident as it is.
func (r *Rules) factsOfIncident(p project.Project, s incident.Stored) Facts {
	i := s.Thing
	return Facts{
		ProjectID: p.ID, Project: p.FullPath, IncidentIID: s.Number,
		Title: incident.TitleOf(s), Description: cut(i.Description, maxDescription), Severity: string(i.Severity), Status: string(i.Status),
		State: string(i.State), Environment: i.Environment, StartedAt: known(i.StartedAt), EndedAt: known(i.ClosedAt),
		AssigneeID: i.AssigneeID, URL: r.incidentURL(p, s.Number),
	}
}

func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// sentence says in one line what happened.
func sentence(noun string, iid int64, kind string, f Facts) string {
	_, what, _ := strings.Cut(kind, ".")
	if what == "graver" {
		what = "is graver now"
	}
	return sentenceOf(noun, iid, what, f)
}

func sentenceOf(noun string, iid int64, what string, f Facts) string {
	return fmt.Sprintf("%s #%d %s in %s: %s (%s) %s", noun, iid, what, f.Project, mail.OneLine(f.Title, maxTitle), f.Severity, f.URL)
}

func (r *Rules) alertURL(p project.Project, iid int64) string {
	return fmt.Sprintf("%s/console/%s/alerts/%d", r.BaseURL, p.FullPath, iid)
}

func (r *Rules) incidentURL(p project.Project, iid int64) string {
	return fmt.Sprintf("%s/console/%s/incidents/%d", r.BaseURL, p.FullPath, iid)
}

// aboutIncident is what webhooks are told about a change of an incident.
func (r *Rules) aboutIncident(k outbox.Kind, p project.Project, s incident.Stored, told incident.Told) delivery {
	facts := r.factsOfIncident(p, s)
	facts.AlertIID, facts.ActorID = told.AlertIID, told.ActorID
	return delivery{
		ProjectID: p.ID, Type: string(k), At: told.At, Data: facts, about: fmt.Sprintf("incident/%d", s.Number),
		Text: sentence("Incident", s.Number, string(k), facts),
	}
}

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// deliveries returns the messages for the project's webhooks. Those about one thing reach
// a webhook in their order.
func (r *Rules) deliveries(ctx context.Context, m outbox.Message, p project.Project, d delivery) ([]outbox.Message, error) {
	hooks, err := r.Webhooks.Active(ctx, p)
	var all []outbox.Message
	for n, hook := range hooks {
		d.WebhookID = hook.ID
		lane := outbox.SlowLane("webhook", p.ID, fmt.Sprintf("%d/%s", hook.ID, d.about))
		one := message(m, n, lane, kindDelivery, r.Now(), d)
		one.Seq = m.Seq // keeps the order whatever the clocks say
		all = append(all, one)
	}
	return all, err
}

// deliver sends a message to a webhook.
func (r *Rules) deliver(ctx context.Context, m outbox.Message, d delivery) ([]outbox.Message, error) {
	p, err := r.store.Project(ctx, d.ProjectID)
	if err != nil {
		return nil, goneIfNotFound(err)
	}
	err = r.Webhooks.Deliver(ctx, p, d.WebhookID, webhook.Message{
		ID: "msg_" + secret.NewText(m.ID()).Digest().String(), Type: d.Type, At: d.At, Text: d.Text, Data: d.Data,
	})
	if webhook.Permanent(err) {
		err = dispatch.Permanent(err)
	}
	return nil, goneIfDeleted(err)
}

// goneIfDeleted returns errGone for a webhook that was deleted or switched off since.
func goneIfDeleted(err error) error {
	for _, gone := range []error{webhook.ErrNotFound, webhook.ErrInactive, record.ErrNotFound} {
		if errors.Is(err, gone) {
			return errGone
		}
	}
	return err
}
