package consoleapi_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/undelivered"
)

const undeliveredPage = "/console/acme/web/settings/undelivered"

// giveUp keeps a message of the project that could not be handled.
func giveUp(t *testing.T, a *apptest.App, p project.Project, n int, k outbox.Kind, data map[string]any) undelivered.Message {
	t.Helper()
	encoded, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	m := outbox.Message{
		Lane: "test", Seq: outbox.SeqOf(a.Now(), n), Kind: k, ProjectID: p.ID, Data: encoded, CreatedAt: a.Now(), DueAt: a.Now(),
		Attempts: 8, LastError: "the receiver answered <500>",
	}
	err = a.Store.PutMessages(t.Context(), []outbox.Message{m})
	if err == nil {
		m, err = a.Store.ClaimMessage(t.Context(), m, "claim", a.Now(), a.Now().Add(time.Minute))
	}
	if err == nil {
		err = a.Store.BuryMessage(t.Context(), m, a.Now())
	}
	found, listErr := a.Undelivered.List(t.Context(), p, page.First)
	if err != nil || listErr != nil || len(found.Items) == 0 {
		t.Fatalf("no message was given up: %v, %v", err, listErr)
	}
	return found.Items[0]
}

func retryAddress(m undelivered.Message) string {
	return fmt.Sprintf("%s/%d/retry", undeliveredPage, m.Number)
}

func TestUndeliveredMessagesSayWhatTheyWere(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	named := marco(t, a)
	tests := []struct {
		kind outbox.Kind
		data map[string]any
		says []string
	}{
		{"webhook.delivery", map[string]any{"webhook_id": 3, "data": map[string]any{"alert_iid": 7}}, []string{"Message to a webhook", `href="` + webhooksPage + `/3"`, `href="` + alertPage(7) + `"`}},
		{"webhook.delivery", map[string]any{"webhook_id": 3, "data": map[string]any{"incident_iid": 4}}, []string{"Message to a webhook", `href="` + incidentPage(4) + `"`}},
		{"notice", map[string]any{"user_id": named.ID, "iid": 7}, []string{"Notice to a person", "To <bdi>" + named.Name}},
		{"notice.mail", map[string]any{"user_id": named.ID, "iid": 7}, []string{"Mail to a person"}},
		{"notice.webhook", map[string]any{"user_id": named.ID, "webhook_id": 3}, []string{"Message to a person’s webhook"}},
		{"notice.shift_mail", map[string]any{"user_id": named.ID, "schedule_id": 5}, []string{"Mail about a shift"}},
		{"notice", map[string]any{"user_id": 99999, "iid": 7}, []string{"To <bdi>a deleted user"}},
		{"schedule.handover", map[string]any{"schedule_id": 5}, []string{"Hand-over of a schedule", `href="/console/acme/web/oncall"`}},
		{"alert.opened", map[string]any{"iid": 9}, []string{"What follows when an alert is opened", `href="` + alertPage(9) + `"`}},
		{"incident.closed", map[string]any{"incident_iid": 2}, []string{"What follows when an incident is closed"}},
		{"of.another.version", nil, []string{"Message"}},
	}
	b.Get(undeliveredPage).Want(200, "Everything was delivered")
	b.Get(webhooksPage).Want(200).WantNot("could not be delivered")
	for n, test := range tests {
		m := giveUp(t, a, web, n, test.kind, test.data)
		b.Get(undeliveredPage).Want(200, append(test.says, "the receiver answered <500>", "Tried 8 times", `action="`+retryAddress(m)+`"`)...)
		if test.kind == "notice.webhook" {
			b.Get(undeliveredPage).Want(200).WantNot(`href="` + webhooksPage + `/3"`)
		}
		if err := a.Store.ReviveMessage(t.Context(), web.ID, m.Number, a.Now()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUndeliveredMessageIsSentAgain(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	m := giveUp(t, a, web, 1, "alert.opened", map[string]any{"iid": 9})
	b.Post(retryAddress(m), nil).WantRedirect(undeliveredPage)
	b.Get(undeliveredPage).Want(200, "sent again now", "Everything was delivered")
	waiting, err := a.Store.Waiting(t.Context(), "test", 5)
	if err != nil || len(waiting) != 1 || waiting[0].Attempts != 0 {
		t.Errorf("Waiting = %v, %v, want the message as a new one", waiting, err)
	}
	b.Post(retryAddress(m), nil).WantRedirect(undeliveredPage)
	b.Get(undeliveredPage).Want(200, "not here any more")
	b.Post(undeliveredPage+"/x/retry", nil).WantRedirect(undeliveredPage)
}

func TestUndeliveredMessagesAreListedInPages(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	for n := range page.DefaultSize + 1 {
		giveUp(t, a, web, n, "alert.opened", map[string]any{"iid": n + 100})
		a.Pass(time.Second)
	}
	b.Get(undeliveredPage).Want(200, "alert #120", "Older").WantNot("alert #100")
	b.Get(undeliveredPage+"?page=2").Want(200, "alert #100", "Newer").WantNot("alert #120")
	b.Get(undeliveredPage+"?page=3").Want(200, "The list ends before this page")
}

// Whoever can have a message sent again is told that there are some, where alerts are.
func TestPagesHintAtUndeliveredMessages(t *testing.T) {
	a := apptest.New(t)
	web, _, developer := newAlerts(t, a)
	giveUp(t, a, web, 1, "alert.opened", map[string]any{"iid": 9})
	maintainer := signedIn(t, a, marco(t, a))
	for _, path := range []string{alertsPage, webhooksPage} {
		maintainer.Get(path).Want(200, "could not be delivered", `href="`+undeliveredPage+`"`)
	}
	developer.Get(alertsPage).Want(200).WantNot("could not be delivered")
}
