// Package paging does what follows from alerts and incidents: it opens and closes incidents,
// sends webhooks, escalates, and tells people. Its handlers are those of the messages that
// changes leave in the outbox (Interface: "What an alert sets off").
package paging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/attention"
	"gatehouse/shared/dispatch"
	"gatehouse/shared/fault"
	"gatehouse/shared/incident"
	"gatehouse/shared/integration"
	"gatehouse/shared/mail"
	person "gatehouse/shared/notice"
	"gatehouse/shared/oncall"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/paging/permit"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/recovery"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

// Store is what paging reads and writes itself.
type Store interface {
	record.Store
	Waiting(ctx context.Context, l outbox.Lane, n int) ([]outbox.Message, error)
	Project(ctx context.Context, id int64) (project.Project, error)
	User(ctx context.Context, id int64) (user.User, error)
	UsersByID(ctx context.Context, ids []int64) (map[int64]user.User, error)
	Members(ctx context.Context, now time.Time, r page.Request, places ...project.Place) (page.Of[project.Member], error)
}

// Config is what Rules act through.
type Config struct {
	BaseURL   string // where pages are
	Alerts    *alert.Rules
	Settings  *integration.Rules
	Incidents *incident.Rules
	OnCall    *oncall.Rules
	Attention *attention.Rules
	Webhooks  *webhook.Rules
	Notices   *person.Rules
	Members   alert.Members
	Links     permit.Links
	Recovery  *recovery.Rules
	Mails     mail.Sender
	// KeepsMails means that Mails keeps them for administrators to look at.
	KeepsMails bool
	From       mail.Address
	Now        func() time.Time
	// MostLooked is how many notices are looked at together; zero: 1000. Those behind them
	// are counted whether they are still worth telling or not: a storm would take too many
	// reads.
	MostLooked int
}

// Rules handle messages.
type Rules struct {
	Config
	store Store
}

// NewRules returns the rules over a store.
func NewRules(store Store, c Config) *Rules {
	if c.MostLooked == 0 {
		c.MostLooked = 1000
	}
	return &Rules{c, store}
}

// The kinds of messages that follow from others.
const (
	kindBesides   outbox.Kind = "alert.besides"
	kindRefused   outbox.Kind = "notice.refused"
	kindStep      outbox.Kind = "escalation.step"
	kindDelivery  outbox.Kind = "webhook.delivery"
	kindMembers   outbox.Kind = "mail.members"
	kindNotice    outbox.Kind = "notice"
	kindShift     outbox.Kind = "notice.shift"
	kindMail      outbox.Kind = "notice.mail"
	kindShiftMail outbox.Kind = "notice.shift_mail"
	kindTestMail  outbox.Kind = "notice.test_mail"
	kindOwn       outbox.Kind = "notice.webhook"
	kindSilenced  outbox.Kind = "notice.silenced"
)

// Handlers returns the handlers of all kinds of messages.
func (r *Rules) Handlers() dispatch.Handlers {
	all := dispatch.Handlers{
		kindStep: handle(r.step), kindDelivery: handle(r.deliver), kindMembers: handle(r.tellMembers),
		kindNotice: r.notify, kindSilenced: handle(r.holdSilenced), kindMail: r.mail, kindOwn: handle(r.deliverOwn), person.KindTest: handle(r.test), kindTestMail: handle(r.mailTest), kindShiftMail: handle(r.mailShift), kindBesides: handle(r.followBesides), kindRefused: handle(r.refused), kindShift: handle(r.tellShift), recovery.KindPassword: handle(r.mailPassword), recovery.KindConfirmation: handle(r.mailConfirmation), recovery.KindInvitation: handle(r.mailInvitation), oncall.KindChanged: handle(r.followSchedule), oncall.KindHandover: handle(r.handOver),
		alert.KindCounts: r.count,
	}
	for _, k := range alert.Events {
		all[k] = handle(r.followAlert)
	}
	for _, k := range incident.EntryKinds {
		all[outbox.Kind("incident."+string(k))] = handle(r.followIncident)
	}
	return all
}

// Urgent are the kinds of messages on which people wait: they are tried again soon.
var Urgent = []outbox.Kind{
	kindStep, kindNotice, kindMail, recovery.KindPassword, recovery.KindConfirmation, recovery.KindInvitation, alert.EventOpened, alert.EventTriggered, alert.EventGraver,
}

// handle returns the handler that reads the data of messages for do. What do is about may
// be gone by then: a project, an alert, a user. Then nothing follows.
func handle[T any](do func(ctx context.Context, m outbox.Message, data T) ([]outbox.Message, error)) dispatch.Handler {
	return func(ctx context.Context, m outbox.Message) (dispatch.Result, error) {
		var data T
		if err := json.Unmarshal(m.Data, &data); err != nil {
			return dispatch.Result{}, dispatch.Permanent(fmt.Errorf("read a message: %w", err))
		}
		follow, err := do(ctx, m, data)
		if errors.Is(err, errGone) {
			err = nil
		}
		return dispatch.Result{Follow: follow}, err
	}
}

// errGone means that what a message is about is there no more.
var errGone = errors.New("it is gone")

func goneIfNotFound(err error) error {
	if fault.Is(err, fault.NotFound) {
		return errGone
	}
	return err
}

// subject is an alert with its project.
type subject struct {
	project project.Project
	alert.Current
}

// subject reads an alert of a project, or returns errGone.
func (r *Rules) subject(ctx context.Context, projectID, iid int64) (s subject, err error) {
	if s.project, err = r.store.Project(ctx, projectID); err != nil {
		return s, goneIfNotFound(err)
	}
	s.Current, err = r.Alerts.Current(ctx, s.project, iid)
	return s, goneIfNotFound(err)
}

// message returns a message that follows from another one, which is the n-th to do so. Its
// Seq names the other one by a digest, because a store bounds keys.
func message(from outbox.Message, n int, lane outbox.Lane, k outbox.Kind, due time.Time, data any) outbox.Message {
	encoded, err := json.Marshal(data)
	if err != nil {
		panic(err) // the data of this package always have a form
	}
	return outbox.Message{
		Lane: lane, Seq: outbox.SeqOf(due, n) + "-" + digest(from.ID()), Kind: k, ProjectID: from.ProjectID,
		Data: encoded, CreatedAt: due, DueAt: due,
	}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}
