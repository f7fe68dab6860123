package consoleapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
	"gatehouse/shared/webhook"
)

// undeliveredSection is the end of the address of the undelivered messages.
const undeliveredSection = settingsTab + "/undelivered"

var webhookSections = []section{
	{"Webhooks", webhooksTab},
	{"Undelivered messages", undeliveredSection},
}

// renderWebhooks answers with a page in a section of the tab Webhooks.
func (a *api) renderWebhooks(w http.ResponseWriter, r *http.Request, v visit, section string, p site.Page) error {
	p.Sections = v.sections(webhookSections, section)
	return a.render(w, r, v, webhooksTab, p)
}

// webhookView is a webhook with the address of its page.
type webhookView struct {
	webhook.Stored
	Address string
}

func (v visit) newWebhookView(s webhook.Stored) webhookView {
	return webhookView{s, v.Address() + webhooksTab + "/" + strconv.FormatInt(s.ID, 10)}
}

// Host names the receiver.
func (v webhookView) Host() string {
	u, err := url.Parse(v.Thing.URL)
	if err != nil {
		return v.Thing.URL
	}
	return u.Host
}

// webhooksBody is the data of the list of webhooks.
type webhooksBody struct {
	visit
	Rows        []webhookView
	Paging      site.Paging
	Undelivered bool // some message of the project was not delivered
}

// listWebhooks lists the project's webhooks, the newest first.
func (a *api) listWebhooks(w http.ResponseWriter, r *http.Request, v visit) error {
	wanted, body := site.PageOf(r), webhooksBody{visit: v}
	var found page.Of[webhook.Stored]
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() (err error) {
		found, err = a.app.Webhooks.List(ctx, v.Project, wanted)
		return err
	})
	reads.Go(func() (err error) {
		body.Undelivered, err = a.anyUndelivered(ctx, v)
		return err
	})
	if err := reads.Wait(); err != nil {
		return err
	}
	for _, s := range found.Items {
		body.Rows = append(body.Rows, v.newWebhookView(s))
	}
	body.Paging = site.NewPaging(v.Address()+webhooksTab, wanted, found)
	return a.renderWebhooks(w, r, v, webhooksTab, site.Page{Template: "webhooks", Title: "Webhooks", Body: body})
}

// anyUndelivered reports whether some message of the project was given up, to those who
// may look at it.
func (a *api) anyUndelivered(ctx context.Context, v visit) (bool, error) {
	if !v.Maintains() {
		return false, nil
	}
	found, err := a.app.Undelivered.List(ctx, v.Project, page.Request{Number: 1, Size: 1})
	return len(found.Items) > 0, err
}

// newWebhookBody is the data of the form for a new webhook.
type newWebhookBody struct {
	visit
	URL        string
	Inactive   bool
	Complaints site.Complaints
	Complaint  string // about the form as a whole
}

func (a *api) newWebhook(w http.ResponseWriter, r *http.Request, v visit) error {
	return a.renderNewWebhook(w, r, http.StatusOK, newWebhookBody{visit: v})
}

func (a *api) renderNewWebhook(w http.ResponseWriter, r *http.Request, status int, body newWebhookBody) error {
	return a.renderWebhooks(w, r, body.visit, webhooksTab, site.Page{Template: "webhook_new", Title: "New webhook", Status: status, Body: body})
}

// createWebhook adds the webhook in the form and shows its secret.
func (a *api) createWebhook(w http.ResponseWriter, r *http.Request, v visit) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := newWebhookBody{visit: v, URL: strings.TrimSpace(form.Get("url")), Inactive: !form.Checked("active")}
	made, own, err := a.app.Webhooks.Create(r.Context(), v.actor(), v.Project, body.URL, !body.Inactive)
	var wrong fault.Fields
	switch {
	case errors.As(err, &wrong):
		body.Complaints = site.NewComplaints(wrong, "url", "The address")
		return a.renderNewWebhook(w, r, http.StatusUnprocessableEntity, body)
	case fault.Is(err, fault.Conflict):
		body.Complaint = sentence(err)
		return a.renderNewWebhook(w, r, web.Status(err), body)
	case err != nil:
		return err
	}
	return a.renderWebhookSecret(w, r, http.StatusCreated, "The webhook was added", v, made, own)
}

// webhookSecretBody is the data of the page that reveals a new secret.
type webhookSecretBody struct {
	visit
	Webhook webhookView
	Heading string
	Secret  secret.Text
}

// renderWebhookSecret reveals a secret in the answer to the form that made it, because
// nothing can show it later.
func (a *api) renderWebhookSecret(w http.ResponseWriter, r *http.Request, status int, heading string, v visit, s webhook.Stored, own secret.Text) error {
	body := webhookSecretBody{v, v.newWebhookView(s), heading, own}
	return a.renderWebhooks(w, r, v, webhooksTab, site.Page{Template: "webhook_secret", Secret: true, Title: heading, Status: status, Body: body})
}
