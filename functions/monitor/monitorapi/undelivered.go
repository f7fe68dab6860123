package monitorapi

import (
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/outbox"
	"gatehouse/shared/project"
	"gatehouse/shared/undelivered"
	"gatehouse/shared/web"
)

// undeliveredBody is an undelivered message on the wire.
type undeliveredBody struct {
	ID          int64       `json:"id"`
	Kind        outbox.Kind `json:"kind"`
	AlertIID    *int64      `json:"alert_iid"`
	IncidentIID *int64      `json:"incident_iid"`
	ScheduleID  *int64      `json:"schedule_id"`
	WebhookID   *int64      `json:"webhook_id"`
	UserID      *int64      `json:"user_id"`
	Attempts    int         `json:"attempts"`
	LastError   string      `json:"last_error"`
	CreatedAt   web.Time    `json:"created_at"`
	GivenUpAt   web.Time    `json:"given_up_at"`
}

func newUndeliveredBody(m undelivered.Message) undeliveredBody {
	body := undeliveredBody{
		ID: m.Number, Kind: m.Kind, AlertIID: web.OrNull(m.IID), IncidentIID: web.OrNull(m.IncidentIID), ScheduleID: web.OrNull(m.ScheduleID),
		UserID: web.OrNull(m.UserID), Attempts: m.Attempts, LastError: m.LastError,
		CreatedAt: web.Time(m.CreatedAt), GivenUpAt: web.Time(m.DiedAt),
	}
	if m.Kind == "webhook.delivery" { // not to a webhook of a person, which has an id of another counter
		body.WebhookID = web.OrNull(m.WebhookID)
	}
	return body
}

func (a *api) listUndelivered(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	found, err := a.app.Undelivered.List(r.Context(), p, req)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, found, newUndeliveredBody)
}

// retryUndelivered takes no parameters but still rejects a malformed request.
func (a *api) retryUndelivered(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	if err := web.Params(r).Err(); err != nil {
		return err
	}
	number, err := web.PathID(r, "message_id")
	if err == nil {
		err = a.app.Undelivered.Retry(r.Context(), c.Actor(), p, number)
	}
	return web.Deleted(w, "Message", err)
}
