// Package webhookapi has what REST answers about webhooks, of projects and of persons.
package webhookapi

import (
	"gatehouse/shared/secret"
	"gatehouse/shared/web"
	"gatehouse/shared/webhook"
)

// Body is a webhook on the wire, without its secret.
type Body struct {
	ID              int64    `json:"id"`
	URL             string   `json:"url"`
	Active          bool     `json:"active"`
	DisabledReason  *string  `json:"disabled_reason"`
	LastStatus      *int     `json:"last_status"`
	LastError       *string  `json:"last_error"`
	LastAttemptedAt web.Time `json:"last_attempted_at"`
	LastDeliveredAt web.Time `json:"last_delivered_at"`
	FormerUntil     web.Time `json:"former_secret_until"`
	CreatedAt       web.Time `json:"created_at"`
}

// NewBody returns the body of a webhook.
func NewBody(s webhook.Stored) Body {
	w := s.Thing
	body := Body{
		ID: s.ID, URL: w.URL, Active: w.Active, DisabledReason: web.OrNull(w.Disabled), LastError: web.OrNull(w.LastError),
		LastAttemptedAt: web.Time(w.AttemptedAt), LastDeliveredAt: web.Time(w.DeliveredAt), FormerUntil: web.Time(w.FormerUntil),
		CreatedAt: web.Time(s.CreatedAt),
	}
	if w.LastStatus != 0 {
		body.LastStatus = &w.LastStatus
	}
	return body
}

// WithSecret is a webhook in the one answer that shows its secret.
type WithSecret struct {
	Body
	Secret string `json:"secret"`
}

// NewWithSecret returns the body of a webhook with its secret.
func NewWithSecret(s webhook.Stored, own secret.Text) WithSecret {
	return WithSecret{NewBody(s), own.Reveal()}
}
