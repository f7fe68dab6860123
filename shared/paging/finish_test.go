package paging_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse/shared/outbox"
	"gatehouse/shared/storage"
)

var finishing = time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC) // when the messages are due

// Whatever write of FinishMessages is the last one, the messages that it removes are all
// told of by what follows, or they are there still.
func TestFinishingLosesNothing(t *testing.T) {
	for name, open := range breakable {
		t.Run(name, func(t *testing.T) {
			f := &fuse{}
			f.set(never)
			store := open(t, f)
			lanes := 0
			for _, writes := range []int64{0, 1, 2, 3, never} {
				for _, stored := range []bool{false, true} {
					lanes++
					done := finishable(t, store, lanes)
					next := outbox.Message{Lane: done[0].Lane + "/next", Seq: "1", Kind: "note", Data: []byte(`{}`), CreatedAt: finishing, DueAt: finishing}
					f.stored = stored
					f.set(writes)
					err := store.FinishMessages(t.Context(), done, []outbox.Message{next})
					f.set(never)
					wantAllOrFollowed(t, store, done, next, err)
				}
			}
		})
	}
}

// finishable returns messages of a lane of their own. The first one is claimed.
func finishable(t *testing.T, store storage.Store, n int) (all []outbox.Message) {
	t.Helper()
	lane := outbox.Lane(fmt.Sprintf("note/%d", n))
	for i := range 30 {
		all = append(all, outbox.Message{Lane: lane, Seq: outbox.SeqOf(finishing, i), Kind: "note", Data: []byte(`{}`), CreatedAt: finishing, DueAt: finishing})
	}
	err := store.PutMessages(t.Context(), all)
	if err == nil {
		all[0], err = store.ClaimMessage(t.Context(), all[0], "a", finishing, finishing.Add(time.Minute))
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func wantAllOrFollowed(t *testing.T, store storage.Store, done []outbox.Message, next outbox.Message, failure error) {
	t.Helper()
	left, err := store.Waiting(t.Context(), done[0].Lane, 100)
	if err != nil {
		t.Fatal(err)
	}
	follows, err := store.Waiting(t.Context(), next.Lane, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(follows) == 0 && len(left) != len(done) {
		t.Errorf("%d of %d messages are left, and nothing follows", len(left), len(done))
	}
	if first := slices.ContainsFunc(left, func(m outbox.Message) bool { return m.Seq == done[0].Seq }); first && len(follows) > 0 {
		t.Error("the first message is left and followed too")
	}
	if len(left) > 0 && left[0].Ready(finishing) {
		t.Error("another dispatcher can begin with what is left while it is removed")
	}
	if failure == nil && len(left) > 0 {
		t.Errorf("%d messages are left without an error", len(left))
	}
}
