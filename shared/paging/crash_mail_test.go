package paging_test

import (
	"fmt"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/mail"
	"gatehouse/shared/oncall"
	"gatehouse/shared/outbox"
)

// What is to be mailed while a mail goes out is not in that mail. It is told even if whoever
// sent the mail dies then.
func TestCrashAfterAMailLosesNothingThatCameMeanwhile(t *testing.T) {
	for name, open := range breakable {
		for _, writes := range []int64{0, 1, 2, 3} { // until all is done
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var f fuse
				f.set(never)
				crashAfterMail(t, over(t, open(t, &f)), &f, writes)
			})
		}
	}
}

// crashAfterMail has the dispatcher die so many writes after it sent a mail about an alert.
// Another one sees to a second alert while the mail goes out.
func crashAfterMail(t *testing.T, x *scene, f *fuse, writes int64) {
	other := x.dispatcherOver(x.Store)
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	x.fire("first", alert.SeverityHigh)
	x.box.refuse = refused
	x.sweep()
	x.Pass(time.Minute)
	x.fire("second", alert.SeverityHigh)
	x.box.refuse = func(mail.Message) error {
		x.box.refuse = nil
		f.set(never)
		if _, err := other.Sweep(t.Context()); err != nil {
			t.Error(err)
		}
		f.set(writes)
		return nil
	}
	_ = x.dispatcher.Work(t.Context(), outbox.Lane(fmt.Sprintf("mail/%d", x.ben.ID)))
	f.set(never)
	for range 4 {
		x.pass(time.Minute)
	}
	for _, title := range []string{"first", "second"} {
		if n := x.mailsAbout(title); n < 1 || n > 2 {
			t.Errorf("after %d writes: %d mails about %s", writes, n, title)
		}
	}
	x.wantNoneDead()
}
