package main

import (
	"testing"

	"gatehouse/scripts/growth/bill"
)

// Every call is measured, and what was measured last still holds: else run
// "scripts/cost --measure".
func TestWhatCallsTakeOfDynamoDB(t *testing.T) {
	needDynamoDB(t)
	quiet(t)
	c := costOptions{options: testOptions(t, true), actors: len(consequences)}
	takes, err := c.takes(t.Context(), pageSize)
	if err != nil {
		t.Fatal(err)
	}
	known, err := bill.Read()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(takes), len(known.Measured.Takes); got != want {
		t.Errorf("%d calls are measured, want %d", got, want)
	}
	for name, take := range takes {
		before := known.Measured.Takes[name]
		if !alike(take.Reads, before.Reads) || !alike(take.Writes, before.Writes) || !alike(take.ByteMonths, before.ByteMonths) {
			t.Errorf("%s takes %+v, and took %+v", name, take, before)
		}
		if take.Invocations == 0 || take.Milliseconds == 0 || take.Steps == 0 {
			t.Errorf("%s takes %+v", name, take)
		}
	}
}

// alike reports whether two measurements differ by chance: people and projects have longer
// and shorter names.
func alike(a, b float64) bool { return a <= 1.25*b+2 && b <= 1.25*a+2 }
