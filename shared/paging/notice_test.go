package paging_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/dispatch"
	"gatehouse/shared/integration"
	"gatehouse/shared/mail"
	"gatehouse/shared/oncall"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/sqlite/sqlitetest"
)

func TestSummaryLeavesOutWhatNoLongerStands(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.storm(200)
	for _, name := range names(150, "a%d") {
		x.recover(name)
	}
	x.pass(10 * time.Minute)
	x.wantMails(pagedBen, "ben: 50 alerts for you")
}

func TestNoSummaryOfNothing(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.storm(100)
	for iid := range int64(100) {
		x.set(iid+1, alert.Acknowledged)
	}
	x.pass(10 * time.Minute)
	x.wantMails(pagedBen)
	if left := x.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Whoever is on call and named by a rule and a Maintainer gets one mail about an alert.
func TestSeveralReasonsMakeOneMail(t *testing.T) {
	x := newScene(t)
	x.settings(integration.SettingsChange{SendEmail: ptr(true)})
	x.policy(0, afterOn(0, oncall.Acknowledged, x.schedule("Night", x.ada)), after(0, oncall.Resolved, x.ada))
	x.fire("a", alert.SeverityHigh)
	x.pass(10 * time.Minute)
	if m := x.wantMails(pagedAda)[0]; !strings.Contains(m.Text, "/console/-/acknowledge?token=") {
		t.Errorf("the mail lacks the link: %s", m.Text)
	}
}

// All that waits for somebody is told as it is by then.
func TestWhatWasMissedIsToldAsItIs(t *testing.T) {
	x := newScene(t)
	x.settings(integration.SettingsChange{SendEmail: ptr(true)})
	x.fire("first", alert.SeverityHigh)
	x.sweep()
	x.wantMails(pagedAda)
	iid := x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.recover("a")
	x.sweep()
	x.pass(time.Minute)
	x.wantMails("ada: Alert resolved")
	x.set(iid, alert.Triggered)
	x.set(iid, alert.Resolved)
	x.set(iid, alert.Triggered)
	x.pass(10 * time.Minute)
	x.wantMails()
}

func TestAcknowledgedMeanwhileIsNotTold(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben), after(1, oncall.Resolved, x.ada))
	x.box.refuse = refused
	iid := x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.set(iid, alert.Acknowledged)
	x.box.refuse = nil
	x.pass(2 * time.Minute)
	x.wantMails(pagedAda)
}

func TestWhoMayNotSeeTheAlertIsNotTold(t *testing.T) {
	for name, then := range map[string]func(x *scene, mia int64){
		"blocked":    func(x *scene, mia int64) { must(x.Users.Block(x.t.Context(), audit.Setup, mia)) },
		"has left":   func(x *scene, mia int64) { x.check(x.Projects.Leave(x.t.Context(), audit.ByUser(mia), x.p.Place())) },
		"is deleted": func(x *scene, mia int64) { x.check(x.Users.Delete(x.t.Context(), audit.Setup, mia)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newScene(t)
			mia := x.User("mia")
			x.Member(x.p.Place(), mia, project.Maintainer)
			x.settings(integration.SettingsChange{SendEmail: ptr(true)})
			x.box.refuse = refused
			x.fire("a", alert.SeverityHigh)
			x.sweep()
			then(x, mia.ID)
			x.box.refuse = nil
			x.pass(10 * time.Minute)
			x.wantMails(pagedAda)
			x.wantNoneDead()
		})
	}
}

func TestMailIsTriedAgain(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	tries, ids := 0, map[string]bool{}
	x.box.refuse = func(m mail.Message) error {
		tries++
		ids[m.ID] = true
		if tries < 5 {
			return &mail.Failure{Reason: "the server is busy"}
		}
		return nil
	}
	x.fire("a", alert.SeverityHigh)
	x.pass(10 * time.Minute)
	x.wantMails(pagedBen)
	x.wantNoneDead()
	if tries != 5 || len(ids) != 1 {
		t.Errorf("%d tries, ids %v", tries, ids)
	}
}

func TestRefusedMailIsDeadAndCanBeSentAgain(t *testing.T) {
	for name, refusal := range map[string]error{
		"for good":        &mail.Failure{Reason: "no such mailbox", Permanent: true},
		"again and again": errors.New("the server is busy"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newScene(t)
			x.policy(0, after(0, oncall.Acknowledged, x.ben))
			x.box.refuse = func(mail.Message) error { return refusal }
			x.fire("a", alert.SeverityHigh)
			for range dispatch.MostUrgent + 1 {
				x.Pass(5 * time.Minute)
				x.sweep()
			}
			dead := x.dead()
			if len(dead) != 1 || dead[0].LastError != refusal.Error() {
				t.Fatalf("dead: %+v", dead)
			}
			x.box.refuse = nil
			x.check(x.Store.ReviveMessage(t.Context(), x.p.ID, dead[0].Number, x.Now()))
			x.sweep()
			x.wantMails(pagedBen)
			x.wantNoneDead()
		})
	}
}

// All that waits for a mailbox that is gone is one message for people to look at.
func TestStormForARefusedMailboxIsOneDeadMessage(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	tries := 0
	x.box.refuse = func(mail.Message) error {
		tries++
		return &mail.Failure{Reason: "no such mailbox", Permanent: true}
	}
	for _, name := range names(100, "a%d") {
		x.fire(name, alert.SeverityHigh)
	}
	x.pass(10 * time.Minute)
	if dead := x.dead(); len(dead) == 0 || len(dead) > 2 || tries > 2 {
		t.Errorf("%d tries, and %d dead messages", tries, len(dead))
	}
}

// A page that waits while somebody silences the alert comes after the silence.
func TestSilenceHoldsAPageThatWaits(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.wantMails(pagedBen)
	second := x.fire("b", alert.SeverityHigh)
	x.sweep() // the notice waits for a minute
	x.silence(second, x.Now().Add(20*time.Minute))
	x.pass(19 * time.Minute)
	x.wantMails()
	x.pass(7 * time.Minute)
	x.wantMails(pagedBen)
	x.wantNoneDead()
}

// A page that is silenced while mails wait comes after the silence, also if a dispatcher
// dies at any write.
func TestCrashesLoseNoSilencedPage(t *testing.T) {
	for _, stored := range []bool{false, true} {
		for n := int64(0); !crashOfSilence(t, n, stored); n++ {
			if n == 60 {
				t.Fatal("the dispatcher never came to its end")
			}
		}
	}
}

// crashOfSilence has a dispatcher die after n writes. It reports whether that was too late.
func crashOfSilence(t *testing.T, n int64, stored bool) (finished bool) {
	t.Helper()
	f := &fuse{stored: stored}
	f.set(never)
	x := over(t, crashing{sqlitetest.Open(t), f})
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.box.refuse = refused
	x.fire("loud", alert.SeverityHigh)
	silenced := x.fire("silenced", alert.SeverityHigh)
	x.sweep()
	x.silence(silenced, x.Now().Add(20*time.Minute))
	x.box.refuse = nil
	x.Pass(30 * time.Second)
	f.set(n)
	_, _ = x.dispatcher.Sweep(t.Context())
	finished = !f.blown.Load()
	f.set(never)
	x.pass(15 * time.Minute)
	if x.mailsAbout("loud") == 0 || x.mailsAbout("silenced") > 0 {
		t.Errorf("after %d writes (%t) %d mails are about the page, and %d about the silenced one", n, stored, x.mailsAbout("loud"), x.mailsAbout("silenced"))
	}
	x.pass(15 * time.Minute)
	if x.mailsAbout("silenced") == 0 {
		t.Errorf("after %d writes (%t) the silenced page is lost", n, stored)
	}
	x.wantNoneDead()
	return finished
}

// mailsAbout returns how many mails name an alert.
func (x *scene) mailsAbout(title string) (n int) {
	for _, m := range x.box.got {
		if strings.Contains(m.Text, title) {
			n++
		}
	}
	return n
}

func TestOneFailingMailboxHoldsUpNobody(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben), after(0, oncall.Acknowledged, x.ada))
	x.box.refuse = func(m mail.Message) error {
		if m.To.Email == x.ben.Email {
			return fmt.Errorf("greylisted")
		}
		return nil
	}
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.wantMails(pagedAda)
}
