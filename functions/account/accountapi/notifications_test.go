package accountapi_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/mail"
	"gatehouse/shared/notice"
	"gatehouse/shared/webhook"
)

const notificationsPage = "/user_settings/notifications"

// notificationsSent are the fields of the form as it is at first, with the pairs in place of
// or besides its own; an empty value leaves one out.
func notificationsSent(pairs ...string) url.Values {
	values := apptest.Form("email_pages", "1", "email_alerts", "1", "email_assignments", "1", "email_shifts", "1", "alerts_severity", "unknown",
		"quiet_from", "22:00", "quiet_to", "07:00", "quiet_timezone", "UTC")
	for _, day := range notice.Week {
		values.Add("quiet_days[]", strings.ToLower(day.String()))
	}
	for name, all := range apptest.Form(pairs...) {
		if values[name] = all; all[0] == "" {
			delete(values, name)
		}
	}
	return values
}

func TestNotificationsAreChosen(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	b.Get(notificationsPage).Want(200, ada.Email, "Keep quiet hours", `value="22:00"`, `value="UTC"`, "Send a test")
	b.Post(notificationsPage, notificationsSent()).WantRedirect(notificationsPage)
	b.Post(notificationsPage, notificationsSent("email_alerts", "", "alerts_severity", "high", "quiet_hours", "1", "quiet_timezone", " Europe/Berlin ", "quiet_days[]", "friday")).WantRedirect(notificationsPage)
	b.Get(notificationsPage).Want(200, "Your notifications are saved.", `value="high" selected`, `value="Europe/Berlin"`,
		`name="quiet_hours" value="1" checked`, `name="quiet_days[]" value="friday" checked`, `name="email_alerts" value="1"><b>`)
	s, err := a.Notices.Settings(t.Context(), ada.ID)
	if err != nil || s.Thing.Mails(notice.Alerts) || !s.Thing.Quiet.Active || len(s.Thing.Quiet.Days) != 1 {
		t.Errorf("the settings are %+v, %v", s.Thing, err)
	}
}

// What was sent is shown again, with a complaint beside each wrong field, and nothing is saved.
func TestWrongNotificationsAreShownAgain(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	b.Post(notificationsPage, notificationsSent("email_pages", "", "email_shifts", "", "quiet_timezone", `"><b>Mars`, "quiet_from", "25:00", "quiet_days[]", "")).Want(422,
		"Mails of pages can only be switched off while a webhook of your own works", "The time zone is not a time zone", "The beginning must be a time of day such as 22:00.",
		"The days can't be blank.", "Nothing was saved yet", `value=""><b>Mars"`, `name="email_shifts" value="1"><b>`)
	if s, err := a.Notices.Settings(t.Context(), ada.ID); err != nil || !s.Thing.Mails(notice.Shifts) {
		t.Errorf("the settings are %+v, %v", s.Thing, err)
	}
}

var webhookAction = regexp.MustCompile(`action="(/user_settings/notifications/webhooks/\d+)/(?:enable|disable)"`)

func TestOwnWebhooksOnThePage(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	b.Post(notificationsPage+"/webhooks", apptest.Form("url", "https://10.0.0.1/x")).Want(422, "The address must have a public host.", `value="https://10.0.0.1/x"`)
	b.Post(notificationsPage+"/webhooks", apptest.Form("url", "https://chat.example/ada")).Want(201, "whsec_", "Copy the secret now")
	page := b.Get(notificationsPage).Want(200, "chat.example", "Untested", "Switch off")
	page.WantNot("whsec_")
	found := webhookAction.FindStringSubmatch(page.Text())
	if found == nil {
		t.Fatal("the page has no form for the webhook")
	}
	address := found[1]
	b.Post(address+"/rotate", nil).Want(200, "whsec_", "The new secret")
	b.Post(address+"/disable", nil).WantRedirect(notificationsPage)
	b.Get(notificationsPage).Want(200, "The webhook is off.", "Switch on")
	b.Post(address+"/enable", nil).WantRedirect(notificationsPage)

	other := signedIn(t, a, a.User("ben"))
	for _, deed := range []string{"enable", "disable", "rotate", "delete"} {
		other.Post(address+"/"+deed, nil).Want(404)
	}
	other.Get(notificationsPage).Want(200).WantNot("chat.example")
	newBrowser(t, a.App).Post(address+"/delete", nil).WantRedirect("/users/sign_in?return_to=%2F")

	b.Post(address+"/delete", nil).WantRedirect(notificationsPage)
	b.Get(notificationsPage).Want(200, "The webhook was deleted.").WantNot("chat.example")
	for n := range webhook.MaxOwn {
		b.Post(notificationsPage+"/webhooks", apptest.Form("url", fmt.Sprint("https://chat.example/", n))).Want(201)
	}
	b.Post(notificationsPage+"/webhooks", apptest.Form("url", "https://chat.example/more")).Want(422, "you have the most webhooks you can have: 5")
}

func TestFailingWebhookSaysWhy(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	hook, _, err := a.Webhooks.Own().Create(t.Context(), audit.ByUser(ada.ID), "https://chat.example/ada", true)
	if err != nil {
		t.Fatal(err)
	}
	a.Receiver.Answers = func(webhook.Request) (webhook.Answer, error) { return webhook.Answer{Status: 503}, nil }
	deliver := func() {
		_ = a.Webhooks.Own().Deliver(t.Context(), ada.ID, hook.ID, webhook.Message{ID: "1", At: a.Now()})
	}
	deliver()
	b := signedIn(t, a, ada)
	b.Get(notificationsPage).Want(200, "Failing", "Last error: the receiver answered 503.")
	a.Receiver.Answers = func(webhook.Request) (webhook.Answer, error) { return webhook.Answer{Status: 410}, nil }
	deliver()
	b.Get(notificationsPage).Want(200, "Off", "Gatehouse switched it off: the receiver answered 410 Gone.")
}

func TestTestSaysWhereItGoes(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	send := func(says string) {
		t.Helper()
		b.Post(notificationsPage+"/test", nil).WantRedirect(notificationsPage)
		b.Get(notificationsPage).Want(200, says)
	}
	send("You have no active webhook.")
	if _, _, err := a.Webhooks.Own().Create(t.Context(), audit.ByUser(ada.ID), "https://chat.example/ada", true); err != nil {
		t.Fatal(err)
	}
	for range notice.MostTests - 1 {
		send("to each of your active webhooks.")
	}
	send("You have sent enough tests for now.")
	a.Pass(time.Hour)
	send("to each of your active webhooks.")
}

// Administrators see the mails that an instance keeps, without what would let them act as
// the person whom a mail is for.
func TestKeptMailsAreForAdministrators(t *testing.T) {
	a := apptest.New(t)
	root, ada := a.Admin("root"), a.User("ada")
	boss, b := signedIn(t, a, root), signedIn(t, a, ada)
	const mails = "/admin/mails"
	boss.Get(mails).Want(200, "No mails", "knows no mail server")
	for n := range 25 {
		m := mail.Message{
			From: mail.Address{Email: "gatehouse@id.example"}, To: mail.Address{Name: "Ada", Email: ada.Email}, At: a.Now(), Subject: fmt.Sprintf("<i>Mail %d</i>", n),
			Text: "Acknowledge:\nhttps://id.example/console/-/acknowledge?token=c2VjcmV0\n<b>bold</b>\n", HTML: "<p>markup</p>", ID: fmt.Sprint(n, "@id.example"),
		}
		if err := a.Mails.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	boss.Get(mails).Want(200, "<i>Mail 24</i>", ada.Email).WantNot("Mail 4<")
	boss.Get(mails+"?page=2").Want(200, "Mail 4<")
	page := boss.Get(mails+"/25").Want(200, "Mail 24", "acknowledge?token=[hidden]", "<b>bold</b>", "The secret parts of links are hidden")
	page.WantNot("c2VjcmV0", "markup")
	if strings.Contains(page.Body.String(), "<b>bold") {
		t.Error("the page has the markup of the mail")
	}
	boss.Get(mails + "/26").Want(404)
	for _, address := range []string{mails, mails + "/25"} {
		b.Get(address).Want(404)
	}
	a.KeepsMails = false
	boss.Get(mails).Want(200, "This instance sends its mails.")
}
