package paging_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/boot/dispatching"
	"gatehouse/shared/dispatch"
	"gatehouse/shared/incident"
	"gatehouse/shared/integration"
	"gatehouse/shared/mail"
	"gatehouse/shared/oncall"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/paging"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

// postbox is a mail.Sender that keeps what it gets.
type postbox struct {
	// refuse says why a mail is not taken; nil: all are.
	refuse func(mail.Message) error

	mu  sync.Mutex
	got []mail.Message
}

func (b *postbox) Send(_ context.Context, m mail.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse != nil {
		if err := b.refuse(m); err != nil {
			return err
		}
	}
	b.got = append(b.got, m)
	return nil
}

// scene is the project acme/web with people, and a dispatcher.
type scene struct {
	*apptest.App
	t          testing.TB
	p          project.Project
	from       integration.Integration
	ada, ben   user.User // an Owner of the group, a Developer of the project
	by         audit.Actor
	box        *postbox
	dispatcher *dispatch.Dispatcher
	told       int  // requests of webhooks that were looked at
	ofShifts   bool // mails about shifts are looked at too
}

func newScene(t testing.TB) *scene { return over(t, sqlitetest.Open(t)) }

func over(t testing.TB, store storage.Store) *scene {
	t.Helper()
	a := apptest.Over(t, store)
	x := &scene{App: a, t: t, box: &postbox{}, ada: a.User("ada"), ben: a.User("ben")}
	x.by = audit.ByUser(x.ada.ID)
	x.p = a.Project("web", a.Group("acme", project.Group{}, x.ada, project.Private), project.Private)
	a.Member(x.p.Place(), x.ben, project.Developer)
	x.from = must(a.Integrations.Create(t.Context(), x.by, x.p, integration.Draft{Name: "Monitor", Type: integration.HTTP, Active: true}))
	x.dispatcher = x.dispatcherOver(store)
	return x
}

func (x *scene) dispatcherOver(store storage.Store, otherwise ...func(*paging.Config)) *dispatch.Dispatcher {
	return dispatching.With(x.App.App, store, x.Keys, x.box, mail.Address{Name: "Gatehouse", Email: "gatehouse@gatehouse.example"}, otherwise...)
}

// must returns the value, and panics if there is an error: that is a mistake of the test.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (x *scene) check(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

// developer adds a user with the role Developer in the project.
func (x *scene) developer(name string) user.User {
	u := x.User(name)
	x.Member(x.p.Place(), u, project.Developer)
	return u
}

// schedule adds a schedule with one rotation of these users.
func (x *scene) schedule(name string, users ...user.User) int64 {
	x.t.Helper()
	zone, begin := "Europe/Berlin", "2026-01-01T00:00:00Z"
	who := oncall.Who{Actor: x.by, Role: project.Owner}
	made := must(x.OnCall.Create(x.t.Context(), who, x.p, oncall.Change{Name: &name, Timezone: &zone}))
	c := oncall.RotationChange{Name: &name, StartsAt: &begin, Length: &oncall.Length{Value: 52, Unit: oncall.Weeks}}
	for _, u := range users {
		c.Participants = append(c.Participants, u.ID)
	}
	if len(users) > 0 {
		must(x.OnCall.AddRotation(x.t.Context(), who, x.p, made, c))
	}
	return made.ID
}

func (x *scene) policy(repeat int, rules ...oncall.Rule) {
	x.t.Helper()
	must(x.OnCall.SetPolicy(x.t.Context(), oncall.Who{Actor: x.by, Role: project.Owner}, x.p, oncall.Policy{Rules: rules, Repeat: repeat}))
}

// after returns a rule that names a user, and afterOn one that names a schedule.
func after(minutes int, until oncall.Status, u user.User) oncall.Rule {
	return oncall.Rule{ElapsedMinutes: minutes, Until: until, UserID: u.ID}
}

func afterOn(minutes int, until oncall.Status, schedule int64) oncall.Rule {
	return oncall.Rule{ElapsedMinutes: minutes, Until: until, ScheduleID: schedule}
}

func (x *scene) webhook() {
	x.t.Helper()
	_, _, err := x.Webhooks.Create(x.t.Context(), x.by, x.p, "https://chat.example/hook", true)
	x.check(err)
}

func (x *scene) settings(c integration.SettingsChange) {
	x.t.Helper()
	must(x.Integrations.ChangeSettings(x.t.Context(), x.by, x.p, c))
}

// fire sends a payload about the problem with this name, and returns the alert's iid.
func (x *scene) fire(name string, severity alert.Severity) int64 {
	x.t.Helper()
	return x.send(map[string]any{"title": name, "fingerprint": name, "severity": severity, "description": "It hurts."})
}

// recover sends that the problem has ended.
func (x *scene) recover(name string) {
	x.t.Helper()
	x.send(map[string]any{"title": name, "fingerprint": name, "end_time": x.Now().Format(time.RFC3339Nano)})
}

func (x *scene) send(payload map[string]any) int64 {
	x.t.Helper()
	body := must(json.Marshal(payload))
	return must(x.Intake.Test(x.t.Context(), x.p, x.from, body))[0].IID
}

func (x *scene) change(iid int64, c alert.Change) {
	x.t.Helper()
	x.changeBy(x.by, iid, c)
}

func (x *scene) changeBy(by audit.Actor, iid int64, c alert.Change) {
	x.t.Helper()
	must(x.Alerts.Change(x.t.Context(), by, x.p, must(x.Alerts.Current(x.t.Context(), x.p, iid)), c))
}

func (x *scene) set(iid int64, s alert.Status) {
	x.t.Helper()
	x.change(iid, alert.Change{Status: &s})
}

func (x *scene) silence(iid int64, until time.Time) {
	x.t.Helper()
	x.change(iid, alert.Change{SilencedUntil: &until})
}

func (x *scene) sweep() {
	x.t.Helper()
	_, err := x.dispatcher.Sweep(x.t.Context())
	x.check(err)
}

// pass moves the clock and handles what is due by then, minute by minute.
func (x *scene) pass(d time.Duration) {
	x.t.Helper()
	for ; d > time.Minute; d -= time.Minute {
		x.Pass(time.Minute)
		x.sweep()
	}
	x.Pass(d)
	x.sweep()
}

// line says in short to whom a mail goes and what it says.
func line(m mail.Message) string {
	name, _, _ := strings.Cut(m.To.Email, "@")
	first, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
	return name + ": " + first
}

// wantMails checks the mails since the last check, in any order.
func (x *scene) wantMails(want ...string) []mail.Message {
	x.t.Helper()
	x.box.mu.Lock()
	defer x.box.mu.Unlock()
	got, mails := []string{}, x.box.got
	for _, m := range mails {
		if x.ofShifts || !strings.Contains(m.Text, "You take part in the schedule.") {
			got = append(got, line(m))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		x.t.Errorf("mails:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	x.box.got = nil
	return mails
}

// hooked is what a webhook was told.
type hooked struct {
	Type, Text string
	Data       map[string]any
}

// wantHooks checks the types of what webhooks were told since the last check.
func (x *scene) wantHooks(want ...string) (all []hooked) {
	x.t.Helper()
	requests := x.Receiver.Got()
	var got []string
	for _, request := range requests[x.told:] {
		var h hooked
		x.check(json.Unmarshal(request.Body, &h))
		all, got = append(all, h), append(got, h.Type)
	}
	x.told = len(requests)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		x.t.Errorf("webhooks got %v, want %v", got, want)
	}
	return all
}

func (x *scene) dead() []outbox.Dead {
	x.t.Helper()
	return must(x.Store.DeadMessages(x.t.Context(), x.p.ID, x.Now(), page.First)).Items
}

func (x *scene) wantNoneDead() {
	x.t.Helper()
	for _, d := range x.dead() {
		x.t.Errorf("dead: %s %s: %s", d.Kind, d.ID(), d.LastError)
	}
}

// left returns lanes with messages that are due within two days.
func (x *scene) left() (lanes []outbox.Lane) {
	x.t.Helper()
	for _, g := range []outbox.Group{outbox.Prompt, outbox.Slow} {
		lanes = append(lanes, must(x.Store.DueLanes(x.t.Context(), g, x.Now().Add(48*time.Hour), 10))...)
	}
	return lanes
}

func (x *scene) incidents() []incident.Stored {
	x.t.Helper()
	return must(x.Incidents.List(x.t.Context(), x.p, incident.Query{}, page.First)).Items
}

func ptr[T any](v T) *T { return &v }

// unreachable is the answer of a webhook's receiver that is down, and refused that of a
// mail server.
func unreachable(webhook.Request) (webhook.Answer, error) { return webhook.Answer{Status: 503}, nil }

func refused(mail.Message) error { return &mail.Failure{Reason: "the server is busy"} }

var errDown = errors.New("the store is down")

func names(n int, form string) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf(form, i))
	}
	return all
}
