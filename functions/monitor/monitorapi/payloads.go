package monitorapi

import (
	"context"
	"encoding/json"
	"net/http"

	"gatehouse/shared/alert"
	"gatehouse/shared/auth"
	"gatehouse/shared/integration"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// touched is an alert that a payload touched.
type touched struct {
	IID   int64  `json:"iid"`
	Title string `json:"title"`
}

// test takes a payload as if a monitoring tool had sent it.
func (a *api) test(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project, i integration.Integration) error {
	params := web.Params(r)
	body := params.JSON("payload")
	if err := params.Err(); err != nil {
		return err
	}
	recorded, err := a.app.Intake.Test(r.Context(), p, i, body)
	if err != nil {
		return noIntegration(err)
	}
	items := make([]touched, len(recorded))
	for n, one := range recorded {
		items[n] = touched{one.IID, one.Title}
	}
	return web.JSON(w, http.StatusOK, items)
}

// lastPayloadBody is the last payload of an integration that opened an alert.
type lastPayloadBody struct {
	AlertIID   int64           `json:"alert_iid"`
	ReceivedAt web.Time        `json:"received_at"`
	Payload    json.RawMessage `json:"payload"`
}

// lastPayload returns the payload that opened the integration's newest alert.
func (a *api) lastPayload(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project, i integration.Integration) error {
	last, err := a.app.Alerts.LastFrom(r.Context(), p.ID, i.ID)
	if err != nil {
		return web.NotFound("Payload", err)
	}
	text, err := a.payload(r.Context(), p.ID, last.IID)
	if err != nil {
		return web.NotFound("Payload", err)
	}
	return web.JSON(w, http.StatusOK, lastPayloadBody{last.IID, web.Time(last.CreatedAt), text})
}

// payload returns the payload that opened the alert.
func (a *api) payload(ctx context.Context, projectID, iid int64) (json.RawMessage, error) {
	text, err := a.app.Alerts.AlertPayload(ctx, projectID, iid)
	if err != nil {
		return nil, err
	}
	document, err := payload.Read(text)
	return document.Text, err
}

// latestPayload returns the newest payload of a repeat; zero: none.
func (a *api) latestPayload(ctx context.Context, projectID, iid int64) (alert.LatestPayload, error) {
	latest, err := a.app.Alerts.LatestPayload(ctx, projectID, iid)
	if err != nil || latest.At.IsZero() {
		return alert.LatestPayload{}, err
	}
	document, err := payload.Read(latest.Text)
	latest.Text = document.Text
	return latest, err
}

// previewNew does the same as preview for a new HTTP endpoint.
func (a *api) previewNew(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	return a.preview(w, r, c, p, integration.Integration{ProjectID: p.ID, Type: integration.HTTP})
}

// preview shows what would become of a payload with another mapping.
func (a *api) preview(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project, i integration.Integration) error {
	params := web.Params(r)
	body, text := params.JSON("payload"), params.OptionalJSON("payload_attribute_mapping")
	if err := params.Err(); err != nil {
		return err
	}
	m, err := mapping.Parse(orEmptyObject(text), "payload_attribute_mapping")
	if err != nil {
		return err
	}
	seen, err := a.app.Intake.Preview(r.Context(), p, i, m, body)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, newPreviewBody(seen))
}
