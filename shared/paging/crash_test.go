package paging_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
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
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
	"gatehouse/shared/storage/sqlite/sqlitetest"
)

// fuse lets a number of writes through. The next one fails, and all after it: it is not
// done, or it is and nobody hears of it.
type fuse struct {
	left   atomic.Int64
	stored bool // the write that fails is done nevertheless
	blown  atomic.Bool
}

// set lets n more writes through.
func (f *fuse) set(n int64) {
	f.left.Store(n)
	f.blown.Store(false)
}

const never = 1 << 40

func (f *fuse) write(do func() error) error {
	if f.blown.Load() {
		return errDown
	}
	if f.left.Add(-1) >= 0 {
		return do()
	}
	f.blown.Store(true)
	if f.stored {
		_ = do()
	}
	return errDown
}

// breakable are the stores on which dispatchers die: SQLite between calls of the store, and
// DynamoDB between any two requests.
var breakable = map[string]func(testing.TB, *fuse) storage.Store{
	"sqlite":   func(t testing.TB, f *fuse) storage.Store { return crashing{sqlitetest.Open(t), f} },
	"dynamodb": breakableDynamoDB,
}

func breakableDynamoDB(t testing.TB, f *fuse) storage.Store {
	o := dynamodbtest.Options(t, os.Getenv)
	o.HTTPClient = fused{f}
	return dynamodbtest.Open(t, o, "../../template.yaml")
}

// fused is an HTTP client. With its fuse blown every request is refused, in a way that the
// SDK does not try again.
type fused struct{ *fuse }

var writing = regexp.MustCompile(`\.(Put|Update|Delete|BatchWrite|TransactWrite)Items?$`)

func (f fused) Do(r *http.Request) (answer *http.Response, err error) {
	send := func() error {
		answer, err = http.DefaultClient.Do(r)
		return err
	}
	switch {
	case writing.MatchString(r.Header.Get("X-Amz-Target")):
		err = f.write(send)
	case f.blown.Load():
		err = errDown
	default:
		err = send()
	}
	if !errors.Is(err, errDown) {
		return answer, err
	}
	if answer != nil {
		answer.Body.Close()
	}
	const body = `{"__type":"com.amazon.coral.service#AccessDeniedException","message":"the store is down"}`
	return &http.Response{StatusCode: 400, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// crashing is a store with a fuse for the writes of dispatchers.
type crashing struct {
	storage.Store
	*fuse
}

func (c crashing) ClaimMessage(ctx context.Context, m outbox.Message, claim string, now, until time.Time) (got outbox.Message, err error) {
	err = c.write(func() (err error) {
		got, err = c.Store.ClaimMessage(ctx, m, claim, now, until)
		return err
	})
	return got, err
}

func (c crashing) FinishMessages(ctx context.Context, done, follow []outbox.Message) error {
	return c.write(func() error { return c.Store.FinishMessages(ctx, done, follow) })
}

func (c crashing) PostponeMessage(ctx context.Context, m outbox.Message) error {
	return c.write(func() error { return c.Store.PostponeMessage(ctx, m) })
}

func (c crashing) CreateRecord(ctx context.Context, r record.Record, perPlace bool) (made record.Record, err error) {
	err = c.write(func() (err error) {
		made, err = c.Store.CreateRecord(ctx, r, perPlace)
		return err
	})
	return made, err
}

func (c crashing) ChangeRecord(ctx context.Context, was, next record.Record) (changed record.Record, err error) {
	err = c.write(func() (err error) {
		changed, err = c.Store.ChangeRecord(ctx, was, next)
		return err
	})
	return changed, err
}

func (c crashing) ChangeAlert(ctx context.Context, a alert.Alert, change alert.Change) (changed alert.Alert, err error) {
	err = c.write(func() (err error) {
		changed, err = c.Store.ChangeAlert(ctx, a, change)
		return err
	})
	return changed, err
}

// A dispatcher that dies at any write leaves its work to another one, which loses nothing:
// everybody is told, at most twice.
func TestCrashesLoseNothing(t *testing.T) {
	for name, open := range breakable {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", name, stored), func(t *testing.T) {
				t.Parallel()
				n, step := int64(0), int64(1)
				if stored && name == "dynamodb" {
					step = 4 // it is slow, and has the same as if the next write was not done
				}
				for !crashAfter(t, open, n, stored) {
					n += step
				}
				if t.Logf("all was done with %d writes", n); n < 8 {
					t.Error("those are too few")
				}
			})
		}
	}
}

// crashAfter has the first dispatcher die after n writes. It reports whether that was too
// late.
func crashAfter(t *testing.T, open func(testing.TB, *fuse) storage.Store, n int64, stored bool) (finished bool) {
	t.Helper()
	f := &fuse{stored: stored}
	f.set(never)
	x := over(t, open(t, f))
	x.webhook()
	x.settings(integration.SettingsChange{CreateIncident: ptr(true), SendEmail: ptr(true)})
	mia := x.User("mia")
	x.Member(x.p.Place(), mia, project.Maintainer)
	x.policy(0, after(0, oncall.Acknowledged, x.ben), after(10, oncall.Acknowledged, x.developer("cleo")))
	iid := x.fire("a", alert.SeverityHigh)
	f.set(n)
	_, _ = x.dispatcher.Sweep(t.Context())
	finished = !f.blown.Load()
	f.set(never)
	for _, d := range []time.Duration{1, 1, 1, 8, 1, 1} { // the claim ends, what failed is tried again, the second step
		x.Pass(d * time.Minute)
		x.sweep()
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
	a := must(x.Store.Alert(t.Context(), x.p.ID, iid, time.Now()))
	if all := x.incidents(); len(all) != 1 || a.IncidentIID != all[0].Number || len(hooks) != 2 {
		t.Errorf("after %d writes (%t): %d incidents, that of the alert is %d, %d webhooks", n, stored, len(all), a.IncidentIID, len(hooks))
	}
	x.wantNoneDead()
	return finished
}

func TestTwoDispatchersTellOnce(t *testing.T) {
	for name, open := range breakable {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f fuse
			f.set(never)
			tellOnce(t, over(t, open(t, &f)))
		})
	}
}

func tellOnce(t *testing.T, x *scene) {
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
