// Package dispatch handles the messages of the outbox. Several dispatchers can work at a
// time: each message is claimed before it is handled, and those of a lane are handled one
// after the other. A message that fails is tried again later and later, and is buried in the
// end, so that those behind it come through.
package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/outbox"
	"gatehouse/shared/telemetry"
)

// Handler handles the first message of a lane. It may get the message again, if an earlier
// handler died before it was noted that it had done its work.
type Handler func(ctx context.Context, m outbox.Message) (Result, error)

// Result is what a handler did.
type Result struct {
	Follow []outbox.Message // at most outbox.MostFollowing
	Behind []outbox.Message // of the lane, handled together with the first message
}

// Handlers say who handles the messages of a kind.
type Handlers map[outbox.Kind]Handler

// Dispatcher takes messages from a store to their handlers.
type Dispatcher struct {
	store    outbox.Store
	handlers Handlers
	source   Source
	urgent   map[outbox.Kind]bool
}

// Source is where a dispatcher gets what differs each time.
type Source struct {
	Now    func() time.Time
	Claim  func() string  // a text that no other claim has
	Jitter func() float64 // between 0 and 1
	After  func(time.Duration) <-chan time.Time
}

// New returns a dispatcher.
func New(store outbox.Store, handlers Handlers, source Source) *Dispatcher {
	return &Dispatcher{store, handlers, source, map[outbox.Kind]bool{}}
}

// Hurry has messages of these kinds tried again soon, and for as long as others. It returns
// the dispatcher.
func (d *Dispatcher) Hurry(kinds ...outbox.Kind) *Dispatcher {
	for _, k := range kinds {
		d.urgent[k] = true
	}
	return d
}

// The times of a message that is being handled.
const (
	// Lease is how long a claim lasts: if its dispatcher dies, the message is handled
	// again that much later.
	Lease = time.Minute
	// patience is how long a handler may take.
	patience = 40 * time.Second
)

// The most prompt lanes that a sweep takes at once, and that it works on side by side.
const (
	lanesAtOnce = 256
	sideBySide  = 16
)

// Sweep works on the lanes that are due until none is, or the context ends. It returns how
// many it worked on. Slow lanes hold up no others.
func (d *Dispatcher) Sweep(ctx context.Context) (worked int, err error) {
	any, err := d.store.AnyMessages(ctx)
	if err != nil {
		return 0, err
	}
	if !any { // so that an idle instance costs little
		telemetry.Add(telemetry.OldestDue, 0)
		return 0, nil
	}
	for ctx.Err() == nil {
		var prompt, slow int
		var groups errgroup.Group
		groups.Go(func() (err error) { prompt, err = d.sweepPrompt(ctx); return err })
		groups.Go(func() (err error) { slow, err = d.sweepSlow(ctx); return err })
		err := groups.Wait()
		worked += prompt + slow
		if err != nil {
			return worked, err
		}
		if prompt+slow == 0 && ctx.Err() == nil { // only a sweep that could look tells that nothing is late
			telemetry.Add(telemetry.OldestDue, 0)
			return worked, nil
		}
	}
	return worked, ctx.Err()
}

// sweepPrompt works on the prompt lanes that are due until none is.
func (d *Dispatcher) sweepPrompt(ctx context.Context) (worked int, err error) {
	for ctx.Err() == nil {
		lanes, err := d.store.DueLanes(ctx, outbox.Prompt, d.source.Now(), lanesAtOnce)
		if err != nil || len(lanes) == 0 {
			return worked, err
		}
		var work errgroup.Group
		work.SetLimit(sideBySide)
		for _, l := range lanes {
			work.Go(func() error { return d.workOn(ctx, l, d.delay) })
		}
		if err := work.Wait(); err != nil {
			return worked, err
		}
		worked += len(lanes)
	}
	return worked, ctx.Err()
}

// Work works on all of the lanes, side by side. An owner has only so many places, as in a
// sweep. It returns the errors of the store by lane: a handler's error is noted at its message.
func (d *Dispatcher) Work(ctx context.Context, lanes ...outbox.Lane) map[outbox.Lane]error {
	var mu sync.Mutex
	failed := map[outbox.Lane]error{}
	places := map[outbox.Group]chan struct{}{
		outbox.Prompt: make(chan struct{}, sideBySide), outbox.Slow: make(chan struct{}, slowPlaces),
	}
	workOn := func(l outbox.Lane) {
		places[l.Group()] <- struct{}{}
		defer func() { <-places[l.Group()] }()
		if err := d.workOn(ctx, l, leaveDue); err != nil {
			mu.Lock()
			defer mu.Unlock()
			failed[l] = err
		}
	}
	var owners sync.WaitGroup
	for _, some := range byOwner(lanes) {
		owners.Go(func() { eachOf(some, workOn) })
	}
	owners.Wait()
	return failed
}

// byOwner returns the slow lanes of each owner. Each prompt lane is by itself.
func byOwner(lanes []outbox.Lane) map[string][]outbox.Lane {
	by := map[string][]outbox.Lane{}
	for _, l := range lanes {
		owner := string(l)
		if l.Group() == outbox.Slow {
			owner = l.Owner()
		}
		by[owner] = append(by[owner], l)
	}
	return by
}

// eachOf works on an owner's lanes.
func eachOf(lanes []outbox.Lane, workOn func(outbox.Lane)) {
	var work errgroup.Group
	work.SetLimit(ownerPlaces)
	for _, l := range lanes {
		work.Go(func() error {
			workOn(l)
			return nil
		})
	}
	_ = work.Wait()
}

// notReady is what is done about a lane whose first message is not ready.
type notReady func(ctx context.Context, first outbox.Message, now time.Time) error

// leaveDue does nothing about it: a sweep will.
func leaveDue(context.Context, outbox.Message, time.Time) error { return nil }

// workOn handles the messages of a lane until it is empty or its first one is not ready.
func (d *Dispatcher) workOn(ctx context.Context, l outbox.Lane, then notReady) error {
	for handled := 0; ctx.Err() == nil; handled++ {
		waiting, err := d.store.Waiting(ctx, l, 2)
		if err != nil || len(waiting) == 0 {
			return err
		}
		first, now := waiting[0], d.source.Now()
		if late := now.Sub(first.DueAt); late > 0 && handled == 0 { // those behind it waited for the lane
			telemetry.AddTime(telemetry.OldestDue, late)
		}
		if !first.Ready(now) {
			if len(waiting) == 1 {
				return nil // sweeps look for it when it is ready
			}
			return then(ctx, first, now)
		}
		first, err = d.store.ClaimMessage(ctx, first, d.source.Claim(), now, now.Add(Lease))
		if err == nil {
			err = d.handle(ctx, first)
		}
		if errors.Is(err, outbox.ErrTaken) {
			return nil // the other one goes on with the lane
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// delay has sweeps pass over all messages behind one that is not ready.
func (d *Dispatcher) delay(ctx context.Context, first outbox.Message, now time.Time) error {
	until := first.DueAt
	if first.ClaimedTo.After(until) {
		until = first.ClaimedTo
	}
	return d.store.DelayLane(ctx, first.Lane, now, until)
}

// handle has the handler of a claimed message do its work, and notes how it went.
func (d *Dispatcher) handle(ctx context.Context, m outbox.Message) error {
	result, failure := d.call(ctx, m)
	var later notYet
	switch {
	case failure == nil:
		err := d.store.FinishMessages(ctx, append([]outbox.Message{m}, result.Behind...), result.Follow)
		if err == nil {
			telemetry.Add(telemetry.MessagesHandled, float64(1+len(result.Behind)))
		}
		return err
	case errors.As(failure, &later):
		m.DueAt = later.until
		return d.store.PostponeMessage(ctx, m)
	default:
		return d.fail(ctx, m, failure)
	}
}

func (d *Dispatcher) call(ctx context.Context, m outbox.Message) (result Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer func() {
		if broken := recover(); broken != nil {
			slog.ErrorContext(ctx, "message handler broke", "kind", m.Kind, "message", m.ID(), "error", broken, "stack", string(debug.Stack()))
			err = fmt.Errorf("the handler of %s broke", m.Kind)
		}
	}()
	handler, ok := d.handlers[m.Kind]
	if !ok {
		return Result{}, Permanent(fmt.Errorf("nothing handles %s", m.Kind))
	}
	return handler(ctx, m)
}

// MostAttempts is how often a message is tried before it is buried, and MostUrgent how often
// an urgent one is: about five hours both.
const (
	MostAttempts = 14
	MostUrgent   = 160
)

func (d *Dispatcher) mostAttempts(k outbox.Kind) int {
	if d.urgent[k] {
		return MostUrgent
	}
	return MostAttempts
}

// fail postpones a message that could not be handled, or buries it.
func (d *Dispatcher) fail(ctx context.Context, m outbox.Message, failure error) error {
	m.Attempts++
	m.LastError = briefly(failure)
	telemetry.Add(telemetry.MessagesFailed, 1)
	slog.WarnContext(ctx, "message not handled", "kind", m.Kind, "message", m.ID(), "attempts", m.Attempts, "error", m.LastError)
	now := d.source.Now()
	if errors.As(failure, new(permanent)) || m.Attempts >= d.mostAttempts(m.Kind) {
		slog.ErrorContext(ctx, "message given up", "kind", m.Kind, "message", m.ID(), "error", m.LastError)
		telemetry.Add(telemetry.DeadLetters, 1)
		return d.store.BuryMessage(ctx, m, now)
	}
	m.DueAt = now.Add(d.pause(m, failure))
	return d.store.PostponeMessage(ctx, m)
}

// The pauses before a message is tried again.
const (
	firstPause    = 5 * time.Second
	longestPause  = time.Hour
	longestUrgent = 2 * time.Minute
)

// pause doubles with each attempt, and is shorter by up to a half at random. If the error
// tells how long to wait, it is at least that.
func (d *Dispatcher) pause(m outbox.Message, failure error) time.Duration {
	longest := longestPause
	if d.urgent[m.Kind] {
		longest = longestUrgent
	}
	pause := longest
	if doubled := m.Attempts - 1; doubled < 10 {
		pause = min(firstPause<<doubled, longest)
	}
	pause -= time.Duration(d.source.Jitter() * float64(pause) / 2)
	var asked interface{ RetryAfter() time.Duration }
	if errors.As(failure, &asked) {
		pause = max(pause, min(asked.RetryAfter(), longestPause))
	}
	return pause
}

// longestError bounds what is kept of an error, in bytes.
const longestError = 500

func briefly(err error) string {
	text := err.Error()
	if len(text) > longestError {
		text = text[:longestError]
	}
	return text
}

// Permanent is an error for which trying again is no use.
func Permanent(err error) error { return permanent{err} }

type permanent struct{ error }

// Unwrap returns the reason.
func (p permanent) Unwrap() error { return p.error }

// NotBefore is the error of a handler for a message that has to wait. It counts as no
// attempt.
func NotBefore(until time.Time) error { return notYet{until} }

type notYet struct{ until time.Time }

// Error says until when.
func (n notYet) Error() string { return "not before " + n.until.Format(time.RFC3339) }
