package functions_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gatehouse/functions/dispatcher/dispatcherapi"
	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/boot/dispatching"
	"gatehouse/shared/incident"
	"gatehouse/shared/integration"
	"gatehouse/shared/mail"
	"gatehouse/shared/oncall"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/sqlite/sqlitetest"
)

// The dispatcher does all that follows from an alert: in the store of the local server, and
// on DynamoDB with the rights that template.yaml gives the function.
func TestDispatcherDoesWhatFollows(t *testing.T) {
	features := integration.AllFeatures
	features.KeptDays = 0 // alerts are kept forever, until the project says otherwise
	t.Run("sqlite", func(t *testing.T) {
		store := sqlitetest.Open(t)
		s := serverOver(t, store, features)
		wantFollowed(t, s, store)
	})
	t.Run("dynamodb", func(t *testing.T) {
		needEmulator(t)
		options := emulated(t)
		s := serverOver(t, dynamodb.New(options), features)
		options.HTTPClient = guard{t, "dispatcher", policies(t)["dispatcher"], &steps{}}
		wantFollowed(t, s, dynamodb.New(options))
		usedRights.end("dispatcher")
	})
}

// wantFollowed opens and resolves an alert in a project that asks for everything, and has a
// dispatcher over the store do what follows.
func wantFollowed(t *testing.T, s *server, store storage.Store) {
	t.Helper()
	ctx, p, root := t.Context(), s.project(t), s.administrator(t)
	by := audit.ByUser(root.ID)
	on := true
	change := integration.SettingsChange{CreateIncident: &on, SendEmail: &on}
	if _, err := s.app.Integrations.ChangeSettings(ctx, by, p, change); err != nil {
		t.Fatal(err)
	}
	policy := oncall.Policy{Rules: []oncall.Rule{{Until: oncall.Acknowledged, UserID: root.ID}}}
	if _, err := s.app.OnCall.SetPolicy(ctx, oncall.Who{Actor: by, Role: project.Owner}, p, policy); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.app.Webhooks.Create(ctx, by, p, "https://hooks.example.com/alerts", true); err != nil {
		t.Fatal(err)
	}
	a := s.newApp(store)
	h := dispatcherapi.New(dispatching.With(a, store, s.keys, a.Mails, mail.Address{Email: "gatehouse@example.com"}), dispatching.LaneOf)
	i, err := s.app.Integrations.Create(ctx, by, p, integration.Draft{Name: "Tool", Type: integration.HTTP, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.app.Integrations.Key(i)
	if err != nil {
		t.Fatal(err)
	}
	intake := fmt.Sprintf("/%s/alerts/notify.json", p.FullPath)
	s.notify(t, intake, key.Reveal(), `{"title":"Disk full","fingerprint":"disk"}`)
	invoke(t, h)
	wantMails(t, s, 1)
	found, err := s.app.Alerts.Current(ctx, p, 1)
	if err == nil {
		_, err = s.app.Alerts.Change(ctx, by, p, found, alert.Change{AssigneeID: &root.ID})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.notify(t, intake, key.Reveal(), `{"fingerprint":"disk","end_time":"2030-01-01T00:00:00Z"}`)
	invoke(t, h)

	made, err := a.Incidents.Find(ctx, p, 1)
	if err != nil || made.Thing.State != incident.Closed || made.Thing.Title != "Disk full" {
		t.Errorf("the incident is %+v, %v, want it closed", made.Thing, err)
	}
	wantGivenUp(t, s, p, false)
	notify := func(payload string) { s.notify(t, intake, key.Reveal(), payload) }
	wantSettled(t, s, p, h, notify)
	wantGivenUp(t, s, p, true)
	wantMailsToExpire(t, s, h, notify)
}

// wantMailsToExpire has the dispatcher keep a mail when those before have expired, which it
// removes then.
func wantMailsToExpire(t *testing.T, s *server, h dispatcherapi.Handler, notify func(payload string)) {
	t.Helper()
	s.pass(mail.KeptFor + time.Hour)
	wantMails(t, s, 0)
	notify(`{"title":"No answer","fingerprint":"answer"}`)
	invoke(t, h)
	wantMails(t, s, 1)
}

// wantSettled has the dispatcher resolve the assigned alert of a closed incident, whose payloads then
// expire, and switch a webhook off whose receiver is gone, so that its message is given up.
func wantSettled(t *testing.T, s *server, p project.Project, h dispatcherapi.Handler, notify func(payload string)) {
	t.Helper()
	ctx, by := t.Context(), audit.ByUser(s.administrator(t).ID)
	if _, _, err := s.app.Webhooks.Create(ctx, by, p, "https://hooks.example.com/gone", true); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		notify(`{"title":"Memory full","fingerprint":"memory"}`)
	}
	invoke(t, h)
	made, err := s.app.Incidents.Find(ctx, p, 2)
	if err != nil {
		t.Fatal(err)
	}
	s.stopped = s.now().Truncate(time.Microsecond) // so that the alert is as it was when the incident was closed
	closed := incident.Closed
	if _, err := s.app.Incidents.Change(ctx, by, p, made, incident.Change{State: &closed}); err != nil {
		t.Fatal(err)
	}
	found, err := s.app.Alerts.Current(ctx, p, 2)
	if err != nil {
		t.Fatal(err)
	}
	triggered := alert.Triggered
	if _, err := s.app.Alerts.Change(ctx, by, p, found, alert.Change{Status: &triggered, AssigneeID: &by.UserID}); err != nil {
		t.Fatal(err)
	}
	s.stopped = time.Time{}
	days := new(int64(1))
	if _, err := s.app.Integrations.ChangeSettings(ctx, by, p, integration.SettingsChange{RetentionDays: &days}); err != nil {
		t.Fatal(err)
	}
	invoke(t, h)
	if settled, err := s.app.Alerts.Alert(ctx, p.ID, 2); err != nil || settled.Open() || settled.ExpiresAt.IsZero() {
		t.Errorf("the alert of the closed incident is %+v, %v, want it resolved and to expire", settled, err)
	}
}

// wantGivenUp looks for messages that nobody handles any more.
func wantGivenUp(t *testing.T, s *server, p project.Project, want bool) {
	t.Helper()
	dead, err := s.messages.DeadMessages(t.Context(), p.ID, s.now(), page.First)
	if err != nil || len(dead.Items) > 0 != want {
		t.Errorf("messages were given up: %+v, %v, want some: %t", dead.Items, err, want)
	}
}

func invoke(t *testing.T, h dispatcherapi.Handler) {
	t.Helper()
	if _, err := h.Invoke(context.WithoutCancel(t.Context()), []byte(`{"source":"aws.events"}`)); err != nil {
		t.Fatal(err)
	}
}

func wantMails(t *testing.T, s *server, want int) {
	t.Helper()
	kept, err := s.app.Mails.Kept(t.Context(), page.First)
	if err != nil || len(kept.Items) != want {
		t.Errorf("%d mails were sent, %v, want %d: %s", len(kept.Items), err, want, fmt.Sprint(kept.Items))
	}
}
