package functions_test

import (
	"context"
	"fmt"
	"testing"

	"gatehouse/functions/dispatcher/dispatcherapi"
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
	t.Run("sqlite", func(t *testing.T) {
		store := sqlitetest.Open(t)
		s := serverOver(t, store)
		wantFollowed(t, s, store)
	})
	t.Run("dynamodb", func(t *testing.T) {
		needEmulator(t)
		options := emulated(t)
		s := serverOver(t, dynamodb.New(options))
		options.HTTPClient = guard{t, "dispatcher", policies(t)["dispatcher"], &steps{}}
		wantFollowed(t, s, dynamodb.New(options))
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
	s.notify(t, intake, key.Reveal(), `{"fingerprint":"disk","end_time":"2030-01-01T00:00:00Z"}`)
	invoke(t, h)

	made, err := a.Incidents.Find(ctx, p, 1)
	if err != nil || made.Thing.State != incident.Closed || made.Thing.Title != "Disk full" {
		t.Errorf("the incident is %+v, %v, want it closed", made.Thing, err)
	}
	dead, err := store.DeadMessages(ctx, p.ID, s.now(), page.First)
	if err != nil || len(dead.Items) != 0 {
		t.Errorf("messages were given up: %+v, %v", dead.Items, err)
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
