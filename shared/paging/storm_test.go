package paging_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/oncall"
)

// storm fires n alerts within a minute.
func (x *scene) storm(n int) {
	x.t.Helper()
	for i, name := range names(n, "a%d") {
		x.fire(name, alert.SeverityHigh)
		if i%50 == 0 {
			x.Pass(50 * time.Second / time.Duration(n/50))
			x.sweep()
		}
	}
	x.sweep()
}

// storms are how many alerts come in a minute on each store. See TestLargestStorm too.
var storms = map[string]int{"sqlite": 300, "dynamodb": 100}

func TestStormSendsOnePageAndOneSummary(t *testing.T) {
	for name, n := range storms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sendsOnePageAndOneSummary(t, name, n)
		})
	}
}

// sendsOnePageAndOneSummary has n alerts come within a minute, each of which pages two
// people.
func sendsOnePageAndOneSummary(t *testing.T, store string, n int) {
	var f fuse
	f.set(never)
	x := over(t, breakable[store](t, &f))
	x.policy(0, after(0, oncall.Acknowledged, x.ben), after(0, oncall.Resolved, x.ada))
	x.storm(n)
	for range 3 {
		x.pass(time.Minute)
	}
	summary := fmt.Sprintf(": %d alerts for you", n-1)
	mails := x.wantMails(pagedBen, pagedAda, "ben"+summary, "ada"+summary)
	if text := mails[len(mails)-1].Text; !strings.Contains(text, fmt.Sprintf("and %d more", n-21)) || strings.Count(text, "acme/web") < 20 {
		t.Errorf("the summary says %s", text)
	}
	if left := x.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	x.wantNoneDead()
}
