package sqlite

import (
	"testing"
	"time"
)

// However many slow lanes are due, they are not looked at for the others.
func TestDueLanesOfAGroupAreFoundByTheIndex(t *testing.T) {
	s := openInternal(t)
	wantPlan(t, s, selectDue, "messages_due (<expr>=? AND look_at<?)", false, micros(time.Now()), 10)
	wantPlan(t, s, delayDue, "messages_due (<expr>=? AND look_at<?)", micros(time.Now()), false, micros(time.Now()), "alert/5/1")
}
