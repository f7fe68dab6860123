package monitorapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/project"
	"gatehouse/shared/webhook"
)

const (
	webhooks = "/api/v4/projects/acme%2Fweb/monitor/webhooks"
	chat     = "https://chat.example/hooks/x"
)

// hook adds a webhook over REST and returns its address and what was answered.
func (s setup) hook(t *testing.T) (string, object) {
	t.Helper()
	made := s.Call(t, "POST", webhooks, object{"url": chat})
	return fmt.Sprintf("%s/%d", webhooks, made.ID(t)), made.Object(t)
}

// timed is a time on the wire.
func timed(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func TestWebhookBody(t *testing.T) {
	s := arrange(t)
	one, made := s.hook(t)
	secret, _ := made["secret"].(string)
	want := object{
		"id": made["id"], "url": chat, "active": true, "disabled_reason": nil, "last_status": nil, "last_error": nil, "last_attempted_at": nil,
		"last_delivered_at": nil, "former_secret_until": nil, "created_at": timed(s.Now()),
	}
	if delete(made, "secret"); !strings.HasPrefix(secret, "whsec_") || len(secret) != 50 {
		t.Errorf("the secret is %q", secret)
	}
	s.Call(t, "GET", one, nil).Want(t, 200, want)
	s.Call(t, "GET", webhooks, nil).Want(t, 200, list{want})

	want["active"], want["url"] = false, chat+"y"
	s.Call(t, "PUT", one, object{"url": chat + "y", "active": false}).Want(t, 200, want)
	s.Call(t, "PUT", one, object{}).Want(t, 200, want)
	want["active"] = true
	s.Send(t, "PUT", one, asForm, "active=on").Want(t, 200, want)

	rotated := s.Call(t, "POST", one+"/rotate_secret", nil).Object(t)
	want["former_secret_until"] = timed(s.Now().Add(24 * time.Hour))
	if fresh := rotated["secret"]; fresh == secret || fresh == nil || rotated["former_secret_until"] != want["former_secret_until"] {
		t.Errorf("after the rotation of %s it is %v", secret, rotated)
	}
	want["last_status"], want["last_attempted_at"], want["last_delivered_at"] = 200.0, timed(s.Now()), timed(s.Now())
	s.Call(t, "POST", one+"/test", nil).Want(t, 200, want)
	s.Call(t, "GET", one, nil).Want(t, 200, want)
	s.Call(t, "DELETE", one, nil).Want(t, 204, nil)
	s.Call(t, "GET", one, nil).WantMessage(t, 404, "404 Webhook Not Found")
	s.Call(t, "GET", webhooks, nil).Want(t, 200, list{})
}

func TestWebhookThatFails(t *testing.T) {
	s := arrange(t)
	one, _ := s.hook(t)
	tests := []struct {
		answer webhook.Answer
		err    error
		want   string
	}{
		{webhook.Answer{Status: 500, RetryAfter: "30"}, nil, "the receiver answered 500"},
		{webhook.Answer{Status: 302}, nil, "the receiver answered 302, a redirect, and redirects are not followed"},
		{webhook.Answer{}, &webhook.Unanswered{Reason: "the receiver did not answer in time"}, "the receiver did not answer in time"},
		{webhook.Answer{}, webhook.ErrRefused, "the address is not one that webhooks may go to"},
		{webhook.Answer{Status: 410}, nil, "the receiver answered 410 Gone, so the webhook is switched off"},
	}
	for _, test := range tests {
		s.Receiver.Answers = func(webhook.Request) (webhook.Answer, error) { return test.answer, test.err }
		answer := s.Call(t, "POST", one+"/test", nil)
		answer.WantMessage(t, 422, "422 Unprocessable Entity - "+test.want)
		if got := answer.Header.Get("Retry-After"); got != "" {
			t.Errorf("the answer asks to wait %s seconds, as the receiver did", got)
		}
		if got := s.Call(t, "GET", one, nil).Object(t); got["last_error"] != test.want || got["last_delivered_at"] != nil {
			t.Errorf("the webhook is %v, want the error %s", got, test.want)
		}
	}
	off := s.Call(t, "GET", one, nil).Object(t)
	if off["active"] != false || off["disabled_reason"] != "the receiver answered 410 Gone" || off["last_status"] != 410.0 {
		t.Errorf("after 410 the webhook is %v", off)
	}
	on := s.Call(t, "PUT", one, object{"active": true}).Object(t)
	if on["active"] != true || on["disabled_reason"] != nil {
		t.Errorf("switched on again the webhook is %v", on)
	}
}

func TestWebhookIsTestedTenTimesInAMinute(t *testing.T) {
	s := arrange(t)
	one, _ := s.hook(t)
	for range 10 {
		if got := s.Call(t, "POST", one+"/test", nil); got.Status != 200 {
			t.Errorf("a test is answered %d, want 200", got.Status)
		}
	}
	refused := s.Call(t, "POST", one+"/test", nil)
	refused.WantMessage(t, 429, "429 Too Many Requests")
	if got := refused.Header.Get("Retry-After"); got != "60" {
		t.Errorf("Retry-After is %q, want a minute", got)
	}
}

func TestWebhookParametersAreChecked(t *testing.T) {
	s := arrange(t)
	one, made := s.hook(t)
	delete(made, "secret")
	complaint := func(text string) object { return object{"message": object{"url": list{text}}} }
	for body, want := range map[string]any{
		`{"active":"maybe"}`:                         object{"error": "url is missing, active is invalid"},
		`{"url":{}}`:                                 object{"error": "url is invalid"},
		`{"url":""}`:                                 complaint("can't be blank"),
		`{"url":"http://chat.example"}`:              complaint("must be an https URL"),
		`{"url":"https://ada:pw@chat.example"}`:      complaint("must have no user name or password"),
		`{"url":"https://169.254.169.254/latest"}`:   complaint("must have a public host"),
		`{"url":"https://[::ffff:10.0.0.1]","id":5}`: complaint("must have a public host"),
	} {
		s.Send(t, "POST", webhooks, asJSON, body).Want(t, 400, want)
		if strings.Contains(body, `"url"`) {
			s.Send(t, "PUT", one, asJSON, body).Want(t, 400, want)
		}
	}
	for _, call := range []string{"POST " + webhooks, "PUT " + one, "POST " + one + "/test", "POST " + one + "/rotate_secret"} {
		method, path, _ := strings.Cut(call, " ")
		s.Send(t, method, path, asJSON, "[").Want(t, 400, nil)
		s.Send(t, method, path, "text/plain", "x").Want(t, 415, nil)
	}
	s.Call(t, "GET", webhooks, nil).Want(t, 200, list{made})
	if got := s.Receiver.Got(); len(got) != 0 {
		t.Errorf("the receiver got %v", got)
	}
}

func TestWebhooksAreThoseOfTheProject(t *testing.T) {
	s := arrange(t)
	one, _ := s.hook(t)
	other := s.Project("other", s.Namespace(s.Admin("root")), project.Private)
	token := s.Token(s.Admin("boss"))
	foreign := strings.Replace(one, "acme%2Fweb", fmt.Sprint(other.ID), 1)
	for _, call := range []string{"GET ", "PUT ", "DELETE "} {
		apptest.Call(t, s.H, strings.TrimSpace(call), foreign, token, nil).WantMessage(t, 404, "404 Webhook Not Found")
	}
	for _, action := range []string{"/test", "/rotate_secret"} {
		apptest.Call(t, s.H, "POST", foreign+action, token, nil).WantMessage(t, 404, "404 Webhook Not Found")
	}
	for _, id := range []string{"0", "-1", "x", "99999999999999999999"} {
		s.Call(t, "GET", webhooks+"/"+id, nil).WantMessage(t, 404, "404 Webhook Not Found")
	}
	s.Call(t, "GET", one, nil).Want(t, 200, nil)
}

func TestProjectHasTwentyWebhooks(t *testing.T) {
	s := arrange(t)
	for range 20 {
		s.hook(t)
	}
	s.Call(t, "POST", webhooks, object{"url": chat}).WantMessage(t, 409, "409 Conflict - the project has the most webhooks it can have: 20")
	if got := s.Call(t, "GET", webhooks+"?per_page=5", nil); len(got.Each(t, "id")) != 5 || got.Header.Get("X-Total") != "20" {
		t.Errorf("a page has %v of %s", got.Each(t, "id"), got.Header.Get("X-Total"))
	}
}
