package paging

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/dispatch"
	"gatehouse/shared/fault"
	"gatehouse/shared/mail"
	"gatehouse/shared/mail/letter"
	person "gatehouse/shared/notice"
	"gatehouse/shared/outbox"
	"gatehouse/shared/record"
	"gatehouse/shared/user"
)

// notice is what a person is to be told.
type notice struct {
	UserID      int64 `json:"user_id"`
	ProjectID   int64 `json:"project_id"`
	IID         int64 `json:"iid,omitempty"`          // of an alert
	IncidentIID int64 `json:"incident_iid,omitempty"` // of an incident
	// Of a schedule it is what shift says.
	ScheduleID int64        `json:"schedule_id,omitempty"`
	What       letter.Shift `json:"what,omitempty"`
	At         time.Time    `json:"at,omitzero"` // in UTC
	Event      event        `json:"event"`
	Why        reason       `json:"why"`
	// UntilResolved means that an acknowledged alert waits for the person too.
	UntilResolved bool `json:"until_resolved,omitempty"`
	// Waited means that it comes again, after a silence or quiet hours.
	Waited bool `json:"waited,omitempty"`
}

// event says what happened.
type event string

const (
	paged    event = "paged" // the alert waits for the person
	opened   event = "opened"
	resolved event = "resolved"
	assigned event = "assigned"
	shifted  event = "shift" // something happened to a shift of the person
)

// rank orders the events by what a person should know first.
func (e event) rank() int {
	return slices.Index([]event{paged, shifted, resolved, assigned, opened}, e)
}

// reason says why a person is told.
type reason string

const (
	becauseOnCall     reason = "on_call"
	becausePolicy     reason = "policy"
	becauseMaintainer reason = "maintainer"
	becauseAssigned   reason = "assigned"
	becauseScheduled  reason = "schedule"
)

func noticeLane(userID int64) outbox.Lane { return outbox.Lane(fmt.Sprintf("notice/%d", userID)) }

// notice returns the message that tells a user. All that waits for a person is told
// together.
func (r *Rules) notice(from outbox.Message, n int, userID int64, told notice) outbox.Message {
	told.UserID = userID
	return message(from, n, noticeLane(userID), kindNotice, r.Now(), told)
}

// subject returns what a person can choose channels for.
func (n notice) subject() person.Subject {
	switch n.Event {
	case paged:
		return person.Pages
	case assigned:
		return person.Assignments
	case shifted:
		return person.Shifts
	}
	return person.Alerts
}

// betweenTold is the least time from one telling of a person to the next. What happens
// meanwhile is told together.
const betweenTold = time.Minute

// mostNotices is how many messages are looked at together. With more, there is another mail.
const mostNotices = 20_000

// lastTold is when a person was told last.
type lastTold struct {
	At    time.Time `json:"at"`
	First string    `json:"first,omitempty"` // the first message that was told then
	// Mailed says likewise what the last mail was about, and MailedToo has the Seq of each
	// further message in it.
	Mailed    string   `json:"mailed,omitempty"`
	MailedToo []string `json:"mailed_too,omitempty"`
}

var allTold = record.Of[lastTold]{Kind: record.LastNotice}

func (r *Rules) lastTold(ctx context.Context, userID int64) (record.Stored[lastTold], error) {
	return allTold.FindOr(ctx, r.store, record.Instance, userID, lastTold{}, r.Now())
}

// notify tells a person all that waits for them: each of their channels gets a message of
// its own, so that one that fails holds up no other.
func (r *Rules) notify(ctx context.Context, first outbox.Message) (dispatch.Result, error) {
	userID, err := addressee(first)
	if err != nil {
		return dispatch.Result{}, err
	}
	last, err := r.lastTold(ctx, userID)
	if err != nil {
		return dispatch.Result{}, err
	}
	if until := last.Thing.At.Add(betweenTold); until.After(r.Now()) && last.Thing.First != first.ID() {
		return dispatch.Result{}, dispatch.NotBefore(until)
	}
	waiting, err := r.due(ctx, first)
	if err != nil {
		return dispatch.Result{}, err
	}
	to, err := r.user(ctx, userID)
	if err != nil || to.ID == 0 {
		return dispatch.Result{Behind: waiting[1:]}, err
	}
	follow, told, err := r.tell(ctx, to, waiting)
	if err == nil && told {
		_, err = allTold.Change(ctx, r.store, last, func(l *lastTold) error {
			l.At, l.First = r.Now(), first.ID()
			return nil
		})
	}
	return dispatch.Result{Follow: follow, Behind: waiting[1:]}, err
}

// addressee reads to whom a message about notices goes.
func addressee(m outbox.Message) (int64, error) {
	var b bundle
	if err := json.Unmarshal(m.Data, &b); err != nil {
		return 0, dispatch.Permanent(fmt.Errorf("read a notice: %w", err))
	}
	return b.UserID, nil
}

// user returns the user, or none if they are gone or blocked.
func (r *Rules) user(ctx context.Context, id int64) (user.User, error) {
	u, err := r.store.User(ctx, id)
	if err != nil || u.Blocked() {
		return user.User{}, fault.IgnoreNotFound(err)
	}
	return u, nil
}

// due returns the messages of the lane that are due, the first one of them first.
func (r *Rules) due(ctx context.Context, first outbox.Message) ([]outbox.Message, error) {
	waiting, err := r.store.Waiting(ctx, first.Lane, mostNotices)
	if err != nil {
		return nil, err
	}
	if len(waiting) == 0 || waiting[0].Seq != first.Seq {
		return nil, dispatch.NotBefore(r.Now()) // an earlier one has come, or it is finished
	}
	later := func(m outbox.Message) bool { return m.Seq != first.Seq && m.DueAt.After(r.Now()) }
	return boundedMessages(slices.DeleteFunc(waiting, later)), nil
}

// tell returns the messages by which a person is told of these, and whether any does.
// Notices that have to wait come again.
func (r *Rules) tell(ctx context.Context, to user.User, waiting []outbox.Message) (follow []outbox.Message, told bool, err error) {
	by, err := r.Notices.Person(ctx, to.ID)
	if err != nil {
		return nil, false, err
	}
	all, more := unbundle(waiting)
	now, later := []notice{}, held{}
	for _, n := range all {
		if until, held := by.Held(n.subject(), r.Now()); held {
			later.add(until, n)
		} else {
			now = append(now, n)
		}
	}
	slices.SortStableFunc(now, gravestFirst)
	looked := now[:min(len(now), r.MostLooked)]
	about, err := r.items(ctx, to, looked, later)
	if err != nil {
		return nil, false, err
	}
	about = slices.DeleteFunc(about, func(one item) bool {
		return one.notice.subject() == person.Alerts && !by.Grave(alert.Severity(one.facts.Severity))
	})
	again, rest := waited(now[len(looked):])
	o := others{more, looked, rest}
	follow = append(r.toMail(waiting[0], to, by, about, o), r.toWebhooks(waiting[0], to, by, about, o)...)
	told = len(follow) > 0
	follow = append(follow, r.unlooked(waiting[0], to.ID, rest)...)
	for n, some := range chunks(again) {
		follow = append(follow, message(waiting[0], behindHeld+n, noticeLane(to.ID), kindNotice, r.Now(), newBundle(to.ID, some)))
	}
	return append(r.held(waiting[0], to.ID, later), follow...), told, nil
}

// behindHeld numbers the messages of a telling behind those that held returns.
const behindHeld = 100

// chunks returns what messages carry of many notices.
func chunks(all []notice) [][]notice { return slices.Collect(slices.Chunk(all, mostBundled)) }

// waited divides notices: those that have waited are told by a next telling, and only after
// a look. If they were counted like the others, silenced ones would be each time.
func waited(all []notice) (again, others []notice) {
	for _, n := range all {
		if n.Waited {
			again = append(again, n)
		} else {
			others = append(others, n)
		}
	}
	return again, others
}

// unlooked returns the messages by which those of the notices come again that are about
// silenced alerts. They were counted without a look at each.
func (r *Rules) unlooked(from outbox.Message, userID int64, rest []notice) (all []outbox.Message) {
	pages := slices.DeleteFunc(slices.Clone(rest), func(n notice) bool { return n.Event != paged })
	for some := range slices.Chunk(pages, r.MostLooked) {
		lane := outbox.Lane(fmt.Sprintf("silenced/%d", userID))
		all = append(all, message(from, len(all), lane, kindSilenced, r.Now(), newBundle(userID, some)))
	}
	return all
}

// holdSilenced has those of the notices come again that are about silenced alerts.
func (r *Rules) holdSilenced(ctx context.Context, m outbox.Message, b bundle) ([]outbox.Message, error) {
	to, err := r.user(ctx, b.UserID)
	if err != nil || to.ID == 0 {
		return nil, err
	}
	later := held{}
	_, err = r.items(ctx, to, b.notices(), later)
	return r.held(m, to.ID, later), err
}

// gravestFirst orders notices by what a person should know first.
func gravestFirst(a, b notice) int { return cmp.Compare(a.Event.rank(), b.Event.rank()) }

// others are what a person is told of besides the alerts and incidents that were looked at.
type others struct {
	more         int // that are counted alone
	looked, rest []notice
}

// count returns how many things besides those that were looked at the rest is about, as far
// as it is wanted.
func (o others) count(wanted func(notice) bool) int {
	unwanted := func(n notice) bool { return !wanted(n) }
	return furtherThings(o.looked, slices.DeleteFunc(slices.Clone(o.rest), unwanted))
}

// mailLane is that of the mails to a person, which are sent one after the other.
func mailLane(userID int64) outbox.Lane { return outbox.Lane(fmt.Sprintf("mail/%d", userID)) }

// mostMailed is how many alerts and incidents are looked at again when a mail is sent.
const mostMailed = 100

// mostInMail is how many messages a mail is about. Those behind them are in another one.
const mostInMail = 500

// toMail returns the message that mails a person what they want to be mailed.
func (r *Rules) toMail(from outbox.Message, to user.User, by person.Person, about []item, o others) []outbox.Message {
	var mailed []notice
	wanted := func(n notice) bool { return by.ByMail(n.subject()) }
	for _, one := range about {
		if wanted(one.notice) {
			mailed = append(mailed, one.notice)
		}
	}
	b := newBundle(to.ID, mailed[:min(len(mailed), mostMailed)])
	b.More = len(mailed) - min(len(mailed), mostMailed) + o.count(wanted)
	if len(mailed) > 0 || len(about) == 0 {
		b.More += o.more
	}
	if len(b.Groups) == 0 && b.More == 0 {
		return nil
	}
	return []outbox.Message{message(from, 0, mailLane(to.ID), kindMail, r.Now(), b)}
}

// mail sends a person one mail of all that waits to be mailed, as it is by now.
func (r *Rules) mail(ctx context.Context, first outbox.Message) (dispatch.Result, error) {
	userID, err := addressee(first)
	if err != nil {
		return dispatch.Result{}, err
	}
	last, err := r.lastTold(ctx, userID)
	if err != nil {
		return dispatch.Result{}, err
	}
	waiting, err := r.due(ctx, first)
	if err != nil {
		return dispatch.Result{}, err
	}
	if last.Thing.Mailed == first.ID() { // whoever sent the mail died then
		return dispatch.Result{Behind: mailedToo(last.Thing, waiting[1:])}, nil
	}
	waiting = waiting[:min(len(waiting), mostInMail)]
	to, err := r.user(ctx, userID)
	if err != nil || to.ID == 0 {
		return dispatch.Result{Behind: waiting[1:]}, err
	}
	follow, err := r.mailAbout(ctx, to, last, waiting)
	return dispatch.Result{Follow: follow, Behind: waiting[1:]}, err
}

// mailedToo returns those of the messages that were in the last mail. Others came since.
func mailedToo(last lastTold, all []outbox.Message) []outbox.Message {
	return slices.DeleteFunc(all, func(m outbox.Message) bool { return !slices.Contains(last.MailedToo, m.Seq) })
}

// mailAbout sends a person one mail about these messages, and returns what follows. If
// notices of alerts that were silenced meanwhile have to come again nothing is sent yet:
// whoever dies after a mail would lose them.
func (r *Rules) mailAbout(ctx context.Context, to user.User, last record.Stored[lastTold], waiting []outbox.Message) ([]outbox.Message, error) {
	later := held{}
	all, more := unbundle(waiting)
	slices.SortStableFunc(all, gravestFirst)
	if len(all) > r.MostLooked {
		less := message(waiting[0], 0, mailLane(to.ID), kindMail, r.Now(), bounded(to.ID, all, more))
		return append(r.unlooked(waiting[0], to.ID, all[r.MostLooked:]), less), nil
	}
	composed, err := r.compose(ctx, to, waiting[0].ID(), all, more, later)
	if err != nil || composed == nil {
		return r.held(waiting[0], to.ID, later), err
	}
	if len(later) > 0 {
		follow := r.held(waiting[0], to.ID, later)
		return append(follow, r.mailWithout(waiting[0], to.ID, later, all, more)), nil
	}
	switch err := r.Mails.Send(ctx, *composed); {
	case mail.Permanent(err):
		lane := outbox.Lane(fmt.Sprintf("refused/%d", to.ID))
		return []outbox.Message{message(waiting[0], 0, lane, kindRefused, r.Now(), newRefusal(bounded(to.ID, all, more), err))}, nil
	case err != nil:
		return nil, err
	}
	r.noteMail(ctx, last, waiting)
	return nil, nil
}

// mailWithout returns the message that mails a person all but what has to wait.
func (r *Rules) mailWithout(from outbox.Message, userID int64, later held, all []notice, more int) outbox.Message {
	waits := map[notice]bool{}
	for _, some := range later {
		for _, n := range some {
			waits[n] = true
		}
	}
	rest := slices.DeleteFunc(slices.Clone(all), func(n notice) bool { return waits[n] })
	return message(from, 0, mailLane(userID), kindMail, r.Now(), bounded(userID, rest, more))
}

// bounded returns the bundle of as many notices as a message carries, the gravest, which
// counts the others.
func bounded(userID int64, all []notice, more int) bundle {
	all = slices.SortedStableFunc(slices.Values(all), gravestFirst)
	some := all[:min(len(all), mostBundled)]
	b := newBundle(userID, some)
	b.More = more + furtherThings(some, all[len(some):])
	return b
}

// noteMail notes what a person was mailed. The mail is out, so that a failure here must not
// send it again.
func (r *Rules) noteMail(ctx context.Context, last record.Stored[lastTold], mailed []outbox.Message) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, err := allTold.Change(ctx, r.store, last, func(l *lastTold) error {
		l.Mailed, l.MailedToo = mailed[0].ID(), nil
		for _, m := range mailed[1:] {
			l.MailedToo = append(l.MailedToo, m.Seq)
		}
		return nil
	})
	if err != nil {
		slog.ErrorContext(ctx, "mail to a person not noted", "error", err)
	}
}

// refusal are notices that a mail server refused for good. Those that earlier releases
// stored have one notice alone.
type refusal struct {
	notice
	All    *bundle `json:"all,omitempty"`
	Reason string  `json:"reason"`
}

func newRefusal(b bundle, reason error) refusal {
	one := refusal{notice: notice{UserID: b.UserID}, All: &b, Reason: reason.Error()}
	if all := b.notices(); len(all) > 0 { // for whoever looks at it
		one.notice = all[0]
	}
	return one
}

// refused gives the refusal up, so that people see it. When they have it tried again, the
// person is told anew.
func (r *Rules) refused(_ context.Context, m outbox.Message, told refusal) ([]outbox.Message, error) {
	if !m.DueAt.After(m.CreatedAt) {
		return nil, dispatch.Permanent(errors.New(told.Reason))
	}
	all := newBundle(told.UserID, []notice{told.notice})
	if told.All != nil {
		all = *told.All
	}
	return []outbox.Message{message(m, 0, noticeLane(told.UserID), kindNotice, r.Now(), all)}, nil
}

// send sends a mail. Its error tells the dispatcher whether to try again.
func (r *Rules) send(ctx context.Context, m mail.Message) error {
	err := r.Mails.Send(ctx, m)
	if mail.Permanent(err) {
		err = dispatch.Permanent(err)
	}
	return err
}

// distinct returns the notices, each once: several rules may name a person.
func distinct(all []notice) (some []notice) {
	seen := map[notice]bool{}
	for _, n := range all {
		if !seen[n] {
			some, seen[n] = append(some, n), true
		}
	}
	return some
}

// waits reports whether the alert waits for the person who was paged.
func (n notice) waits(a alert.Alert) bool {
	return a.Status == alert.Triggered || a.Status == alert.Acknowledged && n.UntilResolved
}

// stands reports whether a notice is still worth telling: the alert may have been looked at
// since.
func (n notice) stands(a alert.Alert, now time.Time) bool {
	switch n.Event {
	case paged:
		return n.waits(a) && !a.Silenced(now)
	case opened:
		return a.Open()
	case resolved:
		return !a.Open()
	}
	return true
}

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{allTold} }
