package paging

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/shared/dispatch"
	"gatehouse/shared/mail/letter"
	person "gatehouse/shared/notice"
	"gatehouse/shared/outbox"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

// ownMessage is what a person's own webhooks are told.
type ownMessage struct {
	ID        string    `json:"id"`
	UserID    int64     `json:"user_id"`
	WebhookID int64     `json:"webhook_id"`
	Type      string    `json:"type"`
	At        time.Time `json:"at"`
	Text      string    `json:"text"`
	Data      any       `json:"data"`
	// Notices are what it tells of, and More how many things besides. They are looked at
	// again before each attempt. A message without any stays as it is.
	Notices []notice `json:"notices,omitempty"`
	More    int      `json:"more,omitempty"`
	// Otherwise is mailed to the person if the webhook does not take the message at once.
	Otherwise *bundle `json:"otherwise,omitempty"`

	about string // names what it is about in the lane
}

// ownFacts are what a person's own webhooks are told of one alert or incident.
type ownFacts struct {
	Facts
	Reason reason `json:"reason"`
}

// toWebhooks returns the messages that tell a person's own webhooks. A page that is not
// mailed is if the first of them does not take it.
func (r *Rules) toWebhooks(from outbox.Message, to user.User, by person.Person, about []item, o others) []outbox.Message {
	more := o.more + o.count(func(notice) bool { return true })
	if len(about)+more == 0 {
		return nil
	}
	m := r.ownOf(about, more)
	m.At = r.Now()
	if b := pagesWithoutMail(to, by, about, o); len(b.Groups)+b.More > 0 {
		m.Otherwise = &b
	}
	return r.deliveriesTo(from, to, by, m)
}

// ownOf is what webhooks are told of these things, and of more.
func (r *Rules) ownOf(about []item, more int) ownMessage {
	m := r.summary(about, more)
	if len(about) == 1 && more == 0 {
		m = about[0].own()
	}
	for _, one := range about[:min(len(about), letter.MaxListed)] {
		m.Notices = append(m.Notices, one.notice)
	}
	m.More = more + len(about) - len(m.Notices)
	return m
}

// pagesWithoutMail returns the pages that only webhooks are to tell of.
func pagesWithoutMail(to user.User, by person.Person, about []item, o others) bundle {
	var pages []notice
	wanted := func(n notice) bool { return n.subject() == person.Pages && !by.ByMail(person.Pages) }
	for _, one := range about {
		if wanted(one.notice) {
			pages = append(pages, one.notice)
		}
	}
	b := newBundle(to.ID, pages[:min(len(pages), mostMailed)])
	b.More = len(pages) - len(b.notices()) + o.count(wanted)
	return b
}

// ownWords say in short why a person is told of a thing.
var ownWords = map[event]string{paged: "waits for you", opened: "opened", resolved: "resolved", assigned: "was assigned to you"}

// own is what webhooks are told of one thing.
func (one item) own() ownMessage {
	if one.shift != nil {
		return one.told
	}
	f, noun, about := one.facts, "Alert", fmt.Sprintf("alert/%d/%d", one.ProjectID, one.IID)
	if one.notice.IncidentIID != 0 {
		noun, about = "Incident", fmt.Sprintf("incident/%d/%d", one.ProjectID, one.notice.IncidentIID)
	}
	return ownMessage{
		Type: "notification." + string(one.Event), about: about, Data: ownFacts{f, one.Why},
		Text: sentenceOf(noun, max(one.IID, one.notice.IncidentIID), ownWords[one.Event], f),
	}
}

// summary is what webhooks are told of several things.
func (r *Rules) summary(about []item, more int) ownMessage {
	all := []any{}
	for _, one := range about[:min(len(about), letter.MaxListed)] {
		if one.shift != nil {
			all = append(all, one.told.Data)
			continue
		}
		one.facts.Description = ""
		all = append(all, ownFacts{one.facts, one.Why})
	}
	s := r.summaryOf(about, more)
	return ownMessage{
		Type: "notification.summary", about: "summary", Text: s.Heading() + " " + s.URL,
		Data: map[string]any{"total": len(about) + more, "notices": all},
	}
}

// deliveriesTo returns the messages for each of a person's webhooks. Those about one thing
// reach a webhook in their order, but a page that is not mailed waits for no other message.
func (r *Rules) deliveriesTo(from outbox.Message, to user.User, by person.Person, m ownMessage) (all []outbox.Message) {
	m.UserID = to.ID
	for n, hook := range by.Webhooks {
		m.WebhookID = hook.ID
		m.ID = "msg_" + secret.NewText(fmt.Sprint(from.ID(), "/", hook.ID)).Digest().String()
		if n > 0 {
			m.Otherwise = nil
		}
		all = append(all, message(from, n, m.lane(), kindOwn, r.Now(), m))
	}
	return all
}

func (m ownMessage) lane() outbox.Lane {
	if m.Otherwise != nil {
		return outbox.SlowLane("own-webhook", m.UserID, fmt.Sprintf("%d/page/%s", m.WebhookID, m.ID))
	}
	return outbox.SlowLane("own-webhook", m.UserID, fmt.Sprintf("%d/%s", m.WebhookID, m.about))
}

// soon is when a webhook that did not take a page is tried again.
const soon = 10 * time.Second

// deliverOwn sends a message to a webhook of a person's own.
func (r *Rules) deliverOwn(ctx context.Context, m outbox.Message, told ownMessage) ([]outbox.Message, error) {
	to, err := r.user(ctx, told.UserID)
	if err != nil || to.ID == 0 {
		return nil, err
	}
	told, instead, err := r.lookAgain(ctx, m, to, told)
	if err != nil || told.Type == "" {
		return instead, err
	}
	err = r.Webhooks.Own().Deliver(ctx, told.UserID, told.WebhookID, webhook.Message{ID: told.ID, Type: told.Type, At: told.At, Text: told.Text, Data: told.Data})
	if err != nil && told.Otherwise != nil {
		return r.mailInstead(m, told, err), nil
	}
	if webhook.Permanent(err) {
		err = dispatch.Permanent(err)
	}
	return nil, goneIfDeleted(err)
}

// lookAgain returns the message as things are by now: without what was dealt with, and
// without projects that the person left. If nothing is left, it has no type. Pages that only
// webhooks tell of come again after a silence: what follows has them.
func (r *Rules) lookAgain(ctx context.Context, m outbox.Message, to user.User, told ownMessage) (now ownMessage, instead []outbox.Message, err error) {
	if len(told.Notices) == 0 {
		return told, nil, nil
	}
	later := held{}
	about, err := r.items(ctx, to, told.Notices, later)
	if err != nil {
		return ownMessage{}, nil, err
	}
	if told.Otherwise != nil {
		instead = r.held(m, to.ID, later)
	}
	if len(about)+told.More == 0 {
		return ownMessage{}, instead, nil
	}
	now = r.ownOf(about, told.More)
	told.Type, told.Text, told.Data = now.Type, now.Text, now.Data
	return told, nil, nil
}

// mailInstead returns the message that mails a person what a webhook did not take, and the
// one that tries it again if that is of use.
func (r *Rules) mailInstead(m outbox.Message, told ownMessage, failure error) []outbox.Message {
	follow := []outbox.Message{message(m, 0, mailLane(told.UserID), kindMail, r.Now(), *told.Otherwise)}
	if webhook.Permanent(failure) {
		return follow
	}
	wait := soon
	var later *webhook.Later
	if errors.As(failure, &later) {
		wait = max(wait, later.RetryAfter())
	}
	told.Otherwise = nil
	again := message(m, 1, m.Lane, kindOwn, r.Now().Add(wait), told)
	return append(follow, again)
}

// test sends a person a test by each of their channels.
func (r *Rules) test(ctx context.Context, m outbox.Message, t person.Tested) ([]outbox.Message, error) {
	to, err := r.user(ctx, t.UserID)
	if err != nil || to.ID == 0 {
		return nil, err
	}
	by, err := r.Notices.Person(ctx, t.UserID)
	if err != nil {
		return nil, err
	}
	follow := r.deliveriesTo(m, to, by, ownMessage{
		Type: "notification.test", At: r.Now(), Text: "This is a test of your notifications.", Data: map[string]any{"user_id": to.ID}, about: "test",
	})
	return append(follow, message(m, 0, outbox.Lane(fmt.Sprintf("test-mail/%d", to.ID)), kindTestMail, r.Now(), t)), nil
}

// mailTest mails a person a test.
func (r *Rules) mailTest(ctx context.Context, m outbox.Message, t person.Tested) ([]outbox.Message, error) {
	to, err := r.user(ctx, t.UserID)
	if err != nil || to.ID == 0 {
		return nil, err
	}
	return nil, r.send(ctx, letter.ForTest(r.envelope(to, m.ID(), "You asked for it.")))
}
