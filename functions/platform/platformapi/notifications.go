package platformapi

import (
	"net/http"
	"strings"
	_ "time/tzdata" // functions run where there are no time zones

	"gatehouse/shared/alert"
	"gatehouse/shared/auth"
	"gatehouse/shared/notice"
	"gatehouse/shared/web"
	"gatehouse/shared/webhook"
	"gatehouse/shared/webhookapi"
)

func (a *api) routeNotifications(mux *web.Mux) {
	anyone := a.app.Auth.User()

	mux.Handle("GET /api/v4/user/notifications", anyone(a.showNotifications))
	mux.Handle("PUT /api/v4/user/notifications", anyone(a.changeNotifications))
	mux.Handle("POST /api/v4/user/notifications/test", anyone(a.testNotifications))
	mux.Handle("GET /api/v4/user/webhooks", anyone(a.listOwnWebhooks))
	mux.Handle("POST /api/v4/user/webhooks", anyone(a.createOwnWebhook))
	mux.Handle("GET /api/v4/user/webhooks/{id}", anyone(a.ofOwnWebhook(a.showOwnWebhook)))
	mux.Handle("PUT /api/v4/user/webhooks/{id}", anyone(a.ofOwnWebhook(a.changeOwnWebhook)))
	mux.Handle("DELETE /api/v4/user/webhooks/{id}", anyone(a.ofOwnWebhook(a.deleteOwnWebhook)))
	mux.Handle("POST /api/v4/user/webhooks/{id}/rotate_secret", anyone(a.ofOwnWebhook(a.rotateOwnSecret)))
}

// notificationsBody is how a person is told, on the wire.
type notificationsBody struct {
	EmailPages       bool           `json:"email_pages"`
	EmailAlerts      bool           `json:"email_alerts"`
	EmailAssignments bool           `json:"email_assignments"`
	EmailShifts      bool           `json:"email_shifts"`
	AlertsSeverity   alert.Severity `json:"alerts_severity"`
	QuietHours       bool           `json:"quiet_hours"`
	QuietFrom        string         `json:"quiet_from"`
	QuietTo          string         `json:"quiet_to"`
	QuietTimezone    string         `json:"quiet_timezone"`
	QuietDays        []string       `json:"quiet_days"`
}

func newNotificationsBody(s notice.Settings) notificationsBody {
	body := notificationsBody{
		EmailPages: s.Mails(notice.Pages), EmailAlerts: s.Mails(notice.Alerts), EmailAssignments: s.Mails(notice.Assignments),
		EmailShifts: s.Mails(notice.Shifts), AlertsSeverity: s.LowestSeverity(),
		QuietHours: s.Quiet.Active, QuietFrom: s.Quiet.From.String(), QuietTo: s.Quiet.To.String(), QuietTimezone: s.Quiet.Zone.String(),
	}
	for _, day := range s.Quiet.On() {
		body.QuietDays = append(body.QuietDays, strings.ToLower(day.String()))
	}
	return body
}

func (a *api) showNotifications(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	s, err := a.app.Notices.Settings(r.Context(), c.User.ID)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, newNotificationsBody(s.Thing))
}

func (a *api) changeNotifications(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	change := notice.Change{
		Mail: map[notice.Subject]*bool{}, Severity: params.OptionalString("alerts_severity"), Quiet: params.OptionalBool("quiet_hours"),
		From: params.OptionalString("quiet_from"), To: params.OptionalString("quiet_to"), Timezone: params.OptionalString("quiet_timezone"),
	}
	for _, subject := range notice.Subjects {
		change.Mail[subject] = params.OptionalBool(notice.FieldOf(subject))
	}
	if days := params.OptionalTexts("quiet_days"); days != nil {
		change.Days = &days
	}
	if err := params.Err(); err != nil {
		return err
	}
	s, err := a.app.Notices.Change(r.Context(), c.Actor(), change)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, newNotificationsBody(s.Thing))
}

// testedBody says by which channels a test is on its way.
type testedBody struct {
	Email      string  `json:"email"`
	WebhookIDs []int64 `json:"webhook_ids"`
}

// testNotifications takes no parameters but still rejects a malformed request.
func (a *api) testNotifications(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	if err := web.Params(r).Err(); err != nil {
		return err
	}
	tested, err := a.app.Notices.Test(r.Context(), c.Actor())
	if err != nil {
		return err
	}
	body := testedBody{Email: c.User.Email, WebhookIDs: []int64{}}
	for _, hook := range tested.Webhooks {
		body.WebhookIDs = append(body.WebhookIDs, hook.ID)
	}
	return web.JSON(w, http.StatusAccepted, body)
}

func (a *api) listOwnWebhooks(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	found, err := a.app.Webhooks.Own().List(r.Context(), c.User.ID, req)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, found, webhookapi.NewBody)
}

func (a *api) createOwnWebhook(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	url, active := params.String("url"), params.BoolOr("active", true)
	if err := params.Err(); err != nil {
		return err
	}
	made, own, err := a.app.Webhooks.Own().Create(r.Context(), c.Actor(), url, active)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusCreated, webhookapi.NewWithSecret(made, own))
}

// ofOwnWebhook finds the caller's webhook in the path.
func (a *api) ofOwnWebhook(next handlerOf[webhook.Stored]) auth.UserHandler {
	return func(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
		id, err := web.PathID(r, "id")
		if err != nil {
			return web.NotFound("Webhook", err)
		}
		s, err := a.app.Webhooks.Own().Find(r.Context(), c.User.ID, id)
		if err != nil {
			return web.NotFound("Webhook", err)
		}
		return web.NotFound("Webhook", next(w, r, c, s))
	}
}

func (a *api) showOwnWebhook(w http.ResponseWriter, _ *http.Request, _ auth.Caller, s webhook.Stored) error {
	return web.JSON(w, http.StatusOK, webhookapi.NewBody(s))
}

func (a *api) changeOwnWebhook(w http.ResponseWriter, r *http.Request, c auth.Caller, s webhook.Stored) error {
	params := web.Params(r)
	change := webhook.Change{URL: params.OptionalString("url"), Active: params.OptionalBool("active")}
	if err := params.Err(); err != nil {
		return err
	}
	s, err := a.app.Webhooks.Own().Change(r.Context(), c.Actor(), s, change)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, webhookapi.NewBody(s))
}

func (a *api) deleteOwnWebhook(w http.ResponseWriter, r *http.Request, c auth.Caller, s webhook.Stored) error {
	return web.Deleted(w, "Webhook", a.app.Webhooks.Own().Delete(r.Context(), c.Actor(), s))
}

// rotateOwnSecret takes no parameters either.
func (a *api) rotateOwnSecret(w http.ResponseWriter, r *http.Request, c auth.Caller, s webhook.Stored) error {
	if err := web.Params(r).Err(); err != nil {
		return err
	}
	s, own, err := a.app.Webhooks.Own().RotateSecret(r.Context(), c.Actor(), s)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, webhookapi.NewWithSecret(s, own))
}
