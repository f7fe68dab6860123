package consoleapi

import (
	"errors"
	"net/http"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
	"gatehouse/shared/webhook"
)

// webhookBody is the data of a webhook's page.
type webhookBody struct {
	visit
	Webhook    webhookView
	TwoSecrets bool   // the secret before the last rotation signs too
	URL        string // what the form has
	Complaints site.Complaints
	Complaint  string // why a test was not delivered or an address not saved
}

// webhookHandler serves a page of a webhook.
type webhookHandler func(w http.ResponseWriter, r *http.Request, v visit, s webhook.Stored) error

// ofWebhook passes the webhook in the path to the handler.
func (a *api) ofWebhook(h webhookHandler) projectHandler {
	return func(w http.ResponseWriter, r *http.Request, v visit) error {
		id, err := web.PathID(r, "webhook")
		if err != nil {
			return err
		}
		s, err := a.app.Webhooks.Find(r.Context(), v.Project, id)
		if err != nil {
			return err
		}
		return h(w, r, v, s)
	}
}

func (a *api) newWebhookBody(v visit, s webhook.Stored) webhookBody {
	return webhookBody{visit: v, Webhook: v.newWebhookView(s), URL: s.Thing.URL, TwoSecrets: a.app.Now().Before(s.Thing.FormerUntil)}
}

func (a *api) showWebhook(w http.ResponseWriter, r *http.Request, v visit, s webhook.Stored) error {
	return a.renderWebhook(w, r, http.StatusOK, a.newWebhookBody(v, s))
}

func (a *api) renderWebhook(w http.ResponseWriter, r *http.Request, status int, body webhookBody) error {
	title := "Webhook " + body.Webhook.Host()
	return a.renderWebhooks(w, r, body.visit, webhooksTab, site.Page{Template: "webhook", Title: title, Status: status, Body: body})
}

// changeWebhook gives the webhook the address in the form, unless it has another by now than
// the page showed. What became of messages meanwhile does not count.
func (a *api) changeWebhook(w http.ResponseWriter, r *http.Request, v visit, s webhook.Stored) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	address := strings.TrimSpace(form.Get("url"))
	change := webhook.Change{URL: &address}
	if seen := form.Get("seen"); seen != "" {
		change.Seen = &seen
	}
	_, err = a.app.Webhooks.Change(r.Context(), v.actor(), v.Project, s, change)
	var wrong fault.Fields
	switch {
	case errors.Is(err, webhook.ErrOtherURL):
		return a.renderOtherURL(w, r, v, s.ID, address)
	case errors.As(err, &wrong):
		body := a.newWebhookBody(v, s)
		body.URL, body.Complaints = address, site.NewComplaints(wrong, "url", "The address")
		return a.renderWebhook(w, r, http.StatusUnprocessableEntity, body)
	}
	return a.site.Done(w, r, err, "webhook-saved", v.newWebhookView(s).Address)
}

// renderOtherURL shows what address the webhook has by now, and the one that was typed.
func (a *api) renderOtherURL(w http.ResponseWriter, r *http.Request, v visit, id int64, typed string) error {
	s, err := a.app.Webhooks.Find(r.Context(), v.Project, id)
	if err != nil {
		return err
	}
	body := a.newWebhookBody(v, s)
	body.URL, body.Complaint = typed, "Someone else changed the address since you opened the page, to "+s.Thing.URL+". Save again if you still want yours."
	return a.renderWebhook(w, r, http.StatusConflict, body)
}

// switchWebhook switches the webhook on or off. The address has a form of its own, so that
// saving it never switches on what a receiver switched off meanwhile.
func (a *api) switchWebhook(w http.ResponseWriter, r *http.Request, v visit, s webhook.Stored) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	active, notice := form.Checked("active"), "webhook-off"
	if active {
		notice = "webhook-on"
	}
	_, err = a.app.Webhooks.Change(r.Context(), v.actor(), v.Project, s, webhook.Change{Active: &active})
	return a.site.Done(w, r, err, notice, v.newWebhookView(s).Address)
}

// testWebhook sends a test and waits for the answer.
func (a *api) testWebhook(w http.ResponseWriter, r *http.Request, v visit, s webhook.Stored) error {
	tested, err := a.app.Webhooks.Test(r.Context(), v.Project, s)
	reason := fault.Message(err)
	var later *webhook.Later
	if errors.As(err, &later) {
		reason = later.Reason
	}
	if err != nil && reason != "" {
		body := a.newWebhookBody(v, tested)
		body.Complaint = "The test was not delivered: " + strings.TrimSuffix(reason, ".") + "."
		return a.renderWebhook(w, r, http.StatusUnprocessableEntity, body)
	}
	return a.site.Done(w, r, err, "webhook-tested", v.newWebhookView(s).Address)
}

// rotateWebhook gives the webhook a new secret and shows it.
func (a *api) rotateWebhook(w http.ResponseWriter, r *http.Request, v visit, s webhook.Stored) error {
	rotated, own, err := a.app.Webhooks.RotateSecret(r.Context(), v.actor(), v.Project, s)
	if err != nil {
		return err
	}
	return a.renderWebhookSecret(w, r, http.StatusOK, "The new secret", v, rotated, own)
}

func (a *api) deleteWebhook(w http.ResponseWriter, r *http.Request, v visit, s webhook.Stored) error {
	err := a.app.Webhooks.Delete(r.Context(), v.actor(), v.Project, s)
	return a.site.Done(w, r, err, "webhook-deleted", v.Address()+webhooksTab)
}
