package paging_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/integration"
	"gatehouse/shared/oncall"
	"gatehouse/shared/outbox"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
)

// crashing is a store that is out of reach after a number of writes: before the next one
// is done, or before its outcome is known.
type crashing struct {
	storage.Store
	left    atomic.Int64
	stored  bool // the write that fails is done nevertheless
	crashed atomic.Bool
}

func (c *crashing) write(do func() error) error {
	if c.crashed.Load() {
		return errDown
	}
	if c.left.Add(-1) >= 0 {
		return do()
	}
	c.crashed.Store(true)
	if c.stored {
		_ = do()
	}
	return errDown
}

func (c *crashing) ClaimMessage(ctx context.Context, m outbox.Message, claim string, now, until time.Time) (got outbox.Message, err error) {
	err = c.write(func() (err error) {
		got, err = c.Store.ClaimMessage(ctx, m, claim, now, until)
		return err
	})
	return got, err
}

func (c *crashing) FinishMessages(ctx context.Context, done, follow []outbox.Message) error {
	return c.write(func() error { return c.Store.FinishMessages(ctx, done, follow) })
}

func (c *crashing) PostponeMessage(ctx context.Context, m outbox.Message) error {
	return c.write(func() error { return c.Store.PostponeMessage(ctx, m) })
}

func (c *crashing) CreateRecord(ctx context.Context, r record.Record, perPlace bool) (made record.Record, err error) {
	err = c.write(func() (err error) {
		made, err = c.Store.CreateRecord(ctx, r, perPlace)
		return err
	})
	return made, err
}

func (c *crashing) ChangeRecord(ctx context.Context, was, next record.Record) (changed record.Record, err error) {
	err = c.write(func() (err error) {
		changed, err = c.Store.ChangeRecord(ctx, was, next)
		return err
	})
	return changed, err
}

func (c *crashing) ChangeAlert(ctx context.Context, a alert.Alert, change alert.Change) (changed alert.Alert, err error) {
	err = c.write(func() (err error) {
		changed, err = c.Store.ChangeAlert(ctx, a, change)
		return err
	})
	return changed, err
}

// A dispatcher that dies at any write leaves its work to another one, which loses nothing:
// everybody is told, at most twice.
func TestCrashesLoseNothing(t *testing.T) {
	for _, stored := range []bool{false, true} {
		for n := range int64(40) {
			if finished := crashAfter(t, n, stored); finished {
				if n < 8 {
					t.Errorf("all was done with %d writes", n)
				}
				break
			}
		}
	}
}

// crashAfter has the first dispatcher die after n writes. It reports whether that was too
// late.
func crashAfter(t *testing.T, n int64, stored bool) (finished bool) {
	t.Helper()
	plain := sqlitetest.Open(t)
	broken := &crashing{Store: plain, stored: stored}
	broken.left.Store(1 << 40)
	x := over(t, broken)
	x.webhook()
	x.settings(integration.SettingsChange{CreateIncident: ptr(true), SendEmail: ptr(true)})
	mia := x.User("mia")
	x.Member(x.p.Place(), mia, project.Maintainer)
	x.policy(0, after(0, oncall.Acknowledged, x.ben), after(10, oncall.Acknowledged, x.developer("cleo")))
	iid := x.fire("a", alert.SeverityHigh)
	broken.left.Store(n)
	_, _ = x.dispatcher.Sweep(t.Context())
	finished = !broken.crashed.Load()
	broken.crashed.Store(false)
	broken.left.Store(1 << 40)
	for range 15 {
		x.pass(time.Minute)
	}
	mails, hooks := map[string]int{}, map[string]map[string]bool{}
	for _, m := range x.box.got {
		mails[line(m)]++
	}
	for _, name := range []string{pagedBen, pagedAda, "mia: Alert opened", "cleo: Alert opened"} {
		if mails[name] < 1 || mails[name] > 2 {
			t.Errorf("after %d writes (%t): %s came %d times", n, stored, name, mails[name])
		}
	}
	for _, h := range x.Receiver.Got() {
		body := string(h.Body)
		if hooks[body] == nil {
			hooks[body] = map[string]bool{}
		}
		hooks[body][h.Header["webhook-id"]] = true
	}
	for body, ids := range hooks {
		if len(ids) != 1 {
			t.Errorf("after %d writes (%t): %s came as %d messages", n, stored, body, len(ids))
		}
	}
	a := must(plain.Alert(t.Context(), x.p.ID, iid, time.Now()))
	if all := x.incidents(); len(all) != 1 || a.IncidentIID != all[0].Number || len(hooks) != 2 {
		t.Errorf("after %d writes (%t): %d incidents, that of the alert is %d, %d webhooks", n, stored, len(all), a.IncidentIID, len(hooks))
	}
	x.wantNoneDead()
	return finished
}

func TestTwoDispatchersTellOnce(t *testing.T) {
	x := newScene(t)
	x.webhook()
	x.settings(integration.SettingsChange{CreateIncident: ptr(true), SendEmail: ptr(true)})
	x.policy(0, after(0, oncall.Acknowledged, x.ben), after(10, oncall.Acknowledged, x.ben))
	x.fire("a", alert.SeverityHigh)
	other := x.dispatcherOver(x.Store)
	for _, d := range []time.Duration{0, 10 * time.Minute, 10 * time.Minute} {
		x.Pass(d)
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { x.sweep() })
			both.Go(func() {
				if _, err := other.Sweep(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
	}
	x.wantMails(pagedBen, pagedAda, pagedBen)
	x.wantHooks("alert.opened", "incident.opened")
	x.wantNoneDead()
}
