package paging_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/integration"
	"gatehouse/shared/mail"
	"gatehouse/shared/notice"
	"gatehouse/shared/oncall"
	"gatehouse/shared/paging"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

// ownWebhook adds a webhook of the user's own that has had a message.
func (x *scene) ownWebhook(u user.User, url string) webhook.Stored {
	x.t.Helper()
	made, _, err := x.Webhooks.Own().Create(x.t.Context(), audit.ByUser(u.ID), url, true)
	x.check(err)
	x.check(x.Webhooks.Own().Deliver(x.t.Context(), u.ID, made.ID, webhook.Message{ID: "1", Type: "test", At: x.Now()}))
	x.told = len(x.Receiver.Got())
	return made
}

func (x *scene) notifications(u user.User, c notice.Change) {
	x.t.Helper()
	must(x.Notices.Change(x.t.Context(), audit.ByUser(u.ID), c))
}

func withoutMail(s ...notice.Subject) notice.Change {
	c := notice.Change{Mail: map[notice.Subject]*bool{}}
	for _, subject := range s {
		c.Mail[subject] = ptr(false)
	}
	return c
}

// quietFor has the quiet hours of a user begin now and last so long.
func (x *scene) quietFor(u user.User, d time.Duration) {
	x.t.Helper()
	from, to := x.Now().UTC().Format("15:04"), x.Now().Add(d).UTC().Format("15:04")
	x.notifications(u, notice.Change{Quiet: ptr(true), From: &from, To: &to})
}

func TestOwnWebhookIsTold(t *testing.T) {
	x := newScene(t)
	x.ownWebhook(x.ben, "https://chat.example/ben")
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	iid := x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.wantMails(pagedBen)
	told := x.wantHooks("notification.paged")[0]
	if told.Data["reason"] != "policy" || told.Data["alert_iid"] != float64(iid) || told.Data["severity"] != "high" || !strings.Contains(told.Text, "waits for you in acme/web: a (high)") {
		t.Errorf("the webhook is told %+v", told)
	}
	x.pass(2 * time.Minute)
	x.change(iid, alert.Change{AssigneeID: &x.ben.ID})
	x.sweep()
	x.wantHooks("notification.assigned")
	x.wantNoneDead()
}

func TestStormTellsAWebhookTwice(t *testing.T) {
	x := newScene(t)
	x.ownWebhook(x.ben, "https://chat.example/ben")
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.storm(200)
	x.pass(10 * time.Minute)
	x.wantMails(pagedBen, "ben: 199 alerts for you")
	told := x.wantHooks("notification.paged", "notification.summary")[1]
	if some, ok := told.Data["notices"].([]any); !ok || len(some) != 20 || told.Data["total"] != float64(199) {
		t.Errorf("the summary says %+v", told)
	}
	x.wantNoneDead()
}

// A mail server that is down holds up no webhook, and a webhook that is down repeats no mail.
func TestChannelsFailAlone(t *testing.T) {
	x := newScene(t)
	x.ownWebhook(x.ben, "https://chat.example/ben")
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.box.refuse = refused
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.pass(2 * time.Minute)
	x.fire("b", alert.SeverityHigh)
	x.sweep()
	x.wantMails()
	x.wantHooks("notification.paged", "notification.paged")
	x.box.refuse = nil
	x.pass(5 * time.Minute)
	x.wantMails("ben: 2 alerts for you")

	x.Receiver.Answers = unreachable
	x.fire("c", alert.SeverityHigh)
	x.pass(10 * time.Minute)
	x.wantMails(pagedBen)
	x.Receiver.Answers = nil
	x.told = len(x.Receiver.Got())
	x.pass(10 * time.Minute)
	x.wantHooks("notification.paged")
	x.wantNoneDead()
}

func TestRefusedMailboxWithAWebhook(t *testing.T) {
	x := newScene(t)
	x.ownWebhook(x.ben, "https://chat.example/ben")
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.box.refuse = func(mail.Message) error { return &mail.Failure{Reason: "no such mailbox", Permanent: true} }
	x.fire("a", alert.SeverityHigh)
	x.pass(2 * time.Minute)
	x.wantHooks("notification.paged")
	dead := x.dead()
	if len(dead) != 1 || dead[0].LastError != "no such mailbox" {
		t.Fatalf("dead: %+v", dead)
	}
	x.box.refuse = nil
	x.check(x.Store.ReviveMessage(t.Context(), x.p.ID, dead[0].Number, x.Now()))
	x.pass(2 * time.Minute)
	x.wantMails(pagedBen)
}

// A page reaches who wants no mail of it: by a webhook, and otherwise by mail.
func TestPagesWithoutMail(t *testing.T) {
	answering := func(status int) func(webhook.Request) (webhook.Answer, error) {
		return func(webhook.Request) (webhook.Answer, error) { return webhook.Answer{Status: status}, nil }
	}
	for name, test := range map[string]struct {
		then func(*scene, webhook.Stored)
		mail bool
	}{
		"the webhook takes it": {func(*scene, webhook.Stored) {}, false},
		"it is down":           {func(x *scene, _ webhook.Stored) { x.Receiver.Answers = answering(503) }, true},
		"its receiver is gone": {func(x *scene, _ webhook.Stored) { x.Receiver.Answers = answering(410) }, true},
		"it was deleted": {func(x *scene, s webhook.Stored) {
			x.check(x.Webhooks.Own().Delete(x.t.Context(), audit.ByUser(x.ben.ID), s))
		}, true},
		"it was deleted meanwhile": {func(x *scene, s webhook.Stored) {
			x.Receiver.Answers = answering(503)
			x.check(x.Webhooks.Own().Delete(x.t.Context(), audit.ByUser(x.ben.ID), s))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newScene(t)
			hook := x.ownWebhook(x.ben, "https://chat.example/ben")
			x.notifications(x.ben, withoutMail(notice.Pages))
			x.policy(0, after(0, oncall.Acknowledged, x.ben))
			hook = must(x.Webhooks.Own().Find(t.Context(), x.ben.ID, hook.ID))
			test.then(x, hook)
			x.fire("a", alert.SeverityHigh)
			x.sweep()
			want := []string{}
			if test.mail {
				want = append(want, pagedBen)
			}
			x.wantMails(want...)
			x.Receiver.Answers = nil
			x.pass(10 * time.Minute)
			x.wantMails()
			x.wantNoneDead()
		})
	}
}

// A page that is not mailed does not wait for an older message, which the webhook did not
// take: neither for one about the alert nor for the page before.
func TestPagesWithoutMailWaitForNoOlderMessage(t *testing.T) {
	x := newScene(t)
	x.ownWebhook(x.ada, "https://chat.example/ada")
	x.notifications(x.ada, withoutMail(notice.Pages, notice.Alerts))
	x.settings(integration.SettingsChange{SendEmail: ptr(true)})
	x.policy(0, after(10, oncall.Acknowledged, x.ada), after(20, oncall.Acknowledged, x.ada))
	x.Receiver.Answers = inAnHour
	x.fire("a", alert.SeverityHigh)
	x.pass(5 * time.Minute)
	x.worked(x.ada)
	x.pass(6 * time.Minute)
	x.wantMails(pagedAda)
	x.worked(x.ada)
	x.Receiver.Answers = nil
	x.pass(10 * time.Minute)
	x.wantMails()
	x.wantHooks("notification.paged")
}

// inAnHour is the answer of a receiver that wants to be left alone for an hour.
func inAnHour(webhook.Request) (webhook.Answer, error) {
	return webhook.Answer{Status: 503, RetryAfter: "3600"}, nil
}

// worked delivers another message to the webhook of a user, and notes that it works.
func (x *scene) worked(u user.User) {
	x.t.Helper()
	answers := x.Receiver.Answers
	x.Receiver.Answers = nil
	for _, hook := range must(x.Webhooks.Own().All(x.t.Context(), u.ID)) {
		x.check(x.Webhooks.Own().Deliver(x.t.Context(), u.ID, hook.ID, webhook.Message{ID: "1", Type: "test", At: x.Now()}))
	}
	x.Receiver.Answers, x.told = answers, len(x.Receiver.Got())
}

// A page is mailed however many notices came before it that are not.
func TestPagesComeBeforeAllElse(t *testing.T) {
	x := newScene(t)
	x.settings(integration.SettingsChange{SendEmail: ptr(true)})
	x.notifications(x.ada, withoutMail(notice.Alerts))
	x.ownWebhook(x.ada, "https://chat.example/ada")
	x.fire("first", alert.SeverityHigh)
	x.sweep()
	for _, name := range names(1000, "a%d") {
		x.fire(name, alert.SeverityHigh)
	}
	x.sweep()
	x.policy(0, after(0, oncall.Acknowledged, x.ada))
	x.Pass(time.Second)
	x.fire("page", alert.SeverityHigh)
	x.sweep()
	x.pass(2 * time.Minute)
	x.wantMails(pagedAda)
}

// However many pages a webhook does not take, all are mailed.
func TestManyPagesWithoutMail(t *testing.T) {
	x := newScene(t)
	x.ownWebhook(x.ben, "https://chat.example/ben")
	x.notifications(x.ben, withoutMail(notice.Pages))
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.fire("first", alert.SeverityHigh)
	x.sweep()
	x.Receiver.Answers = unreachable
	for _, name := range names(1100, "a%d") {
		x.fire(name, alert.SeverityHigh)
	}
	x.sweep()
	x.pass(2 * time.Minute)
	x.wantMails("ben: 1100 alerts for you")
}

// Pages go by mail while no webhook works, and do not wait for a failure of their own.
func TestPagesAreMailedWhileNoWebhookWorks(t *testing.T) {
	x := newScene(t)
	x.ownWebhook(x.ben, "https://chat.example/ben")
	x.notifications(x.ben, withoutMail(notice.Pages))
	x.policy(0, after(0, oncall.Acknowledged, x.ben), after(20, oncall.Acknowledged, x.ben))
	x.Receiver.Answers = unreachable
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.wantMails(pagedBen)
	x.pass(25 * time.Minute)
	x.wantMails(pagedBen)
}

// Two webhooks that are down mail a page once.
func TestTwoFailingWebhooksMailOnce(t *testing.T) {
	x := newScene(t)
	x.ownWebhook(x.ben, "https://chat.example/ben")
	x.ownWebhook(x.ben, "https://chat.example/other")
	x.notifications(x.ben, withoutMail(notice.Pages))
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.Receiver.Answers = unreachable
	x.fire("a", alert.SeverityHigh)
	x.pass(30 * time.Minute)
	x.wantMails(pagedBen)
	ids := map[string]bool{}
	for _, request := range x.Receiver.Got()[x.told:] {
		ids[request.Header["webhook-id"]] = true
	}
	if len(ids) != 2 {
		t.Errorf("the attempts have %d ids, want one for each webhook", len(ids))
	}
}

func TestSubjectsWithoutMail(t *testing.T) {
	x := newScene(t)
	x.settings(integration.SettingsChange{SendEmail: ptr(true)})
	x.notifications(x.ada, withoutMail(notice.Alerts))
	x.notifications(x.ben, withoutMail(notice.Assignments))
	iid := x.fire("a", alert.SeverityHigh)
	x.change(iid, alert.Change{AssigneeID: &x.ben.ID})
	x.pass(5 * time.Minute)
	x.wantMails()
	x.changeBy(audit.ByUser(x.ben.ID), iid, alert.Change{AssigneeID: &x.ada.ID})
	x.pass(5 * time.Minute)
	x.wantMails("ada: Alert assigned to you")
}

func TestLowestSeverity(t *testing.T) {
	x := newScene(t)
	x.settings(integration.SettingsChange{SendEmail: ptr(true)})
	x.notifications(x.ada, notice.Change{Severity: ptr("high")})
	x.fire("small", alert.SeverityMedium)
	x.pass(2 * time.Minute)
	x.wantMails()
	x.fire("grave", alert.SeverityHigh)
	x.pass(2 * time.Minute)
	x.wantMails(pagedAda)
	x.policy(0, after(0, oncall.Acknowledged, x.ada))
	x.fire("page", alert.SeverityInfo)
	x.pass(2 * time.Minute)
	x.wantMails(pagedAda)
}

// In quiet hours pages come, and all else comes as one summary of what still stands.
func TestQuietHoursHoldWhatCanWait(t *testing.T) {
	x := newScene(t)
	x.settings(integration.SettingsChange{SendEmail: ptr(true)})
	x.quietFor(x.ada, 2*time.Hour)
	for _, name := range names(5, "a%d") {
		x.fire(name, alert.SeverityHigh)
		x.pass(3 * time.Minute)
	}
	x.recover("a0")
	x.pass(10 * time.Minute)
	x.wantMails()
	x.policy(0, after(0, oncall.Acknowledged, x.ada))
	x.fire("page", alert.SeverityInfo)
	x.sweep()
	x.wantMails(pagedAda)
	x.pass(94*time.Minute - 2*time.Second)
	x.wantMails()
	x.pass(2 * time.Minute)
	summary := x.wantMails("ada: 6 alerts for you")
	if text := summary[0].Text; !strings.Contains(text, "a4") {
		t.Errorf("the summary is %s", text)
	}
	x.pass(time.Hour)
	x.wantMails()
	x.wantNoneDead()
}

// However many notices wait, none is lost.
func TestManyNoticesWaitForTheEndOfQuietHours(t *testing.T) {
	x := newScene(t)
	x.settings(integration.SettingsChange{SendEmail: ptr(true)})
	x.quietFor(x.ada, 30*time.Minute)
	x.storm(300)
	x.pass(20 * time.Minute)
	x.wantMails()
	x.pass(15 * time.Minute)
	x.wantMails("ada: 300 alerts for you")
	x.wantNoneDead()
}

// fireAndSilence has an alert page, and then n others that are silenced before anybody is
// told of them: for twenty minutes, and each for so much longer than the one before.
func (x *scene) fireAndSilence(n int64, longer time.Duration) {
	x.t.Helper()
	x.fire("first", alert.SeverityHigh)
	x.sweep()
	for _, name := range names(int(n), "a%d") {
		x.fire(name, alert.SeverityHigh)
	}
	x.sweep() // the notices wait for a minute
	for iid := range n {
		x.silence(iid+2, x.Now().Add(20*time.Minute+time.Duration(iid)*longer))
	}
}

// More pages than follow from one message are held by silences, and none is lost.
func TestManySilencedPagesWait(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.fireAndSilence(200, time.Millisecond)
	x.wantMails(pagedBen)
	x.pass(19 * time.Minute)
	x.wantMails()
	x.pass(10 * time.Minute)
	x.wantMails("ben: 200 alerts for you")
	x.wantNoneDead()
}

// Pages beyond those that are looked at when a person is told are held by silences too.
func TestMoreSilencedPagesThanAreLookedAtWait(t *testing.T) {
	x := newScene(t)
	x.dispatcher = x.dispatcherOver(x.Store, func(c *paging.Config) { c.MostLooked = 100 })
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.fireAndSilence(120, time.Millisecond)
	x.wantMails(pagedBen)
	x.pass(19 * time.Minute)
	x.wantMails("ben: 20 alerts for you") // they were counted without a look at each
	x.pass(10 * time.Minute)
	x.wantMails("ben: 100 alerts for you", "ben: 20 alerts for you")
	x.wantNoneDead()
}

// Pages that wait for more times than messages follow from one are not stuck.
func TestPagesWaitForManySilences(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.fireAndSilence(120, 20*time.Second)
	x.fire("loud", alert.SeverityHigh)
	x.wantMails(pagedBen)
	x.pass(3 * time.Minute)
	x.wantMails(pagedBen)
}

func TestSubjectHasTheGravestSeverity(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.fire("a", alert.SeverityLow)
	x.pass(2 * time.Minute)
	x.wantMails(pagedBen)
	x.fire("a", alert.SeverityCritical)
	x.pass(2 * time.Minute)
	if got := x.wantMails(pagedBen)[0]; got.Subject != "[acme/web] Critical: a (#1)" || !strings.Contains(got.Text, "low, now critical") {
		t.Errorf("the mail is %q with %s", got.Subject, got.Text)
	}
}

// Shifts that begin and end in quiet hours are told as they are afterwards, by each channel.
func TestShiftsInQuietHours(t *testing.T) {
	x, _ := onShifts(t)
	x.pass(3 * time.Minute)
	x.wantMails("ada"+moves, "ben"+moves)
	x.ownWebhook(x.ben, "https://chat.example/ben")
	x.quietFor(x.ben, 5*time.Hour)
	x.notifications(x.ada, withoutMail(notice.Shifts))
	x.pass(4*time.Hour + 30*time.Minute) // Ben's shift begins and ends
	x.wantMails()
	x.wantHooks()
	x.pass(time.Hour)
	x.wantMails("ben" + ends)
	if told := x.wantHooks("notification.shift")[0]; told.Data["what"] != "ends" || told.Data["schedule"] != "Night" {
		t.Errorf("the webhook is told %+v", told)
	}
	x.wantNoneDead()
}

// What waits for the end of quiet hours comes together, also what concerns shifts.
func TestShiftsAreInTheSummary(t *testing.T) {
	x, _ := onShifts(t)
	x.pass(3 * time.Minute)
	x.wantMails("ada"+moves, "ben"+moves)
	x.settings(integration.SettingsChange{SendEmail: ptr(true)})
	x.ownWebhook(x.ada, "https://chat.example/ada")
	x.quietFor(x.ada, 5*time.Hour)
	x.notifications(x.ben, withoutMail(notice.Shifts))
	x.fire("disk", alert.SeverityHigh)
	x.pass(4*time.Hour + 30*time.Minute) // Ada's shift ends, and the next one begins
	x.wantMails()
	x.wantHooks()
	x.pass(time.Hour)
	mailed := x.wantMails("ada: 1 alert and your shifts")[0]
	for _, part := range []string{"* You are on call now: Night\n  acme/web, ", "CET", "* disk (#1)"} {
		if !strings.Contains(mailed.Text, part) {
			t.Errorf("the summary lacks %q:\n%s", part, mailed.Text)
		}
	}
	if mailed.Subject != "1 alert and your shifts" || strings.Contains(mailed.Text, "more") || strings.Contains(mailed.Text, "no longer") {
		t.Errorf("the summary is %q:\n%s", mailed.Subject, mailed.Text)
	}
	told := x.wantHooks("notification.summary")[0]
	notices, _ := told.Data["notices"].([]any)
	if told.Data["total"] != 2.0 || len(notices) != 2 || !strings.HasPrefix(told.Text, "1 alert and your shifts https://") {
		t.Fatalf("the webhook is told %+v", told)
	}
	if first, _ := notices[0].(map[string]any); first["what"] != "begins" || first["schedule"] != "Night" {
		t.Errorf("the first notice is %+v", first)
	}
	x.wantNoneDead()
}

// Shifts in several schedules are told together when nothing else has waited.
func TestShiftsOfSeveralSchedulesAreASummary(t *testing.T) {
	x, _ := onShifts(t)
	x.pass(3 * time.Minute)
	x.wantMails("ada"+moves, "ben"+moves)
	x.quietFor(x.ada, time.Hour)
	for _, name := range []string{"East", "West"} {
		x.schedule(name, x.ada)
	}
	x.pass(30 * time.Minute)
	x.wantMails()
	x.leave(x.ben)
	x.pass(31 * time.Minute)
	if mailed := x.wantMails("ada: Your shifts on call")[0]; !strings.Contains(mailed.Text, "East") || !strings.Contains(mailed.Text, "West") {
		t.Errorf("the summary is:\n%s", mailed.Text)
	}
	x.wantNoneDead()
}

func TestTestReachesEachChannel(t *testing.T) {
	x := newScene(t)
	x.ownWebhook(x.ben, "https://chat.example/ben")
	x.quietFor(x.ben, 5*time.Hour)
	tested := must(x.Notices.Test(t.Context(), audit.ByUser(x.ben.ID)))
	x.sweep()
	x.wantMails("ben: Mails from Gatehouse reach you")
	x.wantHooks("notification.test")
	if len(tested.Webhooks) != 1 {
		t.Errorf("the test went to %+v", tested.Webhooks)
	}
}

// A webhook that takes messages again hours later is told what is still true, and only of
// projects that the person is in.
func TestOwnWebhookIsNotToldWhatIsOver(t *testing.T) {
	for name, meanwhile := range map[string]struct {
		happens func(*scene, int64)
		want    []string
	}{
		"nothing":          {func(*scene, int64) {}, []string{"notification.paged"}},
		"the alert ends":   {func(x *scene, iid int64) { x.change(iid, alert.Change{Status: ptr(alert.Resolved)}) }, nil},
		"the person left":  {func(x *scene, _ int64) { x.leave(x.ben) }, nil},
		"it is graver now": {func(x *scene, _ int64) { x.fire("a", alert.SeverityCritical) }, []string{"notification.paged", "notification.paged"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := newScene(t)
			x.ownWebhook(x.ben, "https://chat.example/ben")
			x.policy(0, after(0, oncall.Acknowledged, x.ben))
			x.Receiver.Answers = unreachable
			iid := x.fire("a", alert.SeverityHigh)
			x.sweep()
			meanwhile.happens(x, iid)
			x.Receiver.Answers, x.told = nil, len(x.Receiver.Got())
			x.pass(10 * time.Minute)
			got := x.wantHooks(meanwhile.want...)
			if name == "it is graver now" && !strings.Contains(got[0].Text, "critical") {
				t.Errorf("the webhook is told %q, want what the alert is by now", got[0].Text)
			}
			x.wantNoneDead()
		})
	}
}

func TestBlockedPersonsWebhookGetsNothing(t *testing.T) {
	x := newScene(t)
	x.ownWebhook(x.ben, "https://chat.example/ben")
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.Receiver.Answers = unreachable
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.wantMails(pagedBen)
	must(x.Users.Block(t.Context(), audit.Setup, x.ben.ID))
	x.Receiver.Answers, x.told = nil, len(x.Receiver.Got())
	x.pass(10 * time.Minute)
	x.wantHooks()
	x.wantNoneDead()
}

// A dispatcher that dies at any write loses no channel: each is told at least once, and at
// most twice, and a webhook can tell that by the id.
func TestCrashesLoseNoChannel(t *testing.T) {
	for _, stored := range []bool{false, true} {
		for n := int64(0); !crashOfChannels(t, n, stored); n++ {
			if n == 60 {
				t.Fatal("the dispatcher never came to its end")
			}
		}
	}
}

// crashOfChannels has the first dispatcher die after n writes. It reports whether that was
// too late.
func crashOfChannels(t *testing.T, n int64, stored bool) (finished bool) {
	t.Helper()
	f := &fuse{stored: stored}
	f.set(never)
	x := over(t, crashing{sqlitetest.Open(t), f})
	x.ownWebhook(x.ben, "https://chat.example/ben")
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.fire("a", alert.SeverityHigh)
	f.set(n)
	_, _ = x.dispatcher.Sweep(t.Context())
	finished = !f.blown.Load()
	f.set(never)
	x.pass(10 * time.Minute)
	ids := map[string]bool{}
	for _, request := range x.Receiver.Got()[x.told:] {
		ids[request.Header["webhook-id"]] = true
	}
	if mails, hooks := len(x.box.got), len(x.Receiver.Got())-x.told; mails < 1 || mails > 2 || hooks < 1 || hooks > 2 || len(ids) != 1 {
		t.Errorf("after %d writes (%t): %d mails, %d messages with %d ids", n, stored, mails, hooks, len(ids))
	}
	x.wantNoneDead()
	return finished
}
