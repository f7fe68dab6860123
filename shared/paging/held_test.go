package paging

import (
	"testing"
	"time"

	"gatehouse/shared/outbox"
)

// Notices that wait for many times make no more messages than follow from one.
func TestHeldNoticesStayWithinTheBound(t *testing.T) {
	waiting, n := held{}, 0
	for i := range 120 {
		waiting.add(time.Unix(int64(i)*20, 0), notice{IID: int64(i)})
	}
	messages := new(Rules).held(outbox.Message{}, 1, waiting)
	all, _ := unbundle(messages)
	if n = len(messages); n > outbox.MostFollowing/2 || len(all) != 120 {
		t.Errorf("%d messages have %d notices", n, len(all))
	}
}
