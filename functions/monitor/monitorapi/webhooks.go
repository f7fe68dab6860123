package monitorapi

import (
	"errors"
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
	"gatehouse/shared/webhook"
	"gatehouse/shared/webhookapi"
)

func (a *api) listWebhooks(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	found, err := a.app.Webhooks.List(r.Context(), p, req)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, found, webhookapi.NewBody)
}

func (a *api) createWebhook(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	url, active := params.String("url"), params.BoolOr("active", true)
	if err := params.Err(); err != nil {
		return err
	}
	made, own, err := a.app.Webhooks.Create(r.Context(), c.Actor(), p, url, active)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return web.JSON(w, http.StatusCreated, webhookapi.NewWithSecret(made, own))
}

// ofWebhook finds the webhook in the path.
func (a *api) ofWebhook(
	next func(http.ResponseWriter, *http.Request, auth.Caller, project.Project, webhook.Stored) error,
) auth.ProjectHandler {
	return func(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
		id, err := web.PathID(r, "webhook_id")
		if err != nil {
			return noWebhook(err)
		}
		found, err := a.app.Webhooks.Find(r.Context(), p, id)
		if err != nil {
			return noWebhook(err)
		}
		return noWebhook(next(w, r, c, p, found))
	}
}

// noWebhook makes a fault.NotFound error one about the webhook.
func noWebhook(err error) error { return web.NotFound("Webhook", err) }

func (a *api) showWebhook(w http.ResponseWriter, _ *http.Request, _ auth.Caller, _ project.Project, s webhook.Stored) error {
	return web.JSON(w, http.StatusOK, webhookapi.NewBody(s))
}

// changeWebhook changes the fields that were sent.
func (a *api) changeWebhook(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s webhook.Stored) error {
	params := web.Params(r)
	change := webhook.Change{URL: params.OptionalString("url"), Active: params.OptionalBool("active")}
	if err := params.Err(); err != nil {
		return err
	}
	s, err := a.app.Webhooks.Change(r.Context(), c.Actor(), p, s, change)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, webhookapi.NewBody(s))
}

func (a *api) deleteWebhook(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s webhook.Stored) error {
	return web.Deleted(w, "Webhook", a.app.Webhooks.Delete(r.Context(), c.Actor(), p, s))
}

// rotateSecret takes no parameters but still rejects a malformed request.
func (a *api) rotateSecret(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s webhook.Stored) error {
	if err := web.Params(r).Err(); err != nil {
		return err
	}
	s, own, err := a.app.Webhooks.RotateSecret(r.Context(), c.Actor(), p, s)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, webhookapi.NewWithSecret(s, own))
}

// testWebhook takes no parameters either.
func (a *api) testWebhook(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project, s webhook.Stored) error {
	if err := web.Params(r).Err(); err != nil {
		return err
	}
	s, err := a.app.Webhooks.Test(r.Context(), p, s)
	var later *webhook.Later
	switch {
	case errors.As(err, &later): // whether to try again is the caller's choice
		return fault.New(fault.Unprocessable, later.Reason)
	case err != nil:
		return err
	}
	return web.JSON(w, http.StatusOK, webhookapi.NewBody(s))
}
