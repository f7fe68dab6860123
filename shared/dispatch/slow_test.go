package dispatch_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse/shared/dispatch"
	"gatehouse/shared/outbox"
)

// ownerPlaces is how many receivers of an owner can hang at a time.
const ownerPlaces = 16

// slowAtOnce is how many slow lanes the first look of a sweep takes.
const slowAtOnce = 4096

// hanging is a dispatcher whose handler says what it began with. It hangs in lanes of the
// project 1 until it is let go.
type hanging struct {
	*desk
	by      *dispatch.Dispatcher
	began   chan outbox.Lane
	letGo   chan struct{}
	sweeper sync.WaitGroup
}

func newHanging(t *testing.T) *hanging {
	h := &hanging{desk: newDesk(t), began: make(chan outbox.Lane, 2*slowAtOnce), letGo: make(chan struct{})}
	h.by = h.dispatcher(func(_ context.Context, m outbox.Message) (dispatch.Result, error) {
		h.began <- m.Lane
		if m.Lane.Owner() == outbox.SlowLane("webhook", 1, "x").Owner() {
			<-h.letGo
		}
		return dispatch.Result{}, nil
	})
	return h
}

func slowLane(projectID int64, n int) outbox.Lane {
	return outbox.SlowLane("webhook", projectID, fmt.Sprintf("1/alert/%d", n))
}

// putSlow stores a message in each of n slow lanes of a project.
func (h *hanging) putSlow(projectID int64, n int) {
	h.t.Helper()
	var all []outbox.Message
	for i := range n {
		all = append(all, outbox.Message{Lane: slowLane(projectID, i), Seq: "1", Kind: "note", ProjectID: 5, Data: []byte(`{}`), CreatedAt: begin, DueAt: begin})
	}
	for some := range slices.Chunk(all, outbox.MostFollowing) {
		if err := h.store.PutMessages(h.t.Context(), some); err != nil {
			h.t.Fatal(err)
		}
	}
}

// start begins to sweep, and ends to when the test has let all hanging handlers go.
func (h *hanging) start(sweep func(context.Context)) {
	ctx, cancel := context.WithCancel(h.t.Context())
	h.sweeper.Go(func() { sweep(ctx) })
	h.t.Cleanup(func() {
		cancel()
		h.sweeper.Wait()
	})
}

func (h *hanging) sweepOnce(ctx context.Context) {
	if _, err := h.by.Sweep(ctx); err != nil {
		h.t.Error(err)
	}
}

// waitFor waits until the handler has begun with the lane, and returns how many others it
// began with before.
func (h *hanging) waitFor(l outbox.Lane) (others int) {
	for got := range h.began {
		if got == l {
			return others
		}
		others++
	}
	return others
}

// While 500 receivers hang, a page goes out.
func TestHangingReceiversHoldUpNoPage(t *testing.T) {
	h := newHanging(t)
	h.putSlow(1, 500)
	h.put("notice/7", "1")
	h.start(h.sweepOnce)
	if others := h.waitFor("notice/7"); others > ownerPlaces {
		t.Errorf("%d receivers were called before, want %d at most", others, ownerPlaces)
	}
	close(h.letGo)
	h.sweeper.Wait()
	if len(h.got) != 501 {
		t.Errorf("handled %d, want 501", len(h.got))
	}
}

// The same for a page that comes while they hang.
func TestRunFindsPagesWhileReceiversHang(t *testing.T) {
	h := newHanging(t)
	h.putSlow(1, 500)
	h.start(func(ctx context.Context) { h.by.Run(ctx, time.Millisecond) })
	for range ownerPlaces {
		<-h.began
	}
	h.put("notice/7", "1")
	if others := h.waitFor("notice/7"); others != 0 {
		t.Errorf("%d more receivers were called, want none", others)
	}
	close(h.letGo)
}

// The receivers of a project that hang leave places to those of another one, whether they
// are due before the sweep or come later.
func TestHangingReceiversLeavePlacesToOtherProjects(t *testing.T) {
	h := newHanging(t)
	h.putSlow(1, 500)
	h.putSlow(2, 1)
	h.start(h.sweepOnce)
	if others := h.waitFor(slowLane(2, 0)); others > ownerPlaces {
		t.Errorf("%d receivers of the first project were called before, want %d at most", others, ownerPlaces)
	}
	h.putSlow(3, 1)
	h.again <- begin
	h.waitFor(slowLane(3, 0))
	close(h.letGo)
	h.sweeper.Wait()
	if len(h.got) != 502 {
		t.Errorf("handled %d, want 502", len(h.got))
	}
}

// So do those of a project with more due lanes than a look takes.
func TestManyHangingReceiversLeavePlacesToOtherProjects(t *testing.T) {
	h := newHanging(t)
	h.putSlow(1, slowAtOnce+100)
	h.putSlow(2, 1)
	h.start(func(ctx context.Context) { _, _ = h.by.Sweep(ctx) }) // ends before it has handled all
	for range ownerPlaces {
		<-h.began
	}
	h.again <- begin
	if others := h.waitFor(slowLane(2, 0)); others != 0 {
		t.Errorf("%d more receivers of the first project were called, want none", others)
	}
	close(h.letGo)
}

// A lane that is worked on is not begun again when the sweep looks for more.
func TestSlowLanesAreHandledOnceAndInOrder(t *testing.T) {
	h := newHanging(t)
	l := slowLane(1, 0)
	h.put(l, "2", "1")
	h.start(h.sweepOnce)
	h.waitFor(l)
	h.again <- begin
	h.again <- begin
	close(h.letGo)
	h.sweeper.Wait()
	h.wantGot(string(l)+"#1", string(l)+"#2")
}

// The stream's messages share places in the same way.
func TestWorkIsNotHeldUpByHangingReceivers(t *testing.T) {
	h := newHanging(t)
	h.putSlow(1, 100)
	h.putSlow(2, 100)
	h.put("notice/7", "1")
	lanes := []outbox.Lane{}
	for i := range 100 {
		lanes = append(lanes, slowLane(1, i), slowLane(2, i))
	}
	lanes = append(lanes, "notice/7")
	h.start(func(ctx context.Context) {
		if failed := h.by.Work(ctx, lanes...); len(failed) != 0 {
			t.Error(failed)
		}
	})
	want := map[outbox.Lane]bool{"notice/7": true}
	for i := range 100 {
		want[slowLane(2, i)] = true
	}
	for len(want) > 0 {
		delete(want, <-h.began)
	}
	close(h.letGo)
	h.sweeper.Wait()
	if len(h.got) != 201 {
		t.Errorf("handled %d, want 201", len(h.got))
	}
}
