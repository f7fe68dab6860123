package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/shared/dispatch"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
)

var begin = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

// desk is a store with a dispatcher, and what its handlers got.
type desk struct {
	t      *testing.T
	store  storage.Store
	mu     sync.Mutex
	now    time.Time
	claims int
	got    []string
	again  chan time.Time // has a sweep look for more slow lanes
}

func newDesk(t *testing.T) *desk {
	return &desk{t: t, store: sqlitetest.Open(t), now: begin, again: make(chan time.Time)}
}

func (d *desk) source() dispatch.Source {
	return dispatch.Source{
		Now: func() time.Time {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.now
		},
		Claim: func() string {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.claims++
			return fmt.Sprint("claim ", d.claims)
		},
		Jitter: func() float64 { return 0 },
		After: func(pause time.Duration) <-chan time.Time {
			if pause == time.Second {
				return d.again
			}
			return time.After(pause)
		},
	}
}

func (d *desk) dispatcher(handler dispatch.Handler) *dispatch.Dispatcher {
	return dispatch.New(d.store, dispatch.Handlers{"note": func(ctx context.Context, m outbox.Message) (dispatch.Result, error) {
		d.mu.Lock()
		d.got = append(d.got, m.ID())
		d.mu.Unlock()
		return handler(ctx, m)
	}}, d.source())
}

func (d *desk) put(lane outbox.Lane, seqs ...string) {
	d.t.Helper()
	for _, seq := range seqs {
		m := outbox.Message{Lane: lane, Seq: seq, Kind: "note", ProjectID: 5, Data: []byte(`{}`), CreatedAt: d.now, DueAt: d.now}
		if err := d.store.PutMessages(d.t.Context(), []outbox.Message{m}); err != nil {
			d.t.Fatal(err)
		}
	}
}

func (d *desk) sweep(by *dispatch.Dispatcher) {
	d.t.Helper()
	if _, err := by.Sweep(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) pass(t time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(t)
}

// wantGot checks what the handlers got since the last check.
func (d *desk) wantGot(want ...string) {
	d.t.Helper()
	if !slices.Equal(d.got, want) {
		d.t.Errorf("handled %v, want %v", d.got, want)
	}
	d.got = nil
}

func (d *desk) waiting(lane outbox.Lane) []outbox.Message {
	d.t.Helper()
	all, err := d.store.Waiting(d.t.Context(), lane, 100)
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

func (d *desk) dead() []outbox.Dead {
	d.t.Helper()
	found, err := d.store.DeadMessages(d.t.Context(), 5, d.now, page.First)
	if err != nil {
		d.t.Fatal(err)
	}
	return found.Items
}

func done(context.Context, outbox.Message) (dispatch.Result, error) { return dispatch.Result{}, nil }

func failing(err error) dispatch.Handler {
	return func(context.Context, outbox.Message) (dispatch.Result, error) { return dispatch.Result{}, err }
}

func TestALaneIsHandledInOrder(t *testing.T) {
	d := newDesk(t)
	d.put("a", "2", "1", "3")
	d.sweep(d.dispatcher(done))
	d.wantGot("a#1", "a#2", "a#3")
	if left := d.waiting("a"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestWhatFollowsIsHandledToo(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	d.sweep(d.dispatcher(func(_ context.Context, m outbox.Message) (dispatch.Result, error) {
		if m.Lane == "b" {
			return dispatch.Result{}, nil
		}
		m.Lane, m.Claim, m.ClaimedTo = "b", "", time.Time{}
		return dispatch.Result{Follow: []outbox.Message{m}}, nil
	}))
	d.wantGot("a#1", "b#1")
}

func TestMessagesAreHandledTogether(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1", "2", "3")
	d.sweep(d.dispatcher(func(ctx context.Context, m outbox.Message) (dispatch.Result, error) {
		return dispatch.Result{Behind: d.waiting(m.Lane)[1:]}, nil
	}))
	d.wantGot("a#1")
}

// A message that fails is tried again after twice the pause each time. Those behind it
// wait, and those of other lanes do not.
func TestAFailureIsTriedAgainLater(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1", "2")
	broken := d.dispatcher(failing(errors.New("answered 500")))
	d.sweep(broken)
	d.wantGot("a#1")
	d.put("b", "1")
	d.sweep(d.dispatcher(done))
	d.wantGot("b#1")

	for _, pause := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second} {
		d.pass(pause - time.Millisecond)
		d.sweep(broken)
		d.wantGot()
		d.pass(time.Millisecond)
		d.sweep(broken)
		d.wantGot("a#1")
	}
	if m := d.waiting("a")[0]; m.Attempts != 4 || m.LastError != "answered 500" {
		t.Errorf("the message has %d attempts and the error %q", m.Attempts, m.LastError)
	}
	d.pass(time.Hour)
	d.sweep(d.dispatcher(done))
	d.wantGot("a#1", "a#2")
}

func TestGivingUp(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want int
	}{
		"an error that may pass": {errors.New("answered 500"), dispatch.MostAttempts},
		"one that does not pass": {fmt.Errorf("wrapped: %w", dispatch.Permanent(errors.New("the address is refused"))), 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.put("a", "1", "2")
			by := d.dispatcher(func(_ context.Context, m outbox.Message) (dispatch.Result, error) {
				if m.Seq == "1" {
					return dispatch.Result{}, test.err
				}
				return dispatch.Result{}, nil
			})
			for range test.want {
				d.sweep(by)
				d.pass(time.Hour)
			}
			want := slices.Repeat([]string{"a#1"}, test.want)
			d.wantGot(append(want, "a#2")...)
			dead := d.dead()
			if len(dead) != 1 || dead[0].Attempts != test.want || dead[0].LastError != test.err.Error() {
				t.Errorf("dead: %+v", dead)
			}
			if err := d.store.ReviveMessage(t.Context(), 5, dead[0].Number, d.now); err != nil {
				t.Fatal(err)
			}
			d.sweep(d.dispatcher(done))
			d.wantGot("a#1")
		})
	}
}

func TestAnUnknownKindIsBuried(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	d.sweep(dispatch.New(d.store, dispatch.Handlers{}, d.source()))
	if dead := d.dead(); len(dead) != 1 || !strings.Contains(dead[0].LastError, "nothing handles note") {
		t.Errorf("dead: %+v", dead)
	}
}

func TestABrokenHandlerIsAFailure(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	d.sweep(d.dispatcher(func(context.Context, outbox.Message) (dispatch.Result, error) { panic("broken") }))
	if m := d.waiting("a")[0]; m.Attempts != 1 || m.LastError != "the handler of note broke" {
		t.Errorf("the message has %d attempts and the error %q", m.Attempts, m.LastError)
	}
}

func TestWaitingIsNoAttempt(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	by := d.dispatcher(func(context.Context, outbox.Message) (dispatch.Result, error) {
		if d.source().Now().Before(begin.Add(time.Hour)) {
			return dispatch.Result{}, dispatch.NotBefore(begin.Add(time.Hour))
		}
		return dispatch.Result{}, nil
	})
	d.sweep(by)
	d.pass(time.Hour - time.Second)
	d.sweep(by)
	d.wantGot("a#1")
	if m := d.waiting("a")[0]; m.Attempts != 0 {
		t.Errorf("the message has %d attempts, want none", m.Attempts)
	}
	d.pass(time.Second)
	d.sweep(by)
	d.wantGot("a#1")
}

type busy struct{ wait time.Duration }

func (busy) Error() string               { return "answered 429" }
func (b busy) RetryAfter() time.Duration { return b.wait }

func TestTheReceiverSaysHowLongToWait(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		time.Second: 5 * time.Second, 10 * time.Minute: 10 * time.Minute, 24 * time.Hour: time.Hour,
	} {
		d := newDesk(t)
		d.put("a", "1")
		d.sweep(d.dispatcher(failing(busy{asked})))
		if m := d.waiting("a")[0]; !m.DueAt.Equal(begin.Add(want)) {
			t.Errorf("asked to wait %v the message waits %v, want %v", asked, m.DueAt.Sub(begin), want)
		}
	}
}

// A dispatcher that died leaves its claim, which ends.
func TestADeadDispatchersMessageIsHandledAgain(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1", "2")
	if _, err := d.store.ClaimMessage(t.Context(), d.waiting("a")[0], "dead", begin, begin.Add(dispatch.Lease)); err != nil {
		t.Fatal(err)
	}
	by := d.dispatcher(done)
	d.sweep(by)
	d.wantGot()
	d.pass(dispatch.Lease)
	d.sweep(by)
	d.wantGot("a#1", "a#2")
}

// Many dispatchers at once handle each message once and each lane in order.
func TestDispatchersShareTheWork(t *testing.T) {
	d := newDesk(t)
	const lanes, messages = 12, 5
	for l := range lanes {
		for m := range messages {
			d.put(outbox.Lane(fmt.Sprintf("lane-%02d", l)), fmt.Sprint(m))
		}
	}
	var sweepers sync.WaitGroup
	for range 4 {
		sweepers.Go(func() { d.sweep(d.dispatcher(done)) })
	}
	sweepers.Wait()
	d.sweep(d.dispatcher(done))
	byLane := map[string][]string{}
	for _, id := range d.got {
		lane, seq, _ := strings.Cut(id, "#")
		byLane[lane] = append(byLane[lane], seq)
	}
	for lane, seqs := range byLane {
		if !slices.Equal(seqs, []string{"0", "1", "2", "3", "4"}) {
			t.Errorf("%s was handled as %v", lane, seqs)
		}
	}
	if len(byLane) != lanes {
		t.Errorf("%d lanes were handled, want %d", len(byLane), lanes)
	}
}

// All messages behind one that waits are passed over, however many there are.
func TestManyBehindOneThatWaits(t *testing.T) {
	d := newDesk(t)
	for n := range 300 {
		d.put("a", fmt.Sprintf("%03d", n))
	}
	until := begin.Add(time.Hour)
	by := d.dispatcher(func(context.Context, outbox.Message) (dispatch.Result, error) {
		if d.now.Before(until) {
			return dispatch.Result{}, dispatch.NotBefore(until)
		}
		return dispatch.Result{}, nil
	})
	d.sweep(by)
	d.wantGot("a#000")
	d.pass(time.Hour)
	d.sweep(by)
	if len(d.got) != 300 {
		t.Errorf("handled %d, want 300", len(d.got))
	}
}

// silent is a store without messages that must not be looked through.
type silent struct{ outbox.Store }

func (silent) AnyMessages(context.Context) (bool, error) { return false, nil }

func TestSweepOfNothingLooksNoFurther(t *testing.T) {
	d := newDesk(t)
	n, err := dispatch.New(silent{}, dispatch.Handlers{}, d.source()).Sweep(t.Context()) // panics if it calls another method
	if n != 0 || err != nil {
		t.Errorf("Sweep = %d, %v", n, err)
	}
}
