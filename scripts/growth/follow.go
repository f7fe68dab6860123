package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"gatehouse/scripts/growth/bill"
	"gatehouse/shared/audit"
	"gatehouse/shared/boot/dispatching"
	"gatehouse/shared/dispatch"
	"gatehouse/shared/integration"
	"gatehouse/shared/mail"
	"gatehouse/shared/outbox"
	"gatehouse/shared/project"
	"gatehouse/shared/webhook"
)

// outside takes every mail and every webhook, and counts them.
type outside struct{ mails, posts int }

func (o *outside) Send(context.Context, mail.Message) error { o.mails++; return nil }

func (o *outside) Post(context.Context, webhook.Request) (webhook.Answer, error) {
	o.posts++
	return webhook.Answer{Status: 200}, nil
}

// consequence is something that a project can have follow from its alerts.
type consequence struct {
	name     string
	switchOn func(ctx context.Context, s *site, p project.Project) error
	count    func(before, after outside) int // of these, nil: one for each alert
}

var consequences = []consequence{
	{"incident", openIncidents, nil},
	{"mail", mailMaintainers, func(before, after outside) int { return after.mails - before.mails }},
	{"webhook", callWebhook, func(before, after outside) int { return after.posts - before.posts }},
}

func openIncidents(ctx context.Context, s *site, p project.Project) error {
	return s.set(ctx, p, integration.SettingsChange{CreateIncident: new(true), AutoCloseIncident: new(true)})
}

func mailMaintainers(ctx context.Context, s *site, p project.Project) error {
	return s.set(ctx, p, integration.SettingsChange{SendEmail: new(true)})
}

func callWebhook(ctx context.Context, s *site, p project.Project) error {
	_, _, err := s.Webhooks.Create(ctx, audit.Setup, p, "https://chat.example/hook", true)
	return err
}

func (s *site) set(ctx context.Context, p project.Project, c integration.SettingsChange) error {
	_, err := s.Integrations.ChangeSettings(ctx, audit.Setup, p, c)
	return err
}

// follow measures what follows from alerts, each in a project of another actor.
func (b *bench) follow(ctx context.Context, all actors) error {
	d := dispatching.With(b.App, b.store, b.keys, &b.outside, mail.Address{Email: "gatehouse@gatehouse.example"})
	b.function = "dispatcher"
	for n, c := range consequences {
		if err := b.consequence(ctx, d, c, all[n%len(all)]); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	took, err := b.during(ctx, nothing, func() error { _, err := d.Sweep(ctx); return err })
	took.Invocations = 1
	b.takes[bill.Schedule] = took
	return err
}

func nothing() error { return nil }

// consequence measures what an alert that begins and ends takes beyond one that nothing
// follows from.
func (b *bench) consequence(ctx context.Context, d *dispatch.Dispatcher, c consequence, actor map[string]string) error {
	b.act(actor)
	id, err := strconv.ParseInt(actor["project"], 10, 64)
	if err != nil {
		return err
	}
	p, err := b.store.Project(ctx, id)
	if err != nil {
		return err
	}
	if err := c.switchOn(ctx, b.site, p); err != nil {
		return err
	}
	var handled, n int
	took, err := b.during(ctx, nothing, func() (err error) {
		before := b.outside
		handled, err = b.beginAndEnd(ctx, d)
		n = 1
		if c.count != nil {
			n = c.count(before, b.outside)
		}
		return err
	})
	if err != nil {
		return err
	}
	took.ByteMonths, err = b.growth(ctx, func() error { _, err := b.beginAndEnd(ctx, d); return err })
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("none followed from an alert")
	}
	took = took.Beyond(b.takes["new alert"].Plus(1, b.takes["recovery"])).Times(1 / float64(n))
	took.Invocations = float64(handled) / float64(n)
	if c.count != nil {
		took.Outside = 1
	}
	if c.name == "mail" {
		took.Mails = 1
	}
	b.takes[c.name] = took
	return nil
}

// beginAndEnd has an alert begin and end, and what follows from it be done. It returns how
// many lanes were worked on.
func (b *bench) beginAndEnd(ctx context.Context, d *dispatch.Dispatcher) (handled int, err error) {
	b.calls++
	b.values["ending"] = "followed-" + strconv.Itoa(b.calls)
	for _, body := range []string{`{` + newText + `,"fingerprint":"{ending}"}`, `{"fingerprint":"{ending}","end_time":"2026-01-01T00:00:00Z"}`} {
		if a := b.send("alerts", b.request("POST", "{intake}", "key", body)); a.status != 200 {
			return 0, fmt.Errorf("the alert was answered %d %s", a.status, &a.body)
		}
		n, err := b.handle(ctx, d)
		if err != nil {
			return 0, err
		}
		handled += n
		b.passed += 2 * time.Minute // a person is told of what comes sooner in one mail
	}
	return handled, nil
}

// handle works on lanes as the stream of their table tells of them, until the rest waits.
func (b *bench) handle(ctx context.Context, d *dispatch.Dispatcher) (handled int, err error) {
	var before []outbox.Lane
	for {
		lanes, err := b.due(ctx)
		if err != nil || slices.Equal(lanes, before) {
			return handled, err
		}
		handled += len(lanes)
		for _, err := range d.Work(ctx, lanes...) {
			return 0, err
		}
		before = lanes
	}
}

// due finds lanes, which is not measured: the stream tells of them.
func (b *bench) due(ctx context.Context) (lanes []outbox.Lane, err error) {
	b.meter.pause(true)
	defer b.meter.pause(false)
	for _, g := range []outbox.Group{outbox.Prompt, outbox.Slow} {
		some, err := b.store.DueLanes(ctx, g, b.Now(), 100)
		if err != nil {
			return nil, err
		}
		lanes = slices.Concat(lanes, some)
	}
	return lanes, nil
}
