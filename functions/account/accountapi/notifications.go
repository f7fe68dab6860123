package accountapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	_ "time/tzdata" // functions run where there are no time zones

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/notice"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
	"gatehouse/shared/webhook"
)

const ownWebhooksPath = notificationsPath + "/webhooks"

func (a *api) routeNotifications(mux *web.Mux) {
	user := a.site.SignedIn
	mux.Handle("GET /user_settings/notifications", user(a.showNotifications))
	mux.Handle("POST /user_settings/notifications", user(a.changeNotifications))
	mux.Handle("POST /user_settings/notifications/test", user(a.testNotifications))
	mux.Handle("POST /user_settings/notifications/webhooks", user(a.addOwnWebhook))
	mux.Handle("POST /user_settings/notifications/webhooks/{id}/enable", user(a.ofOwnWebhook(a.switchOwnWebhook(true))))
	mux.Handle("POST /user_settings/notifications/webhooks/{id}/disable", user(a.ofOwnWebhook(a.switchOwnWebhook(false))))
	mux.Handle("POST /user_settings/notifications/webhooks/{id}/rotate", user(a.ofOwnWebhook(a.rotateOwnWebhook)))
	mux.Handle("POST /user_settings/notifications/webhooks/{id}/delete", user(a.ofOwnWebhook(a.deleteOwnWebhook)))
}

// notificationsBody is the data of the page.
type notificationsBody struct {
	notificationsForm
	Email    string
	Webhooks []ownWebhookRow
	Room     bool // for another webhook
	Add      addForm
}

// notificationsForm is the form for how a person is told.
type notificationsForm struct {
	Mails      []mailChoice
	Severity   string
	Severities []alert.Severity
	Quiet      bool
	From, To   string
	Timezone   string
	Days       []dayChoice
	Complaints site.Complaints
}

type mailChoice struct {
	Field, Label, Hint string
	Checked            bool
}

type dayChoice struct {
	Value, Name string
	Checked     bool
}

// addForm is the form for another webhook.
type addForm struct{ URL, Complaint string }

// ownWebhookRow is a webhook of the reader's.
type ownWebhookRow struct {
	webhook.Stored
	Address, Host string
}

var mailLabels = map[notice.Subject]mailChoice{
	notice.Pages:       {Label: "Pages", Hint: "An alert waits for you: you are on call, or an escalation policy names you. Without mails a webhook of yours has to work, and mails come all the same if none does."},
	notice.Alerts:      {Label: "Alerts of your projects", Hint: "Opened and resolved alerts of projects that you look after and that mail their alerts."},
	notice.Assignments: {Label: "Assignments", Hint: "Somebody assigns an alert or an incident to you."},
	notice.Shifts:      {Label: "Shifts", Hint: "You come on call or go, or your coming shifts change."},
}

// formOf returns the form as the settings are.
func formOf(s notice.Settings) notificationsForm {
	f := notificationsForm{
		Severity: string(s.LowestSeverity()), Severities: alert.Severities, Quiet: s.Quiet.Active,
		From: s.Quiet.From.String(), To: s.Quiet.To.String(), Timezone: s.Quiet.Zone.String(),
	}
	for _, subject := range notice.Subjects {
		f.Mails = append(f.Mails, choiceOf(subject, s.Mails(subject)))
	}
	for _, day := range notice.Week {
		f.Days = append(f.Days, dayChoice{strings.ToLower(day.String()), day.String(), slices.Contains(s.Quiet.On(), day)})
	}
	return f
}

func choiceOf(s notice.Subject, checked bool) mailChoice {
	c := mailLabels[s]
	c.Field, c.Checked = notice.FieldOf(s), checked
	return c
}

// Focus names the field to start with: the first one with a mistake.
func (f notificationsForm) Focus() string { return f.Complaints.Focus() }

// readNotifications reads the form as the user sent it, with the change that it asks for.
func readNotifications(form site.Form) (notificationsForm, notice.Change) {
	f := notificationsForm{
		Severity: form.Get("alerts_severity"), Severities: alert.Severities, Quiet: form.Checked("quiet_hours"),
		From: form.Get("quiet_from"), To: form.Get("quiet_to"), Timezone: strings.TrimSpace(form.Get("quiet_timezone")),
	}
	days := form.All("quiet_days[]")
	c := notice.Change{
		Mail: map[notice.Subject]*bool{}, Severity: &f.Severity, Quiet: &f.Quiet, From: &f.From, To: &f.To, Timezone: &f.Timezone, Days: &days,
	}
	for _, subject := range notice.Subjects {
		wanted := form.Checked(notice.FieldOf(subject))
		f.Mails, c.Mail[subject] = append(f.Mails, choiceOf(subject, wanted)), &wanted
	}
	for _, day := range notice.Week {
		value := strings.ToLower(day.String())
		f.Days = append(f.Days, dayChoice{value, day.String(), slices.Contains(days, value)})
	}
	return f, c
}

func (a *api) showNotifications(w http.ResponseWriter, r *http.Request, u user.User) error {
	return a.renderNotifications(w, r, u, http.StatusOK, nil, addForm{})
}

// renderNotifications answers with the page, with the form as it was sent unless that is nil.
func (a *api) renderNotifications(w http.ResponseWriter, r *http.Request, u user.User, status int, sent *notificationsForm, add addForm) error {
	body := notificationsBody{Email: u.Email, Add: add}
	all, err := a.app.Webhooks.Own().All(r.Context(), u.ID)
	if err != nil {
		return err
	}
	for _, s := range all {
		body.Webhooks = append(body.Webhooks, newOwnWebhookRow(s))
	}
	body.Room = len(all) < webhook.MaxOwn
	if sent != nil {
		body.notificationsForm = *sent
	} else if body.notificationsForm, err = a.notificationsForm(r.Context(), u); err != nil {
		return err
	}
	return a.renderSettings(w, r, site.Page{Template: "notifications", Title: "Notifications", Status: status, Body: body})
}

func (a *api) notificationsForm(ctx context.Context, u user.User) (notificationsForm, error) {
	s, err := a.app.Notices.Settings(ctx, u.ID)
	return formOf(s.Thing), err
}

func newOwnWebhookRow(s webhook.Stored) ownWebhookRow {
	row := ownWebhookRow{Stored: s, Address: ownWebhooksPath + "/" + strconv.FormatInt(s.ID, 10)}
	if u, err := url.Parse(s.Thing.URL); err == nil {
		row.Host = u.Host
	}
	return row
}

func (a *api) changeNotifications(w http.ResponseWriter, r *http.Request, u user.User) error {
	sent, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	form, change := readNotifications(sent)
	_, err = a.app.Notices.Change(r.Context(), audit.ByUser(u.ID), change)
	var fields fault.Fields
	if errors.As(err, &fields) {
		form.Complaints = site.NewComplaints(fields, notice.FieldOf(notice.Pages), "Mails of pages", "alerts_severity", "The severity",
			"quiet_from", "The beginning", "quiet_to", "The end", "quiet_timezone", "The time zone", "quiet_days", "The days")
		return a.renderNotifications(w, r, u, http.StatusUnprocessableEntity, &form, addForm{})
	}
	return a.site.Done(w, r, err, "notifications-saved", notificationsPath)
}

func (a *api) testNotifications(w http.ResponseWriter, r *http.Request, u user.User) error {
	tested, err := a.app.Notices.Test(r.Context(), audit.ByUser(u.ID))
	said := "test-mailed"
	switch {
	case fault.Is(err, fault.TooMany):
		said, err = "test-enough", nil
	case len(tested.Webhooks) > 0:
		said = "test-sent"
	}
	return a.site.Done(w, r, err, said, notificationsPath)
}

func (a *api) addOwnWebhook(w http.ResponseWriter, r *http.Request, u user.User) error {
	sent, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	add := addForm{URL: strings.TrimSpace(sent.Get("url"))}
	made, own, err := a.app.Webhooks.Own().Create(r.Context(), audit.ByUser(u.ID), add.URL, true)
	var fields fault.Fields
	switch {
	case errors.As(err, &fields):
		add.Complaint = site.Sentence("The address", fields["url"])
	case fault.Is(err, fault.Conflict):
		add.Complaint = site.Sentence("Nothing was added:", []string{fault.Message(err)})
	case err != nil:
		return err
	default:
		return a.renderOwnSecret(w, r, http.StatusCreated, "The webhook is added", made, own)
	}
	return a.renderNotifications(w, r, u, http.StatusUnprocessableEntity, nil, add)
}

// ofOwnWebhook finds the reader's webhook in the path.
func (a *api) ofOwnWebhook(next func(http.ResponseWriter, *http.Request, user.User, webhook.Stored) error) site.UserHandler {
	return func(w http.ResponseWriter, r *http.Request, u user.User) error {
		id, err := web.PathID(r, "id")
		if err != nil {
			return err
		}
		s, err := a.app.Webhooks.Own().Find(r.Context(), u.ID, id)
		if err != nil {
			return err
		}
		return next(w, r, u, s)
	}
}

func (a *api) switchOwnWebhook(active bool) func(http.ResponseWriter, *http.Request, user.User, webhook.Stored) error {
	return func(w http.ResponseWriter, r *http.Request, u user.User, s webhook.Stored) error {
		_, err := a.app.Webhooks.Own().Change(r.Context(), audit.ByUser(u.ID), s, webhook.Change{Active: &active})
		return a.site.Done(w, r, err, map[bool]string{true: "webhook-on", false: "webhook-off"}[active], notificationsPath)
	}
}

func (a *api) deleteOwnWebhook(w http.ResponseWriter, r *http.Request, u user.User, s webhook.Stored) error {
	err := a.app.Webhooks.Own().Delete(r.Context(), audit.ByUser(u.ID), s)
	return a.site.Done(w, r, err, "webhook-deleted", notificationsPath)
}

func (a *api) rotateOwnWebhook(w http.ResponseWriter, r *http.Request, u user.User, s webhook.Stored) error {
	s, own, err := a.app.Webhooks.Own().RotateSecret(r.Context(), audit.ByUser(u.ID), s)
	if err != nil {
		return err
	}
	return a.renderOwnSecret(w, r, http.StatusOK, "The new secret", s, own)
}

// ownSecretBody is the data of the page that shows a webhook's secret.
type ownSecretBody struct {
	ownWebhookRow
	Heading, Back string
	Text          secret.Text
}

// renderOwnSecret reveals a secret in the answer to the form that made it, the only page
// that does.
func (a *api) renderOwnSecret(w http.ResponseWriter, r *http.Request, status int, heading string, s webhook.Stored, own secret.Text) error {
	return a.renderSettings(w, r, site.Page{
		Template: "own_secret", Secret: true, Title: heading, Status: status, Body: ownSecretBody{newOwnWebhookRow(s), heading, notificationsPath, own},
	})
}

// State is the state of the webhook in one word.
func (r ownWebhookRow) State() string {
	switch {
	case !r.Thing.Active:
		return "Off"
	case r.Thing.LastError != "":
		return "Failing"
	case r.Thing.Works():
		return "Works"
	}
	return "Untested"
}
