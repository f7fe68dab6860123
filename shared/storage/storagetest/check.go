package storagetest

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/fault"
)

func wantOK(t *testing.T, call string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s = %v, want no error", call, err)
	}
}

func wantFault(t *testing.T, call string, err error, kind fault.Kind) {
	t.Helper()
	if !fault.Is(err, kind) {
		t.Errorf("%s = %v, want an error of kind %q", call, err, kind)
	}
}

// wantField checks that the error complains about this field and no other.
func wantField(t *testing.T, call string, err error, field string) {
	t.Helper()
	if !complainsAbout(err, field) {
		t.Errorf("%s = %v, want a complaint about %q alone", call, err, field)
	}
}

func complainsAbout(err error, field string) bool {
	var fields fault.Fields
	return errors.As(err, &fields) && len(fields) == 1 && len(fields[field]) > 0
}

// wantSame compares, taking an empty list for a missing one.
func wantSame(t *testing.T, call string, got, want any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, append(options, cmpopts.EquateEmpty())...); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", call, diff)
	}
}

// race makes n calls at once and returns their errors.
func race(n int, call func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var callers sync.WaitGroup
	for i := range n {
		callers.Go(func() {
			<-start
			errs[i] = call(i)
		})
	}
	close(start)
	callers.Wait()
	return errs
}

// wantOneWinner checks that exactly one of the errors is nil and that all
// others mean a loss; it returns the winner's number.
func wantOneWinner(t *testing.T, call string, errs []error, loss func(error) bool) int {
	t.Helper()
	winner, winners := -1, 0
	for i, err := range errs {
		switch {
		case err == nil:
			winner = i
			winners++
		case !loss(err):
			t.Errorf("%s: a losing caller got %v", call, err)
		}
	}
	if winners != 1 {
		t.Fatalf("%s: %d of %d concurrent callers won, want 1", call, winners, len(errs))
	}
	return winner
}

func isConflict(err error) bool { return fault.Is(err, fault.Conflict) }
