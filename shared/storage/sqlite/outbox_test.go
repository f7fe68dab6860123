package sqlite

import (
	"testing"
	"time"
)

// However many slow lanes are due, they are not looked at for the others.
func TestDueLanesOfAGroupAreFoundByTheIndex(t *testing.T) {
	wantPlan(t, openInternal(t), selectDue, "messages_due (<expr>=? AND look_at<?)", false, micros(time.Now()), 10)
}
