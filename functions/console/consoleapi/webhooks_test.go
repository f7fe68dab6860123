package consoleapi_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

const (
	webhooksPage = "/console/acme/web/settings/webhooks"
	chat         = "https://chat.example/hooks/x"
)

// newHook adds a webhook with the form, and returns its page's address and the page that
// shows its secret.
func newHook(t *testing.T, a *apptest.App, p project.Project, b *apptest.Browser) (at string, shown apptest.Page) {
	t.Helper()
	shown = b.Post(webhooksPage, apptest.Form("url", chat, "active", "1")).Want(201)
	found, err := a.Webhooks.List(t.Context(), p, page.First)
	if err != nil || len(found.Items) == 0 {
		t.Fatalf("List = %v, %v, want a webhook", found, err)
	}
	return fmt.Sprintf("%s/%d", webhooksPage, found.Items[0].ID), shown
}

// onlyHook returns the only webhook of the project.
func onlyHook(t *testing.T, a *apptest.App, p project.Project) webhook.Stored {
	t.Helper()
	found, err := a.Webhooks.List(t.Context(), p, page.First)
	if err != nil || len(found.Items) != 1 {
		t.Fatalf("List = %v, %v, want one webhook", found, err)
	}
	return found.Items[0]
}

var secretOnPage = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`)

func TestWebhooksSecretIsShownOnce(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	b.Get(webhooksPage).Want(200, "No webhooks yet", `href="`+webhooksPage+`/new"`)
	b.Get(webhooksPage+"/new").Want(200, `action="`+webhooksPage+`"`)
	at, made := newHook(t, a, web, b)
	first := secretOnPage.FindString(made.Text())
	made.Want(201, "Copy the secret now", `data-address="`+at+`"`)
	if len(first) != 50 {
		t.Errorf("the secret is %q", first)
	}
	for _, later := range []apptest.Page{b.Get(webhooksPage), b.Get(at)} {
		later.Want(200, chat, "Active").WantNot("whsec_")
	}
	b.Get(at).WantNot("signs too")
	rotated := b.Post(at+"/rotate", nil).Want(200, "Secret before", "Signs too")
	if second := secretOnPage.FindString(rotated.Text()); second == first || len(second) != 50 {
		t.Errorf("after %q the secret is %q", first, second)
	}
	b.Get(at).Want(200, "The one before it signs too").WantNot("whsec_")
	a.Pass(24 * time.Hour)
	signedIn(t, a, marco(t, a)).Get(at).WantNot("signs too")
}

func TestWebhookIsChangedSwitchedAndDeleted(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	at, _ := newHook(t, a, web, b)
	seen := b.Get(at).Fields(at).Get("seen")
	b.Post(at, apptest.Form("url", " "+chat+"y ", "seen", seen)).WantRedirect(at)
	if got := onlyHook(t, a, web).Thing; got.URL != chat+"y" || !got.Active {
		t.Errorf("after the form of the address the webhook is %+v", got)
	}
	b.Get(at).Want(200, "The webhook was saved", chat+"y", "Switch off")
	again := b.Post(at, apptest.Form("url", chat+"z", "seen", seen)).Want(409, "Someone else changed the address", `value="`+chat+`z"`)
	if got := again.Fields(at).Get("seen"); got != chat+"y" {
		t.Errorf("the form that came back was shown with %q", got)
	}
	b.Post(at+"/active", nil).WantRedirect(at)
	b.Get(at).Want(200, "The webhook is off", "Inactive", "Switch on")
	if got := onlyHook(t, a, web).Thing; got.Active {
		t.Error("the webhook is still active")
	}
	b.Post(at, apptest.Form("url", chat)).WantRedirect(at)
	if got := onlyHook(t, a, web).Thing; got.Active {
		t.Error("saving the address switched the webhook on")
	}
	b.Post(at+"/active", apptest.Form("active", "1")).WantRedirect(at)
	b.Get(at).Want(200, "The webhook is on", "Active")
	b.Post(at+"/delete", nil).WantRedirect(webhooksPage)
	b.Get(webhooksPage).Want(200, "The webhook was deleted", "No webhooks yet")
	for _, gone := range []string{at, webhooksPage + "/0", webhooksPage + "/x", webhooksPage + "/99999999999999999999"} {
		b.Get(gone).Want(404)
		b.Post(gone+"/test", nil).Want(404)
	}
}

func TestWebhookIsTested(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	at, _ := newHook(t, a, web, b)
	b.Get(at).Want(200, "Nothing was sent yet")
	b.Post(at+"/test", nil).WantRedirect(at)
	b.Get(at).Want(200, "The receiver took the test", "Delivered")
	for _, test := range []struct {
		answer webhook.Answer
		err    error
		says   []string
	}{
		{webhook.Answer{Status: 500}, nil, []string{"The test was not delivered: the receiver answered 500."}},
		{webhook.Answer{}, &webhook.Unanswered{Reason: "the receiver did not answer in time"}, []string{"did not answer in time."}},
		{webhook.Answer{}, webhook.ErrRefused, []string{"not one that webhooks may go to."}},
		{webhook.Answer{Status: 410}, nil, []string{"410 Gone", "Switched off", "Switch on", "Gatehouse switched the webhook off"}},
	} {
		a.Receiver.Answers = func(webhook.Request) (webhook.Answer, error) { return test.answer, test.err }
		b.Post(at+"/test", nil).Want(422, test.says...)
	}
	b.Get(webhooksPage).Want(200, "Switched off", "the receiver answered 410 Gone")
}

func TestWebhookFormsComplain(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	at, _ := newHook(t, a, web, b)
	for url, says := range map[string]string{
		"":                           "The address can't be blank.",
		"http://chat.example":        "The address must be an https URL.",
		"https://ada:pw@chat.ex/%22": "The address must have no user name or password.",
		"https://10.0.0.1/x":         "The address must have a public host.",
	} {
		for _, form := range []string{webhooksPage, at} {
			b.Post(form, apptest.Form("url", url)).Want(422, says, `value="`+url+`"`, `aria-invalid="true"`, "autofocus")
		}
	}
	if got := onlyHook(t, a, web).Thing; got.URL != chat || !got.Active {
		t.Errorf("a form with mistakes made the webhook %+v", got)
	}
	for n := 1; n < webhook.MaxWebhooks; n++ {
		newHook(t, a, web, b)
	}
	b.Post(webhooksPage, apptest.Form("url", chat)).Want(409, "The project has the most webhooks it can have: 20.", `value="`+chat+`"`)
	b.Post(webhooksPage, apptest.Form("url", `"><script>`)).Want(422, "must be an https URL")
}

func TestWhoMaySeeWebhooks(t *testing.T) {
	a := apptest.New(t)
	web, maintainer := newProject(t, a)
	at, _ := newHook(t, a, web, maintainer)
	other := a.Project("other", a.Namespace(a.User("olga")), project.Private)
	a.Member(other.Place(), marco(t, a), project.Maintainer)
	foreign := "/console/" + other.FullPath + strings.TrimPrefix(at, "/console/acme/web")
	maintainer.Get(foreign).Want(404)
	maintainer.Post(foreign+"/rotate", nil).Want(404)
	dana := a.User("dana")
	a.Member(web.Place(), dana, project.Developer)
	for _, who := range []struct {
		*apptest.Browser
		status int
	}{{signedIn(t, a, dana), 403}, {signedIn(t, a, a.User("stranger")), 404}} {
		for _, get := range []string{webhooksPage, webhooksPage + "/new", at, undeliveredPage} {
			who.Get(get).Want(who.status)
		}
		for _, post := range []string{webhooksPage, at, at + "/active", at + "/test", at + "/rotate", at + "/delete", undeliveredPage + "/1/retry"} {
			who.Post(post, apptest.Form("url", chat+"z")).Want(who.status)
		}
	}
	if got := onlyHook(t, a, web).Thing; got.URL != chat || !got.Active || got.Former != "" || len(a.Receiver.Got()) != 0 {
		t.Errorf("somebody who may not changed the webhook: %+v", got)
	}
	signedIn(t, a, dana).Get(alertsPage).Want(200).WantNot(`href="` + webhooksPage)
}

// The ways to alerts, incidents, on-call and webhooks are on every page of a project.
func TestEveryPageLeadsToTheOthers(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	at, _ := newHook(t, a, web, b)
	for _, path := range []string{"/console/acme/web", alertsPage, alertsPage + "/test", incidentsPage, incidentsPage + "/new", "/console/acme/web/oncall", webhooksPage, at, undeliveredPage, integrationsPage} {
		shown := b.Get(path).Want(200).Body.String()
		_, tabs, _ := strings.Cut(shown, `<nav class="tabs"`)
		tabs, _, _ = strings.Cut(tabs, "</nav>")
		for _, tab := range []string{"/alerts", "/incidents", "/oncall", "/settings/webhooks", "/settings"} {
			if !strings.Contains(tabs, `href="/console/acme/web`+tab+`"`) {
				t.Errorf("%s does not lead to %s", path, tab)
			}
		}
	}
}

// marco is the maintainer of the project of newProject.
func marco(t *testing.T, a *apptest.App) user.User {
	t.Helper()
	u, err := a.Users.UserByUsername(t.Context(), "marco")
	if err != nil {
		t.Fatal(err)
	}
	return u
}
